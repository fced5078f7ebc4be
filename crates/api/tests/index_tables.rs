//! What is in an index and in which order; keys of several attributes; and indexes that are
//! created and deleted on a table in use, up to where a background task takes over.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::Server;

const O: &str = "One or more parameter values were invalid: ";
const IN_USE: &str = "ResourceInUseException: Attempt to change a resource which is still in use: ";
const ONE: &str = "LimitExceededException: Subscriber limit exceeded: Only 1 online index can be \
                   created or deleted simultaneously per table";

/// `"a:S b:N"`
fn definitions(written: &str) -> Value {
    let define = |one: &str| {
        let (name, kind) = one.split_once(':').unwrap();
        json!({"AttributeName": name, "AttributeType": kind})
    };
    written.split_whitespace().map(define).collect()
}

/// `"a b / c"`: partition attributes, then sort attributes.
fn schema(written: &str) -> Value {
    let (hashes, ranges) = written.split_once('/').unwrap_or((written, ""));
    let element =
        |kind: &'static str| move |name: &str| json!({"AttributeName": name, "KeyType": kind});
    let hashes = hashes.split_whitespace().map(element("HASH"));
    hashes.chain(ranges.split_whitespace().map(element("RANGE"))).collect()
}

fn index(name: &str, key: &str) -> Value {
    json!({"IndexName": name, "KeySchema": schema(key), "Projection": {"ProjectionType": "ALL"}})
}

fn create(server: &Server, attributes: &str, key: &str, changes: Value) {
    let mut request = json!({"TableName": "abc", "AttributeDefinitions": definitions(attributes),
        "KeySchema": schema(key), "BillingMode": "PAY_PER_REQUEST"});
    for (name, value) in changes.as_object().unwrap() {
        request[name] = value.clone();
    }
    server.ok("CreateTable", request);
}

