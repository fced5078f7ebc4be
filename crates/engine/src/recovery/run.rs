//! Runs restores in the background, a page a commit, from where each was when the program ended.

use super::restore::{Phase, Progress, Restore, RestoreSource, RestoreTarget, progress_write};
use crate::{
    Engine,
    error::EngineError,
    items::{ItemError, Prepared, WritePage, Written},
    keys::{JobNumber, Key, TableNumber},
    table::Table,
};
use bytes::Bytes;
use expression::Condition;
use std::{collections::HashSet, time::Duration};
use store::{Decision, PLANTED_PAUSE, Planted, Write};
use value::Item;

/// How often to look for restores that were left.
const PERIOD: Duration = Duration::from_secs(1);
/// How long it is known how a restore ended.
const REMEMBERED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A restore under way.
pub(super) struct Job {
    pub(super) number: JobNumber,
    pub(super) restore: Restore,
    condition: Option<Condition>,
}

/// What one page came to.
pub(super) enum Step {
    More,
    /// The table changed meanwhile; the page has to be done again.
    Again,
    Done(Progress),
    Failed(String),
}

impl Job {
    /// Whether an item is to be restored, as far as its key tells.
    pub(super) fn takes_key(&self, table: &Table, storage_key: &[u8], key: &Item) -> bool {
        self.restore.filter.takes_key(table, storage_key, key)
    }

    /// Whether it is, as far as its attributes tell.
    pub(super) fn takes_item(&self, item: &Item) -> bool {
        self.condition.as_ref().is_none_or(|condition| condition.matches(item))
    }

    pub(super) fn takes(&self, table: &Table, storage_key: &[u8], key: &Item, item: &Item) -> bool {
        self.takes_key(table, storage_key, key) && self.takes_item(item)
    }
}

impl Engine {
    /// Runs restores and backups for ever; a failure is logged and tried again.
    pub async fn restore_forever(&self) {
        loop {
            if let Err(error) = self.run_restores().await {
                tracing::error!(%error, "a restore could not be carried on");
            }
            if let Err(error) = self.run_backups().await {
                tracing::error!(%error, "a backup could not be carried on");
            }
            tokio::select! {
                () = self.restorer.notified() => {}
                () = tokio::time::sleep(PERIOD) => {}
            }
        }
    }

    /// Carries all restores to their end.
    pub async fn run_restores(&self) -> Result<(), EngineError> {
        let now = self.now();
        for (number, restore, progress) in self.restores().await? {
            if progress.phase != Phase::Done || progress.finished.is_none() {
                self.run_restore(number, restore, progress).await?;
            } else if progress.finished.is_some_and(|ended| ended.after(REMEMBERED) <= now) {
                let keys = [
                    Key::Restore { restore: number }.encode(),
                    Key::RestoreProgress { restore: number }.encode(),
                ];
                self.write(keys.map(|key| Write::Delete { key }).into()).await?;
            }
        }
        Ok(())
    }

    async fn run_restore(
        &self,
        number: JobNumber,
        restore: Restore,
        mut progress: Progress,
    ) -> Result<(), EngineError> {
        let job = match restore.filter.condition() {
            Ok(condition) => Job { number, restore, condition },
            Err(error) => return self.end(number, progress, Some(error.to_string())).await,
        };
        loop {
            let step = match (&job.restore.target, &job.restore.source) {
                (RestoreTarget::Table { name, number }, _) => {
                    self.step_into_table(&job, (name, *number), progress).await?
                }
                (target, RestoreSource::Table { name, .. }) => {
                    let preview = *target == RestoreTarget::Preview;
                    self.step_in_place(&job, name, progress, preview).await?
                }
                (_, RestoreSource::Backup { .. }) => {
                    Step::Failed("a backup can only be restored into a table".to_owned())
                }
            };
            match step {
                Step::More | Step::Again => match self.restore(number).await? {
                    Some((_, reached)) => progress = reached,
                    None => return Ok(()),
                },
                Step::Done(progress) => return self.end(number, progress, None).await,
                Step::Failed(reason) => {
                    let Some((_, progress)) = self.restore(number).await? else { return Ok(()) };
                    return self.end(number, progress, Some(reason)).await;
                }
            }
        }
    }

    async fn end(
        &self,
        number: JobNumber,
        mut progress: Progress,
        failure: Option<String>,
    ) -> Result<(), EngineError> {
        // What a restore in place has gathered.
        self.remove_all(Key::undone(number)).await?;
        progress.phase = Phase::Done;
        progress.finished = Some(self.now());
        progress.failure = failure;
        self.write_step(number, &progress, Vec::new()).await
    }

    /// Writes, and how far that brings a restore.
    pub(super) async fn write_step(
        &self,
        number: JobNumber,
        progress: &Progress,
        mut writes: Vec<Write>,
    ) -> Result<(), EngineError> {
        writes.push(progress_write(number, progress)?);
        self.write(writes).await
    }

    /// Writes items, and how far that brings a restore; none if the table has changed.
    pub(super) async fn commit_step(
        &self,
        number: JobNumber,
        progress: Progress,
        prepared: Vec<Prepared>,
    ) -> Result<Option<Progress>, EngineError> {
        if Planted::RestorePositionFirst.is_on() {
            self.write_step(number, &progress, Vec::new()).await?;
            tokio::time::sleep(PLANTED_PAUSE).await;
        }
        let page = WritePage(prepared);
        let keys = page.keys();
        let decide = move |version, current: &[Option<Bytes>]| {
            let decided = page.decide(version, current).and_then(|decided| {
                let Some((mut writes, done)) = decided else { return Ok((Vec::new(), None)) };
                let progress = counted(progress.clone(), &page, &done);
                writes.push(progress_write(number, &progress)?);
                Ok((writes, Some(progress)))
            });
            match decided {
                Ok((writes, progress)) => Decision { writes, outcome: Ok(progress) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        };
        match store::commit(&*self.store, keys, decide).await?.outcome {
            Ok(progress) => Ok(progress),
            Err(ItemError::Engine(error)) => Err(error),
            // Items that were there once are refused for no other reason.
            Err(error) => Err(EngineError::Unsettled(error.to_string())),
        }
    }

    /// The tables that restores, exports and backups under way read from, which must not be swept away yet.
    pub(crate) async fn restore_sources(&self) -> Result<HashSet<TableNumber>, EngineError> {
        let restores = self.restores().await?.into_iter();
        let running = restores.filter(|(_, _, progress)| progress.finished.is_none());
        let exports = self.exports().await?.into_iter();
        let exports = exports.filter(|export| export.finished.is_none());
        let exported = exports.map(|export| export.table_number);
        let backed_up = self.backups_under_way().await?;
        Ok(running
            .filter_map(|(_, restore, _)| restore.source.table())
            .chain(exported)
            .chain(backed_up)
            .collect())
    }
}

/// The progress with what a page has done.
fn counted(mut progress: Progress, page: &WritePage, done: &[Written]) -> Progress {
    for (prepared, written) in page.0.iter().zip(done) {
        if !prepared.puts_back() {
            // Into a table of its own: how many items it has.
            match (&written.old, &written.new) {
                (None, Some(_)) => progress.written += 1,
                (Some(_), None) => progress.written = progress.written.saturating_sub(1),
                _ => {}
            }
        } else if written.old == written.new {
            progress.conflicts += 1;
        } else {
            progress.written += 1;
            progress.deleted += u64::from(written.new.is_none());
        }
    }
    progress
}
