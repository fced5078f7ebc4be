//! Backups: the items of a table at one moment, kept under a number of their own, also after the
//! table is gone. They are copied from one snapshot, so that writers go on; a copy that was cut
//! off by the end of the program is begun again.

use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{JobNumber, Key, TableNumber},
    table::{self, Table},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::{Decision, Direction, KeyRange, PageLimit, Write};

const PAGE: PageLimit = PageLimit { entries: 500, bytes: 2 << 20 };

/// How long the backup of a deleted table is kept.
pub(crate) const SYSTEM_RETENTION: Duration = Duration::from_secs(35 * 24 * 60 * 60);

/// A backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Backup {
    /// Its number.
    pub number: JobNumber,
    /// Its name.
    pub name: String,
    /// What its ARN ends with.
    pub id: String,
    /// The table as it was.
    pub table: Table,
    /// When it was asked for.
    pub created: Moment,
    /// How many items it holds.
    pub items: i64,
    /// Their sizes added up.
    pub bytes: i64,
    /// Who made it.
    pub kind: BackupKind,
    /// Whether it is complete.
    pub state: BackupState,
}

/// Who made a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BackupKind {
    /// Somebody asked for it.
    User,
    /// It was made when its table was deleted: the items of that table, which stayed.
    System,
}

/// Where a backup is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BackupState {
    /// Being copied.
    Creating,
    /// Complete.
    Available,
    /// To be removed.
    Deleted,
}

/// Why a backup was not made or removed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is no such backup.
    #[error("there is no such backup")]
    NotFound,
    /// It is being made, or restored from.
    #[error("the backup is in use")]
    InUse,
    /// The machinery failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Backup {
    /// The ARN.
    pub fn arn(&self) -> String {
        format!("{}/backup/{}", self.table.arn(), self.id)
    }

    /// When it is removed by itself.
    pub fn expires(&self) -> Option<Moment> {
        (self.kind == BackupKind::System).then(|| self.created.after(SYSTEM_RETENTION))
    }

    /// Where its items are.
    pub(super) fn items_range(&self) -> KeyRange {
        match self.kind {
            BackupKind::User => Key::backup_items(self.number),
            BackupKind::System => KeyRange::prefix(Key::items_prefix(self.table.number)),
        }
    }

    fn key(&self) -> Bytes {
        Key::Backup { backup: self.number }.encode()
    }

    pub(crate) fn put(&self) -> Result<Write, EngineError> {
        Ok(Write::Put { key: self.key(), value: table::write(self)? })
    }
}

/// What the ARN of a backup ends with.
pub(crate) fn backup_id(created: Moment, random: u128) -> String {
    format!("{:014}-{:08x}", created.millis(), random & 0xffff_ffff)
}

impl Engine {
    /// Begins a backup of a table.
    pub async fn create_backup(&self, table: &Table, name: String) -> Result<Backup, EngineError> {
        let created = self.now();
        let held = self.statistics(table, &[0]).await?;
        let held = held.first().copied().unwrap_or_default();
        let backup = Backup {
            number: 0,
            name,
            id: backup_id(created, self.environment.random()),
            table: table.clone(),
            created,
            items: held.items,
            bytes: held.bytes,
            kind: BackupKind::User,
            state: BackupState::Creating,
        };
        let filed = backup.clone();
        let number = self
            .next_job(move |number| Ok(vec![Backup { number, ..filed.clone() }.put()?]))
            .await?;
        self.restorer.notify_one();
        Ok(Backup { number, ..backup })
    }

