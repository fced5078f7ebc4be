//! One item's change: what it was and what it becomes, and everything that
//! follows from the two, the change log's record included. Pure.

use super::{
    Capacity, PrimaryKey,
    capacity::write_units,
    index::{self, Entry, Index},
};
use crate::{
    expiry,
    keys::{IndexNumber, Key},
    log::{Actor, ChangeRecord, Event, Position},
    table::{StreamView, Table},
};
use bytes::Bytes;
use store::{Planted, Write};
use value::{
    CodecError, Item,
    codec::{self, ItemRef},
    key::partition_hash,
};

/// An item at one moment, with what it contributes to the indexes.
pub(super) struct Image {
    pub(super) bytes: Bytes,
    size: usize,
    entries: Vec<Option<Entry>>,
    /// Where it stands among the expiries.
    expiry: Option<Bytes>,
}

/// Where in the log a change goes, and who made it.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) position: Position,
    pub(super) actor: Actor,
}

impl Image {
    /// The image of an item that is to be written.
    pub(super) fn new(table: &Table, key: &PrimaryKey, item: &Item) -> Result<Image, CodecError> {
        Image::stored(table, key, &codec::encode(item).into())
    }

    /// The image of a stored item.
    pub(super) fn stored(
        table: &Table,
        key: &PrimaryKey,
        bytes: &Bytes,
    ) -> Result<Image, CodecError> {
        let size = ItemRef::new(bytes)?.size();
        let entry = |index: Index<'_>| index.entry(table, key, bytes);
        let entries = index::indexes(table).map(entry).collect::<Result<_, _>>()?;
        let expiry = expiry_key(table, key, bytes)?;
        Ok(Image { bytes: bytes.clone(), size, entries, expiry })
    }

    /// The keys of its entries in indexes that are being built, by the index's position.
    pub(super) fn building<'i>(
        &'i self,
        table: &'i Table,
    ) -> impl Iterator<Item = (usize, &'i Bytes)> {
        let entries = index::indexes(table).zip(&self.entries).enumerate();
        entries.filter_map(|(position, (index, entry))| {
            entry.as_ref().filter(|_| index.building).map(|entry| (position, &entry.key))
        })
    }

    /// Takes away an entry that an index being built does not have yet.
    pub(super) fn forget(&mut self, position: usize) {
        if let Some(entry) = self.entries.get_mut(position) {
            *entry = None;
        }
    }

    /// What counts against the limit of an item: its size, and that of its entries in
    /// local indexes.
    pub(super) fn weight(&self, table: &Table) -> usize {
        let local = |(index, entry): (Index<'_>, &Option<Entry>)| {
            entry.as_ref().filter(|_| !index.global).map(|entry| entry.size)
        };
        self.size + index::indexes(table).zip(&self.entries).filter_map(local).sum::<usize>()
    }

    fn entry(&self, position: usize) -> Option<&Entry> {
        self.entries.get(position).and_then(Option::as_ref)
    }
}

fn expiry_key(table: &Table, key: &PrimaryKey, stored: &[u8]) -> Result<Option<Bytes>, CodecError> {
    let Some(setting) = table.expiry() else { return Ok(None) };
    let seconds = expiry::seconds(setting, stored)?;
    let item = || key.storage_key(table.number);
    Ok(seconds.and_then(|seconds| expiry::key(table, seconds, &item())))
}

/// What follows from a change.
pub(super) struct Effects {
    pub(super) writes: Vec<Write>,
    pub(super) capacity: Capacity,
    /// By how much the item collection grows: items and local entries, and their bytes.
    pub(super) collection: [i64; 2],
}

/// Everything that follows when `old` becomes `new`.
pub(super) fn effects(
    table: &Table,
    key: &PrimaryKey,
    old: Option<&Image>,
    new: Option<&Image>,
    origin: Origin,
) -> Effects {
    let size = |image: Option<&Image>| image.map_or(0, |image| image.size);
    let mut effects = Effects {
        writes: Vec::with_capacity(2),
        capacity: Capacity::of_table(write_units(size(old).max(size(new)))),
        collection: [0, 0],
    };
    if old.map(|image| &image.bytes) == new.map(|image| &image.bytes) {
        return effects;
    }
    let storage_key = key.storage_key(table.number);
    match (old, new) {
        (_, Some(new)) => {
            effects.writes.push(Write::Put { key: storage_key, value: new.bytes.clone() });
        }
        (Some(_), None) => effects.writes.push(Write::Delete { key: storage_key }),
        (None, None) => {}
    }
    effects.count(table, 0, true, old.map(|image| image.size), new.map(|image| image.size));
    for (position, index) in index::indexes(table).enumerate() {
        let old = old.and_then(|image| image.entry(position));
        let new = new.and_then(|image| image.entry(position));
        effects.index(table, index, old, new);
    }
    if !table.locals.is_empty() && effects.collection != [0, 0] {
        let key = Key::Collection { table: table.number, partition: &key.partition };
        effects.writes.push(Write::Add { key: key.encode(), by: effects.collection });
    }
    effects.expiry(old, new);
    effects.writes.extend(log_write(table, key, old, new, origin));
    effects
}

