//! PutItem, GetItem and DeleteItem: values, keys and prices, request by request.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use support::Server;

fn server() -> Server {
    let server = Server::new();
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    server
}

/// Strings, numbers and binaries as keys, an INCLUDE index on `g` and an ALL local index on `l`.
fn indexed() -> Server {
    let server = Server::new();
    let element = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "N"},
                {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "B"}],
            "KeySchema": [element("p", "HASH"), element("s", "RANGE")],
            "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [element("g", "HASH")],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]}}],
            "LocalSecondaryIndexes": [{"IndexName": "lsi", "KeySchema": [element("p", "HASH"), element("l", "RANGE")],
                "Projection": {"ProjectionType": "ALL"}}],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    server
}

fn put(item: Value) -> Value {
    json!({"TableName": "abc", "Item": item})
}

#[test]
fn every_type_comes_back_normalised() {
    let server = server();
    for (sent, kept) in [
        (json!({"S": ""}), json!({"S": ""})),
        (json!({"S": "h\u{e9}\"\\\n\u{1}"}), json!({"S": "h\u{e9}\"\\\n\u{1}"})),
        (json!({"N": "1.5E2"}), json!({"N": "150"})),
        (json!({"N": "-0"}), json!({"N": "0"})),
        (json!({"N": "00042.4200"}), json!({"N": "42.42"})),
        (json!({"N": "1E-3"}), json!({"N": "0.001"})),
        (json!({"N": "1e125"}), json!({"N": format!("1{}", "0".repeat(125))})),
        (json!({"B": ""}), json!({"B": ""})),
        (json!({"B": "AAH/"}), json!({"B": "AAH/"})),
        (json!({"BOOL": false}), json!({"BOOL": false})),
        (json!({"BOOL": "true"}), json!({"BOOL": true})),
        (json!({"NULL": true}), json!({"NULL": true})),
        (json!({"SS": ["b", "", "a"]}), json!({"SS": ["", "a", "b"]})),
        (json!({"NS": ["10", "2.0"]}), json!({"NS": ["2", "10"]})),
        (json!({"BS": ["AQ==", ""]}), json!({"BS": ["", "AQ=="]})),
        (json!({"L": []}), json!({"L": []})),
        (json!({"M": {}}), json!({"M": {}})),
        (
            json!({"L": [{"M": {"k": {"L": [{"N": "1.0"}]}}}, {"S": "x"}]}),
            json!({"L": [{"M": {"k": {"L": [{"N": "1"}]}}}, {"S": "x"}]}),
        ),
        (json!({"S": "x", "N": null, "else": 1}), json!({"S": "x"})),
    ] {
        server.ok("PutItem", put(json!({"a": {"S": "k"}, "v": sent})));
        let got = server.ok("GetItem", json!({"TableName": "abc", "Key": {"a": {"S": "k"}}}));
        assert_eq!(got, json!({"Item": {"a": {"S": "k"}, "v": kept}}), "{sent}");
    }
}

#[test]
fn values_that_are_none_are_refused() {
    let server = server();
    const O: &str = "One or more parameter values were invalid: ";
    for (value, text) in [
        (json!({}), "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes".into()),
        (json!({"S": "a", "N": "1"}), "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes".into()),
        (json!({"NULL": false}), format!("{O}Null attribute value types must have the value of true")),
        (json!({"SS": []}), format!("{O}An string set  may not be empty")),
        (json!({"NS": []}), format!("{O}An number set  may not be empty")),
        (json!({"BS": []}), format!("{O}Binary sets should not be empty")),
        (json!({"SS": ["a", "b", "a"]}), format!("{O}Input collection [a, b, a] contains duplicates.")),
        (json!({"NS": ["1", "1.0"]}), "Input collection contains duplicates".into()),
        (json!({"BS": ["AQ==", "AQ=="]}), format!("{O}Input collection [AQ==, AQ==]of type BS contains duplicates.")),
        (json!({"N": ""}), "The parameter cannot be converted to a numeric value".into()),
        (json!({"N": "x1"}), "The parameter cannot be converted to a numeric value: x1".into()),
        (json!({"N": "1E126"}), "Number overflow. Attempting to store a number with magnitude larger than supported range".into()),
        (json!({"N": "1E-131"}), "Number underflow. Attempting to store a number with magnitude smaller than supported range".into()),
        (json!({"N": "1".repeat(39)}), "Attempting to store more than 38 significant digits in a Number".into()),
        (json!({"L": [{"M": {"x": {"N": "x"}}}]}), "The parameter cannot be converted to a numeric value: x".into()),
    ] {
        server.invalid("PutItem", put(json!({"a": {"S": "k"}, "v": value})), &text);
    }
}

