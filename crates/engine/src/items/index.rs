//! Index entries: what an item contributes to each index of its table.

use super::key::{KeyError, PrimaryKey, check_sizes, empty_kind, encode_parts};
use crate::{
    keys::{IndexNumber, Key},
    table::{KeySchema, Projection, Table},
};
use bytes::Bytes;
use value::{Item, KeyType, codec, item_size};

/// An index of either kind, as the write path sees it.
#[derive(Clone, Copy)]
pub(super) struct Index<'a> {
    pub(super) number: IndexNumber,
    pub(super) name: &'a str,
    key: &'a KeySchema,
    projection: &'a Projection,
    pub(super) global: bool,
}

/// The indexes of a table, local ones first.
pub(super) fn indexes(table: &Table) -> impl Iterator<Item = Index<'_>> {
    let locals = table.locals.iter().map(|index| Index {
        number: index.number,
        name: &index.name,
        key: &index.key,
        projection: &index.projection,
        global: false,
    });
    let globals = table.globals.iter().map(|index| Index {
        number: index.number,
        name: &index.name,
        key: &index.key,
        projection: &index.projection,
        global: true,
    });
    locals.chain(globals)
}

/// An item's entry in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Bytes,
    pub(super) value: Bytes,
    pub(super) size: usize,
}

impl Index<'_> {
    /// The entry of an item; none if it lacks a key attribute of the index.
    pub(super) fn entry(&self, table: &Table, key: &PrimaryKey, item: &Item) -> Option<Entry> {
        let partition = encode_parts(&self.key.partition, item)?;
        let sort = encode_parts(&self.key.sort, item)?;
        let entry_key = Key::Entry {
            table: table.number,
            index: self.number,
            partition: &partition,
            sort: &sort,
            item: &key.joined(),
        };
        let projected = self.project(table, item);
        Some(Entry {
            key: entry_key.encode(),
            size: item_size(&projected),
            value: codec::encode(&projected).into(),
        })
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

/// Refuses an item whose index key attributes are there but cannot be keys. Of several
/// indexes, the first by name is the one AWS names.
pub(super) fn check(table: &Table, item: &Item) -> Result<(), KeyError> {
    let mut by_name: Vec<Index<'_>> = indexes(table).collect();
    by_name.sort_by_key(|index| index.name);
    for index in by_name {
        for attribute in index.key.attributes() {
            let Some(value) = item.get(&attribute.name) else { continue };
            if KeyType::of(value) != Some(attribute.kind) {
                return Err(KeyError::WrongIndexType {
                    name: attribute.name.clone(),
                    expected: attribute.kind.name(),
                    actual: value.type_name(),
                    index: index.name.to_owned(),
                });
            }
            if let Some(kind) = empty_kind(value) {
                return Err(KeyError::EmptyIndex {
                    kind,
                    name: attribute.name.clone(),
                    index: index.name.to_owned(),
                });
            }
        }
        check_sizes(index.key, item)?;
    }
    Ok(())
}
