//! The items of the campaign. An item follows from its key, its version and the seed, so that a
//! record of versions is a record of whole items. Sizes are counted here as DynamoDB counts them,
//! on our own, since they are what the server's counts are held against.

use crate::random::Random;
use serde_json::Value;
use std::{collections::BTreeMap, fmt, fmt::Write};

/// Attributes of the table's key.
pub const TABLE_KEY: [&str; 2] = ["pk", "sk"];
/// Attributes of the global index's key.
pub const GLOBAL_KEY: [&str; 2] = ["gpk", "gsk"];
/// The sort key of the local index, which projects everything.
pub const LOCAL_SORT: &str = "lsk";
/// The attribute that the global index includes.
pub const INCLUDED: &str = "num";
/// The attribute that says which version of its item this is.
pub const VERSION: &str = "ver";

/// An item's primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The writer that alone uses the key; none if all do.
    pub owner: Option<u32>,
    /// Which of the owner's keys it is.
    pub index: u32,
}

impl Key {
    /// The key as a request gives it.
    pub fn json(self) -> String {
        let (pk, sk) = self.values();
        format!(r#"{{"pk":{{"S":"{pk}"}},"sk":{{"S":"{sk}"}}}}"#)
    }

    fn values(self) -> (String, String) {
        let pk = match self.owner {
            Some(writer) => format!("writer-{writer}"),
            None => "shared".to_owned(),
        };
        (pk, format!("key-{:04}", self.index))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (pk, sk) = self.values();
        write!(f, "{pk}/{sk}")
    }
}

/// An attribute's value, in the text that JSON has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Attribute {
    S(String),
    /// An integer, as DynamoDB gives it back.
    N(i64),
    /// Base64 without padding.
    B(String),
}

impl Attribute {
    fn size(&self) -> u64 {
        match self {
            Attribute::S(text) => text.len() as u64,
            Attribute::N(number) => number_size(*number),
            Attribute::B(base64) => base64.len() as u64 / 4 * 3,
        }
    }
}

/// The size of an integer: half a byte a digit without trailing zeros, a byte, and one for a sign.
fn number_size(number: i64) -> u64 {
    let digits = number.unsigned_abs().to_string();
    let significant = digits.trim_end_matches('0').len() as u64;
    1 + significant.div_ceil(2) + u64::from(number < 0)
}

/// An item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item(BTreeMap<&'static str, Attribute>);

impl Item {
    /// That version of the item of that key.
    pub fn generate(seed: u64, key: Key, version: u64) -> Item {
        let mut random = Random::stream(seed, version);
        let (pk, sk) = key.values();
        let mut item = BTreeMap::from([("pk", Attribute::S(pk)), ("sk", Attribute::S(sk))]);
        let version = i64::try_from(version).unwrap_or(i64::MAX);
        item.insert(VERSION, Attribute::N(version));
        // Half of the keys of an index are no key: such an item has no entry.
        if random.percent(70) {
            let partition = random.between(0, 5);
            item.insert("gpk", Attribute::S(format!("group-{partition}")));
        }
        if random.percent(80) {
            item.insert("gsk", Attribute::N(number(&mut random)));
        }
        if random.percent(60) {
            item.insert(LOCAL_SORT, Attribute::N(number(&mut random)));
        }
        if random.percent(50) {
            item.insert(INCLUDED, Attribute::N(number(&mut random)));
        }
        if random.percent(30) {
            let mut base64 = String::new();
            let length = 4 * random.between(0, 40) as usize;
            random.letters(length, &mut base64);
            item.insert("bin", Attribute::B(base64));
        }
        let length = match random.between(0, 100) {
            0..45 => random.between(0, 100),
            45..75 => random.between(100, 2_000),
            75..92 => random.between(2_000, 20_000),
            _ => random.between(20_000, 100_000),
        };
        let mut text = String::new();
        random.letters(length as usize, &mut text);
        item.insert("text", Attribute::S(text));
        Item(item)
    }

    /// The item as requests and answers have it.
    pub fn json(&self) -> String {
        let mut json = String::from("{");
        for (name, attribute) in &self.0 {
            let comma = if json.len() > 1 { "," } else { "" };
            // Writing to a string cannot fail, and no value needs escaping.
            let _ = match attribute {
                Attribute::S(text) => write!(json, r#"{comma}"{name}":{{"S":"{text}"}}"#),
                Attribute::N(number) => write!(json, r#"{comma}"{name}":{{"N":"{number}"}}"#),
                Attribute::B(base64) => write!(json, r#"{comma}"{name}":{{"B":"{base64}"}}"#),
            };
        }
        json.push('}');
        json
    }

    /// The same, to be compared with an answer.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.json()).unwrap_or_default()
    }

    /// The item's size.
    pub fn size(&self) -> u64 {
        self.0.iter().map(|(name, value)| name.len() as u64 + value.size()).sum()
    }

    /// Its entry in the global index, if it has one.
    pub fn global_entry(&self) -> Option<Item> {
        let keyed = GLOBAL_KEY.iter().all(|name| self.0.contains_key(name));
        let names = TABLE_KEY.iter().chain(&GLOBAL_KEY).chain([&INCLUDED]);
        let attributes = names.filter_map(|name| self.0.get_key_value(name));
        let entry = attributes.map(|(name, value)| (*name, value.clone())).collect();
        keyed.then_some(Item(entry))
    }

    /// Its entry in the local index, if it has one.
    pub fn local_entry(&self) -> Option<Item> {
        self.0.contains_key(LOCAL_SORT).then(|| self.clone())
    }
}

/// Signs and trailing zeros matter for sizes, so there are many of both.
fn number(random: &mut Random) -> i64 {
    let magnitude = 10_i64.pow(random.between(0, 12) as u32);
    let digits = random.between(0, 1_000) as i64;
    let number = digits * magnitude;
    if random.percent(40) { -number } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { owner: Some(3), index: 7 };

    #[test]
    fn integers_have_the_sizes_of_the_sheet() {
        for (number, size) in
            [(0, 1), (1, 2), (12, 2), (100, 2), (123, 3), (1010, 3), (-42, 3), (123_456, 4)]
        {
            assert_eq!(number_size(number), size, "{number}");
        }
    }

    #[test]
    fn sizes_are_names_and_values() {
        let item = Item(BTreeMap::from([
            ("pk", Attribute::S("ab".to_owned())),
            ("sk", Attribute::S("c".to_owned())),
            ("bin", Attribute::B("AAAABBBB".to_owned())),
            ("gpk", Attribute::S("g".to_owned())),
            ("gsk", Attribute::N(15)),
        ]));
        assert_eq!(item.size(), 4 + 3 + 9 + 4 + 5);
        assert_eq!(item.global_entry().map(|entry| entry.size()), Some(4 + 3 + 4 + 5));
        assert_eq!(item.local_entry(), None);
    }

    #[test]
    fn an_item_follows_from_its_version() {
        let item = Item::generate(1, KEY, 50);
        assert_eq!(item, Item::generate(1, KEY, 50));
        assert_ne!(item, Item::generate(1, KEY, 51));
        let json: serde_json::Value = serde_json::from_str(&item.json()).unwrap();
        assert_eq!(json[VERSION]["N"], "50");
        assert_eq!(json["pk"]["S"], "writer-3");
    }
}
