//! Reads all that a server has while nobody writes, and holds its parts against each other: items are
//! as they were put, indexes and counts follow from them, and so does what the stream says.

use super::{
    deed::Known,
    item::{CHURN, GLOBAL, HOT, Key, LATE, TABLE, entry, item},
    stream::{self, Items},
};
use crate::{
    crash::history::{History, State},
    dynamo::{RequestError, all_pages, ask, describe},
    http::Connection,
    outage::Violation,
};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// The longest that building an index may take.
const BUILD_PATIENCE: Duration = Duration::from_secs(30);

/// What is there. What is not in it is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// The version of each key; for tables and indexes any.
    pub states: BTreeMap<Key, u64>,
}

impl Seen {
    /// The version of a key.
    pub fn state(&self, key: Key) -> State {
        self.states.get(&key).copied()
    }

    /// What may be found as long as nobody writes: just this.
    pub fn settled(&self) -> Known {
        let settled = |(key, version): (&Key, &u64)| (*key, History::settled(Some(*version)));
        self.states.iter().map(settled).collect()
    }
}

/// Reads all. An index that is being built is waited for, unless the server cannot go on building it.
pub fn observe(
    connection: &mut Connection,
    seed: u64,
    settles: bool,
) -> Result<(Seen, Vec<Violation>), RequestError> {
    let (mut seen, mut violations) = (Seen::default(), Vec::new());
    let listed = ask(connection, "ListTables", "{}")?;
    let names = listed.get("TableNames").and_then(Value::as_array);
    for name in names.into_iter().flatten().filter_map(Value::as_str) {
        let number = name.strip_prefix(CHURN).and_then(|number| number.parse().ok());
        match (name, number) {
            (TABLE, _) => seen.states.insert(Key::Table, 0),
            (HOT, _) => seen.states.insert(Key::HotTable, 0),
            (_, Some(number)) => seen.states.insert(Key::Churn(number), 0),
            (_, None) => {
                violations.push(Violation::half_applied(format!("there is a table {name}")));
                continue;
            }
        };
        let items = read_table(connection, seed, name, &mut seen, &mut violations)?;
        if name == TABLE {
            follow_table(connection, items, settles, &mut seen, &mut violations)?;
        }
    }
    Ok((seen, violations))
}

fn read_table(
    connection: &mut Connection,
    seed: u64,
    table: &str,
    seen: &mut Seen,
    violations: &mut Vec<Violation>,
) -> Result<Vec<Value>, RequestError> {
    let items = scan(connection, table, None)?;
    for found in &items {
        let version = found.get("ver").and_then(|value| value.get("N")?.as_str()?.parse().ok());
        let (Some(key), Some(version)) = (Key::of(table, found), version) else {
            violations.push(Violation::half_applied(format!("{table} has {}", excerpt(found))));
            continue;
        };
        if item(seed, key, version) != *found {
            let text = format!("{key}: version {version} is not as it was put: {}", excerpt(found));
            violations.push(Violation::half_applied(text));
        }
        if seen.states.insert(key, version).is_some() {
            violations.push(Violation::half_applied(format!("{key} is there twice")));
        }
    }
    let description = describe(connection, table)?.unwrap_or_default();
    count(table, &description, items.len(), violations);
    Ok(items)
}

