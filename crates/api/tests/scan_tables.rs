//! Scan: segments, filters, and the order in which its faults are reported.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use support::Server;

fn server() -> Server {
    let server = Server::new();
    let element = |name: &str, kind: &str| json!({"AttributeName": name, "KeyType": kind});
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "N"},
                {"AttributeName": "g", "AttributeType": "S"}],
            "KeySchema": [element("p", "HASH"), element("s", "RANGE")],
            "GlobalSecondaryIndexes": [{"IndexName": "gsi", "KeySchema": [element("g", "HASH")],
                "Projection": {"ProjectionType": "ALL"}}],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    server
}

/// Forty partitions of three items; every second item is in the index.
fn fill(server: &Server) {
    for p in 0..40 {
        for s in 0..3 {
            let mut item = json!({"p": {"S": format!("p{p}")}, "s": {"N": s.to_string()},
                "n": {"N": (p * 3 + s).to_string()}});
            if (p + s) % 2 == 0 {
                item["g"] = json!({"S": format!("g{p}")});
            }
            server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
        }
    }
}

/// The numbers of all items that the pages of a scan give.
fn numbers(server: &Server, mut request: Value) -> Vec<u64> {
    request["TableName"] = json!("abc");
    let mut found = Vec::new();
    loop {
        let answer = server.ok("Scan", request.clone());
        let items = answer["Items"].as_array().unwrap();
        found.extend(
            items.iter().map(|item| item["n"]["N"].as_str().unwrap().parse::<u64>().unwrap()),
        );
        match answer.get("LastEvaluatedKey") {
            Some(last) => request["ExclusiveStartKey"] = last.clone(),
            None => return found,
        }
    }
}

#[test]
fn segments_together_give_every_item_once() {
    let server = server();
    fill(&server);
    let all: Vec<u64> = (0..120).collect();
    let indexed: Vec<u64> = all.iter().copied().filter(|n| (n / 3 + n % 3) % 2 == 0).collect();
    for (index, expected) in [(Value::Null, &all), (json!("gsi"), &indexed)] {
        for total in [1, 2, 3, 7, 64] {
            for limit in [Value::Null, json!(1), json!(5)] {
                let segment = |segment: u64| {
                    numbers(
                        &server,
                        json!({"IndexName": index, "Segment": segment, "TotalSegments": total, "Limit": limit}),
                    )
                };
                let mut found: Vec<u64> = (0..total).flat_map(segment).collect();
                found.sort_unstable();
                assert_eq!(&found, expected, "{index} in {total} by {limit}");
            }
        }
        let most = json!({"IndexName": index, "Segment": 999_999, "TotalSegments": 1_000_000});
        assert!(numbers(&server, most).len() < 120);
        let mut whole = numbers(&server, json!({"IndexName": index}));
        whole.sort_unstable();
        assert_eq!(&whole, expected, "{index}");
    }
}

#[test]
fn a_scan_keeps_partitions_together_and_in_order() {
    let server = server();
    fill(&server);
    let found = numbers(&server, json!({}));
    for partition in found.chunks(3) {
        assert_eq!(partition[0] % 3, 0);
        assert_eq!([partition[0] + 1, partition[0] + 2], partition[1..]);
    }
}

#[test]
fn segments_that_are_none_are_refused() {
    let server = server();
    let constraint = |value: &str, member: &str, what: &str| {
        format!(
            "1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: Member must have value {what}"
        )
    };
    for (changes, text) in [
        (json!({"Segment": 0}), "The TotalSegments parameter is required but was not present in the request when Segment parameter is present".to_owned()),
        (json!({"TotalSegments": 1}), "The Segment parameter is required but was not present in the request when parameter TotalSegments is present".into()),
        (json!({"Segment": 5, "TotalSegments": 5}), "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5".into()),
        (json!({"Segment": 6, "TotalSegments": 5}), "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 6 is not less than TotalSegments: 5".into()),
        (json!({"Segment": -1, "TotalSegments": 5}), constraint("-1", "segment", "greater than or equal to 0")),
        (json!({"Segment": 1_000_000, "TotalSegments": 1_000_000}), constraint("1000000", "segment", "less than or equal to 999999")),
        (json!({"Segment": 0, "TotalSegments": 0}), constraint("0", "totalSegments", "greater than or equal to 1")),
        (json!({"Segment": 0, "TotalSegments": 1_000_001}), constraint("1000001", "totalSegments", "less than or equal to 1000000")),
        (json!({"Limit": 0}), constraint("0", "limit", "greater than or equal to 1")),
    ] {
        let mut request = changes;
        request["TableName"] = json!("abc");
        server.invalid("Scan", request, &text);
    }
}

