//! Walking back through the change log of a table, newest change first.

use super::restore::Phase;
use crate::{
    Engine,
    error::EngineError,
    items::PrimaryKey,
    keys::{Key, TableNumber},
    log::{Change, Event, Position, Shard},
    table::Table,
};
use bytes::Bytes;
use std::{cmp::Reverse, collections::HashMap};
use store::{Direction, PageLimit, Version};
use value::{Item, codec};

const PAGE: PageLimit = PageLimit { entries: 200, bytes: 2 << 20 };

/// An item as it was before a change.
pub(super) struct Before {
    pub(super) key: PrimaryKey,
    /// Its key attributes.
    pub(super) key_item: Item,
    /// In its stored form; none if it was not there.
    pub(super) stored: Option<Bytes>,
    /// The newest of its changes in the page.
    pub(super) newest: Position,
}

/// Some changes, and where to go on.
pub(super) struct UndoPage {
    /// For each item the oldest of its changes in this page.
    pub(super) items: Vec<Before>,
    pub(super) changes: u64,
    /// None once the walk is over.
    pub(super) next: Option<Phase>,
}

impl Engine {
    /// The next page of a walk back through the log of a table to a boundary. `keyed` is a
    /// table with the same key.
    pub(super) async fn undo_page(
        &self,
        number: TableNumber,
        keyed: &Table,
        boundary: Position,
        until: Version,
        at: Option<(u32, u64, u16)>,
    ) -> Result<UndoPage, EngineError> {
        let end = Position::start(until);
        let shards = self.walk_order(number, boundary, end).await?;
        let mut rest = shards.iter().skip_while(|shard| at.is_some_and(|at| at.0 != shard.number));
        let mut behind =
            at.map(|(_, version, ordinal)| Position { version: Version(version), ordinal });
        for shard in &mut rest {
            let from = boundary.max(shard.opened);
            let to = behind.take().unwrap_or(end.min(shard.closed.unwrap_or(end)));
            if to <= from {
                continue;
            }
            let range = Key::changes(number, shard.number, from, to);
            let snapshot = self.store.snapshot().await?;
            let page = snapshot.range(range, Direction::Backward, PAGE).await?;
            let Some((last, _)) = page.entries.last() else { continue };
            let place = Key::position(last).unwrap_or(from);
            let changes = page.entries.len() as u64;
            let mut items: HashMap<PrimaryKey, Before> = HashMap::new();
            for (place, value) in &page.entries {
                let newest = Key::position(place).unwrap_or(from);
                if let Some(mut before) = before(keyed, &Change::decode(value)?, newest)? {
                    if let Some(later) = items.get(&before.key) {
                        before.newest = later.newest;
                    }
                    items.insert(before.key.clone(), before);
                }
            }
            let at = Some((shard.number, place.version.0, place.ordinal));
            return Ok(UndoPage {
                items: items.into_values().collect(),
                changes,
                next: Some(Phase::Undoing { until: until.0, at }),
            });
        }
        Ok(UndoPage { items: Vec::new(), changes: 0, next: None })
    }

    /// The shards of a table with changes in a range, so that of two shards that one item can
    /// be in, the later one comes first.
    pub(super) async fn walk_order(
        &self,
        table: TableNumber,
        from: Position,
        to: Position,
    ) -> Result<Vec<Shard>, EngineError> {
        let shards = self.table_shards(Some(table)).await?;
        let mut shards: Vec<Shard> = shards
            .into_iter()
            .map(|(_, shard)| shard)
            .filter(|shard| shard.opened < to && shard.closed.is_none_or(|closed| closed > from))
            .collect();
        shards.sort_by_key(|shard| Reverse((shard.opened, shard.number)));
        Ok(shards)
    }
}

fn before(table: &Table, change: &Change, newest: Position) -> Result<Option<Before>, EngineError> {
    let names = table.key.attributes().map(|attribute| attribute.name.as_str());
    let key_item = change.key(names)?;
    // A recorded item has its table's key.
    let Ok(key) = PrimaryKey::from_item(table, &key_item) else { return Ok(None) };
    let stored = match change.event {
        Event::Insert => None,
        Event::Modify | Event::Remove => change.old.clone(),
    };
    Ok(Some(Before { key, key_item, stored, newest }))
}

/// A stored item, taken apart.
pub(super) fn decoded(stored: Option<&Bytes>) -> Result<Option<Item>, EngineError> {
    Ok(stored.map(|bytes| codec::decode(bytes)).transpose()?)
}
