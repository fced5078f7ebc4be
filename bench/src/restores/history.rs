//! The versions of one item, as its only writer knows them and as the server tells them.

use super::{
    check::shown,
    table::{Item, Key, NAME},
};
use crate::{
    dynamo::{RequestError, ask},
    http::Connection,
    outage::Violation,
};
use serde_json::{Value, json};

/// As many versions as the server gives at once.
const MOST: usize = 1000;
/// Times may differ by so many milliseconds, since clocks are read at different places.
const LEEWAY: u64 = 2;

/// A version: the item a write has left, and when the write was sent and answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// The item; none if it was deleted.
    pub item: Option<Item>,
    /// When the write was sent, in milliseconds.
    pub from: u64,
    /// When it was answered.
    pub to: u64,
}

/// What is known of an item.
#[derive(Debug, Clone)]
pub struct Record {
    /// The item before all versions.
    pub before: Option<Item>,
    /// The versions, oldest first.
    pub versions: Vec<Version>,
    /// Whether there are older versions, which are not known.
    pub more: bool,
}

impl Record {
    /// An item of which nothing is there to know.
    pub fn new() -> Record {
        Record { before: None, versions: Vec::new(), more: false }
    }

    /// The item as it is.
    pub fn item(&self) -> Option<&Item> {
        self.versions.last().map_or(self.before.as_ref(), |version| version.item.as_ref())
    }

    /// Adds a version, if it is one.
    pub fn add(&mut self, version: Version) {
        if self.item() != version.item.as_ref() {
            self.versions.push(version);
        }
    }

    /// How it came to what it is cannot be told.
    pub fn blur(&mut self, item: Option<Item>) {
        *self = Record { before: item, versions: Vec::new(), more: true };
    }
}

/// Asks for the versions of an item.
pub fn read(connection: &mut Connection, key: &Key) -> Result<Value, RequestError> {
    let body = json!({"TableName": NAME, "Key": key.item(), "Limit": MOST});
    ask(connection, "DescribeItemHistory", &body.to_string())
}

/// What is wrong with an answer.
pub fn compare(key: &Key, record: &Record, answer: &Value) -> Vec<Violation> {
    let wrong =
        |text: String| vec![Violation::inconsistent(format!("the history of {key}: {text}"))];
    let Some(found) = answer.get("Versions").and_then(Value::as_array) else {
        return wrong("no versions".to_owned());
    };
    let known = record.versions.len();
    if found.len() < known || (found.len() > known && !record.more) {
        return wrong(format!("{} versions, not {known}", found.len()));
    }
    let mut older = record.before.as_ref();
    for (version, told) in record.versions.iter().zip(found.iter().take(known).rev()) {
        let item = told.get("Item").and_then(Value::as_object);
        if item != version.item.as_ref() {
            let text = |item: Option<&Item>| item.map_or_else(|| "nothing".to_owned(), shown);
            return wrong(format!("{}, not {}", text(item), text(version.item.as_ref())));
        }
        let event = match (older, &version.item) {
            (None, _) => "INSERT",
            (Some(_), Some(_)) => "MODIFY",
            (Some(_), None) => "REMOVE",
        };
        if told.get("EventName").and_then(Value::as_str) != Some(event) {
            return wrong(format!("{:?}, not {event}", told.get("EventName")));
        }
        let millis = told.get("DateTime").and_then(Value::as_f64).unwrap_or_default() * 1e3;
        let millis = millis.round() as u64;
        if millis + LEEWAY < version.from || millis > version.to + LEEWAY {
            return wrong(format!("{millis} is not in {}..{}", version.from, version.to));
        }
        if told.get("UserIdentity").is_some_and(|identity| !identity.is_null()) {
            return wrong("a write of the service".to_owned());
        }
        older = version.item.as_ref();
    }
    let all = found.len() == known;
    let before = answer.get("Before").and_then(Value::as_object);
    if all && before != record.before.as_ref() {
        return wrong(format!("{before:?} before all versions"));
    }
    Vec::new()
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
