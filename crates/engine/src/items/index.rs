//! Index entries: what an item contributes to each index of its table.

use super::key::{KeyError, MAX_PARTITION_KEY, MAX_SORT_KEY, PrimaryKey, check_sizes, empty_kind};
use crate::{
    keys::{IndexNumber, Key},
    table::{GlobalIndex, IndexState, KeyAttribute, KeySchema, Projection, Table},
};
use bytes::Bytes;
use value::{
    CodecError, Item, KeyType, Value,
    codec::{self, ItemRef, ValueRef},
    item_size, key,
};

/// An index of either kind.
#[derive(Debug, Clone, Copy)]
pub struct Index<'a> {
    /// Its number in keys.
    pub number: IndexNumber,
    /// Its name.
    pub name: &'a str,
    /// Its key.
    pub key: &'a KeySchema,
    /// What it stores.
    pub projection: &'a Projection,
    /// Whether it is a global one.
    pub global: bool,
    /// Whether it is not complete yet.
    pub building: bool,
}

/// The indexes of a table that are kept up to date, local ones first.
pub fn indexes(table: &Table) -> impl Iterator<Item = Index<'_>> {
    let locals = table.locals.iter().map(|index| Index {
        number: index.number,
        name: &index.name,
        key: &index.key,
        projection: &index.projection,
        global: false,
        building: false,
    });
    let kept = |index: &&GlobalIndex| !matches!(index.state, IndexState::Deleting { .. });
    let globals = table.globals.iter().filter(kept).map(|index| Index {
        number: index.number,
        name: &index.name,
        key: &index.key,
        projection: &index.projection,
        global: true,
        building: matches!(index.state, IndexState::Building { .. }),
    });
    locals.chain(globals)
}

/// An item's entry in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
    pub(crate) size: usize,
}

impl Index<'_> {
    /// The entry of a stored item; none if it lacks a key attribute of the index, or has one
    /// that cannot be a key. Such an item may be there from before the index was. An entry that
    /// holds all of the item shares its bytes.
    pub(crate) fn entry(
        &self,
        table: &Table,
        key: &PrimaryKey,
        stored: &Bytes,
    ) -> Result<Option<Entry>, CodecError> {
        let item = ItemRef::new(stored)?;
        let Some(partition) = key_part(&self.key.partition, &item, MAX_PARTITION_KEY)? else {
            return Ok(None);
        };
        let Some(sort) = key_part(&self.key.sort, &item, MAX_SORT_KEY)? else { return Ok(None) };
        let entry_key = Key::Entry {
            table: table.number,
            index: self.number,
            partition: &partition,
            sort: &sort,
            item: &key.joined(),
        };
        let key = entry_key.encode();
        if *self.projection == Projection::All {
            return Ok(Some(Entry { key, size: item.size(), value: stored.clone() }));
        }
        let projected = self.project(table, item)?;
        let (size, value) = (item_size(&projected), codec::encode(&projected).into());
        Ok(Some(Entry { key, size, value }))
    }

    /// Whether its entries hold an attribute, if the item has it.
    pub fn holds(&self, table: &Table, attribute: &str) -> bool {
        let mut keys = table.key.attributes().chain(self.key.attributes());
        match self.projection {
            Projection::All => true,
            Projection::KeysOnly => keys.any(|key| key.name == attribute),
            Projection::Include(names) => {
                keys.any(|key| key.name == attribute) || names.iter().any(|name| name == attribute)
            }
        }
    }

    fn project(&self, table: &Table, item: ItemRef<'_>) -> Result<Item, CodecError> {
        let mut projected = Item::new();
        for attribute in item.attributes() {
            let (name, value) = attribute?;
            if self.holds(table, name) {
                projected.insert(name.to_owned(), value.to_value()?);
            }
        }
        Ok(projected)
    }
}

/// The encoded values of key attributes of a stored item, one after another; none if one is missing
/// or empty or has another type, or if they are too long for a key.
fn key_part(
    attributes: &[KeyAttribute],
    item: &ItemRef<'_>,
    most: usize,
) -> Result<Option<Vec<u8>>, CodecError> {
    let mut out = Vec::with_capacity(32);
    let mut size = 0;
    for attribute in attributes {
        let Some(value) = item.get(&attribute.name)? else { return Ok(None) };
        let length = match value {
            ValueRef::S(text) => text.len(),
            ValueRef::B(bytes) => bytes.len(),
            ValueRef::N(number) => number.size(),
            _ => 0,
        };
        if KeyType::of_ref(&value) != Some(attribute.kind) || length == 0 {
            return Ok(None);
        }
        size += length;
        key::encode_ref(&value, &mut out)?;
    }
    Ok((size <= most).then_some(out))
}

/// How an item came to be; AWS words the same faults differently.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Put,
    Update,
}

/// Refuses an item whose index key attributes are there but cannot be keys. Of several
/// indexes, the first by name is the one AWS names.
pub(super) fn check(table: &Table, item: &Item, origin: Origin) -> Result<(), KeyError> {
    for index in by_name(table) {
        for attribute in index.key.attributes() {
            if let Some(value) = item.get(&attribute.name) {
                index.check_value(attribute, value, origin)?;
            }
        }
        check_sizes(index.key, item).map_err(|error| match origin {
            Origin::Put => error,
            Origin::Update => KeyError::UpdatedIndexTooLarge,
        })?;
    }
    Ok(())
}

/// Refuses an item that could not be put because of its index keys.
pub fn check_item(table: &Table, item: &Item) -> Result<(), KeyError> {
    check(table, item, Origin::Put)
}

/// Refuses a value for an attribute that an update is about to set, before anything is read.
pub(super) fn check_literal(table: &Table, name: &str, value: &Value) -> Result<(), KeyError> {
    for index in by_name(table) {
        for attribute in index.key.attributes().filter(|attribute| attribute.name == name) {
            index.check_value(attribute, value, Origin::Update)?;
        }
    }
    Ok(())
}

fn by_name(table: &Table) -> Vec<Index<'_>> {
    let mut indexes: Vec<Index<'_>> = indexes(table).collect();
    indexes.sort_by_key(|index| index.name);
    indexes
}

impl Index<'_> {
    fn check_value(
        &self,
        attribute: &KeyAttribute,
        value: &Value,
        origin: Origin,
    ) -> Result<(), KeyError> {
        let wrong_type = KeyType::of(value) != Some(attribute.kind);
        let empty = empty_kind(value);
        if wrong_type {
            let error = KeyError::WrongIndexType {
                name: attribute.name.clone(),
                expected: attribute.kind.name(),
                actual: value.type_name(),
                index: self.name.to_owned(),
            };
            return Err(match origin {
                Origin::Put => error,
                Origin::Update => KeyError::UpdatedIndexType(Box::new(error)),
            });
        }
        Err(match (origin, empty) {
            (Origin::Put, Some(kind)) => KeyError::EmptyIndex {
                kind,
                name: attribute.name.clone(),
                index: self.name.to_owned(),
            },
            (Origin::Update, Some(kind)) => KeyError::UpdatedIndexEmpty(kind),
            (_, None) => return Ok(()),
        })
    }
}
