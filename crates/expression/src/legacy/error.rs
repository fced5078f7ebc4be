//! Why a legacy parameter is refused, in the words DynamoDB uses.

use thiserror::Error;

use super::ComparisonOperator;

/// A legacy parameter that DynamoDB does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LegacyError {
    /// An operator with too many or too few values.
    #[error(
        "One or more parameter values were invalid: Invalid number of argument(s) for the {} \
         ComparisonOperator",
        .0.name()
    )]
    ArgumentCount(ComparisonOperator),
    /// Values of different types in one list.
    #[error(
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must \
         be of same type"
    )]
    MixedTypes,
    /// A value of a type that the operator does not take.
    #[error(
        "One or more parameter values were invalid: ComparisonOperator {} is not valid for {found} \
         AttributeValue type",
        .operator.name()
    )]
    ArgumentType {
        /// The operator.
        operator: ComparisonOperator,
        /// The value's type.
        found: &'static str,
    },
    /// Bounds of BETWEEN in the wrong order.
    #[error(
        "The BETWEEN condition was provided a range where the lower bound is greater than the \
         upper bound"
    )]
    BetweenOrder,
    /// `Value` and `AttributeValueList` in one entry.
    #[error(
        "One or more parameter values were invalid: Value and AttributeValueList cannot be used \
         together for Attribute: {0}"
    )]
    ValueAndList(String),
    /// `Exists` and `ComparisonOperator` in one entry.
    #[error(
        "One or more parameter values were invalid: Exists and ComparisonOperator cannot be used \
         together for Attribute: {0}"
    )]
    ExistsAndOperator(String),
    /// An operator without values.
    #[error(
        "One or more parameter values were invalid: Value or AttributeValueList must be used with \
         ComparisonOperator: {} for Attribute: {attribute}",
        .operator.name()
    )]
    NoArguments {
        /// The operator.
        operator: ComparisonOperator,
        /// The attribute.
        attribute: String,
    },
    /// A list without an operator.
    #[error(
        "One or more parameter values were invalid: AttributeValueList can only be used with a \
         ComparisonOperator for Attribute: {0}"
    )]
    ListWithoutOperator(String),
    /// An attribute expected without saying what it is expected to be.
    #[error(
        "One or more parameter values were invalid: Value must be provided when Exists is {} for \
         Attribute: {attribute}",
        if *.given { "true" } else { "null" }
    )]
    NoValue {
        /// Whether `Exists` was given.
        given: bool,
        /// The attribute.
        attribute: String,
    },
    /// A value for an attribute that is expected to be absent.
    #[error(
        "One or more parameter values were invalid: Value cannot be used when Exists is false for \
         Attribute: {0}"
    )]
    ValueOfAbsent(String),
    /// PUT or ADD without a value.
    #[error(
        "One or more parameter values were invalid: Only DELETE action is allowed when no attribute \
         value is specified"
    )]
    UpdateWithoutValue,
    /// DELETE of a value that is no set.
    #[error(
        "One or more parameter values were invalid: DELETE action with value is not supported for \
         the type {0}"
    )]
    DeleteType(&'static str),
    /// ADD of a value that cannot be added.
    #[error(
        "One or more parameter values were invalid: ADD action is not supported for the type {0}"
    )]
    AddType(&'static str),
    /// A name twice in `AttributesToGet`.
    #[error("One or more parameter values were invalid: Duplicate value in attribute name: {0}")]
    DuplicateName(String),
    /// `ConditionalOperator` with nothing to join.
    #[error(
        "One or more parameter values were invalid: ConditionalOperator cannot be used without \
         Filter or Expected"
    )]
    OperatorAlone,
}