#[test]
fn a_position_belongs_to_its_segment() {
    let server = server();
    fill(&server);
    let start = json!({"p": {"S": "p1"}, "s": {"N": "1"}});
    let mut refused = Vec::new();
    for segment in 0..4 {
        let request = json!({"TableName": "abc", "Segment": segment, "TotalSegments": 4, "ExclusiveStartKey": start});
        if let Err((name, text)) = server.call("Scan", &request) {
            assert_eq!(name, "ValidationException");
            assert_eq!(
                text,
                format!(
                    "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 4 Segment: {segment}"
                )
            );
            refused.push(segment);
        }
    }
    assert_eq!(refused.len(), 3, "all segments but one");
}

#[test]
fn a_scan_filters_on_anything() {
    let server = server();
    fill(&server);
    // Eleven partitions begin with p1.
    for (filter, count) in [
        ("p = :p", 3),
        ("p = :p AND s > :n", 1),
        ("begins_with(p, :p)", 33),
        ("g = :g", 2),
        ("attribute_not_exists(g)", 60),
        ("n BETWEEN :n AND :m", 10),
        ("NOT n > :n", 2),
        ("n IN (:n, :m)", 2),
        ("contains(p, :p) OR n = :n", 34),
        ("size(p) = :size", 30),
    ] {
        let mut given = serde_json::Map::new();
        for (name, value) in [
            (":p", json!({"S": "p1"})),
            (":g", json!({"S": "g2"})),
            (":n", json!({"N": "1"})),
            (":m", json!({"N": "10"})),
            (":size", json!({"N": "2"})),
        ] {
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
            if filter.split(name).skip(1).any(ends) {
                given.insert(name.to_owned(), value);
            }
        }
        let mut request = json!({"TableName": "abc", "FilterExpression": filter});
        if !given.is_empty() {
            request["ExpressionAttributeValues"] = Value::Object(given);
        }
        let answer = server.ok("Scan", request);
        assert_eq!(answer["Count"], count, "{filter}");
        assert_eq!(answer["ScannedCount"], 120, "{filter}");
    }
}

