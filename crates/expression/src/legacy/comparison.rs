//! The operators of legacy conditions and the values they take.

use std::cmp::Ordering;
use std::sync::Arc;

use value::Value;

use super::LegacyError;
use crate::Path;
use crate::condition::{Operand, Test, TestKind, order};
use crate::syntax::Comparator;

/// `ComparisonOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    /// Equal.
    Eq,
    /// Not equal, or missing.
    Ne,
    /// Less or equal.
    Le,
    /// Less.
    Lt,
    /// Greater or equal.
    Ge,
    /// Greater.
    Gt,
    /// The attribute exists, of whatever type.
    NotNull,
    /// The attribute does not exist.
    Null,
    /// Has a substring, an element of a set or an element of a list.
    Contains,
    /// Exists, and does not have it.
    NotContains,
    /// Begins with a substring.
    BeginsWith,
    /// Equal to one of several.
    In,
    /// Within two bounds, both included.
    Between,
}

const SCALARS: &[&str] = &["S", "N", "B"];

impl ComparisonOperator {
    const ALL: [ComparisonOperator; 13] = [
        ComparisonOperator::Eq,
        ComparisonOperator::Ne,
        ComparisonOperator::Le,
        ComparisonOperator::Lt,
        ComparisonOperator::Ge,
        ComparisonOperator::Gt,
        ComparisonOperator::NotNull,
        ComparisonOperator::Null,
        ComparisonOperator::Contains,
        ComparisonOperator::NotContains,
        ComparisonOperator::BeginsWith,
        ComparisonOperator::In,
        ComparisonOperator::Between,
    ];

    /// The operator's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOperator::Eq => "EQ",
            ComparisonOperator::Ne => "NE",
            ComparisonOperator::Le => "LE",
            ComparisonOperator::Lt => "LT",
            ComparisonOperator::Ge => "GE",
            ComparisonOperator::Gt => "GT",
            ComparisonOperator::NotNull => "NOT_NULL",
            ComparisonOperator::Null => "NULL",
            ComparisonOperator::Contains => "CONTAINS",
            ComparisonOperator::NotContains => "NOT_CONTAINS",
            ComparisonOperator::BeginsWith => "BEGINS_WITH",
            ComparisonOperator::In => "IN",
            ComparisonOperator::Between => "BETWEEN",
        }
    }

    /// The operator of that name.
    pub fn from_name(name: &str) -> Option<ComparisonOperator> {
        ComparisonOperator::ALL.into_iter().find(|operator| operator.name() == name)
    }

    /// Whether the operator only asks for existence and takes no values.
    pub(super) fn takes_nothing(self) -> bool {
        matches!(self, ComparisonOperator::Null | ComparisonOperator::NotNull)
    }

    /// Refuses values the operator does not take.
    pub(super) fn check(self, values: &[Value]) -> Result<(), LegacyError> {
        let fits = match self {
            ComparisonOperator::In => !values.is_empty(),
            ComparisonOperator::Between => values.len() == 2,
            _ if self.takes_nothing() => values.is_empty(),
            _ => values.len() == 1,
        };
        if !fits {
            return Err(LegacyError::ArgumentCount(self));
        }
        let Some(first) = values.first().map(Value::type_name) else {
            return Ok(());
        };
        if values.iter().any(|value| value.type_name() != first) {
            return Err(LegacyError::MixedTypes);
        }
        let types = match self {
            ComparisonOperator::Eq | ComparisonOperator::Ne => None,
            ComparisonOperator::BeginsWith => Some(["S", "B"].as_slice()),
            _ => Some(SCALARS),
        };
        if types.is_some_and(|types| !types.contains(&first)) {
            return Err(LegacyError::ArgumentType { operator: self, found: first });
        }
        if let (ComparisonOperator::Between, [lower, upper]) = (self, values)
            && order(lower, upper) == Some(Ordering::Greater)
        {
            return Err(LegacyError::BetweenOrder);
        }
        Ok(())
    }

    /// The test of an attribute.
    pub(super) fn test(self, attribute: &str, values: &[Value]) -> Test {
        let kind = match self {
            ComparisonOperator::Eq => TestKind::Compare(Comparator::Eq),
            ComparisonOperator::Ne => TestKind::Compare(Comparator::Ne),
            ComparisonOperator::Le => TestKind::Compare(Comparator::Le),
            ComparisonOperator::Lt => TestKind::Compare(Comparator::Lt),
            ComparisonOperator::Ge => TestKind::Compare(Comparator::Ge),
            ComparisonOperator::Gt => TestKind::Compare(Comparator::Gt),
            ComparisonOperator::NotNull => TestKind::Exists,
            ComparisonOperator::Null => TestKind::NotExists,
            ComparisonOperator::Contains => TestKind::Contains,
            ComparisonOperator::NotContains => TestKind::NotContains,
            ComparisonOperator::BeginsWith => TestKind::BeginsWith,
            ComparisonOperator::In => TestKind::In,
            ComparisonOperator::Between => TestKind::Between,
        };
        let attribute = Operand::Path(Path::attribute(attribute));
        let values = values.iter().cloned().map(Arc::new).map(Operand::Value);
        Test { kind, operands: std::iter::once(attribute).chain(values).collect() }
    }
}