#[test]
fn nesting_has_a_limit() {
    let server = server();
    let nested =
        |levels: usize| (0..levels).fold(json!({"S": "x"}), |inner, _| json!({"L": [inner]}));
    server.ok("PutItem", put(json!({"a": {"S": "k"}, "v": nested(31)})));
    let text = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";
    server.invalid("PutItem", put(json!({"a": {"S": "k"}, "v": nested(32)})), text);
    let deep = format!(
        "{{\"TableName\":\"abc\",\"Item\":{{\"a\":{{\"S\":\"k\"}},\"v\":{}{}}}}}",
        "{\"M\":{\"k\":".repeat(100_000),
        "{\"S\":\"x\"}".to_owned() + &"}}".repeat(100_000)
    );
    let (name, found) = server.send("PutItem", deep.as_bytes()).unwrap_err();
    assert_eq!((name.as_str(), found.as_str()), ("ValidationException", text));
}

#[test]
fn wrong_kinds_are_serialization_errors() {
    let server = server();
    for (body, text) in [
        ("", ""),
        ("{", ""),
        ("[]", "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.PutItemInput"),
        (r#"{"TableName":5}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"TableName":5.5}"#, "DECIMAL_VALUE cannot be converted to String"),
        (r#"{"TableName":true}"#, "TRUE_VALUE cannot be converted to String"),
        (r#"{"TableName":[]}"#, "Unrecognized collection type class java.lang.String"),
        (r#"{"TableName":{}}"#, "Start of structure or map found where not expected"),
        (r#"{"Item":"x"}"#, "Unexpected field type"),
        (r#"{"Item":{"a":"x"}}"#, "Unexpected value type in payload"),
        (r#"{"Item":{"a":{"N":5}}}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"Item":{"a":{"B":5}}}"#, "only base-64-encoded strings are convertible to bytes"),
        (
            r#"{"Item":{"a":{"B":"a"}}}"#,
            "Base64 encoded length is expected a multiple of 4 bytes but found: 1",
        ),
        (r#"{"Item":{"a":{"B":"ab=="}}}"#, "Invalid last non-pad Base64 character dectected"),
        (r#"{"Item":{"a":{"SS":"a"}}}"#, "Unexpected field type"),
        (r#"{"Item":{"a":{"SS":[1]}}}"#, "NUMBER_VALUE cannot be converted to String"),
        (r#"{"Item":{"a":{"BOOL":1}}}"#, "NUMBER_VALUE cannot be converted to Boolean"),
        (r#"{"Item":{"a":{"L":{}}}}"#, "Start of structure or map found where not expected"),
        (
            r#"{"Item":[]}"#,
            "Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
        ),
    ] {
        let (name, found) = server.send("PutItem", body.as_bytes()).unwrap_err();
        assert_eq!((name.as_str(), found.as_str()), ("SerializationException", text), "{body}");
    }
}

#[test]
fn constraints_come_before_everything_else() {
    let server = server();
    let request = json!({"TableName": "", "Item": {"a": {}}, "ReturnValues": "x", "ReturnConsumedCapacity": "y"});
    server.invalid(
        "PutItem",
        request,
        "3 validation errors detected: \
         Value 'x' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: \
         [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]; \
         Value 'y' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: \
         [INDEXES, TOTAL, NONE]; \
         Value '' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
    server.invalid(
        "GetItem",
        json!({}),
        "2 validation errors detected: Value null at 'tableName' failed to satisfy constraint: Member must not be null; \
         Value null at 'key' failed to satisfy constraint: Member must not be null",
    );
}

#[test]
fn return_values_are_old_or_none() {
    let server = server();
    for operation in ["PutItem", "DeleteItem"] {
        let mut request =
            json!({"TableName": "abc", "Item": {"a": {"S": "k"}}, "Key": {"a": {"S": "k"}}});
        request["ReturnValues"] = json!("ALL_NEW");
        server.invalid(operation, request, "ReturnValues can only be ALL_OLD or NONE");
    }
    let old = json!({"a": {"S": "k"}, "v": {"N": "1"}});
    let with = |item: &Value| json!({"TableName": "abc", "Item": item, "ReturnValues": "ALL_OLD"});
    assert_eq!(server.ok("PutItem", with(&old)), json!({}));
    assert_eq!(server.ok("PutItem", with(&json!({"a": {"S": "k"}}))), json!({"Attributes": old}));
    let delete = json!({"TableName": "abc", "Key": {"a": {"S": "k"}}, "ReturnValues": "ALL_OLD"});
    assert_eq!(server.ok("DeleteItem", delete.clone()), json!({"Attributes": {"a": {"S": "k"}}}));
    assert_eq!(server.ok("DeleteItem", delete), json!({}));
}

#[test]
fn keys_fit_the_table() {
    let server = indexed();
    const O: &str = "One or more parameter values were invalid: ";
    const E: &str = "One or more parameter values are not valid. ";
    let unmatched = "The provided key element does not match the schema";
    for (item, text) in [
        (json!({"p": {"S": "x"}}), format!("{O}Missing the key s in the item")),
        (json!({"s": {"N": "1"}}), format!("{O}Missing the key p in the item")),
        (
            json!({"p": {"N": "1"}, "s": {"N": "1"}}),
            format!("{O}Type mismatch for key p expected: S actual: N"),
        ),
        (
            json!({"p": {"SS": ["x"]}, "s": {"N": "1"}}),
            format!("{O}Type mismatch for key p expected: S actual: SS"),
        ),
        (
            json!({"p": {"S": ""}, "s": {"N": "1"}}),
            format!(
                "{E}The AttributeValue for a key attribute cannot contain an empty string value. Key: p"
            ),
        ),
        (
            json!({"p": {"S": "x".repeat(2049)}, "s": {"N": "1"}}),
            format!("{O}Size of hashkey has exceeded the maximum size limit of2048 bytes"),
        ),
        (
            json!({"p": {"S": "x"}, "s": {"N": "1"}, "g": {"N": "1"}}),
            format!("{O}Type mismatch for Index Key g Expected: S Actual: N IndexName: gsi"),
        ),
        (
            json!({"p": {"S": "x"}, "s": {"N": "1"}, "g": {"NULL": true}}),
            format!("{O}Type mismatch for Index Key g Expected: S Actual: NULL IndexName: gsi"),
        ),
        (
            json!({"p": {"S": "x"}, "s": {"N": "1"}, "g": {"S": ""}}),
            format!(
                "{E}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: gsi, IndexKey: g"
            ),
        ),
        (
            json!({"p": {"S": "x"}, "s": {"N": "1"}, "l": {"B": ""}}),
            format!(
                "{E}A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty binary value. IndexName: lsi, IndexKey: l"
            ),
        ),
        (
            json!({"p": {"S": "x"}, "s": {"N": "1"}, "l": {"B": "A".repeat(1368)}}),
            format!(
                "{O}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
            ),
        ),
    ] {
        server.invalid("PutItem", put(item), &text);
    }
    for key in [
        json!({"p": {"S": "x"}}),
        json!({"p": {"S": "x"}, "s": {"S": "1"}}),
        json!({"p": {"S": "x"}, "s": {"N": "1"}, "more": {"N": "1"}}),
        json!({}),
    ] {
        for operation in ["GetItem", "DeleteItem"] {
            server.invalid(operation, json!({"TableName": "abc", "Key": key}), unmatched);
        }
    }
    let empty = json!({"TableName": "abc", "Key": {"p": {"S": ""}, "s": {"N": "1"}}});
    let text = format!(
        "{E}The AttributeValue for a key attribute cannot contain an empty string value. Key: p"
    );
    server.invalid("GetItem", empty, &text);
    server.refused(
        "GetItem",
        json!({"TableName": "none", "Key": {"p": {"S": "x"}}}),
        "ResourceNotFoundException: Requested resource not found",
    );
}

#[test]
fn numbers_are_one_key_however_written() {
    let server = indexed();
    server.ok("PutItem", put(json!({"p": {"S": "x"}, "s": {"N": "1.0"}, "v": {"S": "here"}})));
    let key = json!({"TableName": "abc", "Key": {"p": {"S": "x"}, "s": {"N": "01e0"}}});
    assert_eq!(server.ok("GetItem", key)["Item"]["v"]["S"], "here");
}

#[test]
fn an_item_has_a_size_limit() {
    let server = server();
    let item = |bytes: usize| json!({"a": {"S": "k"}, "v": {"S": "x".repeat(bytes)}});
    server.ok("PutItem", put(item(409_600 - 3)));
    server.invalid(
        "PutItem",
        put(item(409_600 - 2)),
        "Item size has exceeded the maximum allowed size",
    );
}

/// The ladder of prices that was measured on AWS.
#[test]
fn index_writes_cost_what_changes() {
    let server = indexed();
    let cost = |operation: &str, mut request: Value| {
        request["ReturnConsumedCapacity"] = json!("INDEXES");
        let consumed = server.ok(operation, request)["ConsumedCapacity"].clone();
        let part = |value: &Value| value["CapacityUnits"].as_f64().unwrap_or(0.0);
        let parts = (
            part(&consumed["Table"]),
            part(&consumed["GlobalSecondaryIndexes"]["gsi"]),
            part(&consumed["LocalSecondaryIndexes"]["lsi"]),
        );
        assert_eq!(part(&consumed), parts.0 + parts.1 + parts.2);
        parts
    };
    let item = |g: Option<&str>, x: &str, y: &str| {
        let mut item = json!({"p": {"S": "k"}, "s": {"N": "1"}, "l": {"B": "AQ=="}, "x": {"S": x}, "y": {"S": y}});
        if let Some(g) = g {
            item["g"] = json!({"S": g});
        }
        put(item)
    };
    let delete = json!({"TableName": "abc", "Key": {"p": {"S": "k"}, "s": {"N": "1"}}});
    for (what, operation, request, expected) in [
        ("appears in both", "PutItem", item(Some("1"), "a", "a"), (1.0, 1.0, 1.0)),
        ("nothing changes", "PutItem", item(Some("1"), "a", "a"), (1.0, 0.0, 0.0)),
        ("not in the gsi's projection", "PutItem", item(Some("1"), "a", "b"), (1.0, 0.0, 1.0)),
        ("in both projections", "PutItem", item(Some("1"), "b", "b"), (1.0, 1.0, 1.0)),
        ("the gsi's key", "PutItem", item(Some("2"), "b", "b"), (1.0, 2.0, 1.0)),
        ("the gsi's key goes", "PutItem", item(None, "b", "b"), (1.0, 1.0, 1.0)),
        ("in neither before nor after", "PutItem", item(None, "b", "b"), (1.0, 0.0, 0.0)),
        ("gone", "DeleteItem", delete.clone(), (1.0, 0.0, 1.0)),
        ("not there", "DeleteItem", delete, (1.0, 0.0, 0.0)),
    ] {
        assert_eq!(cost(operation, request), expected, "{what}");
    }
}

#[test]
fn capacity_is_told_when_asked() {
    let server = server();
    let get = |wanted: &str, consistent: bool| {
        let request = json!({"TableName": "abc", "Key": {"a": {"S": "none"}},
            "ReturnConsumedCapacity": wanted, "ConsistentRead": consistent});
        server.ok("GetItem", request)
    };
    assert_eq!(get("NONE", true), json!({}));
    assert_eq!(
        get("TOTAL", true),
        json!({"ConsumedCapacity": {"TableName": "abc", "CapacityUnits": 1.0}})
    );
    assert_eq!(
        get("INDEXES", false),
        json!({"ConsumedCapacity": {"TableName": "abc", "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}})
    );
}

#[test]
fn what_is_not_supported_is_said_so() {
    let server = server();
    server.refused(
        "ListGlobalTables",
        json!({}),
        "UnknownOperationException: ListGlobalTables is not supported by this version of Monotable",
    );
    server.invalid(
        "ListGlobalTables",
        json!({"Limit": 0}),
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: \
         Member must have value greater than or equal to 1",
    );
}