/// The change as the log keeps it, if the table has one. An image that no reader of the log
/// needs is left out; if none is left, the key stands in its place. Recovery needs the item
/// before the change, and finds the item after it in the next change or in the table.
fn log_write(
    table: &Table,
    key: &PrimaryKey,
    old: Option<&Image>,
    new: Option<&Image>,
    origin: Origin,
) -> Option<Write> {
    let unrecorded = match origin.actor {
        Actor::TimeToLive => Planted::ExpiryUnrecorded.is_on(),
        _ => Planted::OneRecord.is_on() && origin.position.ordinal > 0,
    };
    if unrecorded {
        return None;
    }
    let hash = partition_hash(&key.partition);
    let shard = table.shards.iter().find(|shard| (shard.first..=shard.last).contains(&hash))?;
    let view = table.enabled_stream().map(|stream| stream.view);
    let needs_old = table.recovery.is_some()
        || matches!(view, Some(StreamView::OldImage | StreamView::NewAndOldImages));
    let needs_new = matches!(view, Some(StreamView::NewImage | StreamView::NewAndOldImages));
    let event = match (old, new) {
        (None, _) => Event::Insert,
        (Some(_), Some(_)) => Event::Modify,
        (Some(_), None) => Event::Remove,
    };
    let any = new.or(old);
    let old = old.filter(|_| needs_old).map(|image| image.bytes.clone());
    let mut new = new.filter(|_| needs_new).map(|image| image.bytes.clone());
    if old.is_none() && new.is_none() {
        new = Some(key_alone(table, &any?.bytes).ok()?);
    }
    let change = ChangeRecord { event, actor: origin.actor, old, new };
    let (number, position) = (shard.number, origin.position);
    let key = Key::Change { table: table.number, shard: number, position }.encode();
    let lost = Planted::LoseChanges.is_on() && is_chosen(Some(&key));
    (!lost).then(|| Write::Put { key, value: change.encode() })
}

/// The key of a stored item as an item of its own.
fn key_alone(table: &Table, stored: &[u8]) -> Result<Bytes, CodecError> {
    let item = ItemRef::new(stored)?;
    let mut key = Item::new();
    for attribute in table.key.attributes() {
        if let Some(value) = item.get(&attribute.name)? {
            key.insert(attribute.name.clone(), value.to_value()?);
        }
    }
    Ok(codec::encode(&key).into())
}

/// One in eight keys, for planted faults.
fn is_chosen(key: Option<&Bytes>) -> bool {
    key.is_some_and(|key| partition_hash(key).is_multiple_of(8))
}

impl Effects {
    fn expiry(&mut self, old: Option<&Image>, new: Option<&Image>) {
        let old = old.and_then(|image| image.expiry.as_ref());
        let new = new.and_then(|image| image.expiry.as_ref());
        if old != new && !(Planted::LoseExpiries.is_on() && is_chosen(new)) {
            self.writes.extend(old.map(|key| Write::Delete { key: key.clone() }));
            let put = |key: &Bytes| Write::Put { key: key.clone(), value: Bytes::new() };
            self.writes.extend(new.map(put));
        }
    }

    /// The change of one index: its writes and its price.
    fn index(&mut self, table: &Table, index: Index<'_>, old: Option<&Entry>, new: Option<&Entry>) {
        if old == new {
            return;
        }
        let moved = old.map(|entry| &entry.key) != new.map(|entry| &entry.key);
        let units = match (old, new) {
            (Some(old), Some(new)) if !moved => write_units(old.size.max(new.size)),
            _ => [old, new].into_iter().flatten().map(|entry| write_units(entry.size)).sum(),
        };
        if let Some(old) = old.filter(|_| moved) {
            self.writes.push(Write::Delete { key: old.key.clone() });
        }
        let lost = Planted::LoseIndexEntries.is_on() && is_chosen(new.map(|entry| &entry.key));
        if let Some(new) = new.filter(|_| !lost) {
            self.writes.push(Write::Put { key: new.key.clone(), value: new.value.clone() });
        }
        let sizes = (old.map(|entry| entry.size), new.map(|entry| entry.size));
        self.count(table, index.number, !index.global, sizes.0, sizes.1);
        let costs =
            if index.global { &mut self.capacity.globals } else { &mut self.capacity.locals };
        costs.insert(index.name.to_owned(), units);
    }

    /// Keeps the count and the bytes of the table or an index; what is `local` also
    /// counts for the item collection.
    fn count(
        &mut self,
        table: &Table,
        index: IndexNumber,
        local: bool,
        old: Option<usize>,
        new: Option<usize>,
    ) {
        let bytes = |size: Option<usize>| i64::try_from(size.unwrap_or(0)).unwrap_or(i64::MAX);
        let by = [i64::from(new.is_some()) - i64::from(old.is_some()), bytes(new) - bytes(old)];
        if by == [0, 0] || (Planted::LoseCounts.is_on() && by[1] % 8 == 0) {
            return;
        }
        let key = Key::Counter { table: table.number, index }.encode();
        self.writes.push(Write::Add { key, by });
        if local {
            let [items, bytes] = self.collection;
            self.collection = [items + by[0], bytes + by[1]];
        }
    }
}
