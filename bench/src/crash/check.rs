//! Holds what a server has after a crash against what its clients know. Pure: the reads are done
//! by `observe`, so that tests can show it a server that has lost something.

use super::{
    history::{Fault, Histories, State},
    item::{Item, Key, TABLE_KEY, VERSION},
};
use crate::outage::Violation;
use serde_json::Value;
use std::collections::BTreeMap;

/// How much a table or an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Items or entries.
    pub count: u64,
    /// Their sizes added up.
    pub bytes: u64,
}

impl Totals {
    fn add(&mut self, size: Option<u64>) {
        if let Some(size) = size {
            self.count += 1;
            self.bytes += size;
        }
    }
}

/// What the table and its indexes hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// The table.
    pub table: Totals,
    /// Its global index.
    pub global: Totals,
    /// Its local index.
    pub local: Totals,
}

/// What the server says.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// What GetItem found under each key ever used.
    pub items: BTreeMap<Key, Option<Value>>,
    /// What DescribeTable counts.
    pub described: Contents,
    /// What Scan found in the table.
    pub scanned: Vec<Value>,
    /// What Scan found in the global index.
    pub scanned_global: Vec<Value>,
    /// What Scan found in the local index.
    pub scanned_local: Vec<Value>,
}

/// What a Scan must find: by primary key, each exactly once.
#[derive(Debug, Default)]
struct Expected(BTreeMap<String, Value>);

/// What comes out of a check.
#[derive(Debug, Default)]
pub struct Verdict {
    /// What is wrong.
    pub violations: Vec<Violation>,
    /// The state of each key that is in order.
    pub states: BTreeMap<Key, State>,
    /// How many items there are.
    pub items: u64,
    /// Unacknowledged writes.
    pub in_flight: usize,
    /// Unacknowledged puts that are there.
    pub applied: usize,
}

/// Checks everything.
pub fn check(seed: u64, histories: &Histories, seen: &Observation) -> Verdict {
    let mut verdict = Verdict::default();
    let mut contents = Contents::default();
    let [mut table, mut global, mut local] = <[Expected; 3]>::default();
    let mut countable = true;
    for (&key, history) in histories {
        let found = seen.items.get(&key).and_then(Option::as_ref);
        let state = match found {
            None => None,
            Some(value) => match whole(seed, key, value) {
                Ok((version, item)) => {
                    let (global_entry, local_entry) = (item.global_entry(), item.local_entry());
                    contents.table.add(Some(item.size()));
                    contents.global.add(global_entry.as_ref().map(Item::size));
                    contents.local.add(local_entry.as_ref().map(Item::size));
                    table.add(key, Some(item));
                    global.add(key, global_entry);
                    local.add(key, local_entry);
                    Some(version)
                }
                Err(torn) => {
                    verdict.violations.push(Violation::half_applied(torn));
                    countable = false;
                    continue;
                }
            },
        };
        verdict.in_flight += history.in_flight();
        verdict.applied += usize::from(history.applied_in_flight(state));
        if let Some(fault) = history.fault(state) {
            verdict.violations.push(violation(key, state, &fault));
        }
        verdict.states.insert(key, state);
    }
    verdict.items = contents.table.count;
    // The sizes of torn items are anybody's guess.
    if countable {
        count(&contents, &seen.described, &mut verdict.violations);
        for (name, expected, scanned) in [
            ("the table", table, &seen.scanned),
            ("the global index", global, &seen.scanned_global),
            ("the local index", local, &seen.scanned_local),
        ] {
            expected.compare(name, scanned, &mut verdict.violations);
        }
    }
    verdict
}

/// The version of an item that is found exactly as it was put.
fn whole(seed: u64, key: Key, found: &Value) -> Result<(u64, Item), String> {
    let version = found.get(VERSION).and_then(|value| value.get("N")?.as_str()?.parse().ok());
    let Some(version) = version else {
        return Err(format!("{key}: the item has no version: {}", excerpt(found)));
    };
    let item = Item::generate(seed, key, version);
    let expected = item.value();
    if expected == *found {
        Ok((version, item))
    } else {
        let (found, expected) = (excerpt(found), excerpt(&expected));
        Err(format!("{key}: version {version} is not as it was put: found {found}, put {expected}"))
    }
}

fn excerpt(value: &Value) -> String {
    const MOST: usize = 400;
    let text = value.to_string();
    let length = text.len();
    let start: String = text.chars().take(MOST).collect();
    if length > MOST { format!("{start}... ({length} bytes)") } else { start }
}

fn violation(key: Key, found: State, fault: &Fault) -> Violation {
    let found = match found {
        Some(version) => format!("version {version}"),
        None => "nothing".to_owned(),
    };
    match fault {
        Fault::LostPut(version) => Violation::lost(format!(
            "{key}: put of version {version} was acknowledged, {found} is there"
        )),
        Fault::Resurrected(_) => {
            Violation::lost(format!("{key}: the item was deleted, {found} is there"))
        }
        Fault::Unknown(_) => {
            Violation::half_applied(format!("{key}: {found} is there, which nobody has put"))
        }
    }
}

fn count(found: &Contents, described: &Contents, violations: &mut Vec<Violation>) {
    for (name, found, described) in [
        ("the table", found.table, described.table),
        ("the global index", found.global, described.global),
        ("the local index", found.local, described.local),
    ] {
        if found != described {
            violations.push(Violation::half_applied(format!(
                "{name} is described with {} items in {} bytes, the items found make {} in {}",
                described.count, described.bytes, found.count, found.bytes
            )));
        }
    }
}

impl Expected {
    fn add(&mut self, key: Key, item: Option<Item>) {
        if let Some(item) = item {
            self.0.insert(key.to_string(), item.value());
        }
    }

    /// Holds what Scan found against this.
    fn compare(mut self, name: &str, scanned: &[Value], violations: &mut Vec<Violation>) {
        let mut wrong = |text: String| violations.push(Violation::half_applied(text));
        for found in scanned {
            let [pk, sk] = TABLE_KEY.map(|name| {
                let text = found.get(name).and_then(|value| value.get("S")?.as_str());
                text.unwrap_or_default()
            });
            let key = format!("{pk}/{sk}");
            match self.0.remove(&key) {
                Some(expected) if expected == *found => {}
                Some(expected) => {
                    let (found, expected) = (excerpt(found), excerpt(&expected));
                    wrong(format!("{key}: Scan of {name} has {found}, the item makes {expected}"));
                }
                None => {
                    let found = excerpt(found);
                    wrong(format!("{key}: Scan of {name} has {found}, for which there is no item"));
                }
            }
        }
        for (key, expected) in self.0 {
            wrong(format!("{key}: Scan of {name} does not have {}", excerpt(&expected)));
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
