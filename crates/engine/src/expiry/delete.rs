//! Deletes what has expired, a page a commit, as ordinary deletes whose actor is the service.

use super::OLDEST_SECONDS;
use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    items::{ItemError, PrimaryKey, WritePage, Written},
    keys::Key,
};
use bytes::Bytes;
use std::{sync::Arc, time::Duration};
use store::{Decision, Direction, PageLimit, Write};

/// Small enough that requests in the same group do not wait long for it.
const PAGE: PageLimit = PageLimit { entries: 50, bytes: 1 << 20 };
/// How often to look for what has expired.
const PERIOD: Duration = Duration::from_millis(500);

impl Engine {
    /// Deletes what expires for ever; a failure is logged and tried again.
    pub async fn expire_forever(&self) {
        loop {
            if let Err(error) = self.expire().await {
                tracing::error!(%error, "expired items could not be deleted");
            }
            tokio::time::sleep(PERIOD).await;
        }
    }

    /// Deletes everything that has expired by now. Gives how many items that were.
    pub async fn expire(&self) -> Result<usize, EngineError> {
        let mut entries = Vec::new();
        self.catalogue.visit_entries(|entry| {
            if entry.table.expiry().is_some() {
                entries.push(Arc::clone(entry));
            }
        });
        let mut deleted = 0;
        for entry in entries {
            deleted += self.expire_table(&entry.table.name).await?;
        }
        Ok(deleted)
    }

    async fn expire_table(&self, name: &str) -> Result<usize, EngineError> {
        let mut deleted = 0;
        let mut rest = None;
        // The definition may change between two pages.
        while let Some(entry) = self.catalogue.get(name) {
            let table = &entry.table;
            let Some(setting) = table.expiry() else { break };
            if table.status_at(self.now()).is_none_or(|status| !status.takes_writes()) {
                break;
            }
            let now = self.now().before(self.settings.ttl_delay).millis() / 1000;
            let range = match rest.take() {
                Some(rest) => rest,
                None => {
                    let oldest = now.saturating_sub(OLDEST_SECONDS);
                    Key::expiries(table.number, setting.generation, oldest, now)
                }
            };
            let snapshot = self.store.snapshot().await?;
            let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
            let Some((last, _)) = page.entries.last() else { break };
            // Not from the start again: what was removed still has to be stepped over.
            rest = Some(range.after(last, Direction::Forward));
            let keys = page.entries.into_iter().map(|(key, _)| key);
            match self.delete_expired(Arc::clone(&entry), keys.collect()).await? {
                Some(number) => deleted += number,
                None => {
                    // The table has changed: begin again with what it is.
                    self.catalogue.refresh(&*self.store, name).await?;
                    rest = None;
                    continue;
                }
            }
            if !page.more {
                break;
            }
        }
        Ok(deleted)
    }

    /// Deletes the items of these expiries in one commit; none if the table has changed.
    async fn delete_expired(
        &self,
        entry: Arc<Entry>,
        expiries: Vec<Bytes>,
    ) -> Result<Option<usize>, EngineError> {
        let mut due = Vec::with_capacity(expiries.len());
        let mut prepared = Vec::with_capacity(expiries.len());
        for expiry in expiries {
            let found = Key::expiring(&expiry).and_then(|(seconds, item)| {
                Some((seconds, PrimaryKey::from_storage_key(&entry.table, &item)?))
            });
            let Some((seconds, key)) = found else { continue };
            prepared.push(self.prepare_expired(Arc::clone(&entry), key, seconds).await?);
            // An item that has changed keeps its own entry; this one is over either way.
            due.push(Write::Delete { key: expiry });
        }
        let page = WritePage(prepared);
        let keys = page.keys();
        let decide = move |version, current: &[Option<Bytes>]| match page.decide(version, current) {
            Ok(Some((writes, done))) => {
                let is_gone = |written: &&Written| written.old.is_some() && written.new.is_none();
                let deleted = done.iter().filter(is_gone).count();
                let writes = due.iter().cloned().chain(writes).collect();
                Decision { writes, outcome: Ok(Some(deleted)) }
            }
            Ok(None) => Decision { writes: Vec::new(), outcome: Ok(None) },
            Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
        };
        match store::commit(&*self.store, keys, decide).await?.outcome {
            Ok(deleted) => Ok(deleted),
            Err(ItemError::Engine(error)) => Err(error),
            // Deletes without a condition are refused for no other reason.
            Err(error) => {
                tracing::error!(%error, "expired items were not deleted");
                Ok(Some(0))
            }
        }
    }
}
