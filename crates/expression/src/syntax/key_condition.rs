//! Key conditions are written like any condition; what sets them apart is checked when bound.

use super::ConditionSyntax;
use crate::{ExpressionError, Kind};

/// A key condition as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyConditionSyntax {
    pub(crate) condition: ConditionSyntax,
}

impl KeyConditionSyntax {
    /// Reads a key condition.
    pub fn parse(text: &str) -> Result<KeyConditionSyntax, ExpressionError> {
        let condition = ConditionSyntax::parse(Kind::KeyCondition, text)?;
        Ok(KeyConditionSyntax { condition })
    }
}