fn put(server: &Server, item: Value) {
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

/// The values of `id` that a query of an index finds.
fn ids(server: &Server, index: &str, condition: &str, values: Value) -> Vec<String> {
    let request = json!({"TableName": "abc", "IndexName": index, "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values});
    let items = server.ok("Query", request)["Items"].as_array().unwrap().clone();
    items.iter().map(|item| item["id"]["S"].as_str().unwrap().to_owned()).collect()
}

fn scanned(server: &Server, index: &str) -> Vec<String> {
    let answer = server.ok("Scan", json!({"TableName": "abc", "IndexName": index}));
    let items = answer["Items"].as_array().unwrap();
    let mut found: Vec<String> =
        items.iter().map(|item| item["id"]["S"].as_str().unwrap().to_owned()).collect();
    found.sort();
    found
}

#[test]
fn an_index_holds_the_items_that_have_its_key() {
    let server = Server::new();
    create(
        &server,
        "id:S g:S r:N",
        "id",
        json!({"GlobalSecondaryIndexes": [index("one", "g"), index("two", "g / r"), index("swapped", "r / g")]}),
    );
    let item = |id: &str, g: Option<&str>, r: Option<&str>| {
        let mut item = json!({"id": {"S": id}});
        if let Some(g) = g {
            item["g"] = json!({"S": g});
        }
        if let Some(r) = r {
            item["r"] = json!({"N": r});
        }
        put(&server, item);
    };
    let held = || ["one", "two", "swapped"].map(|name| scanned(&server, name).join(""));
    item("a", Some("x"), Some("1"));
    item("b", Some("x"), None);
    item("c", None, Some("1"));
    item("d", None, None);
    assert_eq!(held(), ["ab", "a", "a"]);
    item("b", Some("x"), Some("2"));
    assert_eq!(held(), ["ab", "ab", "ab"]);
    item("a", None, Some("1"));
    assert_eq!(held(), ["b", "b", "b"]);
    let update = |id: &str, expression: &str, values: Value| {
        server.ok(
            "UpdateItem",
            json!({"TableName": "abc", "Key": {"id": {"S": id}},
            "UpdateExpression": expression, "ExpressionAttributeValues": values}),
        );
    };
    update("d", "SET g = :g, r = :r", json!({":g": {"S": "x"}, ":r": {"N": "0"}}));
    assert_eq!(held(), ["bd", "bd", "bd"]);
    assert_eq!(ids(&server, "two", "g = :g", json!({":g": {"S": "x"}})), ["d", "b"]);
    update("d", "REMOVE r", Value::Null);
    assert_eq!(held(), ["bd", "b", "b"]);
    server.ok("DeleteItem", json!({"TableName": "abc", "Key": {"id": {"S": "b"}}}));
    assert_eq!(held(), ["d", "", ""]);
}

#[test]
fn one_attribute_can_be_key_of_many_indexes() {
    let server = Server::new();
    create(
        &server,
        "id:S s:S g:S",
        "id / s",
        json!({
            "GlobalSecondaryIndexes": [index("inverted", "s / id"), index("by-g", "g / id"), index("by-sort", "s / g")],
            "LocalSecondaryIndexes": [index("local", "id / g")]}),
    );
    for (id, s, g) in [("a", "1", "z"), ("a", "2", "y"), ("b", "1", "y"), ("c", "1", "x")] {
        put(&server, json!({"id": {"S": id}, "s": {"S": s}, "g": {"S": g}}));
    }
    let v = |value: &str| json!({":v": {"S": value}});
    assert_eq!(ids(&server, "inverted", "s = :v", v("1")), ["a", "b", "c"]);
    assert_eq!(ids(&server, "by-g", "g = :v", v("y")), ["a", "b"]);
    assert_eq!(ids(&server, "by-sort", "s = :v", v("1")), ["c", "b", "a"]);
    let local = json!({"TableName": "abc", "IndexName": "local", "KeyConditionExpression": "id = :v",
        "ExpressionAttributeValues": v("a")});
    let found = server.ok("Query", local)["Items"].clone();
    assert_eq!((&found[0]["s"]["S"], &found[1]["s"]["S"]), (&json!("2"), &json!("1")));
    // A position names each attribute once.
    let page = json!({"TableName": "abc", "IndexName": "inverted", "KeyConditionExpression": "s = :v",
        "ExpressionAttributeValues": v("1"), "Limit": 1});
    assert_eq!(
        server.ok("Query", page)["LastEvaluatedKey"],
        json!({"id": {"S": "a"}, "s": {"S": "1"}})
    );
}

#[test]
fn many_items_can_have_one_index_key() {
    let server = Server::new();
    create(&server, "id:S g:S", "id", json!({"GlobalSecondaryIndexes": [index("gsi", "g")]}));
    for n in 0..150 {
        put(&server, json!({"id": {"S": format!("{:03}", n * 7 % 150)}, "g": {"S": "same"}}));
    }
    let all = ids(&server, "gsi", "g = :g", json!({":g": {"S": "same"}}));
    assert_eq!(all.len(), 150);
    assert_eq!(all, ids(&server, "gsi", "g = :g", json!({":g": {"S": "same"}})));
    for forward in [true, false] {
        let mut paged = Vec::new();
        let mut request = json!({"TableName": "abc", "IndexName": "gsi", "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "same"}}, "Limit": 11, "ScanIndexForward": forward});
        loop {
            let page = server.ok("Query", request.clone());
            let items = page["Items"].as_array().unwrap();
            paged.extend(items.iter().map(|item| item["id"]["S"].as_str().unwrap().to_owned()));
            let Some(last) = page.get("LastEvaluatedKey") else { break };
            request["ExclusiveStartKey"] = last.clone();
        }
        if !forward {
            paged.reverse();
        }
        assert_eq!(paged, all, "{forward}");
    }
    let described = server.ok("DescribeTable", json!({"TableName": "abc"}))["Table"].clone();
    assert_eq!(described["GlobalSecondaryIndexes"][0]["ItemCount"], 150);
    // id 2+3, g 1+4 bytes.
    assert_eq!(described["GlobalSecondaryIndexes"][0]["IndexSizeBytes"], 150 * 10);
}

/// `wide`: two partition and three sort attributes, S and N, then S, N and B.
fn wide() -> Server {
    let server = Server::new();
    create(
        &server,
        "id:S h1:S h2:N r1:S r2:N r3:B",
        "id",
        json!({"GlobalSecondaryIndexes": [index("wide", "h1 h2 / r1 r2 r3"), index("hashes", "h1 r1")]}),
    );
    for (id, h1, h2, r1, r2, r3) in [
        ("a", "x", "1", "eu", "-5", "AA=="),
        ("b", "x", "1", "eu", "9", "AA=="),
        ("c", "x", "1", "eu", "10", "AA=="),
        ("d", "x", "1", "eu", "10", "AAA="),
        ("e", "x", "1", "eu", "10", "/w=="),
        ("f", "x", "1", "us", "1", "AA=="),
        ("g", "x", "1", "usa", "1", "AA=="),
        ("h", "x", "2", "eu", "10", "AA=="),
        ("i", "xx", "1", "eu", "10", "AA=="),
    ] {
        put(
            &server,
            json!({"id": {"S": id}, "h1": {"S": h1}, "h2": {"N": h2}, "r1": {"S": r1}, "r2": {"N": r2}, "r3": {"B": r3}}),
        );
    }
    put(
        &server,
        json!({"id": {"S": "z"}, "h1": {"S": "x"}, "h2": {"N": "1"}, "r1": {"S": "eu"}, "r2": {"N": "1"}}),
    );
    server
}

/// The values that a condition on `wide` uses.
fn wide_values(condition: &str) -> Value {
    let mut given = serde_json::Map::new();
    for (name, value) in [
        (":h", json!({"S": "x"})),
        (":i", json!({"N": "1.0"})),
        (":eu", json!({"S": "eu"})),
        (":us", json!({"S": "us"})),
        (":u", json!({"S": "u"})),
        (":ten", json!({"N": "10"})),
        (":none", json!({"N": "0"})),
        (":b", json!({"B": "AA=="})),
    ] {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
        if condition.split(name).skip(1).any(ends) {
            given.insert(name.to_owned(), value);
        }
    }
    Value::Object(given)
}

#[test]
fn a_key_of_several_attributes_is_queried_from_the_left() {
    let server = wide();
    for (condition, expected) in [
        ("h1 = :h AND h2 = :i", "abcdefg"),
        ("h2 = :i AND h1 = :h", "abcdefg"),
        ("h1 = :h AND h2 = :ten", ""),
        ("h1 = :h AND h2 = :i AND r1 = :eu", "abcde"),
        ("h1 = :h AND h2 = :i AND r1 > :eu", "fg"),
        ("h1 = :h AND h2 = :i AND r1 >= :eu", "abcdefg"),
        ("h1 = :h AND h2 = :i AND r1 < :us", "abcde"),
        ("h1 = :h AND h2 = :i AND r1 <= :us", "abcdef"),
        ("h1 = :h AND h2 = :i AND r1 BETWEEN :eu AND :us", "abcdef"),
        ("h1 = :h AND h2 = :i AND begins_with(r1, :u)", "fg"),
        ("h1 = :h AND h2 = :i AND begins_with(r1, :us)", "fg"),
        ("h1 = :h AND h2 = :i AND r1 = :us", "f"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 = :ten", "cde"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 < :ten", "ab"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 <= :ten", "abcde"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 > :none", "bcde"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 BETWEEN :none AND :ten", "bcde"),
        ("r3 = :b AND r2 = :ten AND r1 = :eu AND h2 = :i AND h1 = :h", "c"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 = :ten AND r3 > :b", "de"),
        ("h1 = :h AND h2 = :i AND r1 = :eu AND r2 = :ten AND begins_with(r3, :b)", "cd"),
        (":ten > r2 AND h1 = :h AND :i = h2 AND r1 = :eu", "ab"),
    ] {
        let found = ids(&server, "wide", condition, wide_values(condition));
        assert_eq!(found.join(""), expected, "{condition}");
        let backward = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": condition,
            "ExpressionAttributeValues": wide_values(condition), "ScanIndexForward": false});
        let items = server.ok("Query", backward)["Items"].as_array().unwrap().clone();
        let reversed: String =
            items.iter().rev().map(|item| item["id"]["S"].as_str().unwrap()).collect();
        assert_eq!(reversed, expected, "{condition} backward");
    }
    let both = ids(
        &server,
        "hashes",
        "h1 = :h AND r1 = :eu",
        json!({":h": {"S": "x"}, ":eu": {"S": "eu"}}),
    );
    assert_eq!(both.len(), 7);
}

#[test]
fn gaps_and_inequalities_in_the_middle_are_refused() {
    let server = wide();
    for condition in [
        "h1 = :h",
        "h2 = :i",
        "h1 = :h AND r1 = :eu",
        "h1 = :h AND h2 > :i",
        "h1 > :h AND h2 = :i",
        "h1 = :h AND h2 = :i AND r2 = :ten",
        "h1 = :h AND h2 = :i AND r1 = :eu AND r3 = :b",
        "h1 = :h AND h2 = :i AND r1 > :eu AND r2 = :ten",
        "h1 = :h AND h2 = :i AND begins_with(r1, :eu) AND r2 = :ten",
        "h1 = :h AND h2 = :i AND id = :us",
        "h1 = :h AND h2 = :i AND r1 = :ten",
        "h1 = :eu AND h2 = :h",
        "h1 = :h AND h2 = :i AND r1 = :eu AND begins_with(r2, :ten)",
    ] {
        let request = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": condition,
            "ExpressionAttributeValues": wide_values(condition)});
        let (name, _) = server.call("Query", &request).unwrap_err();
        assert_eq!(name, "ValidationException", "{condition}");
    }
    for attribute in ["h1", "h2", "r1", "r2", "r3"] {
        let request = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": "h1 = :h AND h2 = :i",
            "FilterExpression": "attribute_exists(#a)", "ExpressionAttributeNames": {"#a": attribute},
            "ExpressionAttributeValues": wide_values(":h :i")});
        server.invalid(
            "Query",
            request,
            &format!("Filter Expression can only contain non-primary key attributes: Primary key attribute: {attribute}"),
        );
    }
    let table_key = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": "h1 = :h AND h2 = :i",
        "FilterExpression": "id = :us", "ExpressionAttributeValues": wide_values(":h :i :us")});
    assert_eq!(server.ok("Query", table_key)["ScannedCount"], 7);
}

