//! Why a statement is refused before any table is looked up.

use thiserror::Error;
use value::ValueError;

use crate::{ExpressionError, Fault};

/// A statement that DynamoDB does not accept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StatementError {
    /// A text that is no statement.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    Syntax(String),
    /// A fault that expressions can have as well.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// A literal that is no value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A literal that nests too deep, by the path to it.
    #[error("Nesting Levels have exceeded supported limits under {0}")]
    Nesting(String),
    /// More or fewer parameters than question marks.
    #[error("Number of parameters in request and statement don't match.")]
    ParameterCount,
    /// More than a table and an index behind FROM.
    #[error("A path may contain at most 2 components in the FROM clause")]
    PathComponents,
    /// A table or an index without a name.
    #[error("Path component cannot be an empty string")]
    EmptyComponent,
    /// A RETURNING that DELETE does not have; holds the clause.
    #[error(
        "Invalid returning clause: {0}. Only RETURNING ALL OLD * is allowed in DELETE statements."
    )]
    DeleteReturning(String),
    /// A set of other elements than sets can have, or of several types.
    #[error("The elements of a set must all be strings, all be numbers or all be binaries")]
    SetElements,
    /// Something else than a map behind VALUE.
    #[error("The value of an INSERT statement must be a map")]
    NotAnItem,
    /// `set_add` or `set_delete` of another attribute than the one that is set.
    #[error("The function {0} takes the path that is set and a set")]
    SetFunction(&'static str),
}

impl StatementError {
    /// The fault inside an error of an expression; statements have no parameters to name.
    pub(super) fn of(error: ExpressionError) -> StatementError {
        match error {
            ExpressionError::Invalid { fault, .. } => StatementError::Fault(fault),
            other => StatementError::Syntax(other.to_string()),
        }
    }
}

/// A fault of the text, in the words of the parser.
pub(super) fn syntax(text: impl Into<String>) -> StatementError {
    StatementError::Syntax(text.into())
}
