//! What is known of an item at a moment, while clients race with the switch of a stream and items
//! expire by themselves.

use super::table::{EXPIRES, Item, Items, Key};
use std::{collections::BTreeMap, fmt};

/// What is known of one item.
#[derive(Debug, Clone, PartialEq)]
pub enum Belief {
    /// It is not there.
    Absent,
    /// It is there and exactly so.
    Is(Item),
    /// It is so, or it has expired without a record.
    IsOrExpired(Item),
    /// It is there.
    There,
    /// Nothing is known.
    Unknown,
}

/// What is known of all items; those without an entry are absent.
pub type Beliefs = BTreeMap<Key, Belief>;

impl fmt::Display for Belief {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Belief::Absent => f.write_str("nothing"),
            Belief::Is(item) => write!(f, "{}", shown(item)),
            Belief::IsOrExpired(item) => write!(f, "nothing or {}", shown(item)),
            Belief::There => f.write_str("an item"),
            Belief::Unknown => f.write_str("anything"),
        }
    }
}

/// An item for people.
pub fn shown(item: &Item) -> String {
    let text = serde_json::Value::Object(item.clone()).to_string();
    match text.char_indices().nth(400) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

impl Belief {
    /// Whether the item may be absent.
    pub fn may_be_absent(&self) -> bool {
        matches!(self, Belief::Absent | Belief::IsOrExpired(_) | Belief::Unknown)
    }

    /// Whether the item may be there.
    pub fn may_be_there(&self) -> bool {
        *self != Belief::Absent
    }

    /// Whether the item may be exactly this.
    pub fn may_be(&self, item: &Item) -> bool {
        match self {
            Belief::Absent => false,
            Belief::Is(known) | Belief::IsOrExpired(known) => known == item,
            Belief::There | Belief::Unknown => true,
        }
    }

    /// What is known after some time without a write and without records.
    pub fn aged(self) -> Belief {
        match self {
            Belief::Is(item) if item.contains_key(EXPIRES) => Belief::IsOrExpired(item),
            Belief::There => Belief::Unknown,
            other => other,
        }
    }
}

/// What is known from a Scan.
pub fn scanned(items: &Items) -> Beliefs {
    items.iter().map(|(key, item)| (*key, Belief::Is(item.clone()))).collect()
}

/// What is known of a moment between two Scans while nobody writes.
pub fn between(before: &Items, after: &Items) -> Beliefs {
    let mut beliefs = scanned(after);
    for (key, item) in before {
        beliefs.entry(*key).or_insert_with(|| Belief::IsOrExpired(item.clone()));
    }
    beliefs
}
