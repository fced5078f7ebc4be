//! Pages of Query and Scan: limits, starting keys, filters, selections, and what each costs;
//! on a table and on both kinds of indexes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod costs;
mod select;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use support::Server;

const O: &str = "One or more parameter values were invalid: ";
const INVALID: &str = "The provided starting key is invalid";

fn element(name: &str, kind: &str) -> Value {
    json!({"AttributeName": name, "KeyType": kind})
}

fn index(name: &str, hash: &str, range: Option<&str>, projection: Value) -> Value {
    let mut schema = vec![element(hash, "HASH")];
    schema.extend(range.map(|range| element(range, "RANGE")));
    json!({"IndexName": name, "KeySchema": schema, "Projection": projection})
}

/// Keys `p` and `s`; global indexes on `g` and on `g` and `l`, local ones on `l`, with every
/// projection. `x` is included in some, `y` only where all is.
fn server() -> Server {
    let server = Server::new();
    let kind = |kind: &str| json!({"ProjectionType": kind});
    let include = json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]});
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "N"},
                {"AttributeName": "g", "AttributeType": "S"}, {"AttributeName": "l", "AttributeType": "N"}],
            "KeySchema": [element("p", "HASH"), element("s", "RANGE")],
            "GlobalSecondaryIndexes": [
                index("gsi-keys", "g", Some("l"), kind("KEYS_ONLY")),
                index("gsi-some", "g", Some("s"), include.clone()),
                index("gsi-all", "g", None, kind("ALL"))],
            "LocalSecondaryIndexes": [
                index("lsi-keys", "p", Some("l"), kind("KEYS_ONLY")),
                index("lsi-some", "p", Some("l"), include),
                index("lsi-all", "p", Some("l"), kind("ALL"))],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    server
}

