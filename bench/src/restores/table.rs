//! The table of the campaign: its definition, its keys, and reading all that a table has.

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
pub const NAME: &str = "past";
/// The attribute that says when an item expires.
pub const EXPIRES: &str = "expires";
/// The partition key of the global index.
pub const TEAM: &str = "team";
/// The sort key of the local index.
pub const RANK: &str = "rank";
/// The attribute that tells writes apart.
pub const BY: &str = "by";
/// The global index, which has BY besides keys, and the local one, which has everything.
pub const INDEXES: [&str; 2] = ["by-team", "by-rank"];
/// What the partition keys begin with that only one client writes.
pub const OWN: &str = "OWN#";
/// What the others begin with.
pub const SHARED: &str = "ALL#";
/// Items with the same partition key, at most.
const TOGETHER: u64 = 5;

/// An item as DynamoDB's JSON has it.
pub type Item = Map<String, Value>;

/// All items of a table.
pub type Items = BTreeMap<Key, Item>;

/// A primary key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The partition key.
    pub pk: String,
    /// The sort key.
    pub sk: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pk, self.sk)
    }
}

impl Key {
    /// The key with a number.
    pub fn new(prefix: &str, number: u64) -> Key {
        let (pk, sk) = (number / TOGETHER, number % TOGETHER);
        Key { pk: format!("{prefix}{pk}"), sk: format!("S#{sk}") }
    }

    /// The key as an item with nothing else.
    pub fn item(&self) -> Item {
        let value = |text: &str| json!({"S": text});
        Map::from_iter([("pk".to_owned(), value(&self.pk)), ("sk".to_owned(), value(&self.sk))])
    }

    /// The key of an item.
    pub fn of(item: &Item) -> Option<Key> {
        Some(Key { pk: text_of(item, "pk")?.to_owned(), sk: text_of(item, "sk")?.to_owned() })
    }
}

/// A text of an item.
pub fn text_of<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name)?.get("S")?.as_str()
}

/// A number as an attribute value.
pub fn number(value: u64) -> Value {
    json!({"N": value.to_string()})
}

/// A number of an item.
pub fn number_of(item: &Item, name: &str) -> Option<u64> {
    item.get(name)?.get("N")?.as_str()?.parse().ok()
}

/// Milliseconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// Milliseconds as requests have them.
pub fn date(millis: u64) -> Value {
    json!(millis as f64 / 1e3)
}

/// The requests that make the table.
pub fn create() -> [(&'static str, String); 3] {
    let table = json!({
        "TableName": NAME,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": TEAM, "AttributeType": "S"},
            {"AttributeName": RANK, "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "GlobalSecondaryIndexes": [{
            "IndexName": INDEXES[0],
            "KeySchema": [{"AttributeName": TEAM, "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [BY]},
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": INDEXES[1],
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": RANK, "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }],
    });
    let expire = json!({
        "TableName": NAME,
        "TimeToLiveSpecification": {"Enabled": true, "AttributeName": EXPIRES},
    });
    let recover = json!({
        "TableName": NAME,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
    });
    [
        ("CreateTable", table.to_string()),
        ("UpdateContinuousBackups", recover.to_string()),
        ("UpdateTimeToLive", expire.to_string()),
    ]
}

/// What the indexes have of these items.
pub fn indexed(items: &Items) -> [Items; 2] {
    let (mut global, mut local) = (Items::new(), Items::new());
    for (key, item) in items {
        if item.contains_key(TEAM) {
            let mut part = item.clone();
            part.retain(|name, _| ["pk", "sk", TEAM, BY].contains(&name.as_str()));
            global.insert(key.clone(), part);
        }
        if item.contains_key(RANK) {
            local.insert(key.clone(), item.clone());
        }
    }
    [global, local]
}

/// All items of a table or of one of its indexes.
pub fn read(
    connection: &mut Connection,
    table: &str,
    index: Option<&str>,
) -> Result<Items, RequestError> {
    let mut request = Map::new();
    request.insert("TableName".to_owned(), table.into());
    match index {
        Some(index) => request.insert("IndexName".to_owned(), index.into()),
        None => request.insert("ConsistentRead".to_owned(), true.into()),
    };
    let mut items = Items::new();
    for item in all_pages(connection, "Scan", request)? {
        let Value::Object(item) = item else {
            return Err(RequestError::Unexpected("an item that is no object"));
        };
        let key = Key::of(&item).ok_or(RequestError::Unexpected("an item without a key"))?;
        if items.insert(key, item).is_some() {
            return Err(RequestError::Unexpected("a Scan has an item twice"));
        }
    }
    Ok(items)
}
