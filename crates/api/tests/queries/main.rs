//! Key conditions of Query: what they mean, how they may be written, and what is said of
//! those that are none.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod legacy;
mod refusals;
#[path = "../support/mod.rs"]
mod support;

use serde_json::{Value, json};
use support::Server;

const O: &str = "One or more parameter values were invalid: ";
const K: &str = "Invalid KeyConditionExpression: ";

fn definition(name: &str, kind: &str) -> Value {
    json!({"AttributeName": name, "AttributeType": kind})
}

fn element(name: &str, kind: &str) -> Value {
    json!({"AttributeName": name, "KeyType": kind})
}

/// Tables `S`, `N` and `B` with keys `p` and `s`, named after the type of `s`; and `alone`
/// with the key `p`.
fn server() -> Server {
    let server = Server::new();
    for kind in ["S", "N", "B"] {
        server.ok(
            "CreateTable",
            json!({
                "TableName": format!("kind-{kind}"),
                "AttributeDefinitions": [definition("p", "S"), definition("s", kind), definition("g", "S")],
                "KeySchema": [element("p", "HASH"), element("s", "RANGE")],
                "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [element("g", "HASH"), element("s", "RANGE")],
                    "Projection": {"ProjectionType": "KEYS_ONLY"}}],
                "BillingMode": "PAY_PER_REQUEST",
            }),
        );
    }
    server.ok(
        "CreateTable",
        json!({"TableName": "alone", "AttributeDefinitions": [definition("p", "S")],
            "KeySchema": [element("p", "HASH")], "BillingMode": "PAY_PER_REQUEST"}),
    );
    server
}

/// Values of a type in the order of keys.
fn ordered(kind: &str) -> Vec<String> {
    let large = format!("1{}", "0".repeat(125));
    let negative = format!("-{large}");
    let values: Vec<&str> = match kind {
        // By UTF-8 bytes, where U+FFFF comes before U+1F600.
        "S" => vec![
            "A",
            "a",
            "a\0",
            "a\0b",
            "aa",
            "ab",
            "b",
            "\u{e9}",
            "\u{20ac}",
            "\u{ffff}",
            "\u{1f600}",
        ],
        "N" => vec![
            &negative,
            "-100",
            "-12.5",
            "-12",
            "-1",
            "-0.001",
            "0",
            "0.001",
            "0.1",
            "1",
            "1.5",
            "2",
            "9",
            "10",
            "12345678901234567890123456789012345678",
            &large,
        ],
        // 00, 0000, 0001, 01, 7f, 80, ff, ff00, ffff
        _ => vec!["AA==", "AAA=", "AAE=", "AQ==", "fw==", "gA==", "/w==", "/wA=", "//8="],
    };
    values.into_iter().map(str::to_owned).collect()
}

/// Puts an item for each value, not in their order, between neighbours in other partitions.
fn fill(server: &Server, kind: &str) -> Vec<String> {
    let values = ordered(kind);
    for step in [1, 0] {
        for value in values.iter().skip(step).step_by(2) {
            for partition in ["k", "k\0", "kk", "j"] {
                let item =
                    json!({"p": {"S": partition}, "s": {kind: value}, "g": {"S": partition}});
                server.ok("PutItem", json!({"TableName": format!("kind-{kind}"), "Item": item}));
            }
        }
    }
    values
}

/// The sort keys found, each checked to be of partition `k`.
fn found(server: &Server, kind: &str, mut request: Value) -> Vec<String> {
    request["TableName"] = json!(format!("kind-{kind}"));
    let answer = server.ok("Query", request);
    let items = answer["Items"].as_array().unwrap();
    assert_eq!(answer["Count"], items.len());
    assert_eq!(answer["ScannedCount"], items.len());
    assert_eq!(answer.get("LastEvaluatedKey"), None);
    let sort = |item: &Value| {
        assert_eq!(item["p"]["S"], "k");
        item["s"][kind].as_str().unwrap().to_owned()
    };
    items.iter().map(sort).collect()
}

#[test]
fn every_operator_gives_its_range_in_both_directions() {
    let server = server();
    for kind in ["S", "N", "B"] {
        let values = fill(&server, kind);
        let check = |sort: &str, bounds: &[usize], expected: &[String]| {
            let mut given = json!({":p": {"S": "k"}});
            for (name, bound) in [":a", ":b"].iter().zip(bounds) {
                given[name] = json!({kind: values[*bound]});
            }
            let backward: Vec<String> = expected.iter().rev().cloned().collect();
            for (index, partition) in [(Value::Null, "p"), (json!("gsi"), "g")] {
                let condition = format!("{partition} = :p{sort}");
                let request = json!({"KeyConditionExpression": condition, "IndexName": index,
                    "ExpressionAttributeValues": given});
                assert_eq!(found(&server, kind, request.clone()), expected, "{request}");
                let mut request = request;
                request["ScanIndexForward"] = json!(true);
                assert_eq!(found(&server, kind, request.clone()), expected, "{request}");
                request["ScanIndexForward"] = json!(false);
                assert_eq!(found(&server, kind, request.clone()), backward, "{request}");
            }
        };
        check("", &[], &values);
        for at in 0..values.len() {
            check(" AND s = :a", &[at], &values[at..=at]);
            check(" AND s < :a", &[at], &values[..at]);
            check(" AND s <= :a", &[at], &values[..=at]);
            check(" AND s > :a", &[at], &values[at + 1..]);
            check(" AND s >= :a", &[at], &values[at..]);
            for to in at..values.len() {
                check(" AND s BETWEEN :a AND :b", &[at, to], &values[at..=to]);
            }
        }
    }
}

