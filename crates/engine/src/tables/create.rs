//! A new table.

use super::follow;
use crate::{
    Engine,
    catalogue::Entry,
    environment::{Moment, uuid},
    error::EngineError,
    keys::{IndexNumber, JobNumber, Key, TableNumber},
    recovery::next_number,
    table::{self, Status, Table},
};
use bytes::Bytes;
use std::sync::Arc;
use store::{Decision, Version, Write};

/// Why a table was not created.
#[derive(Debug)]
pub enum CreateError {
    /// There is a table of this name.
    Exists(String),
    /// The machinery failed.
    Engine(EngineError),
}

impl<T: Into<EngineError>> From<T> for CreateError {
    fn from(error: T) -> Self {
        CreateError::Engine(error.into())
    }
}

impl Engine {
    /// Creates a table. Its numbers, UUID, time and state are filled in here.
    pub async fn create_table(&self, mut table: Table) -> Result<Arc<Entry>, CreateError> {
        let now = self.now();
        table.uuid = uuid(&*self.environment);
        table.created = now;
        table.status = Status::Creating { until: self.transition_end(now) };
        number_indexes(&mut table);
        let name = table.name.clone();
        let definition = Key::Definition { table: &name }.encode();
        let counter = Key::NextTable.encode();
        let keys = vec![definition.clone(), counter.clone()];
        let shards = self.settings.stream_shards;
        let commit = store::commit(&*self.store, keys, move |version, current| {
            let decided = decide(table.clone(), current, shards, version, now);
            match decided {
                Ok((mut writes, entry)) => {
                    let next = entry.table.number.saturating_add(1);
                    let value = Bytes::copy_from_slice(&next.to_be_bytes());
                    writes.push(Write::Put { key: counter.clone(), value });
                    writes
                        .push(Write::Put { key: definition.clone(), value: entry.record.clone() });
                    Decision { writes, outcome: Ok(entry) }
                }
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        })
        .await?;
        let entry = commit.outcome?;
        self.catalogue.refresh(&*self.store, &name).await?;
        Ok(Arc::new(entry))
    }
}

impl Engine {
    /// Creates a table that is to be filled before it is in use, and files what fills it under
    /// a number of its own.
    pub(crate) async fn create_restored(
        &self,
        mut table: Table,
        mut filed: impl FnMut(JobNumber, &Table) -> Result<Vec<Write>, EngineError> + Send + 'static,
    ) -> Result<(JobNumber, Arc<Entry>), CreateError> {
        let now = self.now();
        table.uuid = uuid(&*self.environment);
        table.created = now;
        // Until it is filled, however long that takes.
        table.status = Status::Creating { until: Moment(i64::MAX) };
        number_indexes(&mut table);
        let name = table.name.clone();
        let definition = Key::Definition { table: &name }.encode();
        let (tables, jobs) = (Key::NextTable.encode(), Key::NextJob.encode());
        let keys = vec![definition.clone(), tables.clone(), jobs.clone()];
        let shards = self.settings.stream_shards;
        let commit = store::commit(&*self.store, keys, move |version, current| {
            let (job, next_job) = next_number(current.get(2));
            let decided = decide(table.clone(), current, shards, version, now);
            let decided = decided.and_then(|(mut writes, entry)| {
                writes.extend(filed(job, &entry.table)?);
                let next = entry.table.number.saturating_add(1);
                let next = Bytes::copy_from_slice(&next.to_be_bytes());
                writes.push(Write::Put { key: tables.clone(), value: next });
                writes.push(Write::Put { key: jobs.clone(), value: next_job });
                writes.push(Write::Put { key: definition.clone(), value: entry.record.clone() });
                Ok((writes, entry))
            });
            match decided {
                Ok((writes, entry)) => Decision { writes, outcome: Ok((job, entry)) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        })
        .await?;
        let (job, entry) = commit.outcome?;
        self.catalogue.refresh(&*self.store, &name).await?;
        Ok((job, Arc::new(entry)))
    }
}

/// Gives the table its number, unless one of that name is alive.
fn decide(
    mut table: Table,
    current: &[Option<Bytes>],
    shards: u16,
    version: Version,
    now: Moment,
) -> Result<(Vec<Write>, Entry), CreateError> {
    let mut writes = Vec::new();
    if let Some(Some(record)) = current.first() {
        let existing: Table = table::read(record)?;
        if existing.status.at(now).is_some() {
            return Err(CreateError::Exists(existing.name));
        }
        // Deleted, with nobody having looked since: its data goes the usual way.
        let key = Key::Dropped { table: existing.number }.encode();
        writes.push(Write::Put { key, value: Bytes::new() });
    }
    let next = current.get(1).and_then(Option::as_deref).and_then(|bytes| bytes.try_into().ok());
    table.number = next.map_or(1, TableNumber::from_be_bytes);
    writes.extend(follow(None, &mut table, shards, version, now)?);
    let record = table::write(&table)?;
    Ok((writes, Entry { table, record }))
}

fn number_indexes(table: &mut Table) {
    let locals = table.locals.iter_mut().map(|index| &mut index.number);
    let globals = table.globals.iter_mut().map(|index| &mut index.number);
    let mut next: IndexNumber = 1;
    for number in locals.chain(globals) {
        *number = next;
        next = next.saturating_add(1);
    }
    table.next_index = next;
}
