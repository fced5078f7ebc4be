//! Why an update cannot be made to the item it meets.

use thiserror::Error;
use value::NumberError;

/// An update that does not fit the item.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UpdateError {
    /// A right-hand side reads what is not there.
    #[error("The provided expression refers to an attribute that does not exist in the item")]
    MissingOperand,
    /// An operand in the item has a type that the operator does not take.
    #[error("An operand in the update expression has an incorrect data type")]
    OperandType,
    /// The same for a legacy update.
    #[error("Type mismatch for attribute to update")]
    TypeMismatch,
    /// What a target stands in is missing, or is no map or list as the target needs it.
    #[error("The document path provided in the update expression is invalid for update")]
    InvalidPath,
    /// A sum or difference that is no number of DynamoDB.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The result would nest too deep.
    #[error(
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels \
         beyond supported limit"
    )]
    TooDeep,
    /// What is written is alone more than an item may have.
    #[error("Item size to update has exceeded the maximum allowed size")]
    TooLarge,
}
