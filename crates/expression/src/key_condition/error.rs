//! Why a key condition cannot be answered by a query.

use thiserror::Error;

/// A key condition, or a use of key attributes, that DynamoDB does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyConditionError {
    /// An operator that key conditions do not have.
    #[error("Invalid operator used in KeyConditionExpression: {0}")]
    Operator(&'static str),
    /// A function as an operand.
    #[error("KeyConditionExpressions cannot contain nested operations")]
    NestedOperation,
    /// A path below a top-level attribute.
    #[error("KeyConditionExpressions cannot have conditions on nested attributes")]
    NestedAttribute,
    /// Two tests of one attribute.
    #[error("KeyConditionExpressions must only contain one condition per key")]
    RepeatedKey,
    /// A test without an attribute.
    #[error("Invalid condition in KeyConditionExpression: No key attribute specified")]
    NoAttribute,
    /// A test with two attributes.
    #[error(
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition"
    )]
    SeveralAttributes,
    /// A value where the attribute has to stand.
    #[error(
        "Invalid condition in KeyConditionExpression: {0} operator must have the key attribute as \
         its first operand"
    )]
    AttributeFirst(&'static str),
    /// An attribute of the key that is not tested.
    #[error("Query condition missed key schema element: {0}")]
    Missed(String),
    /// A test that the key schema does not allow.
    #[error("Query key condition not supported")]
    NotSupported,
    /// A value of another type than the key's.
    #[error(
        "One or more parameter values were invalid: Condition parameter type does not match schema \
         type"
    )]
    TypeMismatch,
    /// More tests than the key has attributes.
    #[error("Conditions can be of length 1 or 2 only")]
    TooMany,
    /// More partitions than a statement may read.
    #[error("The IN operator is provided with too many operands; number of operands: {0}")]
    TooManyPartitions(usize),
    /// No key condition in the request.
    #[error(
        "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
    )]
    NothingGiven,
    /// A legacy operator that no index can answer.
    #[error("Attempted conditional constraint is not an indexable operation")]
    NotIndexable,
    /// A filter expression of a query that mentions a key attribute.
    #[error(
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: {0}"
    )]
    FilterOnKey(String),
    /// A legacy filter of a query that mentions a key attribute.
    #[error("QueryFilter can only contain non-primary key attributes: Primary key attribute: {0}")]
    QueryFilterOnKey(String),
}
