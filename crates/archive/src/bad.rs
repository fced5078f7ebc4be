//! Why something that was read is no item.

use thiserror::Error;
use value::{NumberError, ValueError};

/// A text that does not stand for an item.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadItem {
    /// It breaks the rules of its format.
    #[error("{0}")]
    Syntax(String),
    /// It is well formed, but has a value that DynamoDB refuses.
    #[error(transparent)]
    Value(#[from] ValueError),
}

impl From<NumberError> for BadItem {
    fn from(error: NumberError) -> BadItem {
        BadItem::Value(ValueError::Number(error))
    }
}

/// The longest attribute name, in bytes.
const MAX_NAME_BYTES: usize = 65_535;

/// Refuses names that no attribute can have.
pub(crate) fn check_name(name: &str) -> Result<(), ValueError> {
    match name.len() {
        0 => Err(ValueError::EmptyAttributeName),
        length if length > MAX_NAME_BYTES => Err(ValueError::AttributeNameTooLong),
        _ => Ok(()),
    }
}
