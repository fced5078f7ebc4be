//! Attribute values for people: plain JSON in, short texts out.

use serde_json::{Map, Value, json, value::RawValue};
use std::collections::BTreeMap;

/// The names of the ten types.
const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];

/// A parameter that is no JSON.
#[derive(Debug, thiserror::Error)]
#[error("the parameter {given} is not JSON ({source}); a string needs its quotes: '\"text\"'")]
pub struct ParameterError {
    given: String,
    source: serde_json::Error,
}

/// The attribute value that a parameter means: DynamoDB JSON as it is, plain JSON by its type.
pub fn parameter(given: &str) -> Result<Value, ParameterError> {
    // It must be JSON as a whole, and not nest without end.
    let json = serde_json::from_str::<Value>(given).and_then(|_| attribute(given.trim()));
    json.map_err(|source| ParameterError { given: given.to_owned(), source })
}

/// Digits of numbers are taken as they are written.
fn attribute(json: &str) -> serde_json::Result<Value> {
    Ok(match json.bytes().next() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
            if members.len() == 1 && members.keys().all(|name| TYPES.contains(&name.as_str())) {
                return serde_json::from_str(json);
            }
            let entries =
                members.into_iter().map(|(name, value)| Ok((name, attribute(value.get())?)));
            json!({ "M": entries.collect::<serde_json::Result<Map<_, _>>>()? })
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(json)?;
            let elements = elements.into_iter().map(|element| attribute(element.get()));
            json!({ "L": elements.collect::<serde_json::Result<Vec<_>>>()? })
        }
        Some(b'-' | b'0'..=b'9') => {
            let number: &RawValue = serde_json::from_str(json)?;
            json!({ "N": number.get() })
        }
        _ => match serde_json::from_str(json)? {
            Value::Null => json!({ "NULL": true }),
            Value::Bool(truth) => json!({ "BOOL": truth }),
            text => json!({ "S": text }),
        },
    })
}

/// The type and content of an object that is an attribute value.
fn typed(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (name, content) = members.iter().next().filter(|_| members.len() == 1)?;
    TYPES.contains(&name.as_str()).then_some((name.as_str(), content))
}

/// An attribute value as a table shows it.
pub fn shown(value: &Value) -> String {
    match plain(value) {
        Value::String(text) => text.chars().flat_map(printable).collect(),
        other => other.to_string(),
    }
}

/// Control characters would break the lines of a table.
fn printable(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}

/// Plain JSON of an attribute value; sets become lists, binaries their Base64.
fn plain(value: &Value) -> Value {
    let Some((name, content)) = value.as_object().and_then(typed) else { return value.clone() };
    match (name, content) {
        ("NULL", _) => Value::Null,
        ("N", Value::String(digits)) => number(digits),
        ("NS", Value::Array(elements)) => {
            elements.iter().map(|element| number(element.as_str().unwrap_or_default())).collect()
        }
        ("L", Value::Array(elements)) => elements.iter().map(plain).collect(),
        ("M", Value::Object(entries)) => {
            entries.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        (_, content) => content.clone(),
    }
}

/// A number that JSON can hold as it is, or its digits.
fn number(digits: &str) -> Value {
    let number: Option<serde_json::Number> = digits.parse().ok();
    match number.filter(|number| number.to_string() == digits) {
        Some(number) => Value::Number(number),
        None => Value::String(digits.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_may_be_plain() {
        for (given, expect) in [
            ("\"a\"", json!({"S": "a"})),
            ("5", json!({"N": "5"})),
            (" -1.5 ", json!({"N": "-1.5"})),
            (
                "[12345678901234567890.123456789]",
                json!({"L": [{"N": "12345678901234567890.123456789"}]}),
            ),
            ("true", json!({"BOOL": true})),
            ("null", json!({"NULL": true})),
            ("[1, \"a\"]", json!({"L": [{"N": "1"}, {"S": "a"}]})),
            ("{\"a\": 1}", json!({"M": {"a": {"N": "1"}}})),
            ("{\"SS\": [\"a\"]}", json!({"SS": ["a"]})),
            ("{\"S\": \"a\", \"b\": 1}", json!({"M": {"S": {"S": "a"}, "b": {"N": "1"}}})),
        ] {
            assert_eq!(parameter(given).unwrap(), expect, "{given}");
        }
        let deep = "[".repeat(100_000);
        for wrong in [deep.as_str(), "text", "", "007", "1 2", "[1", "{\"a\": tru}", "-"] {
            assert!(parameter(wrong).unwrap_err().to_string().contains("quotes"), "{wrong}");
        }
    }

    #[test]
    fn values_are_shown_short() {
        for (value, expect) in [
            (json!({"S": "a\nb"}), "a\\nb"),
            (json!({"N": "1.5"}), "1.5"),
            (
                json!({"N": "12345678901234567890123456789012345678"}),
                "12345678901234567890123456789012345678",
            ),
            (json!({"BOOL": false}), "false"),
            (json!({"NULL": true}), "null"),
            (json!({"B": "AAE="}), "AAE="),
            (json!({"NS": ["1", "2"]}), "[1,2]"),
            (json!({"SS": ["a"]}), "[\"a\"]"),
            (json!({"L": [{"N": "1"}, {"M": {"a": {"NULL": true}}}]}), "[1,{\"a\":null}]"),
        ] {
            assert_eq!(shown(&value), expect, "{value}");
        }
    }
}