#[test]
fn bounds_need_not_be_there() {
    let server = server();
    let values = fill(&server, "N");
    for (sort, expected) in [
        ("s > :a", &values[10..]),
        ("s >= :a", &values[10..]),
        ("s < :a", &values[..10]),
        ("s <= :a", &values[..10]),
        ("s = :a", &[]),
        ("s BETWEEN :a AND :a", &[]),
    ] {
        let request = json!({"KeyConditionExpression": format!("p = :p AND {sort}"),
            "ExpressionAttributeValues": {":p": {"S": "k"}, ":a": {"N": "1.2"}}});
        assert_eq!(found(&server, "N", request), expected, "{sort}");
    }
    let nobody = json!({"TableName": "kind-N", "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": {"S": "nobody"}}});
    assert_eq!(server.ok("Query", nobody), json!({"Items": [], "Count": 0, "ScannedCount": 0}));
}

#[test]
fn numbers_are_compared_by_value_however_written() {
    let server = server();
    fill(&server, "N");
    for (written, expected) in [("1.50", "1.5"), ("15e-1", "1.5"), ("-0", "0"), ("1E1", "10")] {
        let request = json!({"KeyConditionExpression": "p = :p AND s = :s",
            "ExpressionAttributeValues": {":p": {"S": "k"}, ":s": {"N": written}}});
        assert_eq!(found(&server, "N", request), [expected], "{written}");
    }
}

#[test]
fn a_prefix_finds_all_that_begin_with_it() {
    let server = server();
    for (kind, prefix, from, to) in [
        ("S", "a", 1, 6),
        ("S", "a\0", 2, 4),
        ("S", "aa", 4, 5),
        ("S", "ac", 0, 0),
        ("S", "\u{1f600}", 10, 11),
        ("B", "AA==", 0, 3),
        ("B", "AAA=", 1, 2),
        ("B", "/w==", 6, 9),
        ("B", "//8=", 8, 9),
        ("B", "////", 0, 0),
    ] {
        let values = fill(&server, kind);
        let request = json!({"KeyConditionExpression": "p = :p AND begins_with(s, :s)",
            "ExpressionAttributeValues": {":p": {"S": "k"}, ":s": {kind: prefix}}});
        assert_eq!(found(&server, kind, request.clone()), values[from..to], "{prefix:?}");
        let mut backward = request;
        backward["ScanIndexForward"] = json!(false);
        let expected: Vec<String> = values[from..to].iter().rev().cloned().collect();
        assert_eq!(found(&server, kind, backward), expected, "{prefix:?} backward");
    }
}

#[test]
fn a_condition_can_be_written_in_many_ways() {
    let server = server();
    let values = fill(&server, "N");
    let above: Vec<String> = values[10..].to_vec();
    for written in [
        "p = :p AND s > :s",
        "s > :s AND p = :p",
        ":s < s AND :p = p",
        "p=:p AND s>:s",
        "(p = :p) AND (s > :s)",
        "(p = :p AND s > :s)",
        "(p = :p) and s > :s",
        "p = :p AnD (:s < s)",
        "\n  p\t= :p\r\nAND s > :s ",
        "p = (:p) AND (s) > :s",
    ] {
        let request = json!({"KeyConditionExpression": written,
            "ExpressionAttributeValues": {":p": {"S": "k"}, ":s": {"N": "1"}}});
        assert_eq!(found(&server, "N", request), above, "{written}");
    }
    for written in ["#p = :p AND #s > :s", "#p = :p AND :s < #s"] {
        let request = json!({"KeyConditionExpression": written,
            "ExpressionAttributeNames": {"#p": "p", "#s": "s"},
            "ExpressionAttributeValues": {":p": {"S": "k"}, ":s": {"N": "1"}}});
        assert_eq!(found(&server, "N", request), above, "{written}");
    }
    for (written, mirrored, expected) in [
        ("s < :s", ":s > s", &values[..9]),
        ("s <= :s", ":s >= s", &values[..10]),
        ("s >= :s", ":s <= s", &values[9..]),
        ("s = :s", ":s = s", &values[9..10]),
    ] {
        for sort in [written, mirrored] {
            let request = json!({"KeyConditionExpression": format!("{sort} AND p = :p"),
                "ExpressionAttributeValues": {":p": {"S": "k"}, ":s": {"N": "1"}}});
            assert_eq!(found(&server, "N", request), expected, "{sort}");
        }
    }
    let between = json!({"KeyConditionExpression": "s between :a and :b and p = :p",
        "ExpressionAttributeValues": {":p": {"S": "k"}, ":a": {"N": "0"}, ":b": {"N": "1"}}});
    assert_eq!(found(&server, "N", between), values[6..10]);
}

fn compare(operator: &str, values: Value) -> Value {
    json!({"ComparisonOperator": operator, "AttributeValueList": values})
}
