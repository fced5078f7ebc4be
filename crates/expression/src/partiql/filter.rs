//! The bound WHERE: a condition whose joints are still known, so that what it says of keys can be
//! taken from it. Pure: the key schema is handed in.

use std::sync::Arc;

use value::{Item, Value};

use super::error::StatementError;
use crate::condition::{Operand, Test, TestKind};
use crate::key_condition::{KeyOperator, KeyTest, key_test};
use crate::syntax::{Comparator, ConditionSyntax, Node};
use crate::{
    Condition, ExpressionError, KeyCondition, KeyConditionError, KeySchema, KeyTests, Path,
    Placeholders,
};

/// What WHERE asks of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    condition: Condition,
    /// How the tests are joined, in postfix order.
    nodes: Arc<[Node]>,
}

/// What a filter asks of the keys, and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// The partitions, each with a range of it, in the order written.
    pub conditions: Vec<KeyCondition>,
    /// What the keys do not say.
    pub rest: Option<Condition>,
}

/// One of the conditions that must all hold: a run of nodes, and the tests they join.
#[derive(Clone, Copy)]
struct Conjunct {
    nodes: (usize, usize),
    tests: (usize, usize),
}

impl Filter {
    pub(super) fn bind(
        syntax: &ConditionSyntax,
        placeholders: &mut Placeholders,
    ) -> Result<Filter, StatementError> {
        let condition = syntax.bind(placeholders).map_err(StatementError::of)?;
        Ok(Filter { condition, nodes: syntax.nodes.as_slice().into() })
    }

    /// The whole of it as a condition.
    pub fn condition(&self) -> &Condition {
        &self.condition
    }

    /// The values that attributes must have, if the filter demands one of each.
    pub fn equalities<'a>(&self, names: impl Iterator<Item = &'a str>) -> Option<Item> {
        let conjuncts = self.conjuncts();
        let found = names.map(|name| {
            let mut values = conjuncts.iter().filter_map(|conjunct| self.values_of(conjunct, name));
            match values.find(|values| values.len() == 1)?.as_slice() {
                [value] => Some((name.to_owned(), (**value).clone())),
                _ => None,
            }
        });
        found.collect()
    }

    /// Whether the filter says more than that attributes have one value each.
    pub fn is_more_than(&self, names: usize) -> bool {
        self.condition.tests.len() > names
    }

    /// The condition that also holds where there is no item, which has no such attribute.
    pub fn or_no_item(&self, attribute: &str) -> Condition {
        let tests = std::iter::once(missing(attribute)).chain(self.condition.tests.iter().cloned());
        let mut nodes = vec![Node::Test];
        nodes.extend_from_slice(&self.nodes);
        nodes.push(Node::Or(2));
        Condition::new(tests.collect(), &nodes)
    }

    /// The partitions the filter is confined to; none if it may hold in any.
    pub fn partitions(&self, schema: KeySchema<'_>) -> Result<Option<Partitions>, ExpressionError> {
        let conjuncts = self.conjuncts();
        let mut used = Vec::new();
        let mut choices: Vec<Vec<KeyTest>> = vec![Vec::new()];
        for (name, _) in schema.partition {
            let found = conjuncts
                .iter()
                .enumerate()
                .find_map(|(position, conjunct)| Some((position, self.values_of(conjunct, name)?)));
            let Some((position, values)) = found else { return Ok(None) };
            used.push(position);
            choices = product(&choices, name, &values)?;
        }
        let mut ranges = Vec::new();
        for (name, _) in schema.sort {
            let test = |position: &usize| -> Option<KeyTest> {
                let test = self.single(conjuncts.get(*position)?)?;
                key_test(test).ok().filter(|test| &*test.name == *name)
            };
            let free = (0..conjuncts.len()).filter(|position| !used.contains(position));
            let mut tests = free.filter_map(|position| Some((position, test(&position)?)));
            let Some((position, test)) = tests.next() else { break };
            let is_range = test.operator != KeyOperator::Compare(Comparator::Eq);
            used.push(position);
            ranges.push(test);
            if is_range {
                break;
            }
        }
        let mut conditions: Vec<KeyCondition> = Vec::with_capacity(choices.len());
        for mut tests in choices {
            tests.extend(ranges.iter().cloned());
            let condition = KeyTests { tests }.against(schema)?;
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        let left = conjuncts.iter().enumerate();
        let left = left.filter(|(position, _)| !used.contains(position));
        let rest = self.joined(left.map(|(_, conjunct)| conjunct));
        Ok(Some(Partitions { conditions, rest }))
    }

    /// The conditions that must all hold.
    fn conjuncts(&self) -> Vec<Conjunct> {
        // For each node where the run begins that it ends.
        let mut starts: Vec<Conjunct> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut tests = 0;
        for (position, node) in self.nodes.iter().enumerate() {
            let operands = match node {
                Node::Test => 0,
                Node::Not => 1,
                Node::And(operands) | Node::Or(operands) => *operands,
            };
            let first = open.len().saturating_sub(operands);
            let begin = open.get(first).and_then(|first| starts.get(*first));
            let (from, test) =
                begin.map_or((position, tests), |begin| (begin.nodes.0, begin.tests.0));
            tests += usize::from(*node == Node::Test);
            open.truncate(first);
            open.push(position);
            starts.push(Conjunct { nodes: (from, position + 1), tests: (test, tests) });
        }
        // From the root down as long as there is nothing but AND.
        let mut found = Vec::new();
        let mut pending: Vec<usize> = self.nodes.len().checked_sub(1).into_iter().collect();
        while let Some(position) = pending.pop() {
            let Some(conjunct) = starts.get(position) else { continue };
            let Some(Node::And(operands)) = self.nodes.get(position) else {
                found.push(*conjunct);
                continue;
            };
            let mut end = position;
            for _ in 0..*operands {
                let Some(operand) = end.checked_sub(1) else { break };
                pending.push(operand);
                end = starts.get(operand).map_or(0, |operand| operand.nodes.0);
            }
        }
        // The operands were taken from the last to the first, and come off in the order written.
        found
    }

    /// The only test of a conjunct.
    fn single(&self, conjunct: &Conjunct) -> Option<&Test> {
        let (from, to) = conjunct.nodes;
        if to - from == 1 { self.condition.tests.get(conjunct.tests.0) } else { None }
    }

    /// The values of which the attribute must have one, if a conjunct says that: an equality, IN,
    /// or equalities joined by OR.
    fn values_of(&self, conjunct: &Conjunct, name: &str) -> Option<Vec<Arc<Value>>> {
        let (from, to) = conjunct.nodes;
        let nodes = self.nodes.get(from..to)?;
        let alternatives = match nodes.split_last()? {
            (Node::Test, []) => true,
            (Node::Or(operands), tests) => {
                *operands == tests.len() && tests.iter().all(|node| *node == Node::Test)
            }
            _ => false,
        };
        if !alternatives {
            return None;
        }
        let mut values = Vec::new();
        for test in self.condition.tests.get(conjunct.tests.0..conjunct.tests.1)? {
            values.extend(equal_to(test, name)?);
        }
        Some(values)
    }

    /// Conjuncts as a condition.
    fn joined<'a>(&self, conjuncts: impl Iterator<Item = &'a Conjunct>) -> Option<Condition> {
        let (mut tests, mut nodes, mut count) = (Vec::new(), Vec::new(), 0);
        for conjunct in conjuncts {
            nodes.extend_from_slice(self.nodes.get(conjunct.nodes.0..conjunct.nodes.1)?);
            tests.extend_from_slice(self.condition.tests.get(conjunct.tests.0..conjunct.tests.1)?);
            count += 1;
        }
        if count > 1 {
            nodes.push(Node::And(count));
        }
        (count > 0).then(|| Condition::new(tests, &nodes))
    }
}

