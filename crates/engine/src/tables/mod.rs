//! Creating, changing, listing and deleting tables. What AWS refuses in a
//! definition is the API's to say; what is atomic is said here.

mod backfill;
mod create;
mod delete;
mod sweep;

use crate::{
    Engine,
    catalogue::Entry,
    environment::Moment,
    error::EngineError,
    expiry,
    keys::{IndexNumber, Key},
    log,
    table::{self, RecordError, Table},
};
use std::{convert::Infallible, sync::Arc};
use store::{Decision, Version, Write};

pub use create::CreateError;

/// Why a table was not changed.
#[derive(Debug)]
pub enum ChangeError<E> {
    /// There is no such table.
    NoSuchTable,
    /// The change was refused.
    Refused(E),
    /// The machinery failed.
    Engine(EngineError),
}

impl ChangeError<Infallible> {
    /// Takes a table that has gone meanwhile for one that needs no change.
    pub(crate) fn unless_gone(self) -> Result<(), EngineError> {
        match self {
            ChangeError::NoSuchTable => Ok(()),
            ChangeError::Refused(never) => match never {},
            ChangeError::Engine(error) => Err(error),
        }
    }
}

impl<E> From<EngineError> for ChangeError<E> {
    fn from(error: EngineError) -> Self {
        ChangeError::Engine(error)
    }
}

/// A page of table names.
pub struct TableNames {
    /// The names, in ascending order.
    pub names: Vec<String>,
    /// Whether there are more.
    pub more: bool,
}

/// How much a table or an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Items or entries.
    pub items: i64,
    /// Their sizes added up.
    pub bytes: i64,
}

impl Engine {
    /// A table by name, in whatever state, unless its deletion is over.
    pub fn table(&self, name: &str) -> Option<Arc<Entry>> {
        let entry = self.catalogue.get(name)?;
        entry.table.status.at(self.now()).map(|_| entry)
    }

    /// The moment at which a change of a table that begins at `now` is over.
    pub fn transition_end(&self, now: Moment) -> Moment {
        now.after(self.settings.table_delay)
    }

    /// Table names after `after`, at most `limit`.
    pub fn list_tables(&self, after: Option<&str>, limit: usize) -> TableNames {
        let now = self.now();
        let mut page = TableNames { names: Vec::new(), more: false };
        self.catalogue.visit_after(after, |entry| {
            if entry.table.status.at(now).is_none() {
                return true;
            }
            page.more = page.names.len() == limit;
            if !page.more {
                page.names.push(entry.table.name.clone());
            }
            !page.more
        });
        page
    }

    /// What the table (index zero) and its indexes hold, in the order asked for.
    pub async fn statistics(
        &self,
        table: &Table,
        indexes: &[IndexNumber],
    ) -> Result<Vec<Statistics>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let mut all = Vec::new();
        for &index in indexes {
            let key = Key::Counter { table: table.number, index }.encode();
            let [items, bytes] = match snapshot.get(&key).await? {
                Some(value) => store::counters(&value)?,
                None => [0, 0],
            };
            all.push(Statistics { items, bytes });
        }
        Ok(all)
    }

    /// Changes a table's definition by a pure function of the one there is. The
    /// function sees transitions that are over as over, and may be run again.
    pub async fn change_table<E: Send + 'static>(
        &self,
        name: &str,
        mut change: impl FnMut(&Table, Moment) -> Result<Table, E> + Send + 'static,
    ) -> Result<Arc<Entry>, ChangeError<E>> {
        let now = self.now();
        let key = Key::Definition { table: name }.encode();
        let put_key = key.clone();
        let shards = self.settings.stream_shards;
        let commit = store::commit(&*self.store, vec![key], move |version, current| {
            let outcome = current_table(current, now).and_then(|table| {
                let mut changed = change(&table, now).map_err(ChangeError::Refused)?;
                let writes = follow(Some(&table), &mut changed, shards, version, now);
                let mut writes = writes.map_err(EngineError::from)?;
                let record = table::write(&changed).map_err(EngineError::from)?;
                writes.push(Write::Put { key: put_key.clone(), value: record.clone() });
                Ok((writes, Entry { table: changed, record }))
            });
            match outcome {
                Ok((writes, entry)) => Decision { writes, outcome: Ok(entry) },
                Err(error) => Decision { writes: Vec::new(), outcome: Err(error) },
            }
        })
        .await
        .map_err(EngineError::from)?;
        let entry = commit.outcome?;
        self.catalogue.refresh(&*self.store, name).await?;
        Ok(Arc::new(entry))
    }
}

/// What follows in a commit that changes a definition: for the change log and for expiries.
fn follow(
    before: Option<&Table>,
    after: &mut Table,
    shards: u16,
    version: Version,
    now: Moment,
) -> Result<Vec<Write>, RecordError> {
    if let Some(recovery) = &mut after.recovery
        && before.is_none_or(|table| table.recovery.is_none())
    {
        // What is committed from here on is recorded.
        recovery.since = Moment(i64::try_from(version.millis()).unwrap_or(i64::MAX));
    }
    log::follow(before, after, shards, now);
    let mut writes = expiry::follow(before, after);
    writes.extend(log::record_writes(before, Some(after), version, now)?);
    Ok(writes)
}

/// The table in the store, with transitions that are over taken as such.
fn current_table<E>(
    current: &[Option<bytes::Bytes>],
    now: Moment,
) -> Result<Table, ChangeError<E>> {
    let record = current.first().and_then(Option::as_ref).ok_or(ChangeError::NoSuchTable)?;
    let mut table: Table = table::read(record).map_err(EngineError::from)?;
    table.status = table.status_at(now).ok_or(ChangeError::NoSuchTable)?;
    Ok(table)
}
