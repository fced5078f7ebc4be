//! Index entries: what an item contributes to each index of its table.

use super::key::{KeyError, PrimaryKey, check_sizes, empty_kind, encode_parts};
use crate::{
    keys::{IndexNumber, Key},
    table::{GlobalIndex, IndexState, KeyAttribute, KeySchema, Projection, Table},
};
use bytes::Bytes;
use value::{Item, KeyType, Value, codec, item_size};

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
    /// The entry of an item; none if it lacks a key attribute of the index, or has one
    /// that cannot be a key. Such an item may be there from before the index was. If the
    /// item's stored form is at hand, an entry that holds all of it shares that.
    pub(crate) fn entry(
        &self,
        table: &Table,
        key: &PrimaryKey,
        item: &Item,
        stored: Option<&Bytes>,
    ) -> Option<Entry> {
        let mut values = self.key.attributes().filter_map(|a| item.get(&a.name));
        if values.any(|value| empty_kind(value).is_some()) || check_sizes(self.key, item).is_err() {
            return None;
        }
        let partition = encode_parts(&self.key.partition, item)?;
        let sort = encode_parts(&self.key.sort, item)?;
        let entry_key = Key::Entry {
            table: table.number,
            index: self.number,
            partition: &partition,
            sort: &sort,
            item: &key.joined(),
        };
        let key = entry_key.encode();
        if let Some(stored) = stored.filter(|_| *self.projection == Projection::All) {
            return Some(Entry { key, size: item_size(item), value: stored.clone() });
        }
        let projected = self.project(table, item);
        let (size, value) = (item_size(&projected), codec::encode(&projected).into());
        Some(Entry { key, size, value })
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

    fn project(&self, table: &Table, item: &Item) -> Item {
        if *self.projection == Projection::All {
            return item.clone();
        }
        let keys = table.key.attributes().chain(self.key.attributes()).map(|a| &a.name);
        let included: &[String] = match self.projection {
            Projection::Include(names) => names,
            _ => &[],
        };
        keys.chain(included)
            .filter_map(|name| item.get_key_value(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
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
