//! The change log and the items tell one story: each change finds what the one before it left, and the last
//! one left the item that is there.
//!
//! For each item the last change is held, as a hash. If there are very many changes, the items are taken in
//! several parts, each with a walk of its own.

use super::{Known, PAGE, Verifier, catalogue::Held, show};
use crate::{
    error::EngineError,
    items::PrimaryKey,
    keys::Key,
    log::{Change, Event, Position, Shard},
    table::{StreamView, Table},
};
use bytes::Bytes;
use std::collections::HashMap;
use store::KeyRange;
use xxhash_rust::xxh3::xxh3_64;

/// Changes whose items are held at a time, at most.
const HELD: u64 = 2_000_000;

/// What a change left, and where the change is.
#[derive(Clone, Copy)]
struct Left {
    item: Image,
    shard: u32,
    position: Position,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Image {
    Gone,
    /// With this hash.
    Is(u64),
    /// It is there; the log does not say how.
    There,
}

/// One walk: the items whose hash leaves this remainder.
#[derive(Clone, Copy)]
struct Part {
    of: u64,
    number: u64,
}

impl Part {
    fn has(self, key: u64) -> bool {
        key % self.of == self.number
    }
}

impl Verifier<'_> {
    pub(super) async fn images(&mut self, known: &Known) -> Result<(), EngineError> {
        for held in known.live() {
            let number = held.table.number;
            let mut shards: Vec<&Shard> = known
                .shards
                .iter()
                .filter(|((table, _), _)| *table == number)
                .map(|(_, shard)| shard)
                .collect();
            if shards.is_empty() {
                continue;
            }
            shards.sort_by_key(|shard| (shard.opened, shard.number));
            let changes = known.changes.get(&number).copied().unwrap_or(0);
            let of = changes / HELD + 1;
            for part in 0..of {
                self.walk(known, held, &shards, Part { of, number: part }).await?;
            }
        }
        Ok(())
    }

    async fn walk(
        &mut self,
        known: &Known,
        held: &Held,
        shards: &[&Shard],
        part: Part,
    ) -> Result<(), EngineError> {
        let table = &held.table;
        let mut left: HashMap<u64, Left> = HashMap::new();
        let mut covered: Option<Position> = None;
        for shard in shards {
            if covered.is_some_and(|covered| shard.opened > covered) {
                // Nobody recorded what happened in between.
                left.clear();
                let since = table.recovery.map(|recovery| recovery.since.millis());
                let opened = shard.opened.version.millis();
                if since.is_some_and(|since| opened > since) && part.number == 0 {
                    let place = format!("table {}, shard {}", table.name, shard.number);
                    self.found(
                        place,
                        "nothing was recorded just before it, though recovery was on",
                    );
                }
            }
            covered = covered.max(Some(shard.closed.unwrap_or(Position::END)));
            let view = known.views.get(&(table.number, shard.stream));
            let whole = matches!(view, Some(StreamView::NewImage | StreamView::NewAndOldImages));
            let all = Key::changes(table.number, shard.number, Position::default(), Position::END);
            let mut range = Some(all);
            while let Some(rest) = range {
                let (page, after) = self.page("changes again", &rest, PAGE).await?;
                for (key, value) in page {
                    self.change(table, shard, whole, part, (&key, &value), &mut left);
                }
                range = after;
            }
        }
        if !table.shards.is_empty() {
            self.last_images(held, part, left).await?;
        }
        Ok(())
    }

