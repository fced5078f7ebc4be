//! What is to be restored, and how far that has come.

use super::{BackupState, past::after};
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{JobNumber, Key, TableNumber},
    log::Position,
    records::entries,
    table::{self, Table},
    tables::CreateError,
};
use expression::{Condition, partiql};
use serde::{Deserialize, Serialize};
use store::Write;
use value::{Item, Value};

/// A restore as it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Restore {
    /// Where the items come from.
    pub source: RestoreSource,
    /// Where they go.
    pub target: RestoreTarget,
    /// Which items.
    pub filter: Filter,
    /// When it was asked for.
    pub started: Moment,
}

/// Where restored items come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RestoreSource {
    /// A table as it was.
    Table {
        /// Its name.
        name: String,
        /// Its number.
        number: TableNumber,
        /// All of this moment counts, nothing after it.
        moment: Moment,
    },
    /// A backup.
    Backup {
        /// Its number.
        backup: JobNumber,
    },
}

impl RestoreSource {
    /// The number of the table it reads.
    pub(super) fn table(&self) -> Option<TableNumber> {
        match self {
            RestoreSource::Table { number, .. } => Some(*number),
            RestoreSource::Backup { .. } => None,
        }
    }

    /// The first place in the log that does not count any more.
    pub(super) fn boundary(&self) -> Position {
        match self {
            RestoreSource::Table { moment, .. } => after(*moment),
            RestoreSource::Backup { .. } => Position::END,
        }
    }
}

/// Where restored items go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RestoreTarget {
    /// Into a table that was made for them.
    Table {
        /// Its name.
        name: String,
        /// Its number.
        number: TableNumber,
    },
    /// Back into the table they come from.
    InPlace,
    /// Nowhere: only to see what would change.
    Preview,
}

/// Which items are restored; everything that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Filter {
    /// What the partition key, a string, begins with.
    pub prefix: Option<String>,
    /// A condition as in the WHERE of a PartiQL statement. It is asked of the item as it was,
    /// or, if it was not there, as it is.
    pub condition: Option<String>,
    /// The storage keys of single items, without their table.
    pub keys: Option<Vec<Vec<u8>>>,
}

/// A condition that cannot be understood.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

impl Filter {
    /// The condition, brought into the form in which it is evaluated.
    pub(super) fn condition(&self) -> Result<Option<Condition>, FilterError> {
        let Some(text) = &self.condition else { return Ok(None) };
        let wrong = |error: partiql::StatementError| FilterError(error.to_string());
        let statement = format!("SELECT * FROM \"table\" WHERE {text}");
        let statement = partiql::StatementSyntax::parse(&statement).map_err(wrong)?;
        match statement.bind(&[]).map_err(wrong)? {
            partiql::Statement::Select(select) if select.order.is_empty() => {
                Ok(select.filter.map(|filter| filter.condition().clone()))
            }
            _ => Err(FilterError("it must be a condition and nothing else".to_owned())),
        }
    }

    /// Whether an item is meant, as far as its key tells.
    pub(super) fn takes_key(&self, table: &Table, storage_key: &[u8], item: &Item) -> bool {
        let begins = |prefix: &str| {
            table.key.partition.first().is_some_and(|attribute| {
                matches!(item.get(&attribute.name), Some(Value::S(text)) if text.starts_with(prefix))
            })
        };
        let listed =
            |keys: &Vec<Vec<u8>>| keys.iter().any(|key| key == Key::behind_table(storage_key));
        self.prefix.as_deref().is_none_or(begins) && self.keys.as_ref().is_none_or(listed)
    }
}

/// How far a restore has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing.
    pub phase: Phase,
    /// Items of the source that were looked at.
    pub read: u64,
    /// Changes of the log that were looked at.
    pub changes: u64,
    /// Items that were written, or would be.
    pub written: u64,
    /// Of those, items that were deleted, or would be.
    pub deleted: u64,
    /// Items that somebody changed meanwhile, which were left alone.
    pub conflicts: u64,
    /// How many items the source had at the start.
    pub items: u64,
    /// Some of what changes.
    pub samples: Vec<Sample>,
    /// When it ended.
    pub finished: Option<Moment>,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// What a restore is doing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Phase {
    /// Copying what is there.
    Copying {
        /// The last key that was read.
        last: Option<Vec<u8>>,
    },
    /// Walking back through the log.
    Undoing {
        /// Where the walk began.
        until: u64,
        /// Where it is: the shard, and the place of the last change that was looked at.
        at: Option<(u32, u64, u16)>,
    },
    /// Looking for items that were changed since the walk began, which are left alone.
    Checking {
        /// Where the walk back began.
        from: u64,
        /// Where it had ended.
        until: u64,
        /// As in `Undoing`.
        at: Option<(u32, u64, u16)>,
    },
    /// Writing back what was found.
    Applying {
        /// The last key that was read.
        last: Option<Vec<u8>>,
    },
    /// Over.
    Done,
}

/// One item before and after, both in their stored form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// As it is.
    pub now: Option<Vec<u8>>,
    /// As it was.
    pub then: Option<Vec<u8>>,
}

impl Progress {
    fn new(phase: Phase, items: u64) -> Progress {
        Progress {
            phase,
            read: 0,
            changes: 0,
            written: 0,
            deleted: 0,
            conflicts: 0,
            items,
            samples: Vec::new(),
            finished: None,
            failure: None,
        }
    }
}

