//! Takes the expiries of the items there are into the index when time to live is enabled, a page
//! a commit, from where the last page ended. Every write since keeps its own entry.

use super::seconds;
use crate::{
    Engine,
    error::EngineError,
    keys::{Key, TableNumber},
    table::{self, Table},
};
use bytes::Bytes;
use store::{Decision, Direction, KeyRange, PageLimit, Write};

/// Small enough to leave room for other commits in a group.
const PAGE: PageLimit = PageLimit { entries: 200, bytes: 1 << 20 };

impl Engine {
    /// Takes in the expiries of all tables where that is not done yet.
    pub async fn index_expiries(&self) -> Result<(), EngineError> {
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            if entry.table.expiry().is_some_and(|setting| !setting.complete) {
                names.push(entry.table.name.clone());
            }
            true
        });
        for name in names {
            while self.index_page(&name).await? {}
            self.catalogue.refresh(&*self.store, &name).await?;
        }
        Ok(())
    }

    /// Takes in one page; true if there is more.
    async fn index_page(&self, name: &str) -> Result<bool, EngineError> {
        let Some(entry) = self.catalogue.refresh(&*self.store, name).await? else {
            return Ok(false);
        };
        let number = entry.table.number;
        let snapshot = self.store.snapshot().await?;
        let progress = Key::ExpiryProgress { table: number }.encode();
        let items = KeyRange::prefix(Key::items_prefix(number));
        let range = match snapshot.get(&progress).await? {
            Some(last) => items.after(&last, Direction::Forward),
            None => items,
        };
        let page = snapshot.range(range, Direction::Forward, PAGE).await?;
        let last = page.entries.last().map(|(key, _)| key.clone()).filter(|_| page.more);
        let items: Vec<Bytes> = page.entries.into_iter().map(|(key, _)| key).collect();
        let definition = Key::Definition { table: name }.encode();
        let mut keys = vec![definition.clone()];
        keys.extend(items.iter().cloned());
        let page = IndexedPage { number, definition, progress, items, last };
        let decide = move |_, current: &[Option<Bytes>]| match page.decide(current) {
            Ok((writes, more)) => Decision { writes, outcome: Ok(more) },
            Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
        };
        store::commit(&*self.store, keys, decide).await?.outcome
    }
}

struct IndexedPage {
    number: TableNumber,
    definition: Bytes,
    progress: Bytes,
    items: Vec<Bytes>,
    /// Where to go on; none if this was the last page.
    last: Option<Bytes>,
}

impl IndexedPage {
    /// Puts the entries of the items as they are; true if there is more to do.
    fn decide(&self, current: &[Option<Bytes>]) -> Result<(Vec<Write>, bool), EngineError> {
        let Some((Some(record), stored)) = current.split_first() else {
            return Ok((Vec::new(), false));
        };
        let mut table: Table = table::read(record)?;
        let setting = table.expiry().filter(|setting| !setting.complete).cloned();
        let Some(setting) = setting.filter(|_| table.number == self.number) else {
            return Ok((Vec::new(), false));
        };
        let mut writes = Vec::new();
        for (item, stored) in self.items.iter().zip(stored) {
            if let Some(stored) = stored
                && let Some(seconds) = seconds(&setting, stored)?
                && let Some(key) = super::key(&table, seconds, item)
            {
                writes.push(Write::Put { key, value: Bytes::new() });
            }
        }
        match &self.last {
            Some(last) => {
                writes.push(Write::Put { key: self.progress.clone(), value: last.clone() });
            }
            None => {
                writes.push(Write::Delete { key: self.progress.clone() });
                if let Some(setting) = &mut table.time_to_live {
                    setting.complete = true;
                }
                let value = table::write(&table)?;
                writes.push(Write::Put { key: self.definition.clone(), value });
            }
        }
        Ok((writes, self.last.is_some()))
    }
}