    /// Holds a change against what the one before it left.
    fn change(
        &mut self,
        table: &Table,
        shard: &Shard,
        whole: bool,
        part: Part,
        (key, value): (&Bytes, &Bytes),
        left: &mut HashMap<u64, Left>,
    ) {
        // What cannot be read has been named.
        let (Some(position), Ok(change)) = (Key::position(key), Change::decode(value)) else {
            return;
        };
        let names = table.key.attributes().map(|attribute| attribute.name.as_str());
        let Ok(item) = change.key(names) else { return };
        let at = |item: &str| {
            let Position { version, ordinal } = position;
            format!(
                "table {}, shard {}, change {version}.{ordinal}{item}",
                table.name, shard.number
            )
        };
        let Ok(primary) = PrimaryKey::from_item(table, &item) else {
            return self.found(at(""), "it does not have the key of the table");
        };
        let storage_key = primary.storage_key(table.number);
        let hash = xxh3_64(&storage_key);
        if !part.has(hash) {
            return;
        }
        let place = |shown: String| at(&format!(", item {shown}"));
        if let Some(open) = table.shards.iter().find(|open| open.number == shard.number) {
            let partition = storage_key.get(5..7).and_then(|bytes| bytes.try_into().ok());
            let partition = partition.map_or(0, u16::from_be_bytes);
            if !(open.first..=open.last).contains(&partition) {
                let problem = "its shard does not take the changes of this item";
                self.found(place(show::item(table, &storage_key)), problem);
            }
        }
        let old = change.old.as_ref().map(|image| Image::Is(xxh3_64(image)));
        let before = match change.event {
            Event::Insert => Image::Gone,
            Event::Modify | Event::Remove => old.unwrap_or(Image::There),
        };
        if let Some(earlier) = left.get(&hash)
            && !agree(earlier.item, before)
        {
            let Position { version, ordinal } = earlier.position;
            let problem = format!(
                "it does not find what the change before it, {version}.{ordinal} in shard {}, left: a change is missing or altered",
                earlier.shard
            );
            self.found(place(show::item(table, &storage_key)), problem);
        }
        let item = match (change.event, &change.new) {
            (Event::Remove, _) => Image::Gone,
            (_, Some(new)) if whole => Image::Is(xxh3_64(new)),
            _ => Image::There,
        };
        left.insert(hash, Left { item, shard: shard.number, position });
    }

    /// Holds what the last changes left against the items.
    async fn last_images(
        &mut self,
        held: &Held,
        part: Part,
        mut left: HashMap<u64, Left>,
    ) -> Result<(), EngineError> {
        let table = &held.table;
        let items = KeyRange::prefix(Key::items_prefix(table.number));
        let all = &mut left;
        self.each("items again", items, |verifier, key, value| {
            let hash = xxh3_64(key);
            let Some(last) = all.remove(&hash).filter(|_| part.has(hash)) else { return };
            if !agree(last.item, Image::Is(xxh3_64(value))) {
                let Position { version, ordinal } = last.position;
                let problem = format!(
                    "it is not what its last change, {version}.{ordinal} in shard {}, left",
                    last.shard
                );
                verifier.found(show::place(table, key), problem);
            }
        })
        .await?;
        for Left { item, shard, position } in left.into_values() {
            if item == Image::Gone {
                continue;
            }
            let key = Key::Change { table: table.number, shard, position }.encode();
            let Some(value) = self.snapshot.get(&key).await? else { continue };
            let names = table.key.attributes().map(|attribute| attribute.name.as_str());
            let item = Change::decode(&value).and_then(|change| change.key(names)).ok();
            let primary = item.and_then(|item| PrimaryKey::from_item(table, &item).ok());
            let Some(primary) = primary else { continue };
            let Position { version, ordinal } = position;
            let problem = format!(
                "its last change, {version}.{ordinal} in shard {shard}, left it there, but it is gone"
            );
            self.found(show::place(table, &primary.storage_key(table.number)), problem);
        }
        Ok(())
    }
}

/// Whether both can be the same item.
fn agree(one: Image, other: Image) -> bool {
    match (one, other) {
        (Image::Gone, Image::Gone) => true,
        (Image::Gone, _) | (_, Image::Gone) => false,
        (Image::There, _) | (_, Image::There) => true,
        (Image::Is(one), Image::Is(other)) => one == other,
    }
}
