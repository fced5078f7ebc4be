//! TransactWriteItems and TransactGetItems, request by request.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::Server;

fn server() -> Server {
    let server = Server::new();
    for name in ["one", "two"] {
        let request = json!({
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"}}],
            "BillingMode": "PAY_PER_REQUEST",
        });
        server.ok("CreateTable", request);
    }
    server.ok("PutItem", json!({"TableName": "one", "Item": {"p": {"S": "a"}, "n": {"N": "5"}}}));
    server
}

fn key(name: &str) -> Value {
    json!({"p": {"S": name}})
}

fn put(table: &str, name: &str) -> Value {
    json!({"Put": {"TableName": table, "Item": key(name)}})
}

fn check(table: &str, name: &str, condition: &str) -> Value {
    json!({"ConditionCheck": {"TableName": table, "Key": key(name), "ConditionExpression": condition}})
}

fn add(name: &str, number: i64, condition: Option<&str>) -> Value {
    let mut update = json!({"TableName": "one", "Key": key(name), "UpdateExpression": "SET n = n + :n",
        "ExpressionAttributeValues": {":n": {"N": number.to_string()}}});
    if let Some(condition) = condition {
        update["ConditionExpression"] = json!(condition);
    }
    json!({"Update": update})
}

fn items(list: Value) -> Value {
    json!({"TransactItems": list})
}

fn get(server: &Server, table: &str, name: &str) -> Value {
    server.ok("GetItem", json!({"TableName": table, "Key": key(name)}))["Item"].clone()
}

const CANCELLED: &str = "TransactionCanceledException: Transaction cancelled, please refer cancellation \
                         reasons for specific reasons";

#[test]
fn all_writes_are_made_together() {
    let server = server();
    let delete = json!({"Delete": {"TableName": "two", "Key": key("gone")}});
    let mut request = items(json!([
        put("two", "b"),
        add("a", 2, Some("n = :n OR n > :n")),
        delete,
        check("two", "x", "attribute_not_exists(p)")
    ]));
    request["ReturnConsumedCapacity"] = json!("INDEXES");
    let units = |units: f64| json!({"CapacityUnits": units, "WriteCapacityUnits": units});
    let capacity = |table: &str, total: f64| json!({"TableName": table, "CapacityUnits": total, "WriteCapacityUnits": total, "Table": units(total)});
    let answer = server.ok("TransactWriteItems", request);
    assert_eq!(answer, json!({"ConsumedCapacity": [capacity("one", 2.0), capacity("two", 6.0)]}));
    assert_eq!(get(&server, "one", "a")["n"]["N"], "7");
    assert_eq!(get(&server, "two", "b"), key("b"));
}

#[test]
fn none_is_made_if_one_fails() {
    let server = server();
    for (list, codes) in [
        (json!([put("two", "b"), add("a", 1, Some("n = :n"))]), "[None, ConditionalCheckFailed]"),
        (
            json!([
                add("a", 1, Some("n = :n")),
                put("two", "b"),
                check("two", "b2", "attribute_exists(p)")
            ]),
            "[ConditionalCheckFailed, None, ConditionalCheckFailed]",
        ),
        (json!([put("two", "b"), add("missing", 1, None)]), "[None, ValidationError]"),
        (
            json!([put("two", "b"), {"Put": {"TableName": "one", "Item": {"p": {"N": "1"}}}}]),
            "[None, ValidationError]",
        ),
        (
            json!([put("two", "b"), {"Delete": {"TableName": "one", "Key": {"q": {"S": "1"}}}}]),
            "[None, ValidationError]",
        ),
        (
            json!([put("two", "b"), {"Put": {"TableName": "one", "Item": {"p": {"S": "1"}, "g": {"N": "1"}}}}]),
            "[None, ValidationError]",
        ),
        (json!([add("missing", 1, None), add("missing2", 1, None)]), "[ValidationError, None]"),
    ] {
        server.refused("TransactWriteItems", items(list), &format!("{CANCELLED} {codes}"));
        assert_eq!(get(&server, "two", "b"), Value::Null, "{codes}");
        assert_eq!(get(&server, "one", "a")["n"]["N"], "5", "{codes}");
    }
}

