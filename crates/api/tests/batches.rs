//! BatchWriteItem and BatchGetItem, request by request.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use support::Server;

fn server() -> Server {
    let server = Server::new();
    for name in ["one", "two"] {
        let request = json!({
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "N"}, {"AttributeName": "g", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"}}],
            "BillingMode": "PAY_PER_REQUEST",
        });
        server.ok("CreateTable", request);
    }
    server
}

fn key(number: usize) -> Value {
    json!({"p": {"N": number.to_string()}})
}

fn put(number: usize) -> Value {
    json!({"PutRequest": {"Item": {"p": {"N": number.to_string()}, "g": {"S": "x"}, "v": {"S": "y"}}}})
}

fn delete(number: usize) -> Value {
    json!({"DeleteRequest": {"Key": key(number)}})
}

#[test]
fn writes_and_reads_go_to_several_tables() {
    let server = server();
    let request = json!({
        "RequestItems": {"one": [put(1), put(2)], "two": [put(1), delete(9)]},
        "ReturnConsumedCapacity": "INDEXES",
    });
    let capacity = |table: &str, own: f64, index: f64| {
        json!({"TableName": table, "CapacityUnits": own + index, "Table": {"CapacityUnits": own},
            "GlobalSecondaryIndexes": {"gsi": {"CapacityUnits": index}}})
    };
    assert_eq!(
        server.ok("BatchWriteItem", request),
        json!({"UnprocessedItems": {}, "ConsumedCapacity": [capacity("one", 2.0, 2.0), capacity("two", 2.0, 1.0)]})
    );
    let request = json!({
        "RequestItems": {
            "one": {"Keys": [key(1), key(2), key(3)], "ProjectionExpression": "#v", "ExpressionAttributeNames": {"#v": "v"}},
            "two": {"Keys": [key(1)], "ConsistentRead": true, "AttributesToGet": ["p"]},
        },
        "ReturnConsumedCapacity": "TOTAL",
    });
    assert_eq!(
        server.ok("BatchGetItem", request),
        json!({
            "Responses": {"one": [{"v": {"S": "y"}}, {"v": {"S": "y"}}], "two": [key(1)]},
            "UnprocessedKeys": {},
            "ConsumedCapacity": [{"TableName": "one", "CapacityUnits": 1.5}, {"TableName": "two", "CapacityUnits": 1.0}],
        })
    );
    server.ok("BatchWriteItem", json!({"RequestItems": {"one": [delete(1), delete(2)]}}));
    let left =
        server.ok("BatchGetItem", json!({"RequestItems": {"one": {"Keys": [key(1), key(2)]}}}));
    assert_eq!(left, json!({"Responses": {"one": []}, "UnprocessedKeys": {}}));
}

#[test]
fn one_bad_write_refuses_the_batch() {
    let server = server();
    let many: Vec<Value> = (0..26).map(put).collect();
    let (some, others): (Vec<Value>, Vec<Value>) =
        ((0..13).map(put).collect(), (0..13).map(put).collect());
    let huge = json!({"PutRequest": {"Item": {"p": {"N": "1"}, "v": {"S": "x".repeat(409_600)}}}});
    for (items, text) in [
        (json!({}), "The requestItems parameter is required for BatchWriteItem"),
        (Value::Null, "The requestItems parameter is required for BatchWriteItem"),
        (
            json!({"one": some, "two": others}),
            "Too many items requested for the BatchWriteItem call",
        ),
        (
            json!({"one": [put(1), put(2), put(1)]}),
            "Provided list of item keys contains duplicates",
        ),
        (
            json!({"one": [put(1), {"DeleteRequest": {"Key": {"p": {"N": "1.0"}}}}]}),
            "Provided list of item keys contains duplicates",
        ),
        (json!({"one": [put(1), huge]}), "Item size has exceeded the maximum allowed size"),
        (
            json!({"one": [put(1), {"PutRequest": {"Item": {"v": {"S": "x"}}}}]}),
            "One or more parameter values were invalid: Missing the key p in the item",
        ),
        (
            json!({"one": [put(1), {"PutRequest": {"Item": {"p": {"N": "2"}, "g": {"N": "1"}}}}]}),
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: gsi",
        ),
        (
            json!({"one": [put(1), {"DeleteRequest": {"Key": {"p": {"S": "2"}}}}]}),
            "The provided key element does not match the schema",
        ),
        (
            json!({"one": [put(1), {}]}),
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            json!({"one": [put(1), {"PutRequest": {"Item": {"p": {"N": "x"}}}}]}),
            "The parameter cannot be converted to a numeric value: x",
        ),
    ] {
        server.invalid("BatchWriteItem", json!({"RequestItems": items}), text);
    }
    let (_, text) =
        server.call("BatchWriteItem", &json!({"RequestItems": {"one": many}})).unwrap_err();
    assert!(
        text.ends_with(
            "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: \
             [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"
        ),
        "{text}"
    );
    server.refused(
        "BatchWriteItem",
        json!({"RequestItems": {"one": [put(1)], "none": [put(1)]}}),
        "ResourceNotFoundException: Requested resource not found",
    );
    let table = server.ok("DescribeTable", json!({"TableName": "one"}));
    assert_eq!(table["Table"]["ItemCount"], 0, "nothing was written");
}

#[test]
fn reads_have_limits() {
    let server = server();
    let keys = |from: usize, to: usize| -> Vec<Value> { (from..to).map(key).collect() };
    for (items, text) in [
        (json!({}), "The requestItems parameter is required for BatchGetItem"),
        (
            json!({"one": {"Keys": keys(0, 101)}}),
            "1 validation error detected: Value at 'RequestItems.one.member.Keys' failed to satisfy constraint: \
             Member must have length less than or equal to 100",
        ),
        (
            json!({"one": {"Keys": keys(0, 60)}, "two": {"Keys": keys(0, 60)}}),
            "Too many items requested for the BatchGetItem call",
        ),
        (
            json!({"one": {"Keys": [key(1), key(1)]}}),
            "Provided list of item keys contains duplicates",
        ),
        (
            json!({"one": {"Keys": [{"p": {"S": "1"}}]}}),
            "The provided key element does not match the schema",
        ),
        (
            json!({"one": {"Keys": [key(1)], "AttributesToGet": ["p"], "ProjectionExpression": "p"}}),
            "Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}",
        ),
        (
            json!({"one": {"Keys": [key(1)], "ExpressionAttributeNames": {"#a": "a"}}}),
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
    ] {
        server.invalid("BatchGetItem", json!({"RequestItems": items}), text);
    }
}

#[test]
fn an_answer_that_is_full_leaves_keys_over() {
    let server = server();
    let large = "x".repeat(400_000);
    for number in 0..50 {
        let item = json!({"p": {"N": number.to_string()}, "v": {"S": large}});
        server.ok("PutItem", json!({"TableName": "one", "Item": item}));
    }
    let mut keys: Vec<Value> = (0..50).map(key).collect();
    let (mut read, mut calls) = (0, 0);
    while !keys.is_empty() {
        let wanted = json!({"one": {"Keys": keys, "ConsistentRead": true}});
        let answer = server.ok("BatchGetItem", json!({"RequestItems": wanted}));
        read += answer["Responses"]["one"].as_array().unwrap().len();
        calls += 1;
        let left = &answer["UnprocessedKeys"]["one"];
        keys = left["Keys"].as_array().cloned().unwrap_or_default();
        assert!(keys.is_empty() || left["ConsistentRead"] == true);
    }
    assert_eq!((read, calls), (50, 2));
}