/// The condition that holds where there is no item, which has no such attribute.
pub fn no_item(attribute: &str) -> Condition {
    Condition::new(vec![missing(attribute)], &[Node::Test])
}

fn missing(attribute: &str) -> Test {
    let operands = vec![Operand::Path(Path::attribute(attribute))];
    Test { kind: TestKind::NotExists, operands }
}

/// The values of which a test demands one of an attribute.
fn equal_to(test: &Test, name: &str) -> Option<Vec<Arc<Value>>> {
    if test.kind == TestKind::In {
        let (Operand::Path(path), members) = test.operands.split_first()? else { return None };
        let is_attribute = !path.is_nested() && path.root() == name;
        let value = |member: &Operand| match member {
            Operand::Value(value) => Some(value.clone()),
            _ => None,
        };
        return members.iter().map(value).collect::<Option<Vec<_>>>().filter(|_| is_attribute);
    }
    let test = key_test(test).ok()?;
    let is_equality = test.operator == KeyOperator::Compare(Comparator::Eq);
    (is_equality && &*test.name == name).then_some(test.values)
}

/// Every choice so far with each of the values of one more attribute.
fn product(
    choices: &[Vec<KeyTest>],
    name: &str,
    values: &[Arc<Value>],
) -> Result<Vec<Vec<KeyTest>>, KeyConditionError> {
    if choices.len() * values.len() > MAX_PARTITIONS {
        return Err(KeyConditionError::TooManyPartitions(choices.len() * values.len()));
    }
    let with = |choice: &Vec<KeyTest>, value: &Arc<Value>| {
        let mut choice = choice.clone();
        choice.push(KeyTest {
            name: name.into(),
            operator: KeyOperator::Compare(Comparator::Eq),
            values: vec![value.clone()],
        });
        choice
    };
    let all = choices.iter().flat_map(|choice| values.iter().map(move |value| with(choice, value)));
    Ok(all.collect())
}

/// Partitions one statement may read.
const MAX_PARTITIONS: usize = 50;
