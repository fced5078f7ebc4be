//! Finishes deletions in the background: definitions whose deletion is over,
//! then the data of dropped tables, a page a commit.

use super::delete::drop_writes;
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    items::token_digest,
    keys::Key,
    table::{self, RecordError, Table},
};
use bytes::Bytes;
use std::time::Duration;
use store::{Decision, Direction, PageLimit, Write};

/// Small enough to leave room for other commits in a group.
const PAGE: PageLimit = PageLimit { entries: 500, bytes: 1 << 20 };
/// How often to look for deletions that have come due.
const PERIOD: Duration = Duration::from_secs(1);

impl Engine {
    /// Sweeps for ever; a failure is logged and tried again.
    pub async fn sweep_forever(&self) {
        loop {
            if let Err(error) = self.sweep().await {
                tracing::error!(%error, "what was deleted could not be swept");
            }
            tokio::select! {
                () = self.sweeper.notified() => {}
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Removes everything that deleted tables have left.
    pub async fn sweep(&self) -> Result<(), EngineError> {
        for name in self.over() {
            self.drop_definition(name).await?;
        }
        self.forget_tokens().await?;
        self.sweep_indexes().await?;
        self.sweep_expiries().await?;
        let snapshot = self.store.snapshot().await?;
        let dropped = snapshot.range(Key::dropped(), Direction::Forward, PAGE).await?;
        if dropped.entries.is_empty() {
            return Ok(());
        }
        let read_from = self.restore_sources().await?;
        let kept = self.kept_tables().await?;
        for (key, _) in dropped.entries {
            let Some(table) = Key::dropped_table(&key) else { continue };
            if read_from.contains(&table) {
                continue;
            }
            let items = store::KeyRange::prefix(Key::items_prefix(table));
            for range in Key::table_data(table) {
                if range != items || !kept.contains(&table) {
                    self.remove_all(range).await?;
                }
            }
            self.write(vec![Write::Delete { key }]).await?;
        }
        Ok(())
    }

    /// The names of tables whose deletion is over and whose definition still stands.
    fn over(&self) -> Vec<String> {
        let now = self.now();
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            if entry.table.status.at(now).is_none() {
                names.push(entry.table.name.clone());
            }
            true
        });
        names
    }

    /// Makes the writes that a definition, if it is still there, gives rise to.
    async fn follow(
        &self,
        name: &str,
        mut writes: impl FnMut(&Table) -> Result<Vec<Write>, RecordError> + Send + 'static,
    ) -> Result<(), EngineError> {
        let keys = vec![Key::Definition { table: name }.encode()];
        let commit = store::commit(&*self.store, keys, move |_, current| {
            let record = current.first().and_then(Option::as_ref);
            let decided = record.map(|record| table::read(record).and_then(|table| writes(&table)));
            match decided.transpose() {
                Ok(writes) => Decision { writes: writes.unwrap_or_default(), outcome: Ok(()) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        })
        .await?;
        commit.outcome?;
        self.catalogue.refresh(&*self.store, name).await?;
        Ok(())
    }

    async fn drop_definition(&self, name: String) -> Result<(), EngineError> {
        let now = self.now();
        let definition = Key::Definition { table: &name }.encode();
        self.follow(&name, move |table| {
            let over = table.status.at(now).is_none();
            Ok(if over { drop_writes(&definition, table) } else { Vec::new() })
        })
        .await
    }

    /// Forgets the tokens of transactions that have had their time.
    async fn forget_tokens(&self) -> Result<(), EngineError> {
        loop {
            let snapshot = self.store.snapshot().await?;
            let range = Key::expired_tokens(self.now());
            let page = snapshot.range(range, Direction::Forward, PAGE).await?;
            if page.entries.is_empty() {
                return Ok(());
            }
            let expiries: Vec<Bytes> = page.entries.into_iter().map(|(key, _)| key).collect();
            let tokens = expiries.iter().filter_map(|key| Key::expired_token(key));
            let tokens: Vec<Bytes> = tokens.map(|token| Key::Token { token }.encode()).collect();
            let (keys, now) = (tokens.clone(), self.now());
            let decide = move |_, current: &[Option<Bytes>]| {
                // A token may have been used again since.
                let over = tokens.iter().zip(current).filter(|(_, record)| {
                    record.as_ref().is_some_and(|record| token_digest(record, now).is_none())
                });
                let over = over.map(|(token, _)| token).chain(&expiries);
                let writes = over.map(|key| Write::Delete { key: key.clone() }).collect();
                Decision { writes, outcome: () }
            };
            store::commit(&*self.store, keys, decide).await?;
        }
    }

    /// Takes away indexes whose deletion is over, and what they have left.
    async fn sweep_indexes(&self) -> Result<(), EngineError> {
        for name in self.with_deleted_indexes() {
            self.drop_indexes(name).await?;
        }
        let snapshot = self.store.snapshot().await?;
        let dropped = snapshot.range(Key::dropped_indexes(), Direction::Forward, PAGE).await?;
        for (key, _) in dropped.entries {
            let Some((table, index)) = Key::dropped_index(&key) else { continue };
            let entries = store::KeyRange::prefix(Key::entries_prefix(table, index));
            self.remove_all(entries).await?;
            let counter = Key::Counter { table, index }.encode();
            let progress = Key::Progress { table, index }.encode();
            let keys = [key, counter, progress];
            self.write(keys.map(|key| Write::Delete { key }).into()).await?;
        }
        Ok(())
    }

    /// Takes away the expiries that time to live has left where it was disabled.
    async fn sweep_expiries(&self) -> Result<(), EngineError> {
        let snapshot = self.store.snapshot().await?;
        let dropped = snapshot.range(Key::dropped_expiries(), Direction::Forward, PAGE).await?;
        for (key, _) in dropped.entries {
            let Some((table, generation)) = Key::dropped_generation(&key) else { continue };
            self.remove_all(Key::all_expiries(table, generation)).await?;
            self.write(vec![Write::Delete { key }]).await?;
        }
        Ok(())
    }

    /// The names of tables with an index whose deletion is over.
    fn with_deleted_indexes(&self) -> Vec<String> {
        let now = self.now();
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            if entry.table.globals.iter().any(|index| index.is_over(now)) {
                names.push(entry.table.name.clone());
            }
            true
        });
        names
    }

    async fn drop_indexes(&self, name: String) -> Result<(), EngineError> {
        let now = self.now();
        let definition = Key::Definition { table: &name }.encode();
        self.follow(&name, move |table| without_deleted(table.clone(), &definition, now)).await
    }

    /// Removes everything in a range, a page a commit.
    pub(crate) async fn remove_all(&self, mut range: store::KeyRange) -> Result<(), EngineError> {
        loop {
            let snapshot = self.store.snapshot().await?;
            let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
            let Some((last, _)) = page.entries.last() else { return Ok(()) };
            // Not from the start again: what was removed still has to be stepped over.
            range = range.after(last, Direction::Forward);
            // Numbers are never used again, so nobody else writes in this range.
            let deletes = page.entries.into_iter().map(|(key, _)| Write::Delete { key });
            self.write(deletes.collect()).await?;
            if !page.more {
                return Ok(());
            }
        }
    }

    pub(crate) async fn write(&self, writes: Vec<Write>) -> Result<(), EngineError> {
        let decide = move |_, _: &[_]| Decision { writes: writes.clone(), outcome: () };
        store::commit(&*self.store, Vec::new(), decide).await?;
        Ok(())
    }
}

/// The definition without the indexes whose deletion is over, which are marked for removal.
fn without_deleted(
    mut table: Table,
    definition: &Bytes,
    now: Moment,
) -> Result<Vec<Write>, RecordError> {
    let mut writes = Vec::new();
    for index in table.globals.iter().filter(|index| index.is_over(now)) {
        let key = Key::DroppedIndex { table: table.number, index: index.number }.encode();
        writes.push(Write::Put { key, value: Bytes::new() });
    }
    table.globals.retain(|index| !index.is_over(now));
    writes.push(Write::Put { key: definition.clone(), value: table::write(&table)? });
    Ok(writes)
}
