//! Reading one item.

use super::{ItemError, PrimaryKey, capacity::read_units};
use crate::{Engine, catalogue::Entry, table::Status};
use bytes::Bytes;
use std::sync::Arc;
use value::codec::ItemRef;

/// What a read found.
pub struct Found {
    /// The item in its stored form, if there is one.
    pub item: Option<Bytes>,
    /// Read units it cost.
    pub units: f64,
}

impl Engine {
    /// A table that takes reads and writes.
    pub fn usable_table(&self, name: &str) -> Result<Arc<Entry>, ItemError> {
        let entry = self.table(name).ok_or(ItemError::NoSuchTable)?;
        match entry.table.status_at(self.now()) {
            Some(Status::Active | Status::Updating { .. }) => Ok(entry),
            _ => Err(ItemError::NoSuchTable),
        }
    }

    /// Reads items of several tables at one moment.
    pub async fn get_items(
        &self,
        keys: &[(Arc<Entry>, PrimaryKey)],
    ) -> Result<Vec<Option<Bytes>>, ItemError> {
        let snapshot = self.view(true).await?;
        let mut items = Vec::with_capacity(keys.len());
        for (entry, key) in keys {
            items.push(snapshot.get(&key.storage_key(entry.table.number)).await?);
        }
        Ok(items)
    }

    /// Reads one item. Unless reads are made to lag, every read is strongly consistent and
    /// `consistent` only sets the price.
    pub async fn get_item(
        &self,
        entry: &Entry,
        key: &PrimaryKey,
        consistent: bool,
    ) -> Result<Found, ItemError> {
        let snapshot = self.view(consistent).await?;
        let item = snapshot.get(&key.storage_key(entry.table.number)).await?;
        let size = match &item {
            Some(bytes) => ItemRef::new(bytes)?.size(),
            None => 0,
        };
        Ok(Found { item, units: read_units(size, consistent) })
    }
}
