//! Why an expression is refused, in the classic wording of DynamoDB.

use thiserror::Error;

use crate::legacy::LegacyError;
use crate::{KeyConditionError, Kind};

/// An expression, its placeholders or a legacy parameter that DynamoDB does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// A fault of one expression.
    #[error("Invalid {kind}: {fault}")]
    Invalid {
        /// The expression.
        kind: Kind,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A fault of the names and values given with the expressions.
    #[error(transparent)]
    Placeholder(#[from] PlaceholderError),
    /// A key condition that no query can answer.
    #[error(transparent)]
    KeyCondition(#[from] KeyConditionError),
    /// A fault of a legacy parameter.
    #[error(transparent)]
    Legacy(#[from] LegacyError),
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Nothing was written.
    #[error("The expression can not be empty;")]
    Empty,
    /// More bytes than allowed.
    #[error("Expression size has exceeded the maximum allowed size; expression size: {0}")]
    TooLong(usize),
    /// A token that cannot stand where it stands.
    #[error("Syntax error; token: \"{token}\", near: \"{near}\"")]
    Syntax {
        /// The token.
        token: String,
        /// The token with its neighbours.
        near: String,
    },
    /// More operators and functions than allowed.
    #[error("The expression contains too many operators; operator count: {0}")]
    TooManyOperators(usize),
    /// A pair of parentheses straight around another.
    #[error("The expression has redundant parentheses;")]
    RedundantParentheses,
    /// A reserved word used as a name.
    #[error("Attribute name is a reserved keyword; reserved keyword: {0}")]
    ReservedWord(String),
    /// A list index beyond what a list could have.
    #[error("List index is not within the allowable range; index: [{0}]")]
    ListIndex(String),
    /// A path of more elements than allowed.
    #[error("The document path has too many nesting levels; nesting levels: {0}")]
    PathTooDeep(usize),
    /// An alias that the request does not define.
    #[error(
        "An expression attribute name used in the document path is not defined; attribute name: {0}"
    )]
    UndefinedName(String),
    /// A value that the request does not define.
    #[error(
        "An expression attribute value used in expression is not defined; attribute value: {0}"
    )]
    UndefinedValue(String),
    /// A function that does not exist.
    #[error("Invalid function name; function: {0}")]
    UnknownFunction(String),
    /// A function of update expressions in a condition.
    #[error("The function is not allowed in a condition expression; function: {0}")]
    NotInCondition(&'static str),
    /// A function of conditions in an update expression.
    #[error("The function is not allowed in an update expression; function: {0}")]
    NotInUpdate(&'static str),
    /// A condition used as an operand, or the other way round.
    #[error("The function is not allowed to be used this way in an expression; function: {0}")]
    MisusedFunction(&'static str),
    /// A function with too many or too few operands.
    #[error(
        "Incorrect number of operands for operator or function; operator or function: {operator}, \
         number of operands: {count}"
    )]
    OperandCount {
        /// The function.
        operator: &'static str,
        /// How many operands it was given.
        count: usize,
    },
    /// More operands of IN than allowed.
    #[error("The IN operator is provided with too many operands; number of operands: {0}")]
    TooManyInOperands(usize),
    /// An operand whose type the operator does not take.
    #[error(
        "Incorrect operand type for operator or function; operator or function: {operator}, \
         operand type: {operand}"
    )]
    OperandType {
        /// The operator or function.
        operator: &'static str,
        /// The operand's type.
        operand: &'static str,
    },
    /// An operand that ADD or DELETE does not take.
    #[error(
        "Incorrect operand type for operator or function; operator: {operator}, operand type: \
         {operand}"
    )]
    ActionOperand {
        /// `ADD` or `DELETE`.
        operator: &'static str,
        /// The long name of the operand's type.
        operand: &'static str,
    },
    /// An operand that has to be a path and is none.
    #[error("Operator or function requires a document path; operator or function: {0}")]
    PathRequired(&'static str),
    /// A type name for `attribute_type` that names no type.
    #[error(
        "Invalid attribute type name found; type: {0}, valid types: \
         {{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}"
    )]
    UnknownType(String),
    /// A path compared with itself.
    #[error(
        "The first operand must be distinct from the remaining operands for this operator or \
         function; operator: {operator}, first operand: {operand}"
    )]
    SameOperand {
        /// The operator or function.
        operator: &'static str,
        /// The path.
        operand: String,
    },
    /// Bounds of BETWEEN that have different types.
    #[error(
        "The BETWEEN operator requires same data type for lower and upper bounds; lower bound \
         operand: AttributeValue: {{{lower}}}, upper bound operand: AttributeValue: {{{upper}}}"
    )]
    BetweenTypes {
        /// The lower bound.
        lower: String,
        /// The upper bound.
        upper: String,
    },
    /// Bounds of BETWEEN in the wrong order.
    #[error(
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
         lower bound operand: AttributeValue: {{{lower}}}, upper bound operand: AttributeValue: \
         {{{upper}}}"
    )]
    BetweenOrder {
        /// The lower bound.
        lower: String,
        /// The upper bound.
        upper: String,
    },
    /// A section of an update expression written twice.
    #[error("The \"{0}\" section can only be used once in an update expression;")]
    RepeatedSection(&'static str),
    /// Two paths of which one is, or is inside, the other.
    #[error(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    Overlap {
        /// The path written first.
        one: String,
        /// The path written last.
        two: String,
    },
    /// Two paths that use one attribute as a map and as a list.
    #[error(
        "Two document paths conflict with each other; must remove or rewrite one of these paths; \
         path one: {one}, path two: {two}"
    )]
    Conflict {
        /// The path written first.
        one: String,
        /// The path written last.
        two: String,
    },
}