/// Why nothing can be restored.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// There is no such table, or it is not in use.
    #[error("there is no such table")]
    NoSuchTable,
    /// Recovery is not on for the table.
    #[error("point-in-time recovery is not enabled")]
    NotEnabled,
    /// The moment is outside of what can be restored.
    #[error("the moment cannot be restored")]
    OutOfWindow {
        /// The earliest moment that can be.
        earliest: Moment,
        /// The latest.
        latest: Moment,
    },
    /// There is no such backup, or it is not there any more.
    #[error("there is no such backup")]
    NoSuchBackup,
    /// The backup is not complete.
    #[error("the backup is not complete")]
    BackupInUse,
    /// The target is there already.
    #[error("there is a table of the name {0}")]
    Exists(String),
    /// The condition cannot be understood.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The machinery failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<CreateError> for RestoreError {
    fn from(error: CreateError) -> Self {
        match error {
            CreateError::Exists(name) => RestoreError::Exists(name),
            CreateError::Engine(error) => RestoreError::Engine(error),
        }
    }
}

impl From<store::StoreError> for RestoreError {
    fn from(error: store::StoreError) -> Self {
        RestoreError::Engine(error.into())
    }
}

impl Engine {
    /// The window of a table that can be restored now.
    pub fn restorable(&self, table: &Table) -> Option<(Moment, Moment)> {
        let now = self.now();
        table.recovery.map(|recovery| (recovery.earliest(now), now))
    }

    pub(super) fn check_window(&self, table: &Table, moment: Moment) -> Result<(), RestoreError> {
        let (earliest, latest) = self.restorable(table).ok_or(RestoreError::NotEnabled)?;
        if moment < earliest || moment > latest {
            return Err(RestoreError::OutOfWindow { earliest, latest });
        }
        Ok(())
    }

    /// Begins to restore into a new table, which is there at once and in use once it is done.
    /// Gives the restore's number and the table.
    pub async fn restore_into(
        &self,
        source: RestoreSource,
        filter: Filter,
        target: Table,
    ) -> Result<(JobNumber, Table), RestoreError> {
        filter.condition()?;
        let items = match &source {
            RestoreSource::Table { name, number, moment } => {
                let entry = self.table(name).filter(|entry| entry.table.number == *number);
                let entry = entry.ok_or(RestoreError::NoSuchTable)?;
                self.check_window(&entry.table, *moment)?;
                let held = self.statistics(&entry.table, &[0]).await?;
                held.first().map_or(0, |held| held.items)
            }
            RestoreSource::Backup { backup } => {
                let backup = self.backup(*backup).await?.ok_or(RestoreError::NoSuchBackup)?;
                if backup.state != BackupState::Available {
                    return Err(RestoreError::BackupInUse);
                }
                backup.items
            }
        };
        let started = self.now();
        let first = Progress::new(Phase::Copying { last: None }, u64::try_from(items).unwrap_or(0));
        let filed = move |number: JobNumber, table: &Table| {
            let target = RestoreTarget::Table { name: table.name.clone(), number: table.number };
            let restore =
                Restore { source: source.clone(), target, filter: filter.clone(), started };
            restore_writes(number, &restore, &first)
        };
        let (number, entry) = self.create_restored(target, filed).await?;
        self.restorer.notify_one();
        Ok((number, entry.table.clone()))
    }

    /// Begins to put the items of a table back as they were, or to see what that would change.
    pub async fn restore_in_place(
        &self,
        name: &str,
        moment: Moment,
        filter: Filter,
        preview: bool,
    ) -> Result<JobNumber, RestoreError> {
        filter.condition()?;
        let entry = self.table(name).ok_or(RestoreError::NoSuchTable)?;
        self.check_window(&entry.table, moment)?;
        let restore = Restore {
            source: RestoreSource::Table {
                name: name.to_owned(),
                number: entry.table.number,
                moment,
            },
            target: if preview { RestoreTarget::Preview } else { RestoreTarget::InPlace },
            filter,
            started: self.now(),
        };
        let until = self.store.snapshot().await?.version().0 + 1;
        let first = Progress::new(Phase::Undoing { until, at: None }, 0);
        let number = self.next_job(move |number| restore_writes(number, &restore, &first)).await?;
        self.restorer.notify_one();
        Ok(number)
    }

    /// A restore and how far it has come.
    pub async fn restore(
        &self,
        number: JobNumber,
    ) -> Result<Option<(Restore, Progress)>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let restore = snapshot.get(&Key::Restore { restore: number }.encode()).await?;
        let progress = snapshot.get(&Key::RestoreProgress { restore: number }.encode()).await?;
        match (restore, progress) {
            (Some(restore), Some(progress)) => {
                Ok(Some((table::read(&restore)?, table::read(&progress)?)))
            }
            _ => Ok(None),
        }
    }

    /// All restores that are known, oldest first.
    pub async fn restores(&self) -> Result<Vec<(JobNumber, Restore, Progress)>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let mut found = Vec::new();
        for (key, value) in entries(&*snapshot, Key::restores()).await? {
            let Some(number) = Key::job(&key) else { continue };
            let progress = Key::RestoreProgress { restore: number }.encode();
            if let Some(progress) = snapshot.get(&progress).await? {
                found.push((number, table::read(&value)?, table::read(&progress)?));
            }
        }
        Ok(found)
    }
}

/// The writes that file a restore.
fn restore_writes(
    number: JobNumber,
    restore: &Restore,
    progress: &Progress,
) -> Result<Vec<Write>, EngineError> {
    let key = Key::Restore { restore: number }.encode();
    Ok(vec![Write::Put { key, value: table::write(restore)? }, progress_write(number, progress)?])
}

/// The write that keeps how far a restore has come.
pub(super) fn progress_write(number: JobNumber, progress: &Progress) -> Result<Write, EngineError> {
    let key = Key::RestoreProgress { restore: number }.encode();
    Ok(Write::Put { key, value: table::write(progress)? })
}
