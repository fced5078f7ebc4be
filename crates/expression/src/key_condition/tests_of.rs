//! The tests of a key condition, taken from the condition it is written as.

use super::{KeyConditionError, KeyOperator, KeyTest, KeyTests};
use crate::condition::{Operand, Test, TestKind};
use crate::syntax::{Comparator, Node};
use crate::{ExpressionError, KeyConditionSyntax, Placeholders};

impl KeyConditionSyntax {
    /// Puts the request's names and values in and checks what needs no key schema.
    pub fn bind(&self, placeholders: &mut Placeholders) -> Result<KeyTests, ExpressionError> {
        let condition = self.condition.bind(placeholders)?;
        let refused = refused_connective(&self.condition.nodes);
        let mut tests: Vec<KeyTest> = Vec::with_capacity(condition.tests.len());
        for (position, test) in condition.tests.iter().enumerate() {
            if let Some((first, name)) = refused
                && first == position
            {
                return Err(KeyConditionError::Operator(name).into());
            }
            let test = key_test(test)?;
            if tests.iter().any(|other| other.name == test.name) {
                return Err(KeyConditionError::RepeatedKey.into());
            }
            tests.push(test);
        }
        Ok(KeyTests { tests })
    }
}

/// The connective other than AND that a walk from the root meets first, with the number of the
/// first test below it.
fn refused_connective(nodes: &[Node]) -> Option<(usize, &'static str)> {
    let mut refused: Option<(usize, &'static str)> = None;
    let mut starts: Vec<usize> = Vec::new();
    let mut tests = 0;
    for node in nodes {
        let (operands, name) = match node {
            Node::Test => {
                starts.push(tests);
                tests += 1;
                continue;
            }
            Node::And(operands) => (*operands, None),
            Node::Or(operands) => (*operands, Some("OR")),
            Node::Not => (1, Some("NOT")),
        };
        starts.truncate((starts.len() + 1).saturating_sub(operands));
        let Some(start) = starts.last() else { continue };
        // Of two that begin with the same test, the later one is around the other.
        if let Some(name) = name
            && refused.is_none_or(|(first, _)| *start <= first)
        {
            refused = Some((*start, name));
        }
    }
    refused
}

/// The test of one attribute against values of the request, if a test is one.
pub(crate) fn key_test(test: &Test) -> Result<KeyTest, KeyConditionError> {
    let (mut operator, name) = match test.kind {
        TestKind::Compare(Comparator::Ne) => return Err(KeyConditionError::Operator("<>")),
        TestKind::Compare(comparator) => (KeyOperator::Compare(comparator), comparator.symbol()),
        TestKind::Between => (KeyOperator::Between, "BETWEEN"),
        TestKind::BeginsWith => (KeyOperator::BeginsWith, "begins_with"),
        TestKind::In => return Err(KeyConditionError::Operator("IN")),
        TestKind::Exists => return Err(KeyConditionError::Operator("attribute_exists")),
        TestKind::NotExists => return Err(KeyConditionError::Operator("attribute_not_exists")),
        TestKind::Type(_) => return Err(KeyConditionError::Operator("attribute_type")),
        TestKind::Contains | TestKind::NotContains => {
            return Err(KeyConditionError::Operator("contains"));
        }
    };
    let mut attribute = None;
    let mut values = Vec::new();
    for operand in &test.operands {
        match operand {
            Operand::Path(_) if attribute.is_some() => {
                return Err(KeyConditionError::SeveralAttributes);
            }
            Operand::Path(path) if path.is_nested() => {
                return Err(KeyConditionError::NestedAttribute);
            }
            Operand::Path(path) => attribute = Some(path.root_name().clone()),
            Operand::Value(value) => {
                if attribute.is_none() {
                    let KeyOperator::Compare(comparator) = operator else {
                        return Err(KeyConditionError::AttributeFirst(name));
                    };
                    operator = KeyOperator::Compare(comparator.mirrored());
                }
                values.push(value.clone());
            }
            Operand::SizeOf(_) | Operand::Size(_) => {
                return Err(KeyConditionError::NestedOperation);
            }
        }
    }
    Ok(KeyTest { name: attribute.ok_or(KeyConditionError::NoAttribute)?, operator, values })
}
