//! What the log needs in the background: shards that are old are followed by others, and what is
//! older than anybody may read is removed, a page a commit.

use super::{
    STREAM_RETENTION,
    change::Position,
    shards::{self, NO_STREAM},
};
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{Key, ShardNumber, TableNumber},
    table::Table,
};
use std::{collections::HashMap, convert::Infallible, time::Duration};
use store::{Version, Write};

/// How often to look for shards that are old.
const PERIOD: Duration = Duration::from_secs(1);
/// How often to look for changes that are too old.
const TRIM_PERIOD: Duration = Duration::from_secs(60);
/// How much longer changes are kept than recovery reaches back, for a restore under way.
const SLACK: Duration = Duration::from_secs(24 * 60 * 60);

impl Engine {
    /// Keeps the log in order for ever; a failure is logged and tried again.
    pub async fn keep_log_forever(&self) {
        let mut trimmed = HashMap::new();
        let mut next_trim = self.now();
        loop {
            if let Err(error) = self.roll_shards().await {
                tracing::error!(%error, "shards of a stream could not be rolled");
            }
            if self.now() >= next_trim {
                if let Err(error) = self.trim_from(&mut trimmed).await {
                    tracing::error!(%error, "old changes could not be removed");
                }
                next_trim = self.now().after(TRIM_PERIOD);
            }
            tokio::time::sleep(PERIOD.min(self.settings.shard_age)).await;
        }
    }

    /// Lets shards that have reached their age be followed by others.
    pub async fn roll_shards(&self) -> Result<(), EngineError> {
        let now = self.now();
        let age = self.settings.shard_age;
        let is_old = move |table: &Table| {
            table.shards.iter().any(|shard| shard.opened.after(age) <= now)
                && table.status_at(now).is_some()
        };
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            if is_old(&entry.table) {
                names.push(entry.table.name.clone());
            }
            true
        });
        for name in names {
            let count = self.settings.stream_shards;
            let rolled = self.change_table(&name, move |table, now: Moment| {
                let mut rolled = table.clone();
                if is_old(table) {
                    shards::roll(&mut rolled, count, now);
                }
                Ok::<_, Infallible>(rolled)
            });
            rolled.await.map(drop).or_else(|error| error.unless_gone())?;
        }
        Ok(())
    }

    /// Gives shards to tables whose history was asked for before there was a log.
    pub(crate) async fn open_missing_shards(&self) -> Result<(), EngineError> {
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            let table = &entry.table;
            let needs = table.enabled_stream().is_some() || table.recovery.is_some();
            if needs && table.shards.is_empty() {
                names.push(table.name.clone());
            }
            true
        });
        for name in names {
            let opened = self.change_table(&name, |table, _| Ok::<_, Infallible>(table.clone()));
            opened.await.map(drop).or_else(|error| error.unless_gone())?;
        }
        Ok(())
    }

    /// Removes everything of the log that nobody may read any more.
    pub async fn trim_log(&self) -> Result<(), EngineError> {
        self.trim_from(&mut HashMap::new()).await
    }

    /// Begins each shard where the last time ended: what was removed has to be stepped over.
    async fn trim_from(
        &self,
        trimmed: &mut HashMap<(TableNumber, ShardNumber), Position>,
    ) -> Result<(), EngineError> {
        let now = self.now();
        let mut recoverable = HashMap::new();
        self.catalogue.visit_after(None, |entry| {
            if let Some(recovery) = entry.table.recovery {
                recoverable.insert(entry.table.number, recovery.earliest(now).before(SLACK));
            }
            true
        });
        let read_from = self.restore_sources().await?;
        for (table, shard) in self.table_shards(None).await? {
            if read_from.contains(&table) {
                continue;
            }
            let streamed = (shard.stream != NO_STREAM).then(|| now.before(STREAM_RETENTION));
            let oldest = [recoverable.get(&table).copied(), streamed].into_iter().flatten().min();
            let horizon = oldest.map_or(Position::END, |oldest| {
                Position::start(Version::first_at(oldest.millis()))
            });
            let from = trimmed.get(&(table, shard.number)).copied().unwrap_or(shard.opened);
            if from < horizon {
                self.remove_all(Key::changes(table, shard.number, from, horizon)).await?;
                trimmed.insert((table, shard.number), horizon);
            }
            if shard.closed.is_some_and(|closed| closed <= horizon) {
                let shard = shard.number;
                let keys = [Key::Shard { table, shard }, Key::ShardEnd { table, shard }];
                let deletes = keys.map(|key| Write::Delete { key: key.encode() });
                self.write(deletes.into()).await?;
                trimmed.remove(&(table, shard));
            }
        }
        for (id, record) in self.all_streams().await? {
            if record.is_over(now) {
                self.write(vec![Write::Delete { key: id.key() }]).await?;
            }
        }
        Ok(())
    }
}
