//! Text to tree. Trees keep their placeholders and are flat vectors in postfix order, so that no
//! text can drive any part of this crate into deep recursion.

mod condition;
mod condition_parser;
mod cursor;
mod findings;
mod key_condition;
mod level;
mod projection;
mod steps;
mod term;
mod token;
mod update;

pub use condition::ConditionSyntax;
pub(crate) use condition::{Node, TestKind, TestSyntax};
pub use key_condition::KeyConditionSyntax;
pub(crate) use level::Level;
pub use projection::ProjectionSyntax;
pub(crate) use steps::{Step, steps};
pub use update::UpdateSyntax;
pub(crate) use update::{ActionSyntax, ClauseSyntax};
pub(crate) use {
    term::{ElementSyntax, Function, PathSyntax, Term},
    token::Comparator,
};

/// Bytes an expression may have.
pub const MAX_EXPRESSION_SIZE: usize = 4096;

/// Operators and functions an expression may have.
pub const MAX_OPERATORS: usize = 300;

/// Elements a document path may have.
pub(crate) const MAX_PATH_DEPTH: usize = 32;

/// Operands IN may have, the one on its left included.
pub(crate) const MAX_IN_OPERANDS: usize = 100;
