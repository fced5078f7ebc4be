//! Pages of items: what Query and Scan read from a table or an index. A page
//! costs what it evaluates, never the table.

mod cursor;
mod range;
mod read;

pub use cursor::StartKeyError;
pub use range::segment_range;
pub use read::{Page, PageRead};
pub use store::{Direction, KeyRange};

use crate::{
    items::Index,
    keys::Key,
    table::{KeySchema, Table},
};

/// What is read: a table, or one of its indexes.
#[derive(Clone, Copy)]
pub struct Source<'t> {
    /// The table.
    pub table: &'t Table,
    /// The index, if one is read.
    pub index: Option<Index<'t>>,
}

impl<'t> Source<'t> {
    /// The key by which it is ordered.
    pub fn key(&self) -> &'t KeySchema {
        self.index.map_or(&self.table.key, |index| index.key)
    }

    /// The names of the attributes that make up a position: the table's key and the index's.
    pub fn position(&self) -> Vec<&'t str> {
        let table = self.table.key.attributes();
        let index = self.index.into_iter().flat_map(|index| index.key.attributes());
        let mut names: Vec<&str> = Vec::new();
        for attribute in table.chain(index) {
            if !names.contains(&attribute.name.as_str()) {
                names.push(&attribute.name);
            }
        }
        names
    }

    /// What all its keys begin with.
    fn prefix(&self) -> Vec<u8> {
        match self.index {
            Some(index) => Key::entries_prefix(self.table.number, index.number),
            None => Key::items_prefix(self.table.number),
        }
    }
}