    /// A backup by its number.
    pub async fn backup(&self, number: JobNumber) -> Result<Option<Backup>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let record = snapshot.get(&Key::Backup { backup: number }.encode()).await?;
        let backup: Option<Backup> = record.map(|bytes| table::read(&bytes)).transpose()?;
        Ok(backup.filter(|backup| backup.state != BackupState::Deleted))
    }

    /// All backups, in the order of their ARNs.
    pub async fn backups(&self) -> Result<Vec<Backup>, EngineError> {
        let mut backups = self.all_backups().await?;
        backups.retain(|backup| backup.state != BackupState::Deleted);
        backups.sort_by_cached_key(Backup::arn);
        Ok(backups)
    }

    /// Also those that only wait to be swept away.
    async fn all_backups(&self) -> Result<Vec<Backup>, EngineError> {
        self.records(Key::backups()).await
    }

    /// Removes a backup that nobody restores from. Gives it as it was.
    pub async fn delete_backup(&self, arn: &str) -> Result<Backup, BackupError> {
        let backup = self.backups().await?.into_iter().find(|backup| backup.arn() == arn);
        let backup = backup.ok_or(BackupError::NotFound)?;
        if backup.state != BackupState::Available || self.restores_from(backup.number).await? {
            return Err(BackupError::InUse);
        }
        let deleted = Backup { state: BackupState::Deleted, ..backup };
        self.write(vec![deleted.put()?]).await?;
        self.restorer.notify_one();
        Ok(deleted)
    }

    async fn restores_from(&self, backup: JobNumber) -> Result<bool, EngineError> {
        let from = super::RestoreSource::Backup { backup };
        let restores = self.restores().await?;
        Ok(restores.iter().any(|(_, r, progress)| r.source == from && progress.finished.is_none()))
    }

    /// Completes backups that are being made, and removes those that are over.
    pub async fn run_backups(&self) -> Result<(), EngineError> {
        let now = self.now();
        for backup in self.all_backups().await? {
            let over = backup.expires().is_some_and(|expires| expires <= now);
            match backup.state {
                BackupState::Creating => self.copy_backup(backup).await?,
                BackupState::Available if !over || self.restores_from(backup.number).await? => {}
                BackupState::Available | BackupState::Deleted => {
                    self.remove_all(backup.items_range()).await?;
                    self.write(vec![Write::Delete { key: backup.key() }]).await?;
                }
            }
        }
        Ok(())
    }

    async fn copy_backup(&self, backup: Backup) -> Result<(), EngineError> {
        // What an attempt before this one has left is of another moment.
        self.remove_all(backup.items_range()).await?;
        let snapshot = self.store.snapshot().await?;
        let mut range = KeyRange::prefix(Key::items_prefix(backup.table.number));
        let (mut items, mut bytes) = (0, 0);
        loop {
            let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
            let mut writes = Vec::with_capacity(page.entries.len());
            for (item, stored) in &page.entries {
                items += 1;
                let size = crate::log::image_size(Some(stored))?;
                bytes += i64::try_from(size).unwrap_or(i64::MAX);
                let key = Key::BackupItem { backup: backup.number, item }.encode();
                writes.push(Write::Put { key, value: stored.clone() });
            }
            if !writes.is_empty() {
                self.write(writes).await?;
            }
            match page.entries.last() {
                Some((last, _)) if page.more => range = range.after(last, Direction::Forward),
                _ => break,
            }
        }
        let done = Backup { items, bytes, state: BackupState::Available, ..backup };
        self.write(vec![done.put()?]).await
    }

    /// The tables that are being copied.
    pub(super) async fn backups_under_way(&self) -> Result<Vec<TableNumber>, EngineError> {
        let backups = self.all_backups().await?.into_iter();
        let creating = backups.filter(|backup| backup.state == BackupState::Creating);
        Ok(creating.map(|backup| backup.table.number).collect())
    }

    /// The tables that are gone but whose items are a backup.
    pub(crate) async fn kept_tables(&self) -> Result<Vec<TableNumber>, EngineError> {
        let backups = self.all_backups().await?.into_iter();
        Ok(backups
            .filter(|backup| backup.kind == BackupKind::System)
            .map(|backup| backup.table.number)
            .collect())
    }

    /// Files something under the next number of backups and restores.
    pub(crate) async fn next_job(
        &self,
        mut filed: impl FnMut(JobNumber) -> Result<Vec<Write>, EngineError> + Send + 'static,
    ) -> Result<JobNumber, EngineError> {
        let key = Key::NextJob.encode();
        let counter = key.clone();
        let commit = store::commit(&*self.store, vec![key], move |_, current| {
            let (number, next) = next_number(current.first());
            match filed(number) {
                Ok(mut writes) => {
                    writes.push(Write::Put { key: counter.clone(), value: next });
                    Decision { writes, outcome: Ok(number) }
                }
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        });
        commit.await?.outcome
    }
}

/// The number to give, and the one after it as it is stored.
pub(crate) fn next_number(current: Option<&Option<Bytes>>) -> (JobNumber, Bytes) {
    let stored = current.and_then(Option::as_deref).and_then(|bytes| bytes.try_into().ok());
    let number = stored.map_or(1, JobNumber::from_be_bytes);
    (number, Bytes::copy_from_slice(&number.saturating_add(1).to_be_bytes()))
}