#[test]
fn a_key_of_several_attributes_is_paged_by_all_of_them() {
    let server = wide();
    for limit in 1..=8 {
        let mut request = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": "h1 = :h AND h2 = :i",
            "ExpressionAttributeValues": wide_values(":h :i"), "Limit": limit});
        let mut found = String::new();
        loop {
            let page = server.ok("Query", request.clone());
            for item in page["Items"].as_array().unwrap() {
                found.push_str(item["id"]["S"].as_str().unwrap());
            }
            let Some(last) = page.get("LastEvaluatedKey") else { break };
            assert_eq!(last.as_object().unwrap().len(), 6);
            request["ExclusiveStartKey"] = last.clone();
        }
        assert_eq!(found, "abcdefg", "by {limit}");
    }
    let mut request = json!({"TableName": "abc", "IndexName": "wide", "KeyConditionExpression": "h1 = :h AND h2 = :i",
        "ExpressionAttributeValues": wide_values(":h :i"), "Limit": 1});
    request["ExclusiveStartKey"] = server.ok("Query", request.clone())["LastEvaluatedKey"].clone();
    request["ExclusiveStartKey"].as_object_mut().unwrap().remove("r2");
    server.invalid("Query", request, "The provided starting key is invalid");
    let described = server.ok("DescribeTable", json!({"TableName": "abc"}))["Table"].clone();
    let wide = described["GlobalSecondaryIndexes"].as_array().unwrap();
    let wide = wide.iter().find(|index| index["IndexName"] == "wide").unwrap();
    assert_eq!(wide["KeySchema"], schema("h1 h2 / r1 r2 r3"));
    assert_eq!(wide["ItemCount"], 9);
}

