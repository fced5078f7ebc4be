//! Key conditions: what a query asks of the keys of a table or an index.

mod error;
mod schema;
mod tests_of;

use std::sync::Arc;

use value::Value;

use crate::syntax::Comparator;

pub use error::KeyConditionError;
pub use schema::{KeyCondition, KeyRange, KeySchema};
pub(crate) use tests_of::key_test;

/// The tests of a key condition, well formed but not held against a key schema yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyTests {
    pub(crate) tests: Vec<KeyTest>,
}

/// One test: an attribute, compared with values of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyTest {
    pub(crate) name: Arc<str>,
    pub(crate) operator: KeyOperator,
    pub(crate) values: Vec<Arc<Value>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOperator {
    /// Any comparator but `<>`.
    Compare(Comparator),
    Between,
    BeginsWith,
}