impl Fault {
    pub(crate) fn of(self, kind: Kind) -> ExpressionError {
        ExpressionError::Invalid { kind, fault: self }
    }
}

/// What is wrong with `ExpressionAttributeNames`, `ExpressionAttributeValues` or the mix of
/// parameters they come with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlaceholderError {
    /// An empty map of names.
    #[error("ExpressionAttributeNames must not be empty")]
    NoNames,
    /// An empty map of values.
    #[error("ExpressionAttributeValues must not be empty")]
    NoValues,
    /// A key of the names that is no alias.
    #[error("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{0}\"")]
    NameKey(String),
    /// A key of the values that is no value placeholder.
    #[error("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{0}\"")]
    ValueKey(String),
    /// A key of more bytes than allowed.
    #[error(
        "{parameter} contains invalid key: The expression attribute map contains a key that is too \
         long; size of key: {size}"
    )]
    KeyTooLong {
        /// The parameter.
        parameter: &'static str,
        /// The key's bytes.
        size: usize,
    },
    /// An alias for the empty name.
    #[error("ExpressionAttributeNames contains invalid value: Empty attribute name for key {0}")]
    EmptyName(String),
    /// A value that is none.
    #[error("ExpressionAttributeValues contains invalid value: {message} for key {key}")]
    Value {
        /// Why the value is refused.
        message: String,
        /// Its placeholder.
        key: String,
    },
    /// Aliases that no expression uses.
    #[error(
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {{{}}}",
        .0.join(", ")
    )]
    UnusedNames(Vec<String>),
    /// Values that no expression uses.
    #[error(
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {{{}}}",
        .0.join(", ")
    )]
    UnusedValues(Vec<String>),
    /// Names given although no expression is.
    #[error("ExpressionAttributeNames can only be specified when using expressions")]
    NamesWithoutExpression,
    /// Values given although none of these expressions is.
    #[error(
        "ExpressionAttributeValues can only be specified when using expressions: {} {} null",
        .0.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(" and "),
        if .0.len() == 1 { "is" } else { "are" }
    )]
    ValuesWithoutExpression(Vec<Kind>),
    /// Legacy parameters and expressions in one request.
    #[error(
        "Can not use both expression and non-expression parameters in the same request: \
         Non-expression parameters: {{{}}} Expression parameters: {{{}}}",
        .legacy.join(", "),
        .expressions.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
    )]
    MixedStyles {
        /// The legacy parameters given.
        legacy: Vec<&'static str>,
        /// The expressions given.
        expressions: Vec<Kind>,
    },
}
