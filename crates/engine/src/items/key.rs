//! Primary keys: taken from an item or a key, checked as AWS checks them, and
//! brought into the form in which they are stored.

use crate::{
    keys::{Key, TableNumber},
    table::{KeyAttribute, KeySchema, Table},
};
use bytes::Bytes;
use expression::Path;
use value::{Item, KeyType, Value, key, value_size};

/// The most bytes of a partition key value.
pub const MAX_PARTITION_KEY: usize = 2048;
/// The most bytes of a sort key value.
pub const MAX_SORT_KEY: usize = 1024;

/// Why a key does not fit, in AWS's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A key with missing, additional or wrongly typed attributes.
    #[error("The provided key element does not match the schema")]
    Unmatched,
    /// An item without a key attribute.
    #[error("One or more parameter values were invalid: Missing the key {0} in the item")]
    Missing(String),
    /// An item with a key attribute of another type.
    #[error(
        "One or more parameter values were invalid: \
         Type mismatch for key {name} expected: {expected} actual: {actual}"
    )]
    WrongType {
        /// The key attribute.
        name: String,
        /// The type in the definition.
        expected: &'static str,
        /// The type in the item.
        actual: &'static str,
    },
    /// An item with an index key attribute of another type.
    #[error(
        "One or more parameter values were invalid: Type mismatch for Index Key {name} \
         Expected: {expected} Actual: {actual} IndexName: {index}"
    )]
    WrongIndexType {
        /// The key attribute.
        name: String,
        /// The type in the definition.
        expected: &'static str,
        /// The type in the item.
        actual: &'static str,
        /// The index.
        index: String,
    },
    /// An empty key value.
    #[error(
        "One or more parameter values are not valid. The AttributeValue for a key attribute \
         cannot contain an empty {kind} value. Key: {name}"
    )]
    Empty {
        /// `string` or `binary`.
        kind: &'static str,
        /// The key attribute.
        name: String,
    },
    /// An empty index key value.
    #[error(
        "One or more parameter values are not valid. A value specified for a secondary index key \
         is not supported. The AttributeValue for a key attribute cannot contain an empty {kind} \
         value. IndexName: {index}, IndexKey: {name}"
    )]
    EmptyIndex {
        /// `string` or `binary`.
        kind: &'static str,
        /// The key attribute.
        name: String,
        /// The index.
        index: String,
    },
    /// An update of a key attribute.
    #[error(
        "One or more parameter values were invalid: \
         Cannot update attribute {0}. This attribute is part of the key"
    )]
    Updated(String),
    /// An update that gives an index key attribute another type; with what is wrong with
    /// the item it makes, which is what a transaction reports.
    #[error(
        "The update expression attempted to update the secondary index key to unsupported type"
    )]
    UpdatedIndexType(Box<KeyError>),
    /// An update that makes an index key attribute empty.
    #[error(
        "One or more parameter values are not valid. The update expression attempted to update a \
         secondary index key to a value that is not supported. The AttributeValue for a key \
         attribute cannot contain an empty {0} value."
    )]
    UpdatedIndexEmpty(&'static str),
    /// An update that makes an index key attribute too long.
    #[error(
        "The update expression attempted to update the secondary index key that resulted in \
         exceeding size limits"
    )]
    UpdatedIndexTooLarge,
    /// A path that leads into a key attribute.
    #[error(
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not \
         allowed: {kind}: {name}"
    )]
    Nested {
        /// `Key` or `IndexKey`.
        kind: &'static str,
        /// The key attribute.
        name: String,
    },
    /// A partition key that is too long; the missing blank is AWS's.
    #[error(
        "One or more parameter values were invalid: \
         Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )]
    PartitionTooLarge,
    /// A sort key that is too long.
    #[error(
        "One or more parameter values were invalid: \
         Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
    )]
    SortTooLarge,
}

/// An item's primary key, encoded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PrimaryKey {
    pub(super) partition: Vec<u8>,
    pub(super) sort: Vec<u8>,
}

impl PrimaryKey {
    /// The key given in a request: exactly the table's key attributes.
    pub fn from_key(table: &Table, key: &Item) -> Result<PrimaryKey, KeyError> {
        let schema = &table.key;
        let fits = |attribute: &KeyAttribute| {
            key.get(&attribute.name).and_then(KeyType::of) == Some(attribute.kind)
        };
        if key.len() != schema.len() || !schema.attributes().all(fits) {
            return Err(KeyError::Unmatched);
        }
        PrimaryKey::encode(schema, key)
    }

