//! What is written. An item follows from its key, its version and the seed.

use crate::random::Random;
use serde_json::{Map, Value, json};
use std::fmt;

/// The table that most is written to.
pub const TABLE: &str = "power";
/// Its index.
pub const GLOBAL: &str = "global";
/// An index that comes and goes.
pub const LATE: &str = "late";
/// A table with few items that are written very often.
pub const HOT: &str = "hot";
/// What tables that come and go are called, before a number.
pub const CHURN: &str = "churn-";
/// Members of a group of items that only transactions write, all of them at once.
pub const MEMBERS: u32 = 4;
/// Attributes that an item may have or not.
pub const OPTIONAL: [&str; 3] = ["gpk", "gsk", "num"];

/// Something that can be written, and that is then there or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// An item that one writer writes.
    Own { writer: u32, index: u32 },
    /// An item that all writers write.
    Shared(u32),
    /// A member of a group.
    Member { group: u32, member: u32 },
    /// An item that is written very often; all but the first are large.
    Hot(u32),
    /// The table that most is written to.
    Table,
    /// The table of items that are written very often.
    HotTable,
    /// An index that comes and goes.
    Late,
    /// A table that comes and goes, by its number.
    Churn(u64),
    /// An item of it.
    ChurnItem(u64, u32),
}

impl Key {
    /// The values of the primary key's attributes.
    pub fn values(self) -> (String, String) {
        match self {
            Key::Own { writer, index } => (format!("writer-{writer}"), format!("{index}")),
            Key::Shared(index) => ("shared".to_owned(), format!("{index}")),
            Key::Member { group, member } => (format!("group-{group}"), format!("{member}")),
            Key::Hot(index) => (format!("{index}"), "hot".to_owned()),
            Key::ChurnItem(_, index) => (format!("{index}"), "item".to_owned()),
            Key::Table | Key::HotTable | Key::Late | Key::Churn(_) => Default::default(),
        }
    }

    /// The key of an item that was found in a table.
    pub fn of(table: &str, item: &Value) -> Option<Key> {
        let text = |name: &str| item.get(name)?.get("S")?.as_str();
        let (pk, sk) = (text("pk")?, text("sk")?);
        let found = match table {
            HOT => Key::Hot(pk.parse().ok()?),
            TABLE => {
                let index = sk.parse().ok()?;
                match pk.split_once('-') {
                    None => Key::Shared(index),
                    Some(("writer", writer)) => Key::Own { writer: writer.parse().ok()?, index },
                    Some((_, group)) => Key::Member { group: group.parse().ok()?, member: index },
                }
            }
            _ => Key::ChurnItem(table.strip_prefix(CHURN)?.parse().ok()?, pk.parse().ok()?),
        };
        let (found_pk, found_sk) = found.values();
        (found_pk == pk && found_sk == sk).then_some(found)
    }

    /// The table of an item.
    pub fn table(self) -> String {
        match self {
            Key::Hot(_) | Key::HotTable => HOT.to_owned(),
            Key::Churn(number) | Key::ChurnItem(number, _) => format!("{CHURN}{number}"),
            _ => TABLE.to_owned(),
        }
    }

    /// The primary key as a request has it.
    pub fn json(self) -> Value {
        let (pk, sk) = self.values();
        json!({"pk": {"S": pk}, "sk": {"S": sk}})
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pk, sk) = self.values();
        match self {
            Key::Table | Key::HotTable | Key::Churn(_) => write!(f, "the table {}", self.table()),
            Key::Late => write!(f, "the index {LATE}"),
            _ => write!(f, "{} {pk}/{sk}", self.table()),
        }
    }
}

/// That version of the item of that key.
pub fn item(seed: u64, key: Key, version: u64) -> Value {
    let mut random = Random::stream(seed, version);
    let Value::Object(mut item) = key.json() else {
        return Value::Null;
    };
    item.insert("ver".to_owned(), json!({"N": version.to_string()}));
    let mut pad = String::new();
    let length = match key {
        Key::Hot(0) | Key::ChurnItem(..) => 20,
        Key::Hot(_) => 300_000,
        _ => {
            attributes(&mut random, &mut item);
            match random.between(0, 100) {
                0..70 => random.between(0, 200),
                70..96 => random.between(200, 2_000),
                _ => random.between(2_000, 30_000),
            }
        }
    };
    random.letters(length as usize, &mut pad);
    item.insert("pad".to_owned(), json!({"S": pad}));
    Value::Object(item)
}

fn attributes(random: &mut Random, item: &mut Map<String, Value>) {
    if random.percent(70) {
        let partition = random.between(0, 5);
        item.insert("gpk".to_owned(), json!({"S": format!("partition-{partition}")}));
    }
    if random.percent(80) {
        item.insert("gsk".to_owned(), json!({"N": random.between(0, 1000).to_string()}));
    }
    if random.percent(60) {
        item.insert("num".to_owned(), json!({"N": random.between(0, 7).to_string()}));
    }
}

/// The entry of an item in an index, if it has one.
pub fn entry(item: &Value, index: &str) -> Option<Value> {
    let all = item.as_object()?;
    if index == GLOBAL {
        return (all.contains_key("gpk") && all.contains_key("gsk")).then(|| item.clone());
    }
    all.get("num")?;
    let projected = all.iter().filter(|(name, _)| ["pk", "sk", "num"].contains(&name.as_str()));
    Some(projected.map(|(name, value)| (name.clone(), value.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_again() {
        for key in [
            Key::Own { writer: 3, index: 7 },
            Key::Shared(2),
            Key::Member { group: 1, member: 0 },
            Key::Hot(1),
            Key::ChurnItem(44, 2),
        ] {
            assert_eq!(Key::of(&key.table(), &item(1, key, 9)), Some(key));
        }
        assert_eq!(Key::of("other", &item(1, Key::Shared(1), 9)), None);
    }

    #[test]
    fn versions_make_different_items() {
        let key = Key::Shared(1);
        assert_eq!(item(1, key, 5), item(1, key, 5));
        assert_ne!(item(1, key, 5), item(1, key, 6));
    }
}
