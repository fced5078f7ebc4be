//! The table of the campaign: its definition, its requests, and reading all it has.

use super::{
    check::{Contents, Observation, Totals},
    history::Histories,
    item::{GLOBAL_KEY, INCLUDED, Item, Key, LOCAL_SORT, TABLE_KEY},
};
use crate::{
    dynamo::{RequestError, all_pages, ask, describe},
    http::Connection,
};
use serde_json::{Map, Value, json};

const NAME: &str = "crash";
const GLOBAL: &str = "global";
const LOCAL: &str = "local";

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
            "IndexName": GLOBAL,
            "KeySchema": schema(gpk, gsk),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [INCLUDED]},
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": LOCAL,
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

/// Reads every key ever used, all that Scan finds, and what the table says about itself. Nothing may write meanwhile.
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
    seen.scanned = scan(connection, None)?;
    seen.scanned_global = scan(connection, Some(GLOBAL))?;
    seen.scanned_local = scan(connection, Some(LOCAL))?;
    Ok(seen)
}

/// Reads all pages of the table or of an index.
fn scan(connection: &mut Connection, index: Option<&str>) -> Result<Vec<Value>, RequestError> {
    let mut request = Map::from_iter([("TableName".to_owned(), NAME.into())]);
    if let Some(index) = index {
        request.insert("IndexName".to_owned(), index.into());
    }
    all_pages(connection, "Scan", request)
}

/// Counts that are missing or negative become a number that no check takes for right.
fn totals(description: &Value, bytes: &str) -> Totals {
    let number = |name: &str| description.get(name).and_then(Value::as_u64);
    Totals {
        count: number("ItemCount").unwrap_or(u64::MAX),
        bytes: number(bytes).unwrap_or(u64::MAX),
    }
}
