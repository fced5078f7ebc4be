//! Short ways to write items and paths in tests.

use super::{
    decimal::Decimal,
    path::{Path, Step},
    value::{Item, Value},
};
use serde_json::Value as Json;

/// Reads an item in the JSON of requests, with ' for ".
pub fn item(text: &str) -> Item {
    map(&serde_json::from_str(&text.replace('\'', "\"")).unwrap())
}

/// Reads a value likewise.
pub fn value(text: &str) -> Value {
    read(&serde_json::from_str(&text.replace('\'', "\"")).unwrap())
}

/// An integer.
pub fn number(integer: i128) -> Value {
    Value::N(Decimal::new(integer, 0))
}

/// Reads `a.b[0]`.
pub fn path(text: &str) -> Path {
    let text = text.replace('[', ".[");
    let steps = text.split('.').map(|step| match step.strip_prefix('[') {
        Some(index) => Step::Index(index.trim_end_matches(']').parse().unwrap()),
        None => Step::Name(step.to_owned()),
    });
    Path(steps.collect())
}

fn map(json: &Json) -> Item {
    json.as_object().unwrap().iter().map(|(name, value)| (name.clone(), read(value))).collect()
}

fn read(json: &Json) -> Value {
    let (kind, content) = json.as_object().unwrap().iter().next().unwrap();
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    // Tests have plain integers and one fraction digit at most.
    let decimal = |json: &Json| match text(json).split_once('.') {
        Some((whole, fraction)) => Decimal::new(format!("{whole}{fraction}").parse().unwrap(), -1),
        None => Decimal::new(text(json).parse().unwrap(), 0),
    };
    let elements = || content.as_array().unwrap().iter();
    match kind.as_str() {
        "S" => Value::S(text(content)),
        "N" => Value::N(decimal(content)),
        // Not base64: the bytes of the text.
        "B" => Value::B(text(content).into_bytes()),
        "BOOL" => Value::Bool(content.as_bool().unwrap()),
        "NULL" => Value::Null,
        "SS" => Value::Ss(elements().map(text).collect()),
        "NS" => Value::Ns(elements().map(decimal).collect()),
        "BS" => Value::Bs(elements().map(|json| text(json).into_bytes()).collect()),
        "L" => Value::L(elements().map(read).collect()),
        "M" => Value::M(map(content)),
        other => panic!("no type {other}"),
    }
}
