//! Attribute values and items. Sets are kept sorted, so that two equal sets are equal vectors; the
//! constructors here are the way to make one.

use std::collections::BTreeMap;

use crate::{Number, ValueError};

/// Levels of nesting an item may have; the item itself is the first.
pub const MAX_DEPTH: usize = 32;

/// Bytes an item may have, names and values together.
pub const MAX_ITEM_SIZE: usize = 409_600;

/// Attributes by name, in the byte order of the names.
pub type Map = BTreeMap<String, Value>;

/// A whole item.
pub type Item = Map;

/// An attribute value of one of the ten types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// String.
    S(String),
    /// Number.
    N(Number),
    /// Binary.
    B(Vec<u8>),
    /// Boolean.
    Bool(bool),
    /// Null.
    Null,
    /// List.
    L(Vec<Value>),
    /// Map.
    M(Map),
    /// String set: not empty, strictly ascending by bytes.
    Ss(Vec<String>),
    /// Number set: not empty, strictly ascending by value.
    Ns(Vec<Number>),
    /// Binary set: not empty, strictly ascending by bytes.
    Bs(Vec<Vec<u8>>),
}

impl Value {
    /// A string set of the given elements in any order; refuses none and duplicates.
    pub fn string_set(elements: Vec<String>) -> Result<Value, ValueError> {
        if elements.is_empty() {
            return Err(ValueError::EmptyStringSet);
        }
        sorted(elements).map(Value::Ss).map_err(ValueError::DuplicateStrings)
    }

    /// A number set of the given elements in any order; refuses none and duplicates.
    pub fn number_set(elements: Vec<Number>) -> Result<Value, ValueError> {
        if elements.is_empty() {
            return Err(ValueError::EmptyNumberSet);
        }
        sorted(elements).map(Value::Ns).map_err(|_| ValueError::DuplicateNumbers)
    }

    /// A binary set of the given elements in any order; refuses none and duplicates.
    pub fn binary_set(elements: Vec<Vec<u8>>) -> Result<Value, ValueError> {
        if elements.is_empty() {
            return Err(ValueError::EmptyBinarySet);
        }
        sorted(elements).map(Value::Bs).map_err(ValueError::DuplicateBinaries)
    }

    /// The type's name on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::S(_) => "S",
            Value::N(_) => "N",
            Value::B(_) => "B",
            Value::Bool(_) => "BOOL",
            Value::Null => "NULL",
            Value::L(_) => "L",
            Value::M(_) => "M",
            Value::Ss(_) => "SS",
            Value::Ns(_) => "NS",
            Value::Bs(_) => "BS",
        }
    }
}

/// The elements in order, or as they were given if two are equal: the error shows them that way.
fn sorted<T: Ord>(mut elements: Vec<T>) -> Result<Vec<T>, Vec<T>> {
    if is_strictly_ascending(&elements) {
        return Ok(elements);
    }
    let mut references: Vec<&T> = elements.iter().collect();
    references.sort_unstable();
    if !is_strictly_ascending(&references) {
        return Err(elements);
    }
    elements.sort_unstable();
    Ok(elements)
}

pub(crate) fn is_strictly_ascending<T: Ord>(elements: &[T]) -> bool {
    elements.is_sorted_by(|left, right| left < right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(elements: &[&str]) -> Vec<String> {
        elements.iter().map(|element| element.to_string()).collect()
    }

    fn numbers(elements: &[&str]) -> Vec<Number> {
        elements.iter().map(|element| Number::parse(element).unwrap()).collect()
    }

    #[test]
    fn sets_are_sorted() {
        assert_eq!(
            Value::string_set(strings(&["b", "", "a", "\u{e9}", "B"])),
            Ok(Value::Ss(strings(&["", "B", "a", "b", "\u{e9}"])))
        );
        assert_eq!(
            Value::number_set(numbers(&["10", "-1", "9", "0.5"])),
            Ok(Value::Ns(numbers(&["-1", "0.5", "9", "10"])))
        );
        assert_eq!(
            Value::binary_set(vec![vec![255], vec![1, 0], vec![1], vec![]]),
            Ok(Value::Bs(vec![vec![], vec![1], vec![1, 0], vec![255]]))
        );
    }

    #[test]
    fn empty_sets_are_refused() {
        assert_eq!(Value::string_set(vec![]), Err(ValueError::EmptyStringSet));
        assert_eq!(Value::number_set(vec![]), Err(ValueError::EmptyNumberSet));
        assert_eq!(Value::binary_set(vec![]), Err(ValueError::EmptyBinarySet));
    }

    #[test]
    fn duplicates_are_refused_and_shown_as_given() {
        assert_eq!(
            Value::string_set(strings(&["b", "a", "b"])),
            Err(ValueError::DuplicateStrings(strings(&["b", "a", "b"])))
        );
        assert_eq!(
            Value::number_set(numbers(&["1", "2", "1.0"])),
            Err(ValueError::DuplicateNumbers)
        );
        assert_eq!(
            Value::binary_set(vec![vec![2], vec![1], vec![2]]),
            Err(ValueError::DuplicateBinaries(vec![vec![2], vec![1], vec![2]]))
        );
    }

    #[test]
    fn type_names_are_those_of_the_wire() {
        for (value, name) in [
            (Value::S(String::new()), "S"),
            (Value::N(Number::ZERO), "N"),
            (Value::B(vec![]), "B"),
            (Value::Bool(true), "BOOL"),
            (Value::Null, "NULL"),
            (Value::L(vec![]), "L"),
            (Value::M(Map::new()), "M"),
            (Value::Ss(strings(&["a"])), "SS"),
            (Value::Ns(numbers(&["1"])), "NS"),
            (Value::Bs(vec![vec![]]), "BS"),
        ] {
            assert_eq!(value.type_name(), name);
        }
    }
}