#[test]
fn hash_values_are_not_run_together() {
    let server = Server::new();
    create(&server, "id:S a:S b:S", "id", json!({"GlobalSecondaryIndexes": [index("gsi", "a b")]}));
    for (id, a, b) in [("1", "x", "yz"), ("2", "xy", "z"), ("3", "x", "y\0z"), ("4", "x\0y", "z")] {
        put(&server, json!({"id": {"S": id}, "a": {"S": a}, "b": {"S": b}}));
        let values = json!({":a": {"S": a}, ":b": {"S": b}});
        assert_eq!(ids(&server, "gsi", "a = :a AND b = :b", values), [id]);
    }
}

#[test]
fn legacy_conditions_reach_keys_of_several_attributes() {
    let server = wide();
    let eq = |value: Value| json!({"ComparisonOperator": "EQ", "AttributeValueList": [value]});
    let request = json!({"TableName": "abc", "IndexName": "wide", "KeyConditions": {
        "h1": eq(json!({"S": "x"})), "h2": eq(json!({"N": "1"})), "r1": eq(json!({"S": "eu"})),
        "r2": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "9"}]}}});
    assert_eq!(server.ok("Query", request)["Count"], 3);
}

fn add(name: &str, key: &str, attributes: &str) -> Value {
    json!({"TableName": "abc", "AttributeDefinitions": definitions(attributes),
        "GlobalSecondaryIndexUpdates": [{"Create": index(name, key)}]})
}

