//! Expressions of DynamoDB: condition, filter, key condition, projection and update, and the legacy
//! parameters that came before them.
//!
//! - `syntax`: text to tree. A tree still holds its placeholders, so it can be kept in a [`Cache`]
//!   and shared by requests.
//! - `bind` of a tree: puts a request's names and values in and checks them.
//! - The bound [`Condition`], [`Projection`], [`Update`] and [`KeyTests`] work on items.
//! - [`legacy`]: builds the same bound forms from `Expected`, `AttributeUpdates` and their kin.
//! - [`partiql`]: another syntax for the same trees, as statements.
//!
//! This crate is pure: it knows no I/O, no JSON, no clock and no table.

mod cache;
mod condition;
mod error;
mod key_condition;
mod kind;
pub mod legacy;
mod overlap;
pub mod partiql;
mod path;
mod placeholders;
mod projection;
mod reserved;
mod selection;
mod syntax;
#[cfg(test)]
mod tests;
mod update;

pub use cache::Cache;
pub use condition::Condition;
pub use error::{ExpressionError, Fault, PlaceholderError};
pub use key_condition::{KeyCondition, KeyConditionError, KeyRange, KeySchema, KeyTests};
pub use kind::Kind;
pub use path::{Element, Path};
pub use placeholders::Placeholders;
pub use projection::Projection;
pub use syntax::{
    ConditionSyntax, KeyConditionSyntax, MAX_EXPRESSION_SIZE, MAX_OPERATORS, ProjectionSyntax,
    UpdateSyntax,
};
pub use update::{Update, UpdateError, Updated, depth_exceeded};
