//! What pages cost, and what is told of item collections.

use super::*;

/// What each part of a read costs: all, table, global, local.
fn parts(server: &Server, operation: &str, mut request: Value) -> (f64, f64, Value, Value) {
    request["ReturnConsumedCapacity"] = json!("INDEXES");
    let consumed = server.ok(operation, request.clone())["ConsumedCapacity"].clone();
    assert_eq!(consumed["TableName"], "abc");
    let total = consumed["CapacityUnits"].as_f64().unwrap();
    request["ReturnConsumedCapacity"] = json!("TOTAL");
    let folded = server.ok(operation, request.clone())["ConsumedCapacity"].clone();
    assert_eq!(folded, json!({"TableName": "abc", "CapacityUnits": total}));
    request["ReturnConsumedCapacity"] = json!("NONE");
    assert_eq!(server.ok(operation, request).get("ConsumedCapacity"), None);
    let table = consumed["Table"]["CapacityUnits"].as_f64().unwrap_or(0.0);
    (
        total,
        table,
        consumed["GlobalSecondaryIndexes"].clone(),
        consumed["LocalSecondaryIndexes"].clone(),
    )
}

#[test]
fn reads_cost_what_they_evaluate() {
    let server = server();
    for n in 0..5 {
        put(
            &server,
            json!({"p": {"S": "k"}, "s": {"N": n.to_string()}, "g": {"S": "k"}, "l": {"N": "1"},
                "x": {"S": "x".repeat(1000)}, "y": {"S": "y".repeat(4000)}}),
        );
    }
    // An item is a bit over 5,000 bytes, an entry with `x` a bit over 1,000, one of keys 10.
    let none = Value::Null;
    let of = |name: &str, units: f64| json!({name: {"CapacityUnits": units}});
    for (source, partition, changes, expected) in [
        (None, "p", json!({}), (3.5, 3.5, none.clone(), none.clone())),
        (None, "p", json!({"ConsistentRead": true}), (7.0, 7.0, none.clone(), none.clone())),
        (None, "p", json!({"Select": "COUNT"}), (3.5, 3.5, none.clone(), none.clone())),
        (None, "p", json!({"ProjectionExpression": "s"}), (3.5, 3.5, none.clone(), none.clone())),
        (None, "p", json!({"FilterExpression": "x < :k"}), (3.5, 3.5, none.clone(), none.clone())),
        (None, "p", json!({"Limit": 1}), (1.0, 1.0, none.clone(), none.clone())),
        (Some("gsi-keys"), "g", json!({}), (0.5, 0.0, of("gsi-keys", 0.5), none.clone())),
        (Some("gsi-some"), "g", json!({}), (1.0, 0.0, of("gsi-some", 1.0), none.clone())),
        (Some("gsi-all"), "g", json!({}), (3.5, 0.0, of("gsi-all", 3.5), none.clone())),
        (
            Some("gsi-all"),
            "g",
            json!({"FilterExpression": "x < :k"}),
            (3.5, 0.0, of("gsi-all", 3.5), none.clone()),
        ),
        (Some("lsi-keys"), "p", json!({}), (0.5, 0.0, none.clone(), of("lsi-keys", 0.5))),
        (
            Some("lsi-keys"),
            "p",
            json!({"ConsistentRead": true}),
            (1.0, 0.0, none.clone(), of("lsi-keys", 1.0)),
        ),
        (
            Some("lsi-some"),
            "p",
            json!({"ConsistentRead": true}),
            (2.0, 0.0, none.clone(), of("lsi-some", 2.0)),
        ),
        (
            Some("lsi-some"),
            "p",
            json!({"ProjectionExpression": "x"}),
            (1.0, 0.0, none.clone(), of("lsi-some", 1.0)),
        ),
        (
            Some("lsi-all"),
            "p",
            json!({"Select": "ALL_ATTRIBUTES"}),
            (3.5, 0.0, none.clone(), of("lsi-all", 3.5)),
        ),
        // Each item that is fetched is rounded up by itself.
        (
            Some("lsi-keys"),
            "p",
            json!({"Select": "ALL_ATTRIBUTES"}),
            (5.5, 5.0, none.clone(), of("lsi-keys", 0.5)),
        ),
        (
            Some("lsi-keys"),
            "p",
            json!({"ProjectionExpression": "y"}),
            (5.5, 5.0, none.clone(), of("lsi-keys", 0.5)),
        ),
        (
            Some("lsi-keys"),
            "p",
            json!({"ProjectionExpression": "y", "ConsistentRead": true}),
            (11.0, 10.0, none.clone(), of("lsi-keys", 1.0)),
        ),
        (
            Some("lsi-some"),
            "p",
            json!({"ProjectionExpression": "x, y", "Limit": 2}),
            (2.5, 2.0, none.clone(), of("lsi-some", 0.5)),
        ),
    ] {
        let request = query(source, partition, changes);
        assert_eq!(parts(&server, "Query", request.clone()), expected, "{request}");
    }
    for (source, changes, expected) in [
        (None, json!({}), (3.5, 3.5, none.clone(), none.clone())),
        (
            None,
            json!({"ConsistentRead": true, "Select": "COUNT"}),
            (7.0, 7.0, none.clone(), none.clone()),
        ),
        (Some("gsi-some"), json!({}), (1.0, 0.0, of("gsi-some", 1.0), none.clone())),
        (
            Some("lsi-keys"),
            json!({"ProjectionExpression": "y"}),
            (5.5, 5.0, none.clone(), of("lsi-keys", 0.5)),
        ),
    ] {
        let mut request = json!({"TableName": "abc", "IndexName": source});
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        assert_eq!(parts(&server, "Scan", request.clone()), expected, "{request}");
    }
    for (consistent, units) in [(false, 0.5), (true, 1.0)] {
        let request = json!({"TableName": "abc", "KeyConditionExpression": "p = :k", "ConsistentRead": consistent,
            "ExpressionAttributeValues": {":k": {"S": "nobody"}}, "ReturnConsumedCapacity": "TOTAL"});
        assert_eq!(server.ok("Query", request)["ConsumedCapacity"]["CapacityUnits"], units);
    }
}

#[test]
fn collections_tell_their_size() {
    let server = server();
    let metrics =
        json!({"ItemCollectionKey": {"p": {"S": "k"}}, "SizeEstimateRangeGB": [0.0, 1.0]});
    let key = json!({"p": {"S": "k"}, "s": {"N": "1"}});
    for (operation, member) in [("PutItem", "Item"), ("UpdateItem", "Key"), ("DeleteItem", "Key")] {
        let ask = |wanted: &str| {
            server.ok(
                operation,
                json!({"TableName": "abc", member: key, "ReturnItemCollectionMetrics": wanted}),
            )
        };
        assert_eq!(ask("SIZE"), json!({"ItemCollectionMetrics": metrics}), "{operation}");
        assert_eq!(ask("NONE"), json!({}), "{operation}");
    }
    server.ok(
        "CreateTable",
        json!({"TableName": "plain", "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
            "KeySchema": [element("p", "HASH")], "BillingMode": "PAY_PER_REQUEST"}),
    );
    let put = json!({"TableName": "plain", "Item": {"p": {"S": "k"}}, "ReturnItemCollectionMetrics": "SIZE"});
    assert_eq!(server.ok("PutItem", put), json!({}));
}