fn remove(name: &str) -> Value {
    json!({"TableName": "abc", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": name}}]})
}

fn described(server: &Server) -> Value {
    server.ok("DescribeTable", json!({"TableName": "abc"}))["Table"].clone()
}

#[test]
fn an_index_being_built_is_described_and_refused() {
    let server = Server::with_delay(Duration::from_secs(10));
    create(&server, "id:S o:S", "id", json!({"GlobalSecondaryIndexes": [index("old", "o")]}));
    assert_eq!(described(&server)["GlobalSecondaryIndexes"][0].get("Backfilling"), None);
    server.wait(Duration::from_secs(10));
    assert_eq!(described(&server)["GlobalSecondaryIndexes"][0].get("Backfilling"), None);
    put(&server, json!({"id": {"S": "1"}, "g": {"S": "x"}, "o": {"S": "x"}}));

    let answer = server.ok("UpdateTable", add("new", "g", "g:S"));
    let state = |table: &Value| {
        let indexes = table["GlobalSecondaryIndexes"].as_array().unwrap();
        let new = indexes.iter().find(|index| index["IndexName"] == "new").unwrap();
        (table["TableStatus"].clone(), new["IndexStatus"].clone(), new["Backfilling"].clone())
    };
    let allocating = (json!("UPDATING"), json!("CREATING"), json!(false));
    assert_eq!(state(&answer["TableDescription"]), allocating);
    assert_eq!(state(&described(&server)), allocating);
    let building = |what: &str| {
        let read = json!({"TableName": "abc", "IndexName": "new", "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "x"}}});
        let text = "Cannot read from backfilling global secondary index: new";
        server.invalid("Query", read, text);
        server.invalid("Scan", json!({"TableName": "abc", "IndexName": "new"}), text);
        let protect = json!({"TableName": "abc", "DeletionProtectionEnabled": true});
        server.refused("UpdateTable", protect, &format!("{IN_USE}Table is being updated: abc"));
        server.refused("UpdateTable", add("more", "m", "m:S"), ONE);
        server.refused("UpdateTable", remove("old"), ONE);
        server.refused(
            "DeleteTable",
            json!({"TableName": "abc"}),
            &format!(
                "{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
            ),
        );
        // The table is in use all the while.
        put(&server, json!({"id": {"S": what}, "g": {"S": "x"}, "o": {"S": "x"}}));
        assert_eq!(ids(&server, "old", "o = :v", json!({":v": {"S": "x"}})).last().unwrap(), what);
        server.invalid(
            "PutItem",
            json!({"TableName": "abc", "Item": {"id": {"S": "bad"}, "g": {"N": "1"}}}),
            &format!("{O}Type mismatch for Index Key g Expected: S Actual: N IndexName: new"),
        );
    };
    building("2");
    server.wait(Duration::from_secs(10));
    assert_eq!(state(&described(&server)), (json!("UPDATING"), json!("CREATING"), json!(true)));
    building("3");

    // During the backfill it can be deleted.
    let answer = server.ok("UpdateTable", remove("new"));
    assert_eq!(
        state(&answer["TableDescription"]),
        (json!("UPDATING"), json!("DELETING"), Value::Null)
    );
    server.refused("UpdateTable", remove("old"), ONE);
    server.refused("UpdateTable", add("more", "m", "m:S"), ONE);
    server.refused(
        "DeleteTable",
        json!({"TableName": "abc"}),
        &format!(
            "{IN_USE}Cannot delete table while indexes are being created, updated, or deleted."
        ),
    );
}

#[test]
fn an_index_is_not_deleted_while_its_resources_are_allocated() {
    let server = Server::with_delay(Duration::from_secs(10));
    create(&server, "id:S", "id", json!({}));
    server.wait(Duration::from_secs(10));
    server.ok("UpdateTable", add("new", "g", "g:S"));
    let text = format!(
        "{IN_USE}Index creation is in resource allocation phase. Retry deletion during \
         backfilling phase or when the index is active. Table: abc Index: new"
    );
    server.refused("UpdateTable", remove("new"), &text);
    server.wait(Duration::from_secs(10));
    server.ok("UpdateTable", remove("new"));
}

#[test]
fn a_deleted_index_is_gone_with_its_definitions() {
    let server = Server::with_delay(Duration::from_secs(10));
    create(
        &server,
        "id:S g:S shared:S r:N",
        "id",
        json!({"GlobalSecondaryIndexes": [index("gone", "g / shared"), index("stays", "shared / r")]}),
    );
    server.wait(Duration::from_secs(10));
    put(&server, json!({"id": {"S": "1"}, "g": {"S": "x"}, "shared": {"S": "x"}, "r": {"N": "1"}}));
    let answer = server.ok("UpdateTable", remove("gone"))["TableDescription"].clone();
    assert_eq!(answer["TableStatus"], "UPDATING");
    let deleting = &answer["GlobalSecondaryIndexes"][0];
    assert_eq!(
        (&deleting["IndexName"], &deleting["IndexStatus"]),
        (&json!("gone"), &json!("DELETING"))
    );
    assert_eq!(deleting.get("Backfilling"), None);
    assert_eq!(answer["GlobalSecondaryIndexes"][1]["IndexStatus"], "ACTIVE");
    server.wait(Duration::from_secs(10));
    let after = described(&server);
    let names: Vec<&Value> = after["GlobalSecondaryIndexes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|index| &index["IndexName"])
        .collect();
    assert_eq!(names, ["stays"]);
    assert_eq!(after["AttributeDefinitions"], definitions("id:S r:N shared:S"));
    let query = json!({"TableName": "abc", "IndexName": "gone", "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "x"}}});
    server.invalid("Query", query, "The table does not have the specified index: gone");
    put(&server, json!({"id": {"S": "1"}, "g": {"N": "1"}}));
    server.invalid(
        "PutItem",
        json!({"TableName": "abc", "Item": {"id": {"S": "1"}, "shared": {"N": "1"}}}),
        &format!("{O}Type mismatch for Index Key shared Expected: S Actual: N IndexName: stays"),
    );
}

#[test]
fn changes_of_indexes_that_make_no_sense_are_refused() {
    let server = Server::new();
    create(
        &server,
        "id:S s:S g:S l:S",
        "id / s",
        json!({"GlobalSecondaryIndexes": [index("gsi", "g")], "LocalSecondaryIndexes": [index("lsi", "id / l")]}),
    );
    let updates = |updates: Value| json!({"TableName": "abc", "AttributeDefinitions": definitions("x:S y:S"), "GlobalSecondaryIndexUpdates": updates});
    let exists = "ValidationException: Attempting to create an index which already exists";
    let invalid = |text: &str| format!("ValidationException: {O}{text}");
    let mut undefined = add("new", "x", "x:S");
    undefined.as_object_mut().unwrap().remove("AttributeDefinitions");
    let mut unprojected = add("new", "x", "x:S");
    unprojected["GlobalSecondaryIndexUpdates"][0]["Create"]["Projection"] = json!({});
    let mut included = add("new", "x", "x:S");
    included["GlobalSecondaryIndexUpdates"][0]["Create"]["Projection"] =
        json!({"ProjectionType": "INCLUDE"});
    let mut units = add("new", "x", "x:S");
    units["GlobalSecondaryIndexUpdates"][0]["Create"]["ProvisionedThroughput"] =
        json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let mut streamed = add("new", "x", "x:S");
    streamed["StreamSpecification"] = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    let mut billed = add("new", "x", "x:S");
    billed["BillingMode"] = json!("PROVISIONED");
    billed["ProvisionedThroughput"] = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let mut turned = add("new", "x / y", "x:S y:S");
    turned["GlobalSecondaryIndexUpdates"][0]["Create"]["KeySchema"] = json!([{"AttributeName": "x", "KeyType": "RANGE"}, {"AttributeName": "y", "KeyType": "HASH"}]);
    for (request, expected) in [
        (updates(json!([{}])), invalid("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null")),
        (updates(json!([{"Delete": {"IndexName": "gsi"}}, {"Create": index("gsi", "x")}])), invalid("Only one global secondary index update per index is allowed simultaneously. Index: gsi")),
        (updates(json!([{"Delete": {"IndexName": "gsi"}}, {"Create": index("new", "x")}])), ONE.to_owned()),
        (updates(json!([{"Create": index("one", "x")}, {"Create": index("two", "y")}])), ONE.to_owned()),
        (add("gsi", "x", "x:S"), exists.to_owned()),
        (add("lsi", "x", "x:S"), exists.to_owned()),
        (undefined, invalid("AttributeDefinitions is not specified for index: new")),
        (unprojected, invalid("Unknown ProjectionType: null")),
        (included, invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")),
        (units, invalid("ProvisionedThroughput should not be specified for index: new when BillingMode is PAY_PER_REQUEST")),
        (streamed, "ValidationException: You cannot create or delete index while changing stream status".into()),
        (billed, "ValidationException: You cannot create or delete index while updating table IOPS".into()),
        (turned, "ValidationException: Invalid KeySchema: The first KeySchemaElement is not a HASH key type".into()),
        (add("new", "a b c d e", "a:S b:S c:S d:S e:S"), "ValidationException: The KeySchema exceeds the maximum allowed number of HASH key attributes".into()),
        (add("new", "x / a b c d e", "x:S a:S b:S c:S d:S e:S"), "ValidationException: The KeySchema exceeds the maximum allowed number of RANGE key attributes".into()),
    ] {
        server.refused("UpdateTable", request, &expected);
    }
    for request in [
        remove("none"),
        updates(
            json!([{"Update": {"IndexName": "none", "OnDemandThroughput": {"MaxReadRequestUnits": 1}}}]),
        ),
    ] {
        let (name, text) = server.call("UpdateTable", &request).unwrap_err();
        assert_eq!(name, "ResourceNotFoundException");
        assert!(text.starts_with("Requested resource not found"), "{text}");
    }
    for request in [
        add("new", "x", "y:S"),
        add("new", "g", "g:N"),
        add("new", "x / x", "x:S"),
        add("new", "id", "id:N"),
        remove("lsi"),
    ] {
        assert!(server.call("UpdateTable", &request).is_err(), "{request}");
    }
    let after = described(&server);
    assert_eq!(after["TableStatus"], "ACTIVE");
    assert_eq!(after["AttributeDefinitions"], definitions("g:S id:S l:S s:S"));
    assert_eq!(after["GlobalSecondaryIndexes"].as_array().unwrap().len(), 1);
}

#[test]
fn a_table_has_twenty_global_indexes_at_most() {
    let server = Server::new();
    let indexes: Vec<Value> = (0..20).map(|n| index(&format!("gsi-{n}"), "g")).collect();
    create(&server, "id:S g:S", "id", json!({"GlobalSecondaryIndexes": indexes}));
    server.refused(
        "UpdateTable",
        add("more", "g", "g:S"),
        "LimitExceededException: Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20",
    );
}

#[test]
fn a_new_index_can_have_four_attributes_of_each_kind() {
    let server = Server::new();
    create(&server, "id:S", "id", json!({}));
    let key = "a b c d / e f g h";
    let answer = server.ok("UpdateTable", add("wide", key, "a:S b:N c:B d:S e:S f:N g:B h:S"));
    let wide = &answer["TableDescription"]["GlobalSecondaryIndexes"][0];
    assert_eq!(wide["KeySchema"], schema(key));
    assert_eq!(wide["IndexStatus"], "CREATING");
    assert_eq!(wide["IndexArn"], "arn:aws:dynamodb:eu-west-1:123456789012:table/abc/index/wide");
}
