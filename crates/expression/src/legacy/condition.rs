//! Conditions of `Expected`, `QueryFilter` and `ScanFilter`.

use std::collections::BTreeMap;

use super::{Comparison, ComparisonOperator, ConditionalOperator, ExpectedTest, LegacyError};
use crate::condition::Test;
use crate::syntax::Node;
use crate::{Condition, ExpressionError};

/// The condition of `Expected` and `ConditionalOperator`.
pub fn expected(
    tests: &BTreeMap<String, ExpectedTest>,
    operator: Option<ConditionalOperator>,
) -> Result<Condition, ExpressionError> {
    let tests = tests.iter().map(|(name, test)| expected_test(name, test));
    joined(tests.collect::<Result<_, _>>()?, operator)
}

/// The condition of `QueryFilter` or `ScanFilter` and `ConditionalOperator`.
pub fn filter(
    tests: &BTreeMap<String, Comparison>,
    operator: Option<ConditionalOperator>,
) -> Result<Condition, ExpressionError> {
    let tests = tests.iter().map(|(name, test)| {
        test.operator.check(&test.values)?;
        Ok::<_, LegacyError>(test.operator.test(name, &test.values))
    });
    joined(tests.collect::<Result<_, _>>()?, operator)
}

fn joined(
    tests: Vec<Test>,
    operator: Option<ConditionalOperator>,
) -> Result<Condition, ExpressionError> {
    if tests.is_empty() && operator.is_some() {
        return Err(LegacyError::OperatorAlone.into());
    }
    let mut nodes = vec![Node::Test; tests.len()];
    if tests.len() > 1 {
        nodes.push(match operator.unwrap_or_default() {
            ConditionalOperator::And => Node::And(tests.len()),
            ConditionalOperator::Or => Node::Or(tests.len()),
        });
    }
    Ok(Condition::new(tests, &nodes))
}

fn expected_test(name: &str, test: &ExpectedTest) -> Result<Test, LegacyError> {
    let attribute = || name.to_owned();
    let value = test.value.as_slice();
    if test.value.is_some() && test.list.is_some() {
        return Err(LegacyError::ValueAndList(attribute()));
    }
    let Some(operator) = test.operator else {
        return exists_test(name, test);
    };
    if test.exists.is_some() {
        return Err(LegacyError::ExistsAndOperator(attribute()));
    }
    if !operator.takes_nothing() && test.value.is_none() && test.list.is_none() {
        return Err(LegacyError::NoArguments { operator, attribute: attribute() });
    }
    let values = test.list.as_deref().unwrap_or(value);
    operator.check(values)?;
    Ok(operator.test(name, values))
}

fn exists_test(name: &str, test: &ExpectedTest) -> Result<Test, LegacyError> {
    let attribute = name.to_owned();
    if test.list.is_some() {
        return Err(LegacyError::ListWithoutOperator(attribute));
    }
    match (test.exists, &test.value) {
        (Some(false), None) => Ok(ComparisonOperator::Null.test(name, &[])),
        (Some(false), Some(_)) => Err(LegacyError::ValueOfAbsent(attribute)),
        (exists, None) => Err(LegacyError::NoValue { given: exists.is_some(), attribute }),
        (_, Some(value)) => Ok(ComparisonOperator::Eq.test(name, std::slice::from_ref(value))),
    }
}
