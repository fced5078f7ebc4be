//! The parameters that came before expressions: they become the same bound forms. They know only
//! top-level attributes, whose names are taken as they are.

mod comparison;
mod condition;
mod error;
mod keys;
mod updates;

use value::Value;

use crate::{ExpressionError, Path, Projection};

pub use comparison::ComparisonOperator;
pub use condition::{expected, filter};
pub use error::LegacyError;
pub use keys::key_conditions;
pub use updates::attribute_updates;

/// An entry of `QueryFilter`, `ScanFilter` or `KeyConditions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// `ComparisonOperator`.
    pub operator: ComparisonOperator,
    /// `AttributeValueList`; empty if it was not given.
    pub values: Vec<Value>,
}

/// An entry of `Expected`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedTest {
    /// `Value`.
    pub value: Option<Value>,
    /// `Exists`.
    pub exists: Option<bool>,
    /// `ComparisonOperator`.
    pub operator: Option<ComparisonOperator>,
    /// `AttributeValueList`.
    pub list: Option<Vec<Value>>,
}

/// `ConditionalOperator`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// All conditions must hold.
    #[default]
    And,
    /// One of the conditions must hold.
    Or,
}

/// An entry of `AttributeUpdates`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeUpdate {
    /// `Action`.
    pub action: AttributeAction,
    /// `Value`.
    pub value: Option<Value>,
}

/// `Action` of an entry of `AttributeUpdates`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttributeAction {
    /// Create or replace the attribute.
    #[default]
    Put,
    /// Remove the attribute, or elements of a set.
    Delete,
    /// Add to a number, a set or a list.
    Add,
}

/// The projection of `AttributesToGet`.
pub fn attributes_to_get(names: &[String]) -> Result<Projection, ExpressionError> {
    let mut paths: Vec<Path> = Vec::with_capacity(names.len());
    for name in names {
        if paths.iter().any(|path| path.root() == name) {
            return Err(LegacyError::DuplicateName(name.clone()).into());
        }
        paths.push(Path::attribute(name));
    }
    Ok(Projection::new(paths))
}
