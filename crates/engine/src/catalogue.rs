//! The tables there are, held in memory beside the store. The store decides:
//! every write names the definition it was made for, and is run again with the
//! new one if that has changed meanwhile.

use crate::{
    error::EngineError,
    keys::Key,
    records,
    table::{self, Table},
};
use bytes::Bytes;
use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError, RwLock},
};
use store::Store;

/// A table's definition as it was read, with the bytes it was read from.
#[derive(Debug)]
pub struct Entry {
    /// The definition.
    pub table: Table,
    /// The record; a write compares it to the store's to notice a change.
    pub(crate) record: Bytes,
}

pub(crate) struct Catalogue {
    entries: RwLock<BTreeMap<String, Arc<Entry>>>,
    /// Held from reading the store to changing `entries`, so that they never go back in time.
    refreshing: tokio::sync::Mutex<()>,
}

impl Catalogue {
    /// Reads all definitions.
    pub(crate) async fn load(store: &dyn Store) -> Result<Catalogue, EngineError> {
        let snapshot = store.snapshot().await?;
        let mut entries = BTreeMap::new();
        for (_, record) in records::entries(&*snapshot, Key::definitions()).await? {
            let table: Table = table::read(&record)?;
            entries.insert(table.name.clone(), Arc::new(Entry { table, record }));
        }
        Ok(Catalogue { entries: RwLock::new(entries), refreshing: tokio::sync::Mutex::default() })
    }

    /// The definition of that name, if there is one.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<Entry>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// Reads one definition again.
    pub(crate) async fn refresh(
        &self,
        store: &dyn Store,
        name: &str,
    ) -> Result<Option<Arc<Entry>>, EngineError> {
        let _turn = self.refreshing.lock().await;
        let snapshot = store.snapshot().await?;
        let record = snapshot.get(&Key::Definition { table: name }.encode()).await?;
        let entry = match record {
            Some(record) => Some(Arc::new(Entry { table: table::read(&record)?, record })),
            None => None,
        };
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        match &entry {
            Some(entry) => entries.insert(name.to_owned(), Arc::clone(entry)),
            None => entries.remove(name),
        };
        Ok(entry)
    }

    /// All definitions, to be kept beyond the visit.
    pub(crate) fn visit_entries(&self, visit: impl FnMut(&Arc<Entry>)) {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.values().for_each(visit);
    }

    /// Definitions in name order, from the one after `after`, while `visit` says to go on.
    pub(crate) fn visit_after(&self, after: Option<&str>, mut visit: impl FnMut(&Entry) -> bool) {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        for entry in entries.range::<str, _>((start, Bound::Unbounded)).map(|(_, entry)| entry) {
            if !visit(entry) {
                break;
            }
        }
    }
}
