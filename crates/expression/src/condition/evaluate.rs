//! The truth of conditions. Nothing here fails: what does not fit is just not so.

use std::borrow::Cow;
use std::cmp::Ordering;

use value::{Item, Number, Value};

use super::{Condition, Operand, Test, TestKind};
use crate::syntax::{Comparator, Step};

impl Condition {
    /// Whether the condition holds for an item; a missing item is an empty one.
    pub fn matches(&self, item: &Item) -> bool {
        let mut outcome = true;
        let mut position = 0;
        while let Some(step) = self.steps.get(position) {
            position += 1;
            match *step {
                Step::Test(test) => {
                    outcome = self.tests.get(test).is_some_and(|test| test.holds(item));
                }
                Step::Not => outcome = !outcome,
                Step::Jump { when, to } if when == outcome => position = to,
                Step::Jump { .. } => {}
            }
        }
        outcome
    }
}

impl Test {
    fn holds(&self, item: &Item) -> bool {
        let [first, rest @ ..] = self.operands.as_slice() else {
            return false;
        };
        let first = first.value(item);
        match self.kind {
            TestKind::Exists => return first.is_some(),
            TestKind::NotExists => return first.is_none(),
            TestKind::Type(name) => return first.is_some_and(|value| value.type_name() == name),
            // Of two values of which one is missing, only this can be said.
            TestKind::Compare(Comparator::Ne) => {
                let second = rest.first().and_then(|second| second.value(item));
                return first.is_none() || first != second;
            }
            _ => {}
        }
        let Some(first) = first else {
            return false;
        };
        if self.kind == TestKind::In {
            let mut members = rest.iter().filter_map(|member| member.value(item));
            return members.any(|member| member == first);
        }
        let Some(second) = rest.first().and_then(|second| second.value(item)) else {
            return false;
        };
        match self.kind {
            TestKind::Compare(comparator) => compare(comparator, &first, &second),
            TestKind::BeginsWith => begins_with(&first, &second),
            TestKind::Contains => contains(&first, &second),
            TestKind::NotContains => !contains(&first, &second),
            _ => {
                let third = rest.get(1).and_then(|third| third.value(item));
                compare(Comparator::Ge, &first, &second)
                    && third.is_some_and(|third| compare(Comparator::Le, &first, &third))
            }
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, item: &'a Item) -> Option<Cow<'a, Value>> {
        match self {
            Operand::Path(path) => path.find(item).map(Cow::Borrowed),
            Operand::Value(value) => Some(Cow::Borrowed(value)),
            Operand::SizeOf(path) => path.find(item).and_then(size).map(Cow::Owned),
            Operand::Size(size) => Some(Cow::Borrowed(size)),
        }
    }
}

/// The size of a value, if values of its type have one.
pub(super) fn size(value: &Value) -> Option<Value> {
    let size = match value {
        Value::S(text) => text.chars().count(),
        Value::B(bytes) => bytes.len(),
        Value::Ss(elements) => elements.len(),
        Value::Ns(elements) => elements.len(),
        Value::Bs(elements) => elements.len(),
        Value::L(elements) => elements.len(),
        Value::M(entries) => entries.len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    };
    Some(Value::N(Number::from(i64::try_from(size).ok()?)))
}

/// The order of two values, if they have one.
pub(crate) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::S(left), Value::S(right)) => Some(left.cmp(right)),
        (Value::N(left), Value::N(right)) => Some(left.cmp(right)),
        (Value::B(left), Value::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn compare(comparator: Comparator, left: &Value, right: &Value) -> bool {
    match comparator {
        Comparator::Eq => left == right,
        Comparator::Ne => left != right,
        Comparator::Lt => order(left, right).is_some_and(Ordering::is_lt),
        Comparator::Le => order(left, right).is_some_and(Ordering::is_le),
        Comparator::Gt => order(left, right).is_some_and(Ordering::is_gt),
        Comparator::Ge => order(left, right).is_some_and(Ordering::is_ge),
    }
}

fn begins_with(whole: &Value, start: &Value) -> bool {
    match (whole, start) {
        (Value::S(whole), Value::S(start)) => whole.starts_with(start.as_str()),
        (Value::B(whole), Value::B(start)) => whole.starts_with(start),
        _ => false,
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::S(whole), Value::S(part)) => whole.contains(part.as_str()),
        (Value::B(whole), Value::B(part)) => contains_bytes(whole, part),
        (Value::Ss(elements), Value::S(part)) => elements.binary_search(part).is_ok(),
        (Value::Ns(elements), Value::N(part)) => elements.binary_search(part).is_ok(),
        (Value::Bs(elements), Value::B(part)) => elements.binary_search(part).is_ok(),
        (Value::L(elements), part) => elements.contains(part),
        _ => false,
    }
}

/// Whether bytes stand in other bytes, in time linear in both (Knuth, Morris and Pratt): a 400 KB
/// item must not cost its square.
fn contains_bytes(whole: &[u8], part: &[u8]) -> bool {
    let Some((first, _)) = part.split_first() else {
        return true;
    };
    if part.len() > whole.len() {
        return false;
    }
    let at = |position: usize| part.get(position).copied().unwrap_or(*first);
    // For each length of a match so far: how much of it is left if the next byte differs.
    let mut fallback = vec![0_usize; part.len()];
    let shorter = |fallback: &[usize], length: usize| match length.checked_sub(1) {
        Some(last) => fallback.get(last).copied().unwrap_or_default(),
        None => 0,
    };
    let mut length = 0;
    for (position, byte) in part.iter().enumerate().skip(1) {
        while length > 0 && at(length) != *byte {
            length = shorter(&fallback, length);
        }
        if at(length) == *byte {
            length += 1;
        }
        if let Some(slot) = fallback.get_mut(position) {
            *slot = length;
        }
    }
    length = 0;
    for byte in whole {
        while length > 0 && at(length) != *byte {
            length = shorter(&fallback, length);
        }
        if at(length) == *byte {
            length += 1;
        }
        if length == part.len() {
            return true;
        }
    }
    false
}