/// Holds what follows from the items against them.
fn follow_table(
    connection: &mut Connection,
    items: Vec<Value>,
    settles: bool,
    seen: &mut Seen,
    violations: &mut Vec<Violation>,
) -> Result<(), RequestError> {
    let late = match late_status(connection)? {
        Some(status) if status != "ACTIVE" && !settles => {
            if status == "CREATING" {
                seen.states.insert(Key::Late, 0);
            }
            None
        }
        _ => settle_index(connection, violations)?,
    };
    if late.is_some() {
        seen.states.insert(Key::Late, 0);
    }
    let description = describe(connection, TABLE)?.unwrap_or_default();
    for index in [Some(GLOBAL), late].into_iter().flatten() {
        let wanted: Vec<Value> = items.iter().filter_map(|item| entry(item, index)).collect();
        let found = scan(connection, TABLE, Some(index))?;
        let described = index_of(&description, index).cloned().unwrap_or_default();
        count(index, &described, wanted.len(), violations);
        compare(&format!("the index {index}"), &by_key(&wanted), &by_key(&found), violations);
        if found.len() != wanted.len() {
            let text = format!("{index} has {} entries, not {}", found.len(), wanted.len());
            violations.push(Violation::half_applied(text));
        }
    }
    let arn = description.get("LatestStreamArn").and_then(Value::as_str).unwrap_or_default();
    let folded = stream::fold(connection, arn, violations)?;
    compare("the stream", &by_key(&items), &folded, violations);
    Ok(())
}

/// Waits until the index that comes and goes does neither. Gives its name if it is there.
fn settle_index(
    connection: &mut Connection,
    violations: &mut Vec<Violation>,
) -> Result<Option<&'static str>, RequestError> {
    let deadline = Instant::now() + BUILD_PATIENCE;
    loop {
        let Some(status) = late_status(connection)? else {
            return Ok(None);
        };
        if status == "ACTIVE" {
            return Ok(Some(LATE));
        }
        if Instant::now() > deadline {
            violations.push(Violation::misbehaved(format!("the index {LATE} stays {status}")));
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// What the index that comes and goes is at, if it is there.
fn late_status(connection: &mut Connection) -> Result<Option<String>, RequestError> {
    let description = describe(connection, TABLE)?.unwrap_or_default();
    let status = |index: &Value| index.get("IndexStatus")?.as_str().map(str::to_owned);
    Ok(index_of(&description, LATE).map(|index| status(index).unwrap_or_default()))
}

fn index_of<'a>(description: &'a Value, name: &str) -> Option<&'a Value> {
    let indexes = description.get("GlobalSecondaryIndexes")?.as_array()?;
    indexes.iter().find(|index| index.get("IndexName").and_then(Value::as_str) == Some(name))
}

fn scan(
    connection: &mut Connection,
    table: &str,
    index: Option<&str>,
) -> Result<Vec<Value>, RequestError> {
    let mut request = Map::from_iter([("TableName".to_owned(), table.into())]);
    match index {
        Some(index) => request.insert("IndexName".to_owned(), index.into()),
        None => request.insert("ConsistentRead".to_owned(), true.into()),
    };
    all_pages(connection, "Scan", request)
}

fn count(name: &str, description: &Value, found: usize, violations: &mut Vec<Violation>) {
    let described = description.get("ItemCount").and_then(Value::as_u64);
    if described != Some(found as u64) {
        violations.push(Violation::half_applied(format!(
            "{name} is described with {described:?} items, {found} are found"
        )));
    }
}

fn by_key(items: &[Value]) -> Items {
    let key = |item: &Value| {
        let part = |name: &str| item.get(name).cloned().unwrap_or_default();
        serde_json::json!({"pk": part("pk"), "sk": part("sk")}).to_string()
    };
    items.iter().map(|item| (key(item), item.clone())).collect()
}

fn compare(name: &str, wanted: &Items, found: &Items, violations: &mut Vec<Violation>) {
    for (key, wanted) in wanted {
        match found.get(key) {
            Some(found) if found == wanted => {}
            Some(found) => violations.push(Violation::half_applied(format!(
                "{name} has {} for {key}, the table makes it {}",
                excerpt(found),
                excerpt(wanted)
            ))),
            None => {
                violations.push(Violation::half_applied(format!("{name} does not have {key}")));
            }
        }
    }
    for key in found.keys().filter(|key| !wanted.contains_key(*key)) {
        let text = format!("{name} has {key}, the table does not");
        violations.push(Violation::half_applied(text));
    }
}

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(200).collect()
}
