//! Every item: it can be read, it is where its key says, and what follows from it is added up.

use super::{
    Known, Role, Verifier,
    catalogue::Held,
    records::{all, table_of},
    show,
};
use crate::{
    error::EngineError,
    expiry,
    items::{IndexEntry, PrimaryKey, indexes},
    keys::{self, Key, TableNumber},
    table::Table,
};
use bytes::Bytes;
use value::{codec, item_size};

/// What is added up of the items with one partition key.
pub(super) struct Collection {
    pub(super) key: Bytes,
    pub(super) pair: [i64; 2],
}

impl Collection {
    fn add(&mut self, size: usize) {
        let [items, bytes] = self.pair;
        self.pair = [items + 1, bytes.saturating_add(i64::try_from(size).unwrap_or(i64::MAX))];
    }

    /// The record that should be there.
    pub(super) fn value(&self) -> Vec<u8> {
        self.pair.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

/// An item that was read.
pub(super) struct Read {
    pub(super) key: PrimaryKey,
    pub(super) stored: Bytes,
    pub(super) size: usize,
}

/// Takes an item apart, or says what is wrong with it.
pub(super) fn read(table: &Table, key: &[u8], value: &Bytes) -> Result<Read, String> {
    let item = codec::decode(value).map_err(|error| format!("it cannot be read: {error}"))?;
    let own = PrimaryKey::from_item(table, &item)
        .map_err(|error| format!("it does not have the table's key: {error}"))?;
    let expected = own.storage_key(table.number);
    if Key::behind_table(&expected) == Key::behind_table(key) {
        Ok(Read { key: own, stored: value.clone(), size: item_size(&item) })
    } else {
        Err(format!("the item there has another key: {}", show::item(table, &expected)))
    }
}

/// The key of the collection that an item is in.
pub(super) fn collection_key(table: &Table, item: &[u8]) -> Option<Bytes> {
    let mut rest = item.get(7..)?;
    for attribute in &table.key.partition {
        value::key::decode(attribute.kind, &mut rest).ok()?;
    }
    let prefix = item.get(1..item.len() - rest.len())?;
    Some([&[keys::COLLECTION], prefix].concat().into())
}

/// The entries of an item in the indexes of its table, in their order.
pub(super) fn entries<'t>(
    table: &'t Table,
    read: &'t Read,
) -> impl Iterator<Item = (usize, bool, IndexEntry)> + 't {
    indexes(table).enumerate().filter_map(move |(place, index)| {
        // All of the item has been read before.
        let entry = index.entry(table, &read.key, &read.stored).ok().flatten();
        entry.map(|entry| (place, index.global, entry))
    })
}

impl Verifier<'_> {
    pub(super) async fn items(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut collection: Option<Collection> = None;
        let mut unknown: Option<TableNumber> = None;
        let mut last_table = None;
        self.each("items", all(keys::ITEM), |verifier, key, value| {
            let Some(number) = table_of(key) else { return verifier.strange(key) };
            if last_table != Some(number) {
                flush(known, last_table, &mut collection);
                last_table = Some(number);
            }
            match known.tables.get_mut(&number) {
                Some(Role::Live(held)) => verifier.item(held, key, value, &mut collection),
                Some(Role::Kept(table)) => {
                    verifier.summary.saved += 1;
                    if let Err(problem) = read(table, key, value) {
                        let place = format!("backup of {}", show::place(table, key));
                        verifier.found(place, problem);
                    }
                }
                Some(Role::Dropped) => {}
                None if unknown == Some(number) => {}
                None => {
                    unknown = Some(number);
                    let place = format!("table number {number}");
                    verifier
                        .found(place, "it has items, but no definition, and is not being removed");
                }
            }
        })
        .await?;
        flush(known, last_table, &mut collection);
        Ok(())
    }

    fn item(
        &mut self,
        held: &mut Held,
        key: &Bytes,
        value: &Bytes,
        collection: &mut Option<Collection>,
    ) {
        self.summary.items += 1;
        let read = match read(&held.table, key, value) {
            Ok(read) => read,
            Err(problem) => return self.found(show::place(&held.table, key), problem),
        };
        let size = read.size;
        held.items.count(size);
        let has_locals = !held.table.locals.is_empty();
        if has_locals {
            let own = collection_key(&held.table, key).unwrap_or_default();
            if collection.as_ref().is_none_or(|current| current.key != own) {
                close(held, collection);
                *collection = Some(Collection { key: own, pair: [0, 0] });
            }
            if let Some(collection) = collection {
                collection.add(size);
            }
        }
        for (place, global, entry) in entries(&held.table, &read) {
            if let Some(index) = held.indexes.get_mut(place)
                && index.taken.has(key)
            {
                index.expected.add(&entry.key, &entry.value, entry.size);
            }
            if let Some(collection) = collection
                && !global
            {
                collection.add(entry.size);
            }
        }
        if let Some(entry) = expiry_key(&held.table, key, value)
            && let Some(expiry) = &mut held.expiry
            && expiry.taken.has(key)
        {
            expiry.expected.add(&entry, &[], 0);
        }
    }
}

/// Where an item stands among the expiries.
pub(super) fn expiry_key(table: &Table, key: &Bytes, value: &[u8]) -> Option<Bytes> {
    let seconds = expiry::seconds(table.expiry()?, value).ok()??;
    expiry::key(table, seconds, key)
}

fn close(held: &mut Held, collection: &mut Option<Collection>) {
    if let Some(done) = collection.take() {
        held.collections.0.add(&done.key, &done.value(), 0);
    }
}

fn flush(known: &mut Known, table: Option<TableNumber>, collection: &mut Option<Collection>) {
    if let Some(held) = table.and_then(|table| known.held(table)) {
        close(held, collection);
    }
    *collection = None;
}
