//! Backups, restores, exports and imports: their records, and that what is kept for them is known to them.

use super::{Known, Role, Verifier, items::read, records::all, show, tally::Tally};
use crate::{
    environment::Moment,
    error::EngineError,
    keys::{self, JobNumber, Key},
    recovery::{Backup, BackupKind, BackupState, Progress, Restore, RestoreSource, RestoreTarget},
    table::{self, Status},
    transfer::{Export, Import},
};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};

/// A backup, and what is found of it.
pub(super) struct Saved {
    backup: Backup,
    found: Tally,
}

impl Verifier<'_> {
    pub(super) async fn jobs(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let next = self.snapshot.get(&Key::NextJob.encode()).await?;
        let next = next.and_then(|bytes| bytes.as_ref().try_into().ok()).map(u32::from_be_bytes);
        for (number, backup) in self.records::<Backup>("backup", keys::BACKUP, next).await? {
            if backup.kind == BackupKind::System && known.held(backup.table.number).is_none() {
                let table = Role::Kept(Box::new(backup.table.clone()));
                known.tables.insert(backup.table.number, table);
            }
            known.backups.insert(number, Saved { backup, found: Tally::default() });
        }
        self.backup_items(known).await?;
        self.restores(known, next).await?;
        for (_, export) in self.records::<Export>("export", keys::EXPORT, next).await? {
            if export.finished.is_none() && !known.tables.contains_key(&export.table_number) {
                let problem = "it is under way, but its table is gone without a trace";
                self.found(format!("export {}", export.arn()), problem);
            }
        }
        for (_, import) in self.records::<Import>("import", keys::IMPORT, next).await? {
            if import.finished.is_none() {
                known.filled.insert(import.table);
            }
        }
        for held in known.live() {
            let waiting = matches!(held.table.status, Status::Creating { until } if until == Moment(i64::MAX));
            if waiting && !known.filled.contains(&held.table.name) {
                let place = format!("table {}", held.table.name);
                self.found(place, "it waits to be filled, but no restore or import fills it");
            }
        }
        Ok(())
    }

    /// The records of one kind, with their numbers.
    async fn records<T: DeserializeOwned>(
        &mut self,
        kind: &'static str,
        tag: u8,
        next: Option<JobNumber>,
    ) -> Result<Vec<(JobNumber, T)>, EngineError> {
        let mut records = Vec::new();
        self.each("jobs", all(tag), |verifier, key, value| {
            let Some(number) = Key::job(key) else { return verifier.strange(key) };
            if next.is_none_or(|next| number >= next) {
                let problem = format!("the next number to be given is {next:?}");
                verifier.found(format!("{kind} {number}"), problem);
            }
            match table::read(value) {
                Ok(record) => records.push((number, record)),
                Err(error) => {
                    let problem = format!("its record cannot be read: {error}");
                    verifier.found(format!("{kind} {number}"), problem);
                }
            }
        })
        .await?;
        Ok(records)
    }

    async fn backup_items(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let mut unknown = BTreeSet::new();
        let backups = &mut known.backups;
        self.each("items of backups", all(keys::BACKUP_ITEM), |verifier, key, value| {
            let Some(number) = super::records::table_of(key) else { return verifier.strange(key) };
            let Some(saved) = backups.get_mut(&number) else {
                if unknown.insert(number) {
                    verifier.found(format!("backup {number}"), "it has items, but no record");
                }
                return;
            };
            verifier.summary.saved += 1;
            let table = &saved.backup.table;
            match read(table, key, value) {
                Ok(item) => saved.found.count(item.size),
                Err(problem) => {
                    let item = show::item(table, &Key::in_table(table.number, key));
                    verifier.found(format!("backup {}, item {item}", saved.backup.name), problem);
                }
            }
        })
        .await?;
        for saved in known.backups.values() {
            let Backup { kind, state, items, bytes, .. } = saved.backup;
            let complete = kind == BackupKind::User && state == BackupState::Available;
            if complete && saved.found.pair() != [items, bytes] {
                let [found, total] = saved.found.pair();
                let problem = format!(
                    "it should hold {items} items of {bytes} bytes, but there are {found} of {total} bytes"
                );
                self.found(format!("backup {}", saved.backup.name), problem);
            }
        }
        Ok(())
    }

    async fn restores(
        &mut self,
        known: &mut Known,
        next: Option<JobNumber>,
    ) -> Result<(), EngineError> {
        let restores = self.records::<Restore>("restore", keys::RESTORE, next).await?;
        let progress = self.records::<Progress>("restore", keys::RESTORE_PROGRESS, next).await?;
        let mut progress: BTreeMap<JobNumber, Progress> = progress.into_iter().collect();
        let mut running = BTreeSet::new();
        for (number, restore) in restores {
            let place = format!("restore {number}");
            let Some(progress) = progress.remove(&number) else {
                self.found(place, "it is not recorded how far it has come");
                continue;
            };
            if progress.finished.is_some() {
                continue;
            }
            running.insert(number);
            if let RestoreTarget::Table { name, .. } = &restore.target {
                known.filled.insert(name.clone());
            }
            let there = match &restore.source {
                RestoreSource::Table { number, .. } => known.tables.contains_key(number),
                RestoreSource::Backup { backup } => known.backups.contains_key(backup),
            };
            if !there {
                self.found(place, "it is under way, but what it restores from is gone");
            }
        }
        for number in progress.into_keys() {
            self.found(format!("restore {number}"), "it has come somewhere, but has no record");
        }
        let mut unknown = BTreeSet::new();
        self.each("items to be restored", all(keys::UNDO), |verifier, key, value| {
            let Some(number) = super::records::table_of(key) else { return verifier.strange(key) };
            if !running.contains(&number) && unknown.insert(number) {
                verifier
                    .found(format!("restore {number}"), "it has noted items, but is not under way");
            }
            let image = value.get(16..).and_then(|rest| rest.split_first());
            let whole = match image {
                Some((0, [])) => true,
                Some((1, image)) => value::codec::decode(image).is_ok(),
                _ => false,
            };
            if !whole {
                let problem = format!("the noted item {} cannot be read", show::hex(key));
                verifier.found(format!("restore {number}"), problem);
            }
        })
        .await
    }
}