    /// The key inside an item.
    pub fn from_item(table: &Table, item: &Item) -> Result<PrimaryKey, KeyError> {
        for attribute in table.key.attributes() {
            let value = item
                .get(&attribute.name)
                .ok_or_else(|| KeyError::Missing(attribute.name.clone()))?;
            if KeyType::of(value) != Some(attribute.kind) {
                return Err(KeyError::WrongType {
                    name: attribute.name.clone(),
                    expected: attribute.kind.name(),
                    actual: value.type_name(),
                });
            }
        }
        PrimaryKey::encode(&table.key, item)
    }

    /// Encodes attributes whose presence and types are known to fit.
    fn encode(schema: &KeySchema, item: &Item) -> Result<PrimaryKey, KeyError> {
        for attribute in schema.attributes() {
            if let Some(value) = item.get(&attribute.name) {
                check_not_empty(attribute, value)?;
            }
        }
        check_sizes(schema, item)?;
        let partition = encode_parts(&schema.partition, item).ok_or(KeyError::Unmatched)?;
        let sort = encode_parts(&schema.sort, item).ok_or(KeyError::Unmatched)?;
        Ok(PrimaryKey { partition, sort })
    }

    /// What its storage key has behind the table.
    pub fn stored(&self) -> Vec<u8> {
        Key::behind_table(&self.storage_key(0)).to_vec()
    }

    /// The key inside a storage key.
    pub(crate) fn from_storage_key(table: &Table, stored: &[u8]) -> Option<PrimaryKey> {
        // After the tag, the table and the hash.
        let key = stored.get(7..)?;
        let mut rest = key;
        for attribute in &table.key.partition {
            value::key::decode(attribute.kind, &mut rest).ok()?;
        }
        let partition = key.get(..key.len() - rest.len())?;
        Some(PrimaryKey { partition: partition.to_vec(), sort: rest.to_vec() })
    }

    /// Where the item is stored.
    pub(crate) fn storage_key(&self, table: TableNumber) -> Bytes {
        Key::Item { table, partition: &self.partition, sort: &self.sort }.encode()
    }

    /// Partition and sort key in one, as index entries carry it.
    pub(crate) fn joined(&self) -> Vec<u8> {
        [self.partition.as_slice(), &self.sort].concat()
    }
}

/// Refuses paths that lead into a key attribute of the table or of an index.
pub fn check_scalars<'a>(
    table: &Table,
    nested: impl Iterator<Item = &'a Path>,
) -> Result<(), KeyError> {
    for path in nested {
        let name = path.root();
        let kind = if table.key.attributes().any(|attribute| attribute.name == name) {
            "Key"
        } else if table.attributes().contains_key(name) {
            "IndexKey"
        } else {
            continue;
        };
        return Err(KeyError::Nested { kind, name: name.to_owned() });
    }
    Ok(())
}

/// Refuses an empty value of a key attribute.
pub(crate) fn check_not_empty(attribute: &KeyAttribute, value: &Value) -> Result<(), KeyError> {
    match empty_kind(value) {
        Some(kind) => Err(KeyError::Empty { kind, name: attribute.name.clone() }),
        None => Ok(()),
    }
}

/// The word for an empty string or binary.
pub(super) fn empty_kind(value: &Value) -> Option<&'static str> {
    match value {
        Value::S(text) if text.is_empty() => Some("string"),
        Value::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

/// The limits on key sizes, for those attributes that are there.
pub(super) fn check_sizes(schema: &KeySchema, item: &Item) -> Result<(), KeyError> {
    let total = |attributes: &[KeyAttribute]| -> usize {
        attributes.iter().filter_map(|a| item.get(&a.name)).map(value_size).sum()
    };
    if total(&schema.partition) > MAX_PARTITION_KEY {
        return Err(KeyError::PartitionTooLarge);
    }
    if total(&schema.sort) > MAX_SORT_KEY {
        return Err(KeyError::SortTooLarge);
    }
    Ok(())
}

/// The encoded values of key attributes, one after another; none if one is missing or
/// has another type.
pub(crate) fn encode_parts(attributes: &[KeyAttribute], item: &Item) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(32);
    for attribute in attributes {
        let value = item.get(&attribute.name)?;
        if KeyType::of(value) != Some(attribute.kind) {
            return None;
        }
        key::encode(value, &mut out).ok()?;
    }
    Some(out)
}
