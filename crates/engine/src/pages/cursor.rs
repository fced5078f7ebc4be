//! Positions in a table or an index: where a page ended and the next one begins.

use super::Source;
use crate::items::{KeyError, PrimaryKey, encode_parts};
use crate::keys::Key;
use bytes::Bytes;
use value::{CodecError, Item, codec};

/// Why a starting key is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartKeyError {
    /// It has other attributes than a position.
    #[error("The provided key element does not match the schema")]
    Unmatched,
    /// A value in it cannot be a key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Source<'_> {
    /// The stored key that a starting key means.
    pub fn start_key(&self, given: &Item) -> Result<Bytes, StartKeyError> {
        let names = self.position();
        if given.len() != names.len() || !names.iter().all(|name| given.contains_key(*name)) {
            return Err(StartKeyError::Unmatched);
        }
        let of_table = self.table.key.attributes().map(|attribute| &attribute.name);
        let table_key: Item = of_table
            .filter_map(|name| given.get_key_value(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let key = PrimaryKey::from_key(self.table, &table_key).map_err(|error| match error {
            KeyError::Unmatched => StartKeyError::Unmatched,
            other => StartKeyError::Key(other),
        })?;
        let Some(index) = self.index else { return Ok(key.storage_key(self.table.number)) };
        let partition = encode_parts(&index.key.partition, given);
        let sort = encode_parts(&index.key.sort, given);
        let (Some(partition), Some(sort)) = (partition, sort) else {
            return Err(StartKeyError::Unmatched);
        };
        let entry = Key::Entry {
            table: self.table.number,
            index: index.number,
            partition: &partition,
            sort: &sort,
            item: &key.joined(),
        };
        Ok(entry.encode())
    }

    /// The position of a stored item or entry.
    pub(super) fn position_of(&self, stored: &[u8]) -> Result<Item, CodecError> {
        let item = codec::ItemRef::new(stored)?;
        let mut position = Item::new();
        for name in self.position() {
            if let Some(value) = item.get(name)? {
                position.insert(name.to_owned(), value.to_value()?);
            }
        }
        Ok(position)
    }
}
