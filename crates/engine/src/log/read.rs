//! Reading the log: the shards of a stream, and pages of changes.

use super::{
    STREAM_RETENTION, StreamId,
    change::{Change, Position},
    shards::ShardRecord,
};
use crate::{
    Engine,
    error::EngineError,
    keys::{Key, ShardNumber, TableNumber},
    records::entries,
    table,
};
use bytes::Bytes;
use std::collections::BTreeMap;
use store::{Direction, PageLimit, Version};

/// A shard of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// Its number.
    pub number: ShardNumber,
    /// The stream it belongs to; zero if it is there for recovery alone.
    pub stream: u32,
    /// The shard that took its changes before.
    pub parent: Option<ShardNumber>,
    /// Where it begins.
    pub opened: Position,
    /// Where it ends, once it is closed. No change is there or behind.
    pub closed: Option<Position>,
}

/// Some changes of a shard, oldest first.
#[derive(Debug, Clone)]
pub struct ChangePage {
    /// The changes and their places.
    pub changes: Vec<(Position, Change)>,
    /// Where to go on; none once a closed shard has been read to its end.
    pub next: Option<Position>,
    /// Whether there are changes behind the last one.
    pub more: bool,
}

impl Engine {
    /// Changes before this place can no longer be read.
    pub fn trim_horizon(&self) -> Position {
        let oldest = self.now().before(STREAM_RETENTION);
        Position::start(Version::first_at(oldest.millis()))
    }

    /// The place behind every change there is.
    pub async fn latest_position(&self) -> Result<Position, EngineError> {
        let version = self.store.snapshot().await?.version();
        Ok(Position::start(Version(version.0 + 1)))
    }

    /// The shards of a stream that can be read, oldest first.
    pub async fn shards(&self, id: StreamId) -> Result<Vec<Shard>, EngineError> {
        let horizon = self.trim_horizon();
        let shards = self.table_shards(Some(id.table)).await?;
        let own = shards.into_iter().map(|(_, shard)| shard).filter(|shard| {
            shard.stream == id.stream && shard.closed.is_none_or(|closed| closed > horizon)
        });
        Ok(own.collect())
    }

    /// A shard of a stream, while it can be read.
    pub async fn shard(
        &self,
        id: StreamId,
        number: ShardNumber,
    ) -> Result<Option<Shard>, EngineError> {
        let (table, shard) = (id.table, number);
        let snapshot = self.store.snapshot().await?;
        let record = snapshot.get(&Key::Shard { table, shard }.encode()).await?;
        let closed = snapshot.get(&Key::ShardEnd { table, shard }.encode()).await?;
        let shard = record.map(|record| shard_of(number, &record, closed.as_ref())).transpose()?;
        let horizon = self.trim_horizon();
        Ok(shard.filter(|shard| {
            shard.stream == id.stream && shard.closed.is_none_or(|closed| closed > horizon)
        }))
    }

    /// The shards of a table, or of all tables, also those that only wait to be swept away.
    pub(crate) async fn table_shards(
        &self,
        table: Option<TableNumber>,
    ) -> Result<Vec<(TableNumber, Shard)>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let mut closed = BTreeMap::new();
        for (key, value) in entries(&*snapshot, Key::shard_ends(table)).await? {
            if let Some(place) = Key::shard(&key) {
                closed.insert(place, value);
            }
        }
        let mut shards = Vec::new();
        for (key, value) in entries(&*snapshot, Key::shards(table)).await? {
            let Some((table, number)) = Key::shard(&key) else { continue };
            let shard = shard_of(number, &value, closed.get(&(table, number)))?;
            shards.push((table, shard));
        }
        Ok(shards)
    }

    /// One page of a shard's changes, from a place on. It holds at least one change if there
    /// is any, and no more than `entries`; it ends with the change that fills `bytes`.
    pub async fn read_changes(
        &self,
        id: StreamId,
        shard: &Shard,
        from: Position,
        limit: PageLimit,
    ) -> Result<ChangePage, EngineError> {
        // What is not there yet must come behind where the next page begins.
        let snapshot = self.store.snapshot().await?;
        let behind = Position::start(Version(snapshot.version().0.saturating_add(1)));
        let end = shard.closed.unwrap_or(behind);
        let from = from.max(shard.opened);
        let range = Key::changes(id.table, shard.number, from, end.max(from));
        let page = snapshot.range(range, Direction::Forward, limit).await?;
        let mut changes = Vec::with_capacity(page.entries.len());
        for (key, value) in &page.entries {
            if let Some(position) = Key::position(key) {
                changes.push((position, Change::decode(value)?));
            }
        }
        let last = changes.last().map(|(position, _)| position.next());
        let next = match (page.more, shard.closed) {
            (true, _) => last,
            (false, Some(_)) => None,
            (false, None) => Some(behind.max(from)),
        };
        Ok(ChangePage { changes, next, more: page.more })
    }
}

/// A shard from its record and, if it is closed, from that of its end.
pub(crate) fn shard_of(
    number: ShardNumber,
    record: &[u8],
    closed: Option<&Bytes>,
) -> Result<Shard, EngineError> {
    let record: ShardRecord = table::read(record)?;
    let closed = closed.and_then(|version| version.as_ref().try_into().ok());
    Ok(Shard {
        number,
        stream: record.stream,
        parent: record.parent,
        opened: Position::start(Version(record.opened)),
        closed: closed.map(|version| Position::start(Version(u64::from_be_bytes(version)))),
    })
}
