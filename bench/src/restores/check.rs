//! Holds what is there against what was noted.

use super::table::{EXPIRES, INDEXES, Item, Items, Key, indexed, number_of, read};
use crate::{
    dynamo::{RequestError, describe},
    http::Connection,
    outage::Violation,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Counts or bytes of a table and of its indexes.
pub type Sums = [u64; 3];

/// All that is seen of a table.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its items.
    pub items: Items,
    /// What its indexes have.
    pub indexes: [Items; 2],
    /// What it says how many items it and its indexes have.
    pub counts: Sums,
    /// The same of their bytes.
    pub bytes: Sums,
}

impl Found {
    /// Reads a table.
    pub fn read(connection: &mut Connection, table: &str) -> Result<Found, RequestError> {
        let items = read(connection, table, None)?;
        let [global, local] = INDEXES;
        let indexes =
            [read(connection, table, Some(global))?, read(connection, table, Some(local))?];
        let [counts, bytes] = sums(connection, table)?;
        Ok(Found { items, indexes, counts, bytes })
    }
}

/// What a table says how many items and bytes it and its indexes have.
pub fn sums(connection: &mut Connection, table: &str) -> Result<[Sums; 2], RequestError> {
    let description = describe(connection, table)?;
    let description = description.ok_or(RequestError::Unexpected("the table is gone"))?;
    let read = |of: Option<&Value>, name: &str| of?.get(name)?.as_u64();
    let index = |kind: &str| description.get(kind).and_then(|indexes| indexes.get(0));
    let global = index("GlobalSecondaryIndexes");
    let local = index("LocalSecondaryIndexes");
    let missing = RequestError::Unexpected("a table without counts");
    let all = || {
        let one = |count: &str, bytes: &str, of| Some((read(of, count)?, read(of, bytes)?));
        let table = one("ItemCount", "TableSizeBytes", Some(&description))?;
        let global = one("ItemCount", "IndexSizeBytes", global)?;
        let local = one("ItemCount", "IndexSizeBytes", local)?;
        Some([[table.0, global.0, local.0], [table.1, global.1, local.1]])
    };
    all().ok_or(missing)
}

/// What is wrong with a table that should have exactly these items. `bytes` is what it should say,
/// if that is known.
pub fn compare(what: &str, then: &Items, bytes: Option<Sums>, found: &Found) -> Vec<Violation> {
    let mut violations = compare_items(what, then, &found.items);
    let indexes = indexed(&found.items);
    for ((name, expected), index) in INDEXES.iter().zip(&indexes).zip(&found.indexes) {
        if let Some(text) = first_difference(expected, index) {
            let text = format!("{what}: index {name} does not fit the items: {text}");
            violations.push(Violation::half_applied(text));
        }
    }
    let [global, local] = &indexes;
    let counts = [&found.items, global, local].map(|items| items.len() as u64);
    if counts != found.counts {
        let text = format!("{what}: ItemCounts are {:?}, not {counts:?}", found.counts);
        violations.push(Violation::half_applied(text));
    }
    if let Some(bytes) = bytes.filter(|bytes| *bytes != found.bytes) {
        let text = format!("{what}: sizes are {:?}, not {bytes:?}", found.bytes);
        violations.push(Violation::half_applied(text));
    }
    violations
}

/// What is wrong with items that should be exactly these.
pub fn compare_items(what: &str, then: &Items, found: &Items) -> Vec<Violation> {
    let keys: BTreeSet<&Key> = then.keys().chain(found.keys()).collect();
    let mut violations = Vec::new();
    for key in keys {
        let violation = match (then.get(key), found.get(key)) {
            (Some(was), Some(is)) if was != is => Violation::inconsistent(format!(
                "{what}: {key} is {}, and was {}",
                shown(is),
                shown(was)
            )),
            (Some(was), None) => {
                Violation::lost(format!("{what}: {key} is not there, and was {}", shown(was)))
            }
            (None, Some(is)) => Violation::inconsistent(format!(
                "{what}: {key} is {}, and was not there",
                shown(is)
            )),
            _ => continue,
        };
        violations.push(violation);
    }
    violations
}

fn first_difference(expected: &Items, found: &Items) -> Option<String> {
    let keys: BTreeSet<&Key> = expected.keys().chain(found.keys()).collect();
    let key = keys.into_iter().find(|key| expected.get(*key) != found.get(*key))?;
    let side = |items: &Items| items.get(key).map_or_else(|| "nothing".to_owned(), shown);
    Some(format!("{key} is {} instead of {}", side(found), side(expected)))
}

/// Whether an item may expire in a second, or before it.
pub fn is_due(item: &Item, second: u64) -> bool {
    number_of(item, EXPIRES).is_some_and(|due| due <= second)
}

/// Without the items that are gone and may have expired by then.
pub fn without_expired(mut then: Items, second: u64, found: &Items) -> Items {
    then.retain(|key, item| found.contains_key(key) || !is_due(item, second));
    then
}

/// An item for people.
pub fn shown(item: &Item) -> String {
    let text = Value::Object(item.clone()).to_string();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
