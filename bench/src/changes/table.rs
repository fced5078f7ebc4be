//! The table that clients write to: its definition, its keys, and reading all it has.

use super::index::{BY_GROUP, BY_HITS};
use crate::{
    dynamo::{RequestError, all_pages},
    http::Connection,
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    fmt,
    time::{SystemTime, UNIX_EPOCH},
};

/// The table's name.
pub const TABLE: &str = "changes";
/// The attribute that says which write an item is of.
pub const BY: &str = "by";
/// The attribute that says when an item expires.
pub const EXPIRES: &str = "expires";
/// The attribute that counts updates.
pub const HITS: &str = "hits";
/// The partition key of the index.
pub const GROUP: &str = "group";
/// Items with the same partition key, at most.
const TOGETHER: u32 = 4;

/// An item as DynamoDB's JSON has it.
pub type Item = Map<String, Value>;

/// All items of a table.
pub type Items = BTreeMap<Key, Item>;

/// A primary key, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pk(), self.sk())
    }
}

impl Key {
    fn pk(self) -> String {
        format!("P#{}", self.0 / TOGETHER)
    }

    fn sk(self) -> String {
        format!("S#{}", self.0 % TOGETHER)
    }

    /// The key as an item with nothing else.
    pub fn item(self) -> Item {
        let value = |text: String| json!({"S": text});
        Map::from_iter([("pk".to_owned(), value(self.pk())), ("sk".to_owned(), value(self.sk()))])
    }

    /// The key of an item.
    pub fn of(item: &Item) -> Option<Key> {
        let text = |name: &str, prefix: &str| {
            item.get(name)?.get("S")?.as_str()?.strip_prefix(prefix)?.parse::<u32>().ok()
        };
        Some(Key(text("pk", "P#")? * TOGETHER + text("sk", "S#")?))
    }
}

/// A number as an attribute value.
pub fn number(value: u64) -> Value {
    json!({"N": value.to_string()})
}

/// A number of an item.
pub fn number_of(item: &Item, name: &str) -> Option<u64> {
    item.get(name)?.get("N")?.as_str()?.parse().ok()
}

/// The second since 1970.
pub fn now() -> u64 {
    millis() / 1000
}

/// The millisecond since 1970.
pub fn millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// Whether an item may expire by a second.
pub fn is_due(item: &Item, second: u64) -> bool {
    number_of(item, EXPIRES).is_some_and(|due| due <= second)
}

/// The request that makes the table, with its first stream.
pub fn create() -> String {
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            BY_GROUP.attribute(),
            BY_HITS.attribute(),
        ],
        "KeySchema": key_schema(),
        "GlobalSecondaryIndexes": [BY_GROUP.definition()],
        "LocalSecondaryIndexes": [BY_HITS.definition()],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    })
    .to_string()
}

/// The key of the table.
pub fn key_schema() -> Value {
    json!([
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ])
}

/// The request that lets items expire.
pub fn expire() -> String {
    json!({
        "TableName": TABLE,
        "TimeToLiveSpecification": {"Enabled": true, "AttributeName": EXPIRES},
    })
    .to_string()
}

/// All items.
pub fn scan(connection: &mut Connection) -> Result<Items, RequestError> {
    read(connection, TABLE, None)
}

/// All items of a table like this one, or of one of its indexes.
pub fn read(
    connection: &mut Connection,
    table: &str,
    index: Option<&str>,
) -> Result<Items, RequestError> {
    let mut request = Map::from_iter([("TableName".to_owned(), table.into())]);
    match index {
        Some(index) => request.insert("IndexName".to_owned(), index.into()),
        None => request.insert("ConsistentRead".to_owned(), true.into()),
    };
    let mut items = Items::new();
    for item in all_pages(connection, "Scan", request)? {
        let Value::Object(item) = item else {
            return Err(RequestError::Unexpected("an item that is no object"));
        };
        let key = Key::of(&item).ok_or(RequestError::Unexpected("an item nobody has put"))?;
        if items.insert(key, item).is_some() {
            return Err(RequestError::Unexpected("a Scan has an item twice"));
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_its_item() {
        for number in [0, 1, 3, 4, 399] {
            assert_eq!(Key::of(&Key(number).item()), Some(Key(number)));
        }
        assert_eq!(Key::of(&Item::new()), None);
    }
}
