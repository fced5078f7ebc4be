//! Updates with their names and values resolved.

mod bind;
mod depth;
mod edit;
mod error;
mod evaluate;
mod sets;
mod updated;

use std::sync::Arc;

use value::Value;

use crate::path::Path;

pub use depth::depth_exceeded;
pub use error::UpdateError;
pub use updated::Updated;

/// An update that can be made to items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    clauses: Vec<Clause>,
    origin: Origin,
}

/// Where an update was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// In `UpdateExpression`.
    Expression,
    /// In `AttributeUpdates`: ADD also takes lists, and a mismatch has a text of its own.
    Legacy,
    /// In a statement: only the finished item counts against the limit of items.
    Statement,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) target: Path,
    pub(crate) action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The right-hand side in postfix order.
    Set(Vec<Instruction>),
    Remove,
    Add(Arc<Value>),
    Delete(Arc<Value>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    Path(Path),
    Value(Arc<Value>),
    IfNotExists,
    ListAppend,
    Plus,
    Minus,
}

impl Update {
    pub(crate) fn new(clauses: Vec<Clause>, origin: Origin) -> Update {
        Update { clauses, origin }
    }

    /// The same update, of a statement.
    pub(crate) fn of_statement(self) -> Update {
        Update { origin: Origin::Statement, ..self }
    }

    /// The paths the update writes to, in the order written.
    pub fn target_paths(&self) -> impl Iterator<Item = &Path> {
        self.clauses.iter().map(|clause| &clause.target)
    }

    /// The top-level attributes the update writes to or into, in the order written.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.target_paths().map(Path::root)
    }

    /// The top-level attributes that are set to a value of the request as it is, with the value.
    pub fn literals(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.clauses.iter().filter_map(|clause| {
            let Action::Set(instructions) = &clause.action else {
                return None;
            };
            match instructions.as_slice() {
                [Instruction::Value(value)] if !clause.target.is_nested() => {
                    Some((clause.target.root(), &**value))
                }
                _ => None,
            }
        })
    }

    /// All paths mentioned, written to or read.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.clauses.iter().flat_map(|clause| {
            let instructions = match &clause.action {
                Action::Set(instructions) => instructions.as_slice(),
                _ => &[],
            };
            let read = instructions.iter().filter_map(|instruction| {
                let Instruction::Path(path) = instruction else {
                    return None;
                };
                Some(path)
            });
            std::iter::once(&clause.target).chain(read)
        })
    }

    /// The paths that lead below a top-level attribute.
    pub fn nested_paths(&self) -> impl Iterator<Item = &Path> {
        self.paths().filter(|path| path.is_nested())
    }
}
