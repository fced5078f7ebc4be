//! Unions and differences of sets, which are sorted vectors.

use value::Value;

/// The union of two sets of one type; none if they are not.
pub(super) fn union(left: &Value, right: &Value) -> Option<Value> {
    Some(match (left, right) {
        (Value::Ss(left), Value::Ss(right)) => Value::Ss(merged(left, right)),
        (Value::Ns(left), Value::Ns(right)) => Value::Ns(merged(left, right)),
        (Value::Bs(left), Value::Bs(right)) => Value::Bs(merged(left, right)),
        _ => return None,
    })
}

/// What is left of a set.
pub(super) enum Rest {
    Unchanged,
    Some(Value),
    Nothing,
}

/// A set without the elements of another of its type; none if they are not of one type.
pub(super) fn difference(left: &Value, right: &Value) -> Option<Rest> {
    match (left, right) {
        (Value::Ss(left), Value::Ss(right)) => Some(rest(left, right, Value::Ss)),
        (Value::Ns(left), Value::Ns(right)) => Some(rest(left, right, Value::Ns)),
        (Value::Bs(left), Value::Bs(right)) => Some(rest(left, right, Value::Bs)),
        _ => None,
    }
}

fn merged<T: Ord + Clone>(left: &[T], right: &[T]) -> Vec<T> {
    let mut elements = [left, right].concat();
    elements.sort();
    elements.dedup();
    elements
}

fn rest<T: Ord + Clone>(left: &[T], right: &[T], set: fn(Vec<T>) -> Value) -> Rest {
    let kept = left.iter().filter(|element| right.binary_search(element).is_err());
    let kept: Vec<T> = kept.cloned().collect();
    if kept.is_empty() {
        Rest::Nothing
    } else if kept.len() == left.len() {
        Rest::Unchanged
    } else {
        Rest::Some(set(kept))
    }
}
