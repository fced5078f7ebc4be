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
    keys::{IndexNumber, Key},
    table::{self, Table},
};
use std::sync::Arc;
use store::{Decision, Write};

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
        let commit = store::commit(&*self.store, vec![key], move |_, current| {
            let outcome = current_table(current, now).and_then(|table| {
                let changed = change(&table, now).map_err(ChangeError::Refused)?;
                let record = table::write(&changed).map_err(EngineError::from)?;
                Ok((record.clone(), Entry { table: changed, record }))
            });
            match outcome {
                Ok((value, entry)) => {
                    let writes = vec![Write::Put { key: put_key.clone(), value }];
                    Decision { writes, outcome: Ok(entry) }
                }
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

/// The table in the store, with transitions that are over taken as such.
fn current_table<E>(
    current: &[Option<bytes::Bytes>],
    now: Moment,
) -> Result<Table, ChangeError<E>> {
    let record = current.first().and_then(Option::as_ref).ok_or(ChangeError::NoSuchTable)?;
    let mut table = table::read(record).map_err(EngineError::from)?;
    table.status = table.status_at(now).ok_or(ChangeError::NoSuchTable)?;
    Ok(table)
}