#[test]
fn what_a_scan_is_asked_is_checked() {
    let server = server();
    let mixed = "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: ";
    for (changes, text) in [
        (json!({"IndexName": "none"}), "The table does not have the specified index: none".to_owned()),
        (json!({"IndexName": "gsi", "ConsistentRead": true}), "Consistent reads are not supported on global secondary indexes".into()),
        (json!({"ExpressionAttributeValues": {":a": {"S": "a"}}}), "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null".into()),
        (json!({"ExpressionAttributeNames": {"#a": "a"}}), "ExpressionAttributeNames can only be specified when using expressions".into()),
        (json!({"FilterExpression": ""}), "Invalid FilterExpression: The expression can not be empty;".into()),
        (json!({"FilterExpression": "a = :a"}), "Invalid FilterExpression: An expression attribute value used in expression is not defined; attribute value: :a".into()),
        (json!({"FilterExpression": "a = a"}), "Invalid FilterExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]".into()),
        (json!({"FilterExpression": "p.a = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}}), "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: p".into()),
        (json!({"ProjectionExpression": "g[0]"}), "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g".into()),
        (json!({"FilterExpression": "attribute_exists(a)", "ScanFilter": {"a": {"ComparisonOperator": "NULL"}}}), format!("{mixed}{{ScanFilter}} Expression parameters: {{FilterExpression}}")),
        (json!({"ProjectionExpression": "a", "FilterExpression": "attribute_exists(a)", "AttributesToGet": ["a"], "ConditionalOperator": "OR"}), format!("{mixed}{{AttributesToGet, ConditionalOperator}} Expression parameters: {{ProjectionExpression, FilterExpression}}")),
        (json!({"AttributesToGet": ["a", "a"]}), "One or more parameter values were invalid: Duplicate value in attribute name: a".into()),
        (json!({"ConditionalOperator": "OR"}), "One or more parameter values were invalid: ConditionalOperator cannot be used without Filter or Expected".into()),
        (json!({"ScanFilter": {"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "1"}]}}}), "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound".into()),
        (json!({"AttributesToGet": ["a"], "Select": "ALL_ATTRIBUTES"}), "One or more parameter values were invalid: Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES".into()),
    ] {
        let mut request = changes;
        request["TableName"] = json!("abc");
        server.invalid("Scan", request, &text);
    }
    server.refused(
        "Scan",
        json!({"TableName": "none"}),
        "ResourceNotFoundException: Requested resource not found",
    );
    assert_eq!(
        server.ok("Scan", json!({"TableName": "abc"})),
        json!({"Items": [], "Count": 0, "ScannedCount": 0})
    );
}

/// Faults in the order AWS reports them; any two together are reported as the first.
#[test]
fn of_two_faults_the_first_in_order_is_reported() {
    let server = server();
    let o = "ValidationException: One or more parameter values were invalid: ";
    let expressions = vec![
        (json!({"Limit": 0}), "ValidationException: 1 validation error detected: Value '0' at 'limit'".to_owned()),
        (json!({"AttributesToGet": ["x"]}), "ValidationException: Can not use both".into()),
        (json!({"ExclusiveStartKey": {"p": {"S": "k"}, "s": {"N": "x"}}}), "ValidationException: The provided starting key is invalid: The parameter cannot be converted".into()),
        (json!({"Segment": 5, "TotalSegments": 5}), "ValidationException: The Segment parameter is zero-based".into()),
        (json!({"FilterExpression": "!!!"}), "ValidationException: Invalid FilterExpression: Syntax error".into()),
        (json!({"TableName": "none"}), "ResourceNotFoundException: ".into()),
        (json!({"IndexName": "none"}), "ValidationException: The table does not have the specified index".into()),
        (json!({"IndexName": "gsi", "ConsistentRead": true}), "ValidationException: Consistent reads are not supported".into()),
        (json!({"ExclusiveStartKey": {"p": {"S": "k"}}}), "ValidationException: The provided starting key is invalid".into()),
        (json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}), o.to_owned()),
        (json!({"ProjectionExpression": "p.x"}), "ValidationException: Key attributes must be scalars".into()),
    ];
    let legacy = vec![
        (json!({"AttributesToGet": ["a", "a"]}), format!("{o}Duplicate value in attribute name: a")),
        (json!({"ScanFilter": {"x": {"ComparisonOperator": "LT", "AttributeValueList": []}}}), format!("{o}Invalid number of argument(s) for the LT")),
        (json!({"ExclusiveStartKey": {"p": {"S": "k"}, "s": {"N": "x"}}}), "ValidationException: The provided starting key is invalid: The parameter cannot be converted".into()),
        (json!({"Segment": 5, "TotalSegments": 5}), "ValidationException: The Segment parameter is zero-based".into()),
        (json!({"TableName": "none"}), "ResourceNotFoundException: ".into()),
    ];
    let new = json!({"TableName": "abc", "FilterExpression": "attribute_exists(x)"});
    let mut wrong = Vec::new();
    for (base, faults) in [(new, expressions), (json!({"TableName": "abc"}), legacy)] {
        wrong.extend(server.pairs_of_faults("Scan", &base, &faults));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
