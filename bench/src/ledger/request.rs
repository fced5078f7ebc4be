//! The bodies of requests.

use super::item::{GLOBAL, HOT, Key, LATE, OPTIONAL, TABLE, item};
use serde_json::{Map, Value, json};

fn attribute(name: &str, kind: &str) -> Value {
    json!({"AttributeName": name, "AttributeType": kind})
}

fn schema(names: &[&str]) -> Value {
    let keys = names.iter().zip(["HASH", "RANGE"]);
    keys.map(|(name, kind)| json!({"AttributeName": name, "KeyType": kind})).collect()
}

/// The request that makes a table.
pub fn create(name: &str) -> String {
    let mut request = json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [attribute("pk", "S"), attribute("sk", "S")],
        "KeySchema": schema(&["pk", "sk"]),
    });
    if let (TABLE, Some(request)) = (name, request.as_object_mut()) {
        let attributes = [("pk", "S"), ("sk", "S"), ("gpk", "S"), ("gsk", "N")];
        let attributes = attributes.map(|(name, kind)| attribute(name, kind));
        request.insert("AttributeDefinitions".to_owned(), attributes.to_vec().into());
        let index = json!([{
            "IndexName": GLOBAL,
            "KeySchema": schema(&["gpk", "gsk"]),
            "Projection": {"ProjectionType": "ALL"},
        }]);
        request.insert("GlobalSecondaryIndexes".to_owned(), index);
        let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
        request.insert("StreamSpecification".to_owned(), stream);
    }
    request.to_string()
}

/// The two tables that are always there.
pub const TABLES: [(Key, &str); 2] = [(Key::Table, TABLE), (Key::HotTable, HOT)];

/// The request that adds or removes the index that comes and goes.
pub fn late(add: bool) -> String {
    let update = if add {
        json!({"Create": {
            "IndexName": LATE,
            "KeySchema": schema(&["num"]),
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }})
    } else {
        json!({"Delete": {"IndexName": LATE}})
    };
    let mut request = json!({"TableName": TABLE, "GlobalSecondaryIndexUpdates": [update]});
    if let (true, Some(request)) = (add, request.as_object_mut()) {
        request.insert("AttributeDefinitions".to_owned(), json!([attribute("num", "N")]));
    }
    request.to_string()
}

/// A PutItem or a DeleteItem.
pub fn write(seed: u64, key: Key, put: bool, version: u64) -> (&'static str, String) {
    let table = key.table();
    if put {
        ("PutItem", json!({"TableName": table, "Item": item(seed, key, version)}).to_string())
    } else {
        ("DeleteItem", json!({"TableName": table, "Key": key.json()}).to_string())
    }
}

/// An UpdateItem that makes an item what a put would make it.
pub fn update(seed: u64, key: Key, version: u64) -> String {
    let item = item(seed, key, version);
    let (mut names, mut values, mut set) = (Map::new(), Map::new(), Vec::new());
    for (name, value) in item.as_object().into_iter().flatten() {
        if name != "pk" && name != "sk" {
            set.push(format!("#{name} = :{name}"));
            names.insert(format!("#{name}"), name.as_str().into());
            values.insert(format!(":{name}"), value.clone());
        }
    }
    let mut expression = format!("SET {}", set.join(", "));
    let gone: Vec<&str> = OPTIONAL.into_iter().filter(|name| item.get(name).is_none()).collect();
    if !gone.is_empty() {
        expression = format!("{expression} REMOVE {}", gone.join(", "));
    }
    json!({
        "TableName": key.table(),
        "Key": key.json(),
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    })
    .to_string()
}

/// A BatchWriteItem.
pub fn batch(seed: u64, writes: &[(Key, bool)], version: u64) -> String {
    let request = |(key, put): &(Key, bool)| {
        if *put {
            json!({"PutRequest": {"Item": item(seed, *key, version)}})
        } else {
            json!({"DeleteRequest": {"Key": key.json()}})
        }
    };
    let requests: Vec<Value> = writes.iter().map(request).collect();
    json!({"RequestItems": {TABLE: requests}}).to_string()
}

/// A TransactWriteItems that puts or deletes all.
pub fn transact(seed: u64, keys: &[Key], put: bool, version: u64) -> String {
    let action = |key: &Key| {
        if put {
            json!({"Put": {"TableName": TABLE, "Item": item(seed, *key, version)}})
        } else {
            json!({"Delete": {"TableName": TABLE, "Key": key.json()}})
        }
    };
    let actions: Vec<Value> = keys.iter().map(action).collect();
    json!({"TransactItems": actions}).to_string()
}
