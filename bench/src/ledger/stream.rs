//! Reads a stream from its beginning and makes a table of its changes.

use crate::{
    dynamo::{RequestError, ask},
    http::Connection,
    outage::Violation,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A shard that takes more pages goes round in circles.
const MOST_PAGES: usize = 10_000;

/// Items by their keys.
pub type Items = BTreeMap<String, Value>;

/// What the stream's changes make of an empty table. A change must begin where the one before it ended.
pub fn fold(
    connection: &mut Connection,
    arn: &str,
    violations: &mut Vec<Violation>,
) -> Result<Items, RequestError> {
    let mut items = Items::new();
    let description = ask(connection, "DescribeStream", &json!({"StreamArn": arn}).to_string())?;
    let shards = description.get("StreamDescription").and_then(|d| d.get("Shards")?.as_array());
    for shard in shards.into_iter().flatten() {
        let id = shard.get("ShardId").and_then(Value::as_str).unwrap_or_default();
        let request = json!({"StreamArn": arn, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"});
        let answer = ask(connection, "GetShardIterator", &request.to_string())?;
        let mut next = answer.get("ShardIterator").cloned();
        for _ in 0..MOST_PAGES {
            let Some(iterator) = next.take() else {
                break;
            };
            let request = json!({"ShardIterator": iterator, "Limit": 1000});
            let answer = ask(connection, "GetRecords", &request.to_string())?;
            let records = answer.get("Records").and_then(Value::as_array);
            let records = records.map(Vec::as_slice).unwrap_or_default();
            if records.is_empty() {
                break;
            }
            for record in records {
                follow(&mut items, record, violations);
            }
            next = answer.get("NextShardIterator").filter(|next| next.is_string()).cloned();
        }
    }
    Ok(items)
}

fn follow(items: &mut Items, record: &Value, violations: &mut Vec<Violation>) {
    let change = record.get("dynamodb");
    let part = |name: &str| change.and_then(|change| change.get(name));
    let key = part("Keys").map(Value::to_string).unwrap_or_default();
    let (old, new) = (part("OldImage"), part("NewImage"));
    if items.get(&key) != old {
        let text = format!("the stream's change of {key} does not begin where the last one ended");
        violations.push(Violation::inconsistent(text));
    }
    match new {
        Some(new) => items.insert(key, new.clone()),
        None => items.remove(&key),
    };
}
