//! What differs between two images of an item. Pure.

use super::value::name;
use serde_json::{Map, Value};

/// A difference at one place of an item.
#[derive(Debug, PartialEq)]
pub(super) struct Change<'i> {
    /// Where: `address.lines[2]`.
    pub(super) path: String,
    /// What was there.
    pub(super) old: Option<&'i Value>,
    /// What is there.
    pub(super) new: Option<&'i Value>,
}

/// All differences, in the order of the attributes' names. Maps, and lists of the same length, are
/// looked into.
pub(super) fn changes<'i>(
    old: &'i Map<String, Value>,
    new: &'i Map<String, Value>,
) -> Vec<Change<'i>> {
    let mut found = Vec::new();
    compare_maps("", old, new, &mut found);
    found
}

fn compare_maps<'i>(
    path: &str,
    old: &'i Map<String, Value>,
    new: &'i Map<String, Value>,
    found: &mut Vec<Change<'i>>,
) {
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for member in names {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{}", name(member));
        compare(path, old.get(member), new.get(member), found);
    }
}

fn compare<'i>(
    path: String,
    old: Option<&'i Value>,
    new: Option<&'i Value>,
    found: &mut Vec<Change<'i>>,
) {
    if old == new {
        return;
    }
    if let (Some(old), Some(new)) = (content(old, "M"), content(new, "M"))
        && let (Value::Object(old), Value::Object(new)) = (old, new)
        // Beside an empty map every entry would be listed by itself.
        && !old.is_empty()
        && !new.is_empty()
    {
        compare_maps(&path, old, new, found);
    } else if let (Some(old), Some(new)) = (content(old, "L"), content(new, "L"))
        && let (Value::Array(old), Value::Array(new)) = (old, new)
        && old.len() == new.len()
    {
        for (at, (old, new)) in old.iter().zip(new).enumerate() {
            compare(format!("{path}[{at}]"), Some(old), Some(new), found);
        }
    } else {
        found.push(Change { path, old, new });
    }
}

/// The content of an attribute value of that type.
fn content<'i>(value: Option<&'i Value>, kind: &str) -> Option<&'i Value> {
    value?.as_object()?.get(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::value::shown;
    use serde_json::json;

    /// `path: old -> new` for each difference.
    fn check(old: Value, new: Value, expect: &[&str]) {
        let (old, new) = (old.as_object().unwrap(), new.as_object().unwrap());
        let text = |value: Option<&Value>| value.map_or("-".to_owned(), |v| shown(v, None));
        let found: Vec<String> = changes(old, new)
            .iter()
            .map(|change| format!("{}: {} > {}", change.path, text(change.old), text(change.new)))
            .collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn attributes_are_compared_by_name() {
        check(
            json!({"same": {"S": "x"}, "n": {"N": "1"}, "gone": {"S": "g"}, "t": {"N": "1"}}),
            json!({"same": {"S": "x"}, "n": {"N": "2"}, "more": {"SS": ["a"]}, "t": {"S": "1"}}),
            &["gone: \"g\" > -", "more: - > <\"a\">", "n: 1 > 2", "t: 1 > \"1\""],
        );
        check(json!({"a": {"N": "1"}}), json!({"a": {"N": "1"}}), &[]);
    }

    #[test]
    fn maps_and_lists_are_looked_into() {
        check(
            json!({"m": {"M": {"a": {"N": "1"}, "b": {"M": {"c.d": {"S": "x"}, "e": {"N": "1"}}}}}}),
            json!({"m": {"M": {"a": {"N": "1"}, "b": {"M": {"c.d": {"S": "y"}}}}}}),
            &["m.b.\"c.d\": \"x\" > \"y\"", "m.b.e: 1 > -"],
        );
        check(
            json!({"l": {"L": [{"N": "1"}, {"M": {"a": {"N": "2"}}}]}}),
            json!({"l": {"L": [{"N": "1"}, {"M": {"a": {"N": "3"}}}]}}),
            &["l[1].a: 2 > 3"],
        );
        check(
            json!({"l": {"L": [{"N": "1"}]}, "m": {"M": {}}}),
            json!({"l": {"L": []}, "m": {"M": {"a": {"N": "1"}}}}),
            &["l: [1] > []", "m: {} > {a: 1}"],
        );
    }
}
