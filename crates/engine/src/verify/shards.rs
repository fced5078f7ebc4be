//! Streams and the shards of change logs: their records, and that open shards are those of the definitions.

use super::{Known, Verifier, records::all};
use crate::{
    error::EngineError,
    keys::{self, Key, ShardNumber, TableNumber},
    log::{Shard, StreamRecord, shard_of},
    table,
};
use bytes::Bytes;
use std::collections::BTreeMap;

impl Verifier<'_> {
    pub(super) async fn shards(&mut self, known: &mut Known) -> Result<(), EngineError> {
        self.streams(known).await?;
        let mut ends: BTreeMap<(TableNumber, ShardNumber), Bytes> = BTreeMap::new();
        self.each("shards", all(keys::SHARD_END), |verifier, key, value| match Key::shard(key) {
            Some(place) if value.len() == 8 => drop(ends.insert(place, value.clone())),
            Some((table, shard)) => {
                verifier.found(place(table, shard), "the record of its end cannot be read");
            }
            None => verifier.strange(key),
        })
        .await?;
        self.each("shards", all(keys::SHARD), |verifier, key, value| {
            let Some((table, number)) = Key::shard(key) else { return verifier.strange(key) };
            let end = ends.remove(&(table, number));
            match shard_of(number, value, end.as_ref()) {
                Ok(shard) => drop(known.shards.insert((table, number), shard)),
                Err(error) => {
                    let problem = format!("its record cannot be read: {error}");
                    verifier.found(place(table, number), problem);
                }
            }
        })
        .await?;
        for (table, shard) in ends.into_keys() {
            self.found(place(table, shard), "it has an end, but no beginning");
        }
        self.lineage(known);
        Ok(())
    }

    async fn streams(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut records: BTreeMap<(TableNumber, u32), StreamRecord> = BTreeMap::new();
        self.each("streams", Key::streams(), |verifier, key, value| {
            let Some(id) = Key::stream(key) else { return verifier.strange(key) };
            match table::read(value) {
                Ok(record) => drop(records.insert(id, record)),
                Err(error) => {
                    let problem = format!("its record cannot be read: {error}");
                    verifier.found(format!("stream {} of table number {}", id.1, id.0), problem);
                }
            }
        })
        .await?;
        for held in known.live().filter(|held| !held.table.shards.is_empty()) {
            let Some(stream) = held.table.enabled_stream() else { continue };
            let record = records.get(&(held.table.number, stream.number));
            let place = format!("table {}, stream {}", held.table.name, stream.label);
            match record {
                None => self.found(place, "it is enabled, but has no record"),
                Some(record) if record.ended.is_some() => {
                    self.found(place, "it is enabled, but its record says that it has ended");
                }
                Some(record) if record.label != stream.label || record.view != stream.view => {
                    self.found(place, "its record is that of another stream");
                }
                Some(_) => {}
            }
        }
        known.views = records.into_iter().map(|(id, record)| (id, record.view)).collect();
        Ok(())
    }

    fn lineage(&mut self, known: &Known) {
        let tables: BTreeMap<TableNumber, _> =
            known.live().map(|held| (held.table.number, &held.table)).collect();
        for table in tables.values() {
            for open in &table.shards {
                let place = format!("table {}, shard {}", table.name, open.number);
                match known.shards.get(&(table.number, open.number)) {
                    None => self.found(place, "the definition has it open, but it has no record"),
                    Some(Shard { closed: Some(_), .. }) => {
                        self.found(place, "the definition has it open, but it is closed");
                    }
                    Some(shard) if shard.parent != open.parent => {
                        self.found(place, "the definition and its record give other parents");
                    }
                    Some(_) => {}
                }
            }
        }
        for (&(table, number), shard) in &known.shards {
            let definition = tables.get(&table);
            let is_open = definition
                .is_some_and(|table| table.shards.iter().any(|open| open.number == number));
            if shard.closed.is_none() && !is_open {
                self.found(place(table, number), "it is open, but no definition knows of it");
            }
            if shard.closed.is_some_and(|closed| closed < shard.opened) {
                self.found(place(table, number), "it was closed before it was opened");
            }
            let Some(parent) = shard.parent else { continue };
            if parent >= number {
                self.found(place(table, number), format!("its parent {parent} is not older"));
            }
            // A parent that is not there has been trimmed away.
            if let Some(parent) = known.shards.get(&(table, parent))
                && parent.closed != Some(shard.opened)
            {
                let problem = format!("it does not begin where its parent {} ends", parent.number);
                self.found(place(table, number), problem);
            }
        }
    }
}

pub(super) fn place(table: TableNumber, shard: ShardNumber) -> String {
    format!("table number {table}, shard {shard}")
}
