//! What the log needs in the background: shards that are old are followed by others, and what is
//! older than anybody may read is removed, a page a commit.

use super::{StreamId, change::Position, shards};
use crate::{Engine, environment::Moment, error::EngineError, keys::Key, table::Table};
use std::{collections::HashMap, convert::Infallible, time::Duration};
use store::Write;

/// How often to look for shards that are old.
const PERIOD: Duration = Duration::from_secs(1);
/// How often to look for changes that are too old.
const TRIM_PERIOD: Duration = Duration::from_secs(60);

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

    /// Gives shards to streams from before there was a log.
    pub(crate) async fn open_missing_shards(&self) -> Result<(), EngineError> {
        let mut names = Vec::new();
        self.catalogue.visit_after(None, |entry| {
            let Table { name, shards, .. } = &entry.table;
            if entry.table.enabled_stream().is_some() && shards.is_empty() {
                names.push(name.clone());
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
        trimmed: &mut HashMap<(u32, u32), Position>,
    ) -> Result<(), EngineError> {
        let horizon = self.trim_horizon();
        for (id, record) in self.all_streams().await? {
            let over = record.is_over(self.now());
            for shard in self.all_shards(id).await? {
                let place = (id.table, shard.number);
                let from = trimmed.get(&place).copied().unwrap_or(shard.opened);
                if from < horizon {
                    let old = Key::changes(id.table, shard.number, from, horizon);
                    self.remove_all(old).await?;
                    trimmed.insert(place, horizon);
                }
                if over || shard.closed.is_some_and(|closed| closed <= horizon) {
                    self.forget_shard(id, shard.number).await?;
                    trimmed.remove(&place);
                }
            }
            if over {
                self.write(vec![Write::Delete { key: id.key() }]).await?;
            }
        }
        Ok(())
    }

    async fn forget_shard(&self, id: StreamId, shard: u32) -> Result<(), EngineError> {
        let end = Position { version: store::Version(u64::MAX), ordinal: u16::MAX };
        self.remove_all(Key::changes(id.table, shard, Position::default(), end)).await?;
        let keys = [
            Key::Shard { table: id.table, shard }.encode(),
            Key::ShardEnd { table: id.table, shard }.encode(),
        ];
        self.write(keys.map(|key| Write::Delete { key }).into()).await
    }
}
