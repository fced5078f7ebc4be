//! The indexes of the table, and what they must have of its items.

use super::table::{BY, EXPIRES, GROUP, HITS, Item, Items};
use serde_json::{Value, json};

/// What entries have besides the keys of the table and of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    /// Everything.
    All,
    /// Nothing.
    Keys,
    /// This attribute.
    And(&'static str),
}

/// An index with a key of one attribute besides the table's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    local: bool,
    key: &'static str,
    kind: &'static str,
    keeps: Keeps,
}

/// A global index that is always there.
pub const BY_GROUP: Index =
    Index { name: "by-group", local: false, key: GROUP, kind: "S", keeps: Keeps::All };
/// A local index, whose entries move with every update that counts.
pub const BY_HITS: Index =
    Index { name: "by-hits", local: true, key: HITS, kind: "N", keeps: Keeps::And(EXPIRES) };
/// A global index that comes and goes. Every item has an entry, which moves with every write.
pub const BY_WRITE: Index =
    Index { name: "by-write", local: false, key: BY, kind: "N", keeps: Keeps::Keys };

impl Index {
    /// The index with a name.
    pub fn named(name: &str) -> Option<Index> {
        [BY_GROUP, BY_HITS, BY_WRITE].into_iter().find(|index| index.name == name)
    }

    /// Its definition.
    pub fn definition(self) -> Value {
        let key = |name: &str, role: &str| json!({"AttributeName": name, "KeyType": role});
        let keys = if self.local {
            vec![key("pk", "HASH"), key(self.key, "RANGE")]
        } else {
            vec![key(self.key, "HASH")]
        };
        let projection = match self.keeps {
            Keeps::All => json!({"ProjectionType": "ALL"}),
            Keeps::Keys => json!({"ProjectionType": "KEYS_ONLY"}),
            Keeps::And(name) => json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": [name]}),
        };
        json!({"IndexName": self.name, "KeySchema": keys, "Projection": projection})
    }

    /// The definition of its key's attribute.
    pub fn attribute(self) -> Value {
        json!({"AttributeName": self.key, "AttributeType": self.kind})
    }

    /// What it must have.
    pub fn entries(self, items: &Items) -> Items {
        let entries = items.iter().filter_map(|(key, item)| Some((*key, self.entry(item)?)));
        entries.collect()
    }

    fn entry(self, item: &Item) -> Option<Item> {
        item.get(self.key)?;
        let mut entry = item.clone();
        let more = match self.keeps {
            Keeps::All => return Some(entry),
            Keeps::Keys => None,
            Keeps::And(name) => Some(name),
        };
        entry.retain(|name, _| {
            ["pk", "sk", self.key].contains(&name.as_str()) || more == Some(name)
        });
        Some(entry)
    }
}
