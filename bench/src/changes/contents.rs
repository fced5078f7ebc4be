//! All that a table shows: its items, its indexes, and how many items and bytes it says they have.

use super::{
    belief::shown,
    index::Index,
    size::Totals,
    table::{Items, Key, read},
};
use crate::{
    dynamo::{RequestError, describe},
    http::Connection,
    outage::Violation,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Items may expire between two reads; more often than this they do not.
const MOST_LOOKS: usize = 100;

/// A table while nobody writes.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// Its items.
    pub items: Items,
    /// What it says of them.
    totals: Totals,
    /// Its indexes that are in use: their names, what they have and what the table says of that.
    indexes: Vec<(String, Items, Totals)>,
}

impl Contents {
    /// Reads a table; none if it is not there.
    pub fn read(
        connection: &mut Connection,
        table: &str,
    ) -> Result<Option<Contents>, RequestError> {
        for _ in 0..MOST_LOOKS {
            let before = match read(connection, table, None) {
                Err(error) if error.is_not_found() => return Ok(None),
                before => before?,
            };
            let Some(contents) = look(connection, table)? else { return Ok(None) };
            if contents.items == before {
                return Ok(Some(contents));
            }
        }
        Err(RequestError::Unexpected("a table that changes though nobody writes"))
    }
}

/// Reads everything once, the items last.
fn look(connection: &mut Connection, table: &str) -> Result<Option<Contents>, RequestError> {
    let Some(description) = describe(connection, table)? else { return Ok(None) };
    let mut indexes = Vec::new();
    for (name, index) in active(&description) {
        let entries = read(connection, table, Some(&name))?;
        indexes.push((name, entries, totals(index, "IndexSizeBytes")));
    }
    let totals = totals(&description, "TableSizeBytes");
    Ok(Some(Contents { items: read(connection, table, None)?, totals, indexes }))
}

/// The indexes that are in use, with their descriptions.
fn active(description: &Value) -> impl Iterator<Item = (String, &Value)> {
    let lists = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"];
    let all = lists.into_iter().filter_map(|list| description.get(list)?.as_array()).flatten();
    all.filter_map(|index| {
        let status = index.get("IndexStatus").and_then(Value::as_str);
        let name = index.get("IndexName")?.as_str()?.to_owned();
        status.is_none_or(|status| status == "ACTIVE").then_some((name, index))
    })
}

/// Counts that are missing or negative become a number that no check takes for right.
fn totals(description: &Value, bytes: &str) -> Totals {
    let number = |name: &str| description.get(name).and_then(Value::as_u64);
    Totals {
        count: number("ItemCount").unwrap_or(u64::MAX),
        bytes: number(bytes).unwrap_or(u64::MAX),
    }
}

/// What is wrong between the items of a table and the rest of it.
pub fn check(what: &str, contents: &Contents) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut wrong = |text: String| violations.push(Violation::half_applied(text));
    let count = |name: &str, found: Totals, said: Totals| {
        (found != said).then(|| format!("{what}: {name} says {said:?}, its items make {found:?}"))
    };
    if let Some(text) = count("the table", Totals::of(&contents.items), contents.totals) {
        wrong(text);
    }
    for (name, found, said) in &contents.indexes {
        let Some(index) = Index::named(name) else {
            wrong(format!("{what}: nobody has made an index {name}"));
            continue;
        };
        let expected = index.entries(&contents.items);
        for text in differences(&expected, found) {
            wrong(format!("{what}: index {name} does not fit the items: {text}"));
        }
        if let Some(text) = count(name, Totals::of(&expected), *said) {
            wrong(text);
        }
    }
    violations
}

/// Where items are not as they should be.
pub fn differences(expected: &Items, found: &Items) -> Vec<String> {
    let keys: BTreeSet<&Key> = expected.keys().chain(found.keys()).collect();
    let side = |items: &Items, key: &Key| match items.get(key) {
        Some(item) => shown(item),
        None => "nothing".to_owned(),
    };
    let differs = keys.into_iter().filter(|key| expected.get(key) != found.get(key));
    differs
        .map(|key| format!("{key} is {}, not {}", side(found, key), side(expected, key)))
        .collect()
}

#[cfg(test)]
#[path = "contents_tests.rs"]
mod tests;
