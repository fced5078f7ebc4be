//! Builds an index on a table that is in use. Every write since its creation keeps it up
//! to date; here the items from before are taken in, a page a commit, from where the last
//! page ended. An item that was written meanwhile is left to that write.

use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    items::{Index, IndexEntry, PrimaryKey, indexes},
    keys::{IndexNumber, Key},
    table::{self, IndexState, Table},
};
use bytes::Bytes;
use std::{sync::Arc, time::Duration};
use store::{Decision, Direction, KeyRange, PLANTED_PAUSE, PageLimit, Planted, Write};
use value::codec;

/// Small enough to leave room for other commits in a group.
const PAGE: PageLimit = PageLimit { entries: 200, bytes: 1 << 20 };

/// How often to look for indexes whose resources have come.
const PERIOD: Duration = Duration::from_secs(1);

/// An item to be taken in: its key and value as they were read, and its entry.
struct Candidate {
    key: Bytes,
    stored: Bytes,
    entry: IndexEntry,
}

impl Engine {
    /// Builds indexes for ever; a failure is logged and tried again.
    pub async fn build_forever(&self) {
        loop {
            if let Err(error) = self.build_indexes().await {
                tracing::error!(%error, "an index could not be built");
            }
            if let Err(error) = self.index_expiries().await {
                tracing::error!(%error, "the expiries of a table could not be taken in");
            }
            tokio::select! {
                () = self.builder.notified() => {}
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Takes all items into the indexes that are being built and have their resources.
    pub async fn build_indexes(&self) -> Result<(), EngineError> {
        let now = self.now();
        let mut due: Vec<(Arc<Entry>, IndexNumber)> = Vec::new();
        self.catalogue.visit_entries(|entry| {
            for index in &entry.table.globals {
                if matches!(index.state, IndexState::Building { allocated } if allocated <= now) {
                    due.push((Arc::clone(entry), index.number));
                }
            }
        });
        for (entry, number) in due {
            while self.build_page(&entry.table, number).await? {}
            self.catalogue.refresh(&*self.store, &entry.table.name).await?;
        }
        Ok(())
    }

    /// Takes in one page; true if there is more.
    async fn build_page(&self, table: &Table, number: IndexNumber) -> Result<bool, EngineError> {
        let Some(index) = indexes(table).find(|index| index.number == number) else {
            return Ok(false);
        };
        let snapshot = self.store.snapshot().await?;
        let progress = Key::Progress { table: table.number, index: number }.encode();
        let items = KeyRange::prefix(Key::items_prefix(table.number));
        let range = match snapshot.get(&progress).await? {
            Some(last) => items.after(&last, Direction::Forward),
            None => items,
        };
        let page = snapshot.range(range, Direction::Forward, PAGE).await?;
        let last = page.entries.last().map(|(key, _)| key.clone());
        let mut candidates = Vec::new();
        for (key, stored) in page.entries {
            if let Some(entry) = entry(table, index, &stored)? {
                candidates.push(Candidate { key, stored, entry });
            }
        }
        let definition = Key::Definition { table: &table.name }.encode();
        let mut keys = vec![definition.clone()];
        keys.extend(candidates.iter().map(|candidate| candidate.key.clone()));
        keys.extend(candidates.iter().map(|candidate| candidate.entry.key.clone()));
        let page = BuiltPage {
            table: table.number,
            index: number,
            definition,
            progress,
            candidates,
            last: last.filter(|_| page.more),
        };
        if let Some(last) = page.last.as_ref().filter(|_| Planted::IndexPositionFirst.is_on()) {
            let position = Write::Put { key: page.progress.clone(), value: last.clone() };
            self.write(vec![position]).await?;
            tokio::time::sleep(PLANTED_PAUSE).await;
        }
        let decide = move |_, current: &[Option<Bytes>]| match page.decide(current) {
            Ok((writes, more)) => Decision { writes, outcome: Ok(more) },
            Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
        };
        store::commit(&*self.store, keys, decide).await?.outcome
    }
}

/// The entry of a stored item.
fn entry(
    table: &Table,
    index: Index<'_>,
    stored: &Bytes,
) -> Result<Option<IndexEntry>, EngineError> {
    let item = codec::decode(stored)?;
    // A stored item has its table's key.
    let Ok(key) = PrimaryKey::from_item(table, &item) else { return Ok(None) };
    Ok(index.entry(table, &key, stored)?)
}

struct BuiltPage {
    table: u32,
    index: IndexNumber,
    definition: Bytes,
    progress: Bytes,
    candidates: Vec<Candidate>,
    /// Where to go on; none if this was the last page.
    last: Option<Bytes>,
}

impl BuiltPage {
    /// Puts the entries of items that are as they were; true if there is more to do.
    fn decide(&self, current: &[Option<Bytes>]) -> Result<(Vec<Write>, bool), EngineError> {
        let Some((Some(record), values)) = current.split_first() else {
            return Ok((Vec::new(), false));
        };
        let mut table: Table = table::read(record)?;
        let built = table.globals.iter_mut().find(|index| index.number == self.index);
        let built = built.filter(|index| matches!(index.state, IndexState::Building { .. }));
        let Some(built) = built.filter(|_| table.number == self.table) else {
            return Ok((Vec::new(), false));
        };
        let mut writes = Vec::new();
        let (stored, entries) = values.split_at(self.candidates.len().min(values.len()));
        for ((candidate, stored), entry) in self.candidates.iter().zip(stored).zip(entries) {
            if stored.as_ref() == Some(&candidate.stored) && entry.is_none() {
                let IndexEntry { key, value, size } = candidate.entry.clone();
                writes.push(Write::Put { key, value });
                let key = Key::Counter { table: self.table, index: self.index }.encode();
                let size = i64::try_from(size).unwrap_or(i64::MAX);
                writes.push(Write::Add { key, by: [1, size] });
            }
        }
        match &self.last {
            Some(last) => {
                writes.push(Write::Put { key: self.progress.clone(), value: last.clone() });
            }
            None => {
                built.state = IndexState::Active;
                writes.push(Write::Delete { key: self.progress.clone() });
                let value = table::write(&table)?;
                writes.push(Write::Put { key: self.definition.clone(), value });
            }
        }
        Ok((writes, self.last.is_some()))
    }
}
