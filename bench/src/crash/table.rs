//! The table of the campaign: its definition, its requests, and reading all it has.

use super::{
    check::{Contents, Observation, Totals},
    history::Histories,
    item::{GLOBAL_KEY, INCLUDED, Item, Key, LOCAL_SORT, TABLE_KEY},
};
use crate::{
    dynamo::{RequestError, ask, describe},
    http::Connection,
};
use serde_json::{Value, json};

const NAME: &str = "crash";

/// The request that makes the table.
pub fn create() -> String {
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let schema = |hash: &str, range: &str| {
        json!([
            {"AttributeName": hash, "KeyType": "HASH"},
            {"AttributeName": range, "KeyType": "RANGE"},
        ])
    };
    let ([pk, sk], [gpk, gsk]) = (TABLE_KEY, GLOBAL_KEY);
    json!({
        "TableName": NAME,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            attribute(pk, "S"),
            attribute(sk, "S"),
            attribute(gpk, "S"),
            attribute(gsk, "N"),
            attribute(LOCAL_SORT, "N"),
        ],
        "KeySchema": schema(pk, sk),
        "GlobalSecondaryIndexes": [{
            "IndexName": "global",
            "KeySchema": schema(gpk, gsk),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [INCLUDED]},
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": "local",
            "KeySchema": schema(pk, LOCAL_SORT),
            "Projection": {"ProjectionType": "ALL"},
        }],
    })
    .to_string()
}

/// The request that puts an item.
pub fn put(item: &Item) -> String {
    format!(r#"{{"TableName":"{NAME}","Item":{}}}"#, item.json())
}

/// The request that deletes or reads an item.
pub fn keyed(key: Key) -> String {
    format!(r#"{{"TableName":"{NAME}","Key":{}}}"#, key.json())
}

/// Reads every key ever used, and what the table says about itself. Nothing may write meanwhile.
pub fn observe(
    connection: &mut Connection,
    histories: &Histories,
) -> Result<Observation, RequestError> {
    let mut seen = Observation::default();
    for &key in histories.keys() {
        let mut answer = ask(connection, "GetItem", &keyed(key))?;
        seen.items.insert(key, answer.get_mut("Item").map(Value::take));
    }
    let description = describe(connection, NAME)?.unwrap_or_default();
    let index = |list: &str| {
        let first = description.get(list).and_then(|list| list.get(0));
        totals(first.unwrap_or(&Value::Null), "IndexSizeBytes")
    };
    seen.described = Contents {
        table: totals(&description, "TableSizeBytes"),
        global: index("GlobalSecondaryIndexes"),
        local: index("LocalSecondaryIndexes"),
    };
    Ok(seen)
}

/// Counts that are missing or negative become a number that no check takes for right.
fn totals(description: &Value, bytes: &str) -> Totals {
    let number = |name: &str| description.get(name).and_then(Value::as_u64);
    Totals {
        count: number("ItemCount").unwrap_or(u64::MAX),
        bytes: number(bytes).unwrap_or(u64::MAX),
    }
}
