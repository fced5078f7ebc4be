//! The end of a table: its definition goes at once or after the table delay,
//! its data is swept away in the background.

use super::{ChangeError, current_table};
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::Key,
    log,
    recovery::{Backup, BackupKind, BackupState, backup_id, next_number},
    table::{self, Status, Table},
};
use bytes::Bytes;
use store::{Decision, Write};

impl Engine {
    /// Deletes a table, unless `check` refuses. A table already being deleted stays so.
    /// Gives the definition as it was last, in the state of deletion.
    pub async fn delete_table<E: Send + 'static>(
        &self,
        name: &str,
        mut check: impl FnMut(&Table, Moment) -> Result<(), E> + Send + 'static,
    ) -> Result<Table, ChangeError<E>> {
        let now = self.now();
        let until = self.transition_end(now);
        let key = Key::Definition { table: name }.encode();
        let definition = key.clone();
        let jobs = Key::NextJob.encode();
        let id = backup_id(now, self.environment.random());
        let held = match self.table(name) {
            Some(entry) => self.statistics(&entry.table, &[0]).await?,
            None => Vec::new(),
        };
        let held = held.first().copied().unwrap_or_default();
        let keys = vec![key, jobs.clone()];
        let commit = store::commit(&*self.store, keys, move |version, current| {
            let outcome = current_table(current, now).and_then(|mut table| {
                if matches!(table.status, Status::Deleting { .. }) {
                    return Ok((Vec::new(), table));
                }
                check(&table, now).map_err(ChangeError::Refused)?;
                // Its log outlives it.
                let mut writes = log::record_writes(Some(&table), None, version, now)
                    .map_err(EngineError::from)?;
                if table.recovery.is_some() {
                    let (number, next) = next_number(current.get(1));
                    let backup = Backup {
                        number,
                        name: format!("{}$DeletedTableBackup", table.name),
                        id: id.clone(),
                        table: table.clone(),
                        created: now,
                        items: held.items,
                        bytes: held.bytes,
                        kind: BackupKind::System,
                        state: BackupState::Available,
                    };
                    writes.push(backup.put()?);
                    writes.push(Write::Put { key: jobs.clone(), value: next });
                }
                table.status = Status::Deleting { until };
                table.shards.clear();
                if until > now {
                    let value = table::write(&table).map_err(EngineError::from)?;
                    writes.push(Write::Put { key: definition.clone(), value });
                } else {
                    writes.extend(drop_writes(&definition, &table));
                }
                Ok((writes, table))
            });
            match outcome {
                Ok((writes, table)) => Decision { writes, outcome: Ok(table) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        })
        .await
        .map_err(EngineError::from)?;
        let table = commit.outcome?;
        self.catalogue.refresh(&*self.store, name).await?;
        self.sweeper.notify_one();
        Ok(table)
    }
}

/// Takes the definition away and marks the data for removal.
pub(super) fn drop_writes(definition: &Bytes, table: &Table) -> Vec<Write> {
    let key = Key::Dropped { table: table.number }.encode();
    vec![Write::Delete { key: definition.clone() }, Write::Put { key, value: Bytes::new() }]
}
