//! PartiQL statements: another syntax for the same trees. A statement is read into a
//! [`StatementSyntax`], which a cache can keep; binding the parameters of a request to it gives the
//! bound forms that expressions give, and runs the checks that expressions have.
//!
//! The parser is ours: one of all of PartiQL takes far more than DynamoDB does, and recurses with
//! its text.

mod bind;
mod condition;
mod cursor;
mod error;
mod filter;
mod parser;
mod token;
mod update;
mod value;

use std::fmt;
use std::sync::Arc;

use ::value::Item;

use crate::syntax::{ElementSyntax, PathSyntax};
use crate::{Projection, Update};

pub use error::StatementError;
pub use filter::{Filter, Partitions, no_item};
pub use parser::StatementSyntax;

/// A statement with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Items are read.
    Select(Select),
    /// It is checked that there is an item.
    Exists(Select),
    /// An item is put where there is none.
    Insert {
        /// Where to.
        from: Target,
        /// The item.
        item: Item,
    },
    /// An item is changed.
    Update {
        /// Where.
        from: Target,
        /// The change.
        update: Update,
        /// Which item, and what must hold for it.
        filter: Option<Filter>,
        /// What is given back.
        returning: Option<Returning>,
    },
    /// An item is removed.
    Delete {
        /// Where from.
        from: Target,
        /// Which item, and what must hold for it.
        filter: Option<Filter>,
        /// Whether the item is given back.
        returns_old: bool,
    },
}

/// What SELECT reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// Where from.
    pub from: Target,
    /// What is given of each item; none for everything.
    pub projection: Option<Projection>,
    /// Which items.
    pub filter: Option<Filter>,
    /// In which order.
    pub order: Vec<Order>,
}

/// A table, or an index of it, as the statement names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The table's name or ARN.
    pub table: Arc<str>,
    /// The index's name.
    pub index: Option<Arc<str>>,
}

/// An entry of ORDER BY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The attribute; of a path, its text.
    pub attribute: String,
    /// From the last to the first.
    pub descending: bool,
}

/// What an update gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returning {
    /// Only what the update touched.
    pub modified: bool,
    /// As it is afterwards, not as it was before.
    pub new: bool,
}

impl Statement {
    /// Where the statement reads or writes.
    pub fn target(&self) -> &Target {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.from,
            Statement::Insert { from, .. }
            | Statement::Update { from, .. }
            | Statement::Delete { from, .. } => from,
        }
    }

    /// Whether the statement only reads. EXISTS goes with writes.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }

    /// Whether the statement has a RETURNING clause.
    pub fn has_returning(&self) -> bool {
        match self {
            Statement::Update { returning, .. } => returning.is_some(),
            Statement::Delete { returns_old, .. } => *returns_old,
            _ => false,
        }
    }
}

impl Order {
    fn new(path: &PathSyntax, descending: bool) -> Order {
        let mut attribute = String::new();
        for element in std::iter::once(&path.root).chain(&path.rest) {
            match element {
                ElementSyntax::Name(name) | ElementSyntax::Alias(name) => {
                    if !attribute.is_empty() {
                        attribute.push('.');
                    }
                    attribute.push_str(name);
                }
                ElementSyntax::Index(index) => attribute.push_str(&format!("[{index}]")),
            }
        }
        Order { attribute, descending }
    }
}

/// The clause as it is written.
impl fmt::Display for Returning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.modified { "MODIFIED" } else { "ALL" };
        let when = if self.new { "NEW" } else { "OLD" };
        write!(f, "RETURNING {what} {when} *")
    }
}