#[test]
fn requests_that_make_no_sense_are_refused_whole() {
    let server = server();
    let large = json!({"Put": {"TableName": "one", "Item": {"p": {"S": "x"}, "v": {"S": "x".repeat(409_600)}}}});
    let many: Vec<Value> = (0..101).map(|i| put("one", &format!("k{i}"))).collect();
    for (list, text) in [
        (
            json!([]),
            "1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
        ),
        (
            json!([put("one", "x"), put("one", "x")]),
            "Transaction request cannot include multiple operations on one item",
        ),
        (
            json!([put("one", "a"), add("a", 1, None)]),
            "Transaction request cannot include multiple operations on one item",
        ),
        (json!([{}]), "TransactItems can only contain one of Check, Put, Update or Delete"),
        (
            json!([{"Put": {"TableName": "one", "Item": key("x")}, "Delete": {"TableName": "one", "Key": key("y")}}]),
            "TransactItems can only contain one of Check, Put, Update or Delete",
        ),
        (json!([large]), "Item size has exceeded the maximum allowed size"),
        (
            json!([{"Put": {"TableName": "one", "Item": {"p": {"S": ""}}}}]),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: p",
        ),
        (
            json!([check("one", "a", "n = :undefined")]),
            "Invalid ConditionExpression: An expression attribute value used in expression is not defined; attribute value: :undefined",
        ),
    ] {
        server.invalid("TransactWriteItems", items(list), text);
    }
    let (name, text) = server.call("TransactWriteItems", &items(json!(many))).unwrap_err();
    assert_eq!(name, "ValidationException");
    assert!(text.ends_with("Member must have length less than or equal to 100"), "{text}");
    server.refused(
        "TransactWriteItems",
        items(json!([put("one", "x"), put("none", "x")])),
        "ResourceNotFoundException: Requested resource not found",
    );
}

#[test]
fn a_token_makes_a_request_count_once() {
    let server = server();
    let request = |number: i64, token: &str| json!({"TransactItems": [add("a", number, None)], "ClientRequestToken": token, "ReturnConsumedCapacity": "TOTAL"});
    let first = server.ok("TransactWriteItems", request(1, "t1"));
    assert_eq!(first["ConsumedCapacity"][0]["WriteCapacityUnits"], 2.0);
    let again = server.ok("TransactWriteItems", request(1, "t1"));
    assert_eq!(again["ConsumedCapacity"][0]["ReadCapacityUnits"], 2.0);
    assert_eq!(again["ConsumedCapacity"][0].get("WriteCapacityUnits"), None);
    assert_eq!(get(&server, "one", "a")["n"]["N"], "6");
    let (name, _) = server.call("TransactWriteItems", &request(2, "t1")).unwrap_err();
    assert_eq!(name, "IdempotentParameterMismatchException");
    server.ok("TransactWriteItems", request(1, "t2"));
    assert_eq!(get(&server, "one", "a")["n"]["N"], "7");
    // A cancelled transaction leaves no token behind.
    let failing =
        json!({"TransactItems": [add("a", 1, Some("n < :n"))], "ClientRequestToken": "t3"});
    server.refused("TransactWriteItems", failing, &format!("{CANCELLED} [ConditionalCheckFailed]"));
    server.ok("TransactWriteItems", request(1, "t3"));
    server.wait(Duration::from_secs(600));
    server.ok("TransactWriteItems", request(1, "t1"));
    assert_eq!(get(&server, "one", "a")["n"]["N"], "9");
}

#[test]
fn reads_are_given_in_order() {
    let server = server();
    let get = |table: &str, name: &str| json!({"Get": {"TableName": table, "Key": key(name)}});
    let mut request = items(json!([get("two", "none"), get("one", "a"),
        {"Get": {"TableName": "one", "Key": key("b"), "ProjectionExpression": "n"}}]));
    request["ReturnConsumedCapacity"] = json!("TOTAL");
    let capacity = |table: &str, units: f64| json!({"TableName": table, "CapacityUnits": units, "ReadCapacityUnits": units});
    assert_eq!(
        server.ok("TransactGetItems", request),
        json!({"Responses": [{}, {"Item": {"p": {"S": "a"}, "n": {"N": "5"}}}, {}],
            "ConsumedCapacity": [capacity("one", 4.0), capacity("two", 2.0)]})
    );
    server.invalid(
        "TransactGetItems",
        items(json!([get("one", "a"), get("one", "a")])),
        "Transaction request cannot include multiple operations on one item",
    );
}
