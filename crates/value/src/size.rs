//! Sizes in bytes as DynamoDB counts them, for the item limit and for capacity units. They say
//! nothing about the bytes on our disk.

use crate::{Item, Value};

/// What a list or a map costs besides its elements.
const CONTAINER: usize = 3;
/// What each element of a list or a map costs besides itself.
const ELEMENT: usize = 1;

/// The size of a value.
pub fn value_size(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::N(number) => number.size(),
        Value::B(bytes) => bytes.len(),
        Value::Bool(_) | Value::Null => 1,
        Value::L(elements) => {
            let elements = elements.iter().map(|element| ELEMENT + value_size(element));
            CONTAINER + elements.sum::<usize>()
        }
        Value::M(entries) => CONTAINER + entries.len() * ELEMENT + item_size(entries),
        Value::Ss(elements) => elements.iter().map(String::len).sum(),
        Value::Ns(elements) => elements.iter().map(|number| number.size()).sum(),
        Value::Bs(elements) => elements.iter().map(Vec::len).sum(),
    }
}

/// The size of an item: its names and its values.
pub fn item_size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Map, Number};

    fn string(text: &str) -> Value {
        Value::S(text.to_owned())
    }

    #[test]
    fn sizes_follow_the_sheet() {
        let map =
            Map::from([("a".to_owned(), string("xy")), ("bcd".to_owned(), Value::Bool(true))]);
        for (value, size) in [
            (string(""), 0),
            (string("h\u{e9}"), 3),
            (Value::B(vec![0; 7]), 7),
            (Value::N(Number::from(-42)), 3),
            (Value::Bool(false), 1),
            (Value::Null, 1),
            (Value::L(vec![]), 3),
            (Value::M(Map::new()), 3),
            (Value::L(vec![Value::Null, string("abc")]), 3 + 2 + 4),
            (Value::M(map.clone()), 3 + (1 + 1 + 2) + (1 + 3 + 1)),
            (Value::L(vec![Value::M(map.clone())]), 3 + 1 + 12),
            (Value::Ss(vec!["".into(), "ab".into()]), 2),
            (Value::Ns(vec![Number::from(1), Number::from(123)]), 5),
            (Value::Bs(vec![vec![1], vec![1, 2]]), 3),
        ] {
            assert_eq!(value_size(&value), size, "{value:?}");
        }
        assert_eq!(item_size(&Item::new()), 0);
        assert_eq!(item_size(&map), (1 + 2) + (3 + 1));
    }
}
