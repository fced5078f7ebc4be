//! A digest of items that does not depend on their order.

use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many items there are, and a sum over all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest {
    /// How many.
    pub items: u64,
    sum: u64,
}

impl Digest {
    /// Takes in an item.
    pub fn add(&mut self, item: &Value) {
        let mut hasher = DefaultHasher::new();
        plain(item).to_string().hash(&mut hasher);
        self.items += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }

    /// Takes in others.
    pub fn merge(&mut self, other: Digest) {
        self.items += other.items;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

/// The item in the one form that all equal items have: sets have an order, numbers a notation.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| {
                    let value = match (name.as_str(), value) {
                        ("N", Value::String(text)) => number(text),
                        ("SS", Value::Array(texts)) => {
                            let mut texts = texts.clone();
                            texts.sort_by_key(ToString::to_string);
                            Value::Array(texts)
                        }
                        _ => plain(value),
                    };
                    (name.clone(), value)
                })
                .collect(),
        ),
        Value::Array(elements) => Value::Array(elements.iter().map(plain).collect()),
        other => other.clone(),
    }
}

/// The numbers of these items are short enough for this to be exact.
fn number(text: &str) -> Value {
    text.parse::<f64>().map_or_else(|_| text.into(), Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn digest(items: &[Value]) -> Digest {
        let mut digest = Digest::default();
        items.iter().for_each(|item| digest.add(item));
        digest
    }

    #[test]
    fn order_and_notation_do_not_count_and_all_else_does() {
        let [a, b] = [json!({"k": {"S": "a"}}), json!({"k": {"S": "b"}})];
        assert_eq!(digest(&[a.clone(), b.clone()]), digest(&[b.clone(), a.clone()]));
        assert_ne!(digest(std::slice::from_ref(&a)), digest(std::slice::from_ref(&b)));
        assert_ne!(digest(&[a.clone(), a.clone()]), digest(&[a, b]));
        let number = |text: &str| digest(&[json!({"n": {"N": text}})]);
        assert_eq!(number("1.50"), number("15E-1"));
        assert_ne!(number("1.5"), number("1.6"));
        let set = |texts: &[&str]| digest(&[json!({"s": {"SS": texts}})]);
        assert_eq!(set(&["x", "y"]), set(&["y", "x"]));
        assert_ne!(set(&["x"]), set(&["x", "y"]));
    }
}
