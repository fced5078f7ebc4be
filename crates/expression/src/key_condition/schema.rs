//! Key conditions held against a key schema.

use std::sync::Arc;

use value::{KeyType, Value};

use super::{KeyConditionError, KeyOperator, KeyTest, KeyTests};
use crate::ExpressionError;
use crate::syntax::Comparator;

/// The key attributes of a table or an index with their types, in the order of the key schema.
#[derive(Clone, Copy, Debug)]
pub struct KeySchema<'s> {
    /// The partition attributes, one or more.
    pub partition: &'s [(&'s str, KeyType)],
    /// The sort attributes, if any.
    pub sort: &'s [(&'s str, KeyType)],
}

/// What a query asks of the keys: one partition, and a range of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    /// The values of all partition attributes, in the order of the key schema.
    pub partition: Vec<Value>,
    /// The values of the first sort attributes that are tested for equality.
    pub sort: Vec<Value>,
    /// A test of the sort attribute after those.
    pub range: Option<KeyRange>,
}

/// A test of a sort attribute for anything but equality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRange {
    /// Below the value.
    Lt(Value),
    /// The value or below.
    Le(Value),
    /// Above the value.
    Gt(Value),
    /// The value or above.
    Ge(Value),
    /// From the first to the second value, both included.
    Between(Value, Value),
    /// Begins with the value.
    BeginsWith(Value),
}

impl KeyTests {
    /// The attributes tested.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.tests.iter().map(|test| &*test.name)
    }

    /// Holds the tests against the key schema of the table or index that is queried.
    pub fn against(&self, schema: KeySchema<'_>) -> Result<KeyCondition, ExpressionError> {
        self.condition(schema).map_err(ExpressionError::from)
    }

    fn condition(&self, schema: KeySchema<'_>) -> Result<KeyCondition, KeyConditionError> {
        let single = schema.partition.len() == 1 && schema.sort.len() <= 1;
        if single && self.tests.len() > 2 {
            return Err(KeyConditionError::TooMany);
        }
        let mut tests = Vec::new();
        for (name, key_type) in schema.partition {
            let test = self.of(name).ok_or_else(|| missed(name))?;
            tests.push((test, *key_type));
        }
        let sorted = schema.sort.iter().map_while(|(name, key_type)| {
            let test = self.of(name)?;
            Some((test, *key_type))
        });
        tests.extend(sorted);
        // A test that is left over is of no key attribute, or of a sort attribute whose
        // predecessor is not tested.
        if tests.len() < self.tests.len() {
            let gap = schema.sort.get(tests.len() - schema.partition.len());
            return Err(gap.map_or(KeyConditionError::NotSupported, |(name, _)| missed(name)));
        }
        let (last, equal) = match tests.split_last() {
            Some((last, equal)) if tests.len() > schema.partition.len() => (Some(last), equal),
            _ => (None, tests.as_slice()),
        };
        if equal.iter().any(|(test, _)| !test.is_equality()) {
            return Err(KeyConditionError::NotSupported);
        }
        for (test, key_type) in &tests {
            let matches = |value: &Arc<Value>| KeyType::of(value) == Some(*key_type);
            if !test.values.iter().all(matches) {
                return Err(KeyConditionError::TypeMismatch);
            }
        }
        let mut values = equal.iter().flat_map(|(test, _)| &test.values);
        let taken = values.by_ref().take(schema.partition.len());
        let partition = taken.map(|value| (**value).clone()).collect();
        let mut sort: Vec<Value> = values.map(|value| (**value).clone()).collect();
        let mut range = None;
        if let Some((test, _)) = last {
            match test.range() {
                Some(found) => range = Some(found),
                None => sort.extend(test.values.iter().map(|value| (**value).clone())),
            }
        }
        Ok(KeyCondition { partition, sort, range })
    }

    fn of(&self, name: &str) -> Option<&KeyTest> {
        self.tests.iter().find(|test| &*test.name == name)
    }
}

impl KeyTest {
    fn is_equality(&self) -> bool {
        self.operator == KeyOperator::Compare(Comparator::Eq)
    }

    fn range(&self) -> Option<KeyRange> {
        let mut values = self.values.iter().map(|value| (**value).clone());
        let first = values.next()?;
        match self.operator {
            KeyOperator::Compare(Comparator::Lt) => Some(KeyRange::Lt(first)),
            KeyOperator::Compare(Comparator::Le) => Some(KeyRange::Le(first)),
            KeyOperator::Compare(Comparator::Gt) => Some(KeyRange::Gt(first)),
            KeyOperator::Compare(Comparator::Ge) => Some(KeyRange::Ge(first)),
            KeyOperator::Compare(Comparator::Eq | Comparator::Ne) => None,
            KeyOperator::Between => Some(KeyRange::Between(first, values.next()?)),
            KeyOperator::BeginsWith => Some(KeyRange::BeginsWith(first)),
        }
    }
}

fn missed(name: &str) -> KeyConditionError {
    KeyConditionError::Missed(name.to_owned())
}