fn put(server: &Server, item: Value) {
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

const SOURCES: [(Option<&str>, &str, &[&str]); 7] = [
    (None, "p", &["p", "s"]),
    (Some("lsi-keys"), "p", &["l", "p", "s"]),
    (Some("lsi-some"), "p", &["l", "p", "s"]),
    (Some("lsi-all"), "p", &["l", "p", "s"]),
    (Some("gsi-keys"), "g", &["g", "l", "p", "s"]),
    (Some("gsi-some"), "g", &["g", "p", "s"]),
    (Some("gsi-all"), "g", &["g", "p", "s"]),
];

/// Seven items that share partition and index key; four of them have the same `l`.
fn seven(server: &Server) {
    for n in 0..7 {
        let l = if n < 4 { 5 } else { 9 - n };
        put(
            server,
            json!({"p": {"S": "k"}, "s": {"N": n.to_string()}, "g": {"S": "k"}, "l": {"N": l.to_string()},
                "x": {"S": "x"}, "y": {"S": "y"}, "n": {"N": n.to_string()}}),
        );
    }
    put(server, json!({"p": {"S": "j"}, "s": {"N": "1"}, "g": {"S": "j"}, "l": {"N": "5"}}));
    put(server, json!({"p": {"S": "kk"}, "s": {"N": "1"}, "g": {"S": "kk"}, "l": {"N": "5"}}));
}

fn query(source: Option<&str>, partition: &str, changes: Value) -> Value {
    let mut request = json!({"TableName": "abc", "IndexName": source,
        "KeyConditionExpression": format!("{partition} = :k"),
        "ExpressionAttributeValues": {":k": {"S": "k"}}});
    for (name, value) in changes.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// All items of all pages, and how many pages there were. Checks each position.
fn pages(
    server: &Server,
    operation: &str,
    mut request: Value,
    position: &[&str],
) -> (Vec<Value>, usize) {
    let mut items = Vec::new();
    for page in 1.. {
        let answer = server.ok(operation, request.clone());
        let found = answer["Items"].as_array().unwrap();
        assert_eq!(answer["Count"], found.len());
        assert!(
            request["Limit"]
                .as_u64()
                .is_none_or(|limit| answer["ScannedCount"].as_u64().unwrap() <= limit)
        );
        items.extend(found.iter().cloned());
        let Some(last) = answer.get("LastEvaluatedKey") else { return (items, page) };
        assert_eq!(names(last), position, "{request}");
        assert!(page < 100, "the pages do not end: {request}");
        request["ExclusiveStartKey"] = last.clone();
    }
    unreachable!()
}

#[test]
fn pages_give_every_item_once_in_both_directions() {
    let server = server();
    seven(&server);
    for (source, partition, position) in SOURCES {
        let whole = |forward: bool| {
            let request = query(source, partition, json!({"ScanIndexForward": forward}));
            let answer = server.ok("Query", request);
            assert_eq!(answer.get("LastEvaluatedKey"), None);
            answer["Items"].as_array().unwrap().clone()
        };
        let forward = whole(true);
        assert_eq!(forward.len(), 7, "{source:?}");
        let mut backward = whole(false);
        backward.reverse();
        assert_eq!(forward, backward, "{source:?}: ties have one order");
        for ahead in [true, false] {
            let mut expected = forward.clone();
            if !ahead {
                expected.reverse();
            }
            for limit in 1..=8 {
                let request =
                    query(source, partition, json!({"ScanIndexForward": ahead, "Limit": limit}));
                let (items, count) = pages(&server, "Query", request, position);
                assert_eq!(items, expected, "{source:?} {ahead} by {limit}");
                // A page that is full does not know that it is the last one.
                assert_eq!(count, 7 / limit + 1, "{source:?} by {limit}");
            }
        }
        for limit in [1, 2, 5, 9, 10] {
            let request = json!({"TableName": "abc", "IndexName": source, "Limit": limit});
            let (mut items, count) = pages(&server, "Scan", request, position);
            assert_eq!(count, 9 / limit + 1, "{source:?} by {limit}");
            items.sort_by_key(ToString::to_string);
            items.dedup();
            assert_eq!(items.len(), 9, "{source:?} by {limit}");
        }
    }
}

#[test]
fn a_position_is_the_key_of_the_last_item() {
    let server = server();
    seven(&server);
    for (source, partition, _) in SOURCES {
        let answer = server.ok("Query", query(source, partition, json!({"Limit": 3})));
        let item = answer["Items"][2].as_object().unwrap();
        for (name, value) in answer["LastEvaluatedKey"].as_object().unwrap() {
            assert_eq!(&item[name], value, "{source:?}");
        }
    }
}

#[test]
fn a_position_outlives_its_item() {
    let server = server();
    seven(&server);
    for (source, partition, _) in SOURCES {
        let all = server.ok("Query", query(source, partition, json!({})))["Items"].clone();
        let first = server.ok("Query", query(source, partition, json!({"Limit": 3})));
        let last = &first["Items"][2];
        let key = json!({"p": last["p"], "s": last["s"]});
        let whole = server.ok("GetItem", json!({"TableName": "abc", "Key": key}))["Item"].clone();
        server.ok("DeleteItem", json!({"TableName": "abc", "Key": key}));
        let request =
            query(source, partition, json!({"ExclusiveStartKey": first["LastEvaluatedKey"]}));
        let rest = server.ok("Query", request)["Items"].clone();
        assert_eq!(rest.as_array().unwrap(), &all.as_array().unwrap()[3..], "{source:?}");
        put(&server, whole);
    }
}

#[test]
fn positions_that_are_none_are_refused() {
    let server = server();
    seven(&server);
    let (k, one, x) = (json!({"S": "k"}), json!({"N": "1"}), json!({"S": "x"}));
    let five = json!({"N": "5"});
    let outside =
        "The provided starting key is outside query boundaries based on provided conditions";
    let predicate = "The provided starting key does not match the range key predicate";
    let empty = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: p";
    for (source, partition, start, text) in [
        (None, "p", json!({}), INVALID.to_owned()),
        (None, "p", json!({"p": k}), INVALID.into()),
        (None, "p", json!({"p": k, "x": one}), INVALID.into()),
        (None, "p", json!({"p": k, "s": one, "x": x}), INVALID.into()),
        (
            None,
            "p",
            json!({"p": k, "s": {"N": "x"}}),
            format!("{INVALID}: The parameter cannot be converted to a numeric value: x"),
        ),
        (None, "p", json!({"p": {"S": ""}, "s": one}), format!("{INVALID}: {empty}")),
        (None, "p", json!({"p": x, "s": one}), outside.into()),
        (Some("lsi-keys"), "p", json!({"p": k, "s": one}), INVALID.into()),
        (Some("lsi-keys"), "p", json!({"p": k, "s": one, "g": x}), INVALID.into()),
        (Some("lsi-keys"), "p", json!({"p": x, "s": one, "l": five}), outside.into()),
        (Some("gsi-keys"), "g", json!({"p": k, "s": one, "g": k}), INVALID.into()),
        (Some("gsi-keys"), "g", json!({"g": k, "l": five}), INVALID.into()),
        (
            Some("gsi-keys"),
            "g",
            json!({"p": k, "s": one, "g": k, "l": five, "x": x}),
            INVALID.into(),
        ),
        (Some("gsi-keys"), "g", json!({"p": k, "s": one, "g": x, "l": five}), outside.into()),
        (Some("gsi-all"), "g", json!({"p": k, "s": one}), INVALID.into()),
    ] {
        server.invalid(
            "Query",
            query(source, partition, json!({"ExclusiveStartKey": start})),
            &text,
        );
    }
    for (source, sort, start, text) in [
        (None, "s > :n", json!({"p": k, "s": {"N": "2"}}), predicate),
        (None, "s > :n", json!({"p": k, "s": {"N": "3"}}), predicate),
        (None, "s BETWEEN :n AND :n", json!({"p": k, "s": {"N": "4"}}), predicate),
        (Some("lsi-all"), "l < :n", json!({"p": k, "s": one, "l": five}), predicate),
    ] {
        let request = query(
            source,
            "p",
            json!({"KeyConditionExpression": format!("p = :k AND {sort}"),
            "ExpressionAttributeValues": {":k": {"S": "k"}, ":n": {"N": "3"}}, "ExclusiveStartKey": start}),
        );
        server.invalid("Query", request, text);
    }
    for (start, text) in [
        (json!({"p": k}), "The provided key element does not match the schema"),
        (json!({"p": k, "s": one, "x": x}), "The provided key element does not match the schema"),
        (json!({"p": k, "s": {"S": "1"}}), "The provided key element does not match the schema"),
        (json!({"p": {"S": ""}, "s": one}), empty),
    ] {
        let request = json!({"TableName": "abc", "ExclusiveStartKey": start});
        server.invalid("Scan", request, &format!("{INVALID}: {text}"));
    }
    // A position need not be that of an item.
    let nowhere = query(None, "p", json!({"ExclusiveStartKey": {"p": k, "s": {"N": "2.5"}}}));
    assert_eq!(server.ok("Query", nowhere)["Count"], 4);
}

#[test]
fn a_query_for_one_row_is_not_restarted_elsewhere() {
    let server = server();
    seven(&server);
    let request = query(
        None,
        "p",
        json!({"KeyConditionExpression": "p = :k AND s = :n",
            "ExpressionAttributeValues": {":k": {"S": "k"}, ":n": {"N": "3"}},
            "ExclusiveStartKey": {"p": {"S": "x"}, "s": {"N": "3"}}}),
    );
    let text = "The query can return at most one row and cannot be restarted";
    server.invalid("Query", request, text);
}

/// Items behind a local index are data read too.
#[test]
fn a_page_of_fetched_items_ends_after_a_megabyte() {
    let server = server();
    for n in 10..35 {
        put(
            &server,
            json!({"p": {"S": "k"}, "s": {"N": n.to_string()}, "l": {"N": "1"}, "big": {"S": "x".repeat(100_000)}}),
        );
    }
    for changes in [json!({"Select": "ALL_ATTRIBUTES"}), json!({"ProjectionExpression": "big"})] {
        let request = query(Some("lsi-keys"), "p", changes);
        let page = server.ok("Query", request.clone());
        let scanned = page["ScannedCount"].as_u64().unwrap();
        assert!((10..=11).contains(&scanned), "{scanned} items in a page");
        let (items, count) = pages(&server, "Query", request, &["l", "p", "s"]);
        assert_eq!((items.len(), count), (25, 3));
    }
}

#[test]
fn a_filter_is_applied_to_what_was_counted() {
    let server = server();
    seven(&server);
    for (source, partition) in [(None, "p"), (Some("gsi-all"), "g"), (Some("lsi-all"), "p")] {
        let filter = |changes: Value| {
            let mut request = query(source, partition, changes);
            request["FilterExpression"] = json!("n >= :n");
            request["ExpressionAttributeValues"][":n"] = json!({"N": "5"});
            server.ok("Query", request)
        };
        let all = filter(json!({}));
        assert_eq!((&all["Count"], &all["ScannedCount"]), (&json!(2), &json!(7)), "{source:?}");
        let counted = filter(json!({"Select": "COUNT"}));
        assert_eq!(counted, json!({"Count": 2, "ScannedCount": 7}), "{source:?}");
    }
    let mut request = query(None, "p", json!({"Limit": 2}));
    request["FilterExpression"] = json!("n >= :n");
    request["ExpressionAttributeValues"][":n"] = json!({"N": "5"});
    let none = server.ok("Query", request.clone());
    assert_eq!(none["Items"], json!([]));
    assert_eq!((&none["Count"], &none["ScannedCount"]), (&json!(0), &json!(2)));
    assert_eq!(none["LastEvaluatedKey"], json!({"p": {"S": "k"}, "s": {"N": "1"}}));
    let (items, count) = pages(&server, "Query", request, &["p", "s"]);
    assert_eq!((items.len(), count), (2, 4));
}

#[test]
fn legacy_filters_choose_like_their_expressions() {
    let server = server();
    for (s, x) in [
        ("0", json!({"S": "abc"})),
        ("1", json!({"S": "abd"})),
        ("2", json!({"N": "5"})),
        ("3", json!({"SS": ["abc", "b"]})),
        ("4", Value::Null),
    ] {
        let mut item = json!({"p": {"S": "k"}, "s": {"N": s}, "y": {"N": s}});
        if !x.is_null() {
            item["x"] = x;
        }
        put(&server, item);
    }
    let abc = || json!([{"S": "abc"}]);
    for (operator, values, expected) in [
        ("EQ", abc(), vec!["0"]),
        ("NE", abc(), vec!["1", "2", "3", "4"]),
        ("LT", json!([{"S": "abd"}]), vec!["0"]),
        ("LE", json!([{"S": "abd"}]), vec!["0", "1"]),
        ("GT", abc(), vec!["1"]),
        ("GE", abc(), vec!["0", "1"]),
        ("BETWEEN", json!([{"S": "abc"}, {"S": "abz"}]), vec!["0", "1"]),
        ("IN", json!([{"S": "abd"}, {"S": "z"}]), vec!["1"]),
        ("BEGINS_WITH", json!([{"S": "ab"}]), vec!["0", "1"]),
        ("CONTAINS", abc(), vec!["0", "3"]),
        ("NOT_CONTAINS", abc(), vec!["1", "2"]),
        ("NULL", json!([]), vec!["4"]),
        ("NOT_NULL", json!([]), vec!["0", "1", "2", "3"]),
    ] {
        let test = json!({"x": {"ComparisonOperator": operator, "AttributeValueList": values}});
        let key = json!({"p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "k"}]}});
        let chosen = |answer: Value| -> Vec<String> {
            assert_eq!(answer["ScannedCount"], 5);
            let items = answer["Items"].as_array().unwrap().clone();
            items.iter().map(|item| item["s"]["N"].as_str().unwrap().to_owned()).collect()
        };
        let query = json!({"TableName": "abc", "KeyConditions": key, "QueryFilter": test});
        assert_eq!(chosen(server.ok("Query", query)), expected, "{operator}");
        let scan = json!({"TableName": "abc", "ScanFilter": test});
        assert_eq!(chosen(server.ok("Scan", scan)), expected, "{operator}");
    }
    let tests = json!({
        "x": {"ComparisonOperator": "EQ", "AttributeValueList": abc()},
        "y": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "3"}]}});
    for (operator, expected) in [(Value::Null, 0), (json!("AND"), 0), (json!("OR"), 3)] {
        let scan = json!({"TableName": "abc", "ScanFilter": tests, "ConditionalOperator": operator,
            "AttributesToGet": ["s"]});
        let answer = server.ok("Scan", scan);
        assert_eq!(answer["Count"], expected, "{operator}");
        assert!(answer["Items"].as_array().unwrap().iter().all(|item| names(item) == ["s"]));
    }
}

#[test]
fn a_page_ends_when_it_has_read_a_megabyte() {
    let server = server();
    // 100 KB each: 2 bytes for `p`, 3 for `s`, 2 for `g`, the rest for `big`.
    for n in 10..35 {
        let item = json!({"p": {"S": "k"}, "s": {"N": n.to_string()}, "g": {"S": "k"},
            "big": {"S": "x".repeat(102_400 - 2 - 3 - 2 - 3)}});
        put(&server, item);
    }
    let capacity = |answer: &Value| answer["ConsumedCapacity"]["CapacityUnits"].as_f64().unwrap();
    let units = |items: f64| (items * 102_400.0 / 4096.0).ceil();
    for (source, partition) in [(None, "p"), (Some("gsi-all"), "g")] {
        for forward in [true, false] {
            let mut request = query(
                source,
                partition,
                json!({"ScanIndexForward": forward,
                "ReturnConsumedCapacity": "TOTAL"}),
            );
            let mut seen: Vec<i64> = Vec::new();
            for expected in [11, 11, 3] {
                let page = server.ok("Query", request.clone());
                assert_eq!(page["ScannedCount"], expected, "{source:?}");
                assert_eq!(page.get("LastEvaluatedKey").is_some(), expected == 11);
                assert_eq!(capacity(&page), units(f64::from(expected)) / 2.0, "{source:?}");
                let items = page["Items"].as_array().unwrap();
                seen.extend(
                    items
                        .iter()
                        .map(|item| item["s"]["N"].as_str().unwrap().parse::<i64>().unwrap()),
                );
                request["ExclusiveStartKey"] = page["LastEvaluatedKey"].clone();
            }
            let mut expected: Vec<i64> = (10..35).collect();
            if !forward {
                expected.reverse();
            }
            assert_eq!(seen, expected, "{source:?} {forward}");
        }
    }
    // A filter, a projection and a count see as much of the table for the same price.
    for changes in [
        json!({"FilterExpression": "attribute_exists(nothing)"}),
        json!({"ProjectionExpression": "s"}),
        json!({"Select": "COUNT"}),
        json!({"Limit": 20}),
    ] {
        let mut request = query(None, "p", changes);
        request["ReturnConsumedCapacity"] = json!("TOTAL");
        request["ConsistentRead"] = json!(true);
        let page = server.ok("Query", request.clone());
        assert_eq!(page["ScannedCount"], 11, "{request}");
        assert_eq!(page["LastEvaluatedKey"]["s"]["N"], "20");
        assert_eq!(capacity(&page), units(11.0), "{request}");
    }
    let scan =
        json!({"TableName": "abc", "ProjectionExpression": "s", "ReturnConsumedCapacity": "TOTAL"});
    let (items, count) = pages(&server, "Scan", scan, &["p", "s"]);
    assert_eq!((items.len(), count), (25, 3));
    // What an index does not hold does not fill its pages.
    let keys = server.ok("Query", query(Some("gsi-some"), "g", json!({})));
    assert_eq!(keys["Count"], 25);
    assert_eq!(keys.get("LastEvaluatedKey"), None);
}
