//! A server that is left alone for a while must have deleted what expired, with its index entries.

use super::{
    index::BY_GROUP,
    table::{self, EXPIRES, Item, TABLE, number_of},
};
use crate::{
    dynamo::describe,
    http::Connection,
    outage::{Violation, misbehaved},
};
use serde_json::Value;
use std::{thread, time::Duration};

/// How long it is left alone.
const ALONE: Duration = Duration::from_millis(2_500);
/// Seconds that an expired item may stay.
const GRACE: u64 = 2;

/// Waits and looks.
pub fn check(connection: &mut Connection) -> Result<(), Vec<Violation>> {
    thread::sleep(ALONE);
    let items = table::scan(connection).map_err(misbehaved)?;
    let now = table::now();
    let mut violations = Vec::new();
    let expiry = |item: &Item| number_of(item, EXPIRES);
    for (key, item) in &items {
        if expiry(item).is_some_and(|second| second + GRACE < now) {
            let text = format!("{key} expired at {:?} and is there at {now}", expiry(item));
            violations.push(Violation::inconsistent(text));
        }
    }
    let index = table::read(connection, TABLE, Some(BY_GROUP.name)).map_err(misbehaved)?;
    let description = describe(connection, TABLE).map_err(misbehaved)?;
    let after = table::now();
    // What expires just then may be in one of them only.
    if items.values().filter_map(expiry).any(|second| second <= after) {
        return if violations.is_empty() { Ok(()) } else { Err(violations) };
    }
    let expected = BY_GROUP.entries(&items);
    if index != expected {
        let text = format!("the index has {} items, not {}", index.len(), expected.len());
        violations.push(Violation::half_applied(text));
    }
    let count = description.and_then(|table| table.get("ItemCount").and_then(Value::as_u64));
    if count != Some(items.len() as u64) {
        let text = format!("the table has {} items and says {count:?}", items.len());
        violations.push(Violation::half_applied(text));
    }
    if violations.is_empty() { Ok(()) } else { Err(violations) }
}
