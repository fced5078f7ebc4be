//! Key conditions of `KeyConditions`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Comparison, ComparisonOperator};
use crate::key_condition::{KeyOperator, KeyTest};
use crate::syntax::Comparator;
use crate::{ExpressionError, KeyConditionError, KeyTests};

/// The key condition of `KeyConditions`, not held against a key schema yet.
pub fn key_conditions(
    conditions: &BTreeMap<String, Comparison>,
) -> Result<KeyTests, ExpressionError> {
    let mut tests = Vec::with_capacity(conditions.len());
    for (name, condition) in conditions {
        condition.operator.check(&condition.values)?;
        tests.push(KeyTest {
            name: name.as_str().into(),
            operator: key_operator(condition.operator)?,
            values: condition.values.iter().cloned().map(Arc::new).collect(),
        });
    }
    Ok(KeyTests { tests })
}

fn key_operator(operator: ComparisonOperator) -> Result<KeyOperator, KeyConditionError> {
    Ok(match operator {
        ComparisonOperator::Eq => KeyOperator::Compare(Comparator::Eq),
        ComparisonOperator::Le => KeyOperator::Compare(Comparator::Le),
        ComparisonOperator::Lt => KeyOperator::Compare(Comparator::Lt),
        ComparisonOperator::Ge => KeyOperator::Compare(Comparator::Ge),
        ComparisonOperator::Gt => KeyOperator::Compare(Comparator::Gt),
        ComparisonOperator::BeginsWith => KeyOperator::BeginsWith,
        ComparisonOperator::Between => KeyOperator::Between,
        ComparisonOperator::Ne
        | ComparisonOperator::NotNull
        | ComparisonOperator::Null
        | ComparisonOperator::Contains
        | ComparisonOperator::NotContains
        | ComparisonOperator::In => return Err(KeyConditionError::NotIndexable),
    })
}
