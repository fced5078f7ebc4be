//! Restoring into a table of its own: what is there is copied, then what has changed since the
//! moment is put back to what it was.

use super::{
    restore::{Phase, Progress, RestoreSource},
    run::{Job, Step},
    undo::{UndoPage, decoded},
};
use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    items::{Prepared, PrimaryKey},
    keys::{Key, TableNumber},
    table::{Status, Table},
};
use std::{convert::Infallible, sync::Arc};
use store::{Direction, KeyRange, PageLimit, Version};
use value::codec;

const PAGE: PageLimit = PageLimit { entries: 200, bytes: 2 << 20 };

impl Engine {
    /// Does the next page; the table is in use after the last.
    pub(super) async fn step_into_table(
        &self,
        job: &Job,
        target: (&str, TableNumber),
        mut progress: Progress,
    ) -> Result<Step, EngineError> {
        let (target, number) = target;
        let entry = self.catalogue.refresh(&*self.store, target).await?;
        let Some(entry) = entry.filter(|entry| entry.table.number == number) else {
            return Ok(Step::Failed("the table is not there any more".to_owned()));
        };
        let (page, next) = match progress.phase.clone() {
            Phase::Copying { last } => self.copy_page(job, &entry, last, &mut progress).await?,
            Phase::Undoing { until, at } => {
                let RestoreSource::Table { number, .. } = job.restore.source else {
                    return Ok(Step::Failed("a backup has no log".to_owned()));
                };
                let boundary = job.restore.source.boundary();
                let until = Version(until);
                let undone = self.undo_page(number, &entry.table, boundary, until, at).await?;
                self.put_back(job, &entry, undone, &mut progress)?
            }
            Phase::Checking { .. } | Phase::Applying { .. } | Phase::Done => (Vec::new(), None),
        };
        match next {
            Some(phase) => {
                progress.phase = phase;
                Ok(match self.commit_step(job.number, progress, page).await? {
                    Some(_) => Step::More,
                    None => Step::Again,
                })
            }
            None => {
                self.open_restored(target).await?;
                Ok(Step::Done(progress))
            }
        }
    }

    async fn copy_page(
        &self,
        job: &Job,
        entry: &Arc<Entry>,
        last: Option<Vec<u8>>,
        progress: &mut Progress,
    ) -> Result<(Vec<Prepared>, Option<Phase>), EngineError> {
        let items = match job.restore.source {
            RestoreSource::Table { number, .. } => KeyRange::prefix(Key::items_prefix(number)),
            RestoreSource::Backup { backup } => match self.backup(backup).await? {
                Some(backup) => backup.items_range(),
                None => return Ok((Vec::new(), None)),
            },
        };
        let range = match last {
            Some(last) => items.after(&last, Direction::Forward),
            None => items,
        };
        let snapshot = self.store.snapshot().await?;
        let page = snapshot.range(range, Direction::Forward, PAGE).await?;
        let mut prepared = Vec::with_capacity(page.entries.len());
        for (key, stored) in &page.entries {
            progress.read += 1;
            let item = codec::decode(stored)?;
            if !job.takes(&entry.table, key, &item, &item) {
                continue;
            }
            if let Some(key) = PrimaryKey::from_storage_key(&entry.table, key) {
                prepared.push(self.prepare_stored(Arc::clone(entry), key, Some(stored), None)?);
            }
        }
        let next = match (page.entries.last(), &job.restore.source) {
            (Some((last, _)), _) if page.more => Some(Phase::Copying { last: Some(last.to_vec()) }),
            // Everything that came in while this was copied is behind this place, or undone.
            (_, RestoreSource::Table { .. }) => {
                Some(Phase::Undoing { until: snapshot.version().0 + 1, at: None })
            }
            (Some(_), RestoreSource::Backup { .. }) => Some(Phase::Applying { last: None }),
            (None, RestoreSource::Backup { .. }) => None,
        };
        Ok((prepared, next))
    }

    fn put_back(
        &self,
        job: &Job,
        entry: &Arc<Entry>,
        undone: UndoPage,
        progress: &mut Progress,
    ) -> Result<(Vec<Prepared>, Option<Phase>), EngineError> {
        progress.changes += undone.changes;
        let mut prepared = Vec::with_capacity(undone.items.len());
        for before in undone.items {
            let storage_key = before.key.storage_key(entry.table.number);
            let item = decoded(before.stored.as_ref())?;
            let takes = |item| job.takes(&entry.table, &storage_key, &before.key_item, item);
            let stored = before.stored.as_ref().filter(|_| item.as_ref().is_some_and(takes));
            prepared.push(self.prepare_stored(Arc::clone(entry), before.key, stored, None)?);
        }
        Ok((prepared, undone.next))
    }

    /// Puts a table that has been restored into use.
    pub(crate) async fn open_restored(&self, name: &str) -> Result<(), EngineError> {
        let opened = self.change_table(name, |table, _| {
            let mut table: Table = table.clone();
            table.status = Status::Active;
            if let Some(restored) = &mut table.restored {
                restored.in_progress = false;
            }
            Ok::<_, Infallible>(table)
        });
        opened.await.map(drop).or_else(|error| error.unless_gone())
    }
}
