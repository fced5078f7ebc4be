//! Key conditions of Query: what they mean, how they may be written, and what is said of
//! those that are none.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

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

/// A query of `kind-N` with as many of the values as the condition uses.
fn with_values(condition: &str) -> Value {
    let mut given = serde_json::Map::new();
    for (name, value) in [
        (":p", json!({"S": "k"})),
        (":q", json!({"S": "l"})),
        (":n", json!({"N": "1"})),
        (":m", json!({"N": "0"})),
        (":t", json!({"BOOL": true})),
    ] {
        if condition.contains(name) {
            given.insert(name.to_owned(), value);
        }
    }
    let mut request = json!({"TableName": "kind-N", "KeyConditionExpression": condition});
    if !given.is_empty() {
        request["ExpressionAttributeValues"] = Value::Object(given);
    }
    request
}

#[test]
fn conditions_that_no_key_can_answer_are_refused() {
    let server = server();
    let operator = "Invalid operator used in KeyConditionExpression: ";
    let condition = "Invalid condition in KeyConditionExpression: ";
    for (written, text) in [
        ("p = :p OR s = :n", format!("{operator}OR")),
        ("NOT p = :p", format!("{operator}NOT")),
        ("p = :p AND s IN (:n, :m)", format!("{operator}IN")),
        ("p = :p AND s <> :n", format!("{operator}<>")),
        ("p <> :p", format!("{operator}<>")),
        ("p = :p AND attribute_exists(s)", format!("{operator}attribute_exists")),
        ("p = :p AND attribute_not_exists(s)", format!("{operator}attribute_not_exists")),
        ("p = :p AND contains(s, :q)", format!("{operator}contains")),
        (
            "p = :p AND s = size(x)",
            "KeyConditionExpressions cannot contain nested operations".into(),
        ),
        (
            "p = :p AND s.x = :n",
            "KeyConditionExpressions cannot have conditions on nested attributes".into(),
        ),
        ("p[0] = :p", "KeyConditionExpressions cannot have conditions on nested attributes".into()),
        (
            "p = :p AND p = :q",
            "KeyConditionExpressions must only contain one condition per key".into(),
        ),
        (
            "p = :p AND s > :m AND s < :n",
            "KeyConditionExpressions must only contain one condition per key".into(),
        ),
        (":p = :q", format!("{condition}No key attribute specified")),
        ("p = s", format!("{condition}Multiple attribute names used in one condition")),
        (
            "p = :p AND s BETWEEN :n AND x",
            format!("{condition}Multiple attribute names used in one condition"),
        ),
        (
            "p = :p AND :n BETWEEN s AND :n",
            format!("{condition}BETWEEN operator must have the key attribute as its first operand"),
        ),
        ("s = :n", "Query condition missed key schema element: p".into()),
        ("x = :n", "Query condition missed key schema element: p".into()),
        ("p = :p AND x = :n", "Query condition missed key schema element: s".into()),
        ("p > :p", "Query key condition not supported".into()),
        ("p BETWEEN :p AND :q", "Query key condition not supported".into()),
        ("begins_with(p, :p) AND s = :n", "Query key condition not supported".into()),
        ("p = :n", format!("{O}Condition parameter type does not match schema type")),
        ("p = :t", format!("{O}Condition parameter type does not match schema type")),
        ("p = :p AND s = :q", format!("{O}Condition parameter type does not match schema type")),
        ("p = :p AND s < :q", format!("{O}Condition parameter type does not match schema type")),
        (
            "p = :p AND begins_with(s, :q)",
            format!("{O}Condition parameter type does not match schema type"),
        ),
        ("p = :p AND s = :n AND x = :n", "Conditions can be of length 1 or 2 only".into()),
        ("", format!("{K}The expression can not be empty;")),
        ("p = ", format!("{K}Syntax error; token: \"<EOF>\", near: \"=\"")),
        ("((p = :p))", format!("{K}The expression has redundant parentheses;")),
        ("hash = :p", format!("{K}Attribute name is a reserved keyword; reserved keyword: hash")),
        (
            "#x = :p",
            format!(
                "{K}An expression attribute name used in the document path is not defined; attribute name: #x"
            ),
        ),
        (
            "p = :none",
            format!(
                "{K}An expression attribute value used in expression is not defined; attribute value: :none"
            ),
        ),
        ("nofunction(p, :p)", format!("{K}Invalid function name; function: nofunction")),
        (
            "p = :p AND begins_with(s)",
            format!(
                "{K}Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1"
            ),
        ),
        (
            "p = :p AND begins_with(s, :n)",
            format!(
                "{K}Incorrect operand type for operator or function; operator or function: begins_with, operand type: N"
            ),
        ),
        (
            "p = :p AND s > :t",
            format!(
                "{K}Incorrect operand type for operator or function; operator or function: >, operand type: BOOL"
            ),
        ),
        (
            "p = :p AND s BETWEEN :n AND :m",
            format!(
                "{K}The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {{N:1}}, upper bound operand: AttributeValue: {{N:0}}"
            ),
        ),
        (
            "p = :p AND s BETWEEN :n AND :q",
            format!(
                "{K}The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {{N:1}}, upper bound operand: AttributeValue: {{S:l}}"
            ),
        ),
    ] {
        server.invalid("Query", with_values(written), &text);
    }
    let mut alone = with_values("p = :p AND x = :n");
    alone["TableName"] = json!("alone");
    server.invalid("Query", alone, "Query key condition not supported");
    let long = format!("p = :p{}", " ".repeat(4091));
    server.invalid(
        "Query",
        with_values(&long),
        &format!("{K}Expression size has exceeded the maximum allowed size; expression size: 4097"),
    );
    let longest = format!("p = :p{}", " ".repeat(4090));
    server.ok("Query", with_values(&longest));
}

fn empty(kind: &str, key: &str) -> String {
    format!(
        "One or more parameter values are not valid. The AttributeValue for a key attribute \
         cannot contain an empty {kind} value. Key: {key}"
    )
}

/// A query of one partition, and of one sort key in it.
fn exactly(table: &str, p: Value, s: Option<Value>) -> Value {
    let mut request = json!({"TableName": table, "KeyConditionExpression": "p = :p",
        "ExpressionAttributeValues": {":p": p}});
    if let Some(s) = s {
        request["KeyConditionExpression"] = json!("p = :p AND s = :s");
        request["ExpressionAttributeValues"][":s"] = s;
    }
    request
}

#[test]
fn values_that_cannot_be_partition_keys_are_refused_in_conditions() {
    let server = server();
    let long = json!({"S": "x".repeat(2049)});
    let too_long = format!("{O}Size of hashkey has exceeded the maximum size limit of2048 bytes");
    server.invalid("Query", exactly("kind-S", json!({"S": ""}), None), &empty("string", "p"));
    server.invalid("Query", exactly("kind-S", long, None), &too_long);
    let longest = json!({"S": "x".repeat(2048)});
    assert_eq!(server.ok("Query", exactly("kind-S", longest, None))["Count"], 0);
}

#[test]
fn values_that_cannot_be_sort_keys_are_refused_in_conditions() {
    let server = server();
    let k = || json!({"S": "k"});
    let request = exactly("kind-S", k(), Some(json!({"S": ""})));
    server.invalid("Query", request, &empty("string", "s"));
    let request = exactly("kind-B", k(), Some(json!({"B": ""})));
    server.invalid("Query", request, &empty("binary", "s"));
    let request = exactly("kind-S", k(), Some(json!({"S": "x".repeat(1025)})));
    server.invalid(
        "Query",
        request,
        &format!("{O}Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
    );
    let longest = exactly("kind-S", k(), Some(json!({"S": "x".repeat(1024)})));
    assert_eq!(server.ok("Query", longest)["Count"], 0);
}

#[test]
fn what_goes_with_a_condition_is_checked() {
    let server = server();
    let good = || with_values("p = :p");
    let change = |changes: Value| {
        let mut request = good();
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        request
    };
    let either = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.";
    server.invalid("Query", json!({"TableName": "kind-N"}), either);
    for (changes, text) in [
        (
            json!({"KeyConditionExpression": null}),
            "ExpressionAttributeValues can only be specified when using expressions: FilterExpression and KeyConditionExpression are null",
        ),
        (json!({"KeyConditionExpression": null, "ExpressionAttributeValues": null}), either),
        (
            json!({"KeyConditionExpression": null, "ExpressionAttributeValues": null, "ExpressionAttributeNames": {"#a": "a"}}),
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            json!({"ExpressionAttributeNames": {"#a": "a", "#b": "b"}}),
            "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}",
        ),
        (
            json!({"ExpressionAttributeValues": {":p": {"S": "k"}, ":z": {"S": "k"}}}),
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:z}",
        ),
        (json!({"ExpressionAttributeValues": {}}), "ExpressionAttributeValues must not be empty"),
        (json!({"ExpressionAttributeNames": {}}), "ExpressionAttributeNames must not be empty"),
        (
            json!({"ExpressionAttributeNames": {"a": "a"}}),
            "ExpressionAttributeNames contains invalid key: Syntax error; key: \"a\"",
        ),
        (
            json!({"ExpressionAttributeValues": {"p": {"S": "k"}}}),
            "ExpressionAttributeValues contains invalid key: Syntax error; key: \"p\"",
        ),
        (
            json!({"ExpressionAttributeValues": {":p": {"N": "x"}}}),
            "ExpressionAttributeValues contains invalid value: The parameter cannot be converted to a numeric value: x for key :p",
        ),
        (
            json!({"KeyConditions": {"p": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "k"}]}}}),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {KeyConditions} Expression parameters: {KeyConditionExpression}",
        ),
        (
            json!({"QueryFilter": {"x": {"ComparisonOperator": "NULL"}}}),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {QueryFilter} Expression parameters: {KeyConditionExpression}",
        ),
        (
            json!({"AttributesToGet": ["x"]}),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {KeyConditionExpression}",
        ),
        (
            json!({"ConditionalOperator": "AND"}),
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ConditionalOperator} Expression parameters: {KeyConditionExpression}",
        ),
        (
            json!({"Limit": 0}),
            "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
        ),
        (
            json!({"Select": "SOME"}),
            "1 validation error detected: Value 'SOME' at 'select' failed to satisfy constraint: Member must satisfy enum value set: [SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
        ),
        (json!({"IndexName": "none"}), "The table does not have the specified index: none"),
        (
            json!({"IndexName": "gsi", "ConsistentRead": true}),
            "Consistent reads are not supported on global secondary indexes",
        ),
        (
            json!({"FilterExpression": "p = :p"}),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: p",
        ),
        (
            json!({"FilterExpression": "x = :p OR attribute_exists(s)"}),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: s",
        ),
        (
            json!({"FilterExpression": "#x = :p", "ExpressionAttributeNames": {"#x": "s"}}),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: s",
        ),
        (
            json!({"FilterExpression": "g.x = :p"}),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g",
        ),
        (
            json!({"ProjectionExpression": "p.x"}),
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: p",
        ),
        (
            json!({"FilterExpression": "size(x)"}),
            "Invalid FilterExpression: The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            json!({"ProjectionExpression": "x, x"}),
            "Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [x], path two: [x]",
        ),
    ] {
        server.invalid("Query", change(changes), text);
    }
    server.refused(
        "Query",
        change(json!({"TableName": "none"})),
        "ResourceNotFoundException: Requested resource not found",
    );
    // What is a key elsewhere is an attribute here.
    server.ok("Query", change(json!({"FilterExpression": "g = :p"})));
    let mut index = with_values("g = :p");
    index["IndexName"] = json!("gsi");
    index["FilterExpression"] = json!("p = :p");
    server.ok("Query", index.clone());
    index["FilterExpression"] = json!("s = :p");
    server.invalid(
        "Query",
        index,
        "Filter Expression can only contain non-primary key attributes: Primary key attribute: s",
    );
}

fn compare(operator: &str, values: Value) -> Value {
    json!({"ComparisonOperator": operator, "AttributeValueList": values})
}

#[test]
fn legacy_key_conditions_mean_the_same() {
    let server = server();
    let values = fill(&server, "N");
    let strings = fill(&server, "S");
    let n = |value: &str| json!({"N": value});
    for (sort, expected) in [
        (Value::Null, &values[..]),
        (compare("EQ", json!([n("1")])), &values[9..10]),
        (compare("LT", json!([n("1")])), &values[..9]),
        (compare("LE", json!([n("1")])), &values[..10]),
        (compare("GT", json!([n("1")])), &values[10..]),
        (compare("GE", json!([n("1")])), &values[9..]),
        (compare("BETWEEN", json!([n("0"), n("1")])), &values[6..10]),
    ] {
        let mut request = json!({"KeyConditions": {"p": compare("EQ", json!([{"S": "k"}]))}});
        if !sort.is_null() {
            request["KeyConditions"]["s"] = sort;
        }
        assert_eq!(found(&server, "N", request.clone()), expected, "{request}");
        request["ScanIndexForward"] = json!(false);
        let backward: Vec<String> = expected.iter().rev().cloned().collect();
        assert_eq!(found(&server, "N", request), backward);
    }
    let prefix = json!({"KeyConditions": {"p": compare("EQ", json!([{"S": "k"}])),
        "s": compare("BEGINS_WITH", json!([{"S": "a"}]))}});
    assert_eq!(found(&server, "S", prefix), strings[1..6]);
    let index = json!({"IndexName": "gsi", "KeyConditions": {"g": compare("EQ", json!([{"S": "k"}])),
        "s": compare("GT", json!([n("9")]))}});
    assert_eq!(found(&server, "N", index), values[13..]);
    // Old key conditions go with new filters and projections.
    let mixed = json!({"TableName": "kind-N", "KeyConditions": {"p": compare("EQ", json!([{"S": "k"}]))},
        "FilterExpression": "g = :g", "ProjectionExpression": "s", "Limit": 1,
        "ExpressionAttributeValues": {":g": {"S": "k"}}});
    assert_eq!(server.ok("Query", mixed)["Items"], json!([{"s": {"N": values[0]}}]));
}

#[test]
fn legacy_key_conditions_that_are_none_are_refused() {
    let server = server();
    let p = || compare("EQ", json!([{"S": "k"}]));
    let n = |value: &str| json!({"N": value});
    let indexable = "Attempted conditional constraint is not an indexable operation";
    for (conditions, text) in [
        (json!({"p": compare("NE", json!([{"S": "k"}]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("NE", json!([n("1")]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("CONTAINS", json!([n("1")]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("NOT_CONTAINS", json!([n("1")]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("IN", json!([n("1")]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("NULL", json!([]))}), indexable.to_owned()),
        (json!({"p": p(), "s": compare("NOT_NULL", json!([]))}), indexable.to_owned()),
        (
            json!({"p": compare("GT", json!([{"S": "k"}]))}),
            "Query key condition not supported".into(),
        ),
        (
            json!({"s": compare("EQ", json!([n("1")]))}),
            "Query condition missed key schema element: p".into(),
        ),
        (
            json!({"p": p(), "x": compare("EQ", json!([n("1")]))}),
            "Query condition missed key schema element: s".into(),
        ),
        (
            json!({"p": p(), "s": compare("EQ", json!([n("1")])), "x": compare("EQ", json!([n("1")]))}),
            "Conditions can be of length 1 or 2 only".into(),
        ),
        (
            json!({"p": compare("EQ", json!([n("1")]))}),
            format!("{O}Condition parameter type does not match schema type"),
        ),
        (
            json!({"p": p(), "s": compare("EQ", json!([]))}),
            format!("{O}Invalid number of argument(s) for the EQ ComparisonOperator"),
        ),
        (
            json!({"p": p(), "s": compare("BETWEEN", json!([n("1")]))}),
            format!("{O}Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
        ),
        (
            json!({"p": p(), "s": compare("BETWEEN", json!([n("1"), {"S": "1"}]))}),
            format!("{O}AttributeValues inside AttributeValueList must be of same type"),
        ),
        (
            json!({"p": p(), "s": compare("LT", json!([{"BOOL": true}]))}),
            format!("{O}ComparisonOperator LT is not valid for BOOL AttributeValue type"),
        ),
        (
            json!({"p": p(), "s": compare("BEGINS_WITH", json!([n("1")]))}),
            format!("{O}ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type"),
        ),
        (
            json!({"p": p(), "s": compare("BETWEEN", json!([n("2"), n("1")]))}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound".into(),
        ),
    ] {
        let request = json!({"TableName": "kind-N", "KeyConditions": conditions});
        server.invalid("Query", request, &text);
    }
}

#[test]
fn legacy_filters_and_names_are_refused_in_aws_words() {
    let server = server();
    let base = || json!({"TableName": "kind-N", "KeyConditions": {"p": compare("EQ", json!([{"S": "k"}]))}});
    for (changes, text) in [
        (
            json!({"QueryFilter": {"s": compare("EQ", json!([{"N": "1"}]))}}),
            "QueryFilter can only contain non-primary key attributes: Primary key attribute: s"
                .to_owned(),
        ),
        (
            json!({"QueryFilter": {"x": compare("EQ", json!([]))}}),
            format!("{O}Invalid number of argument(s) for the EQ ComparisonOperator"),
        ),
        (
            json!({"QueryFilter": {"x": compare("NULL", json!([{"S": "a"}]))}}),
            format!("{O}Invalid number of argument(s) for the NULL ComparisonOperator"),
        ),
        (
            json!({"QueryFilter": {"x": compare("IN", json!([{"N": "1"}, {"S": "a"}]))}}),
            format!("{O}AttributeValues inside AttributeValueList must be of same type"),
        ),
        (
            json!({"QueryFilter": {"x": compare("CONTAINS", json!([{"L": []}]))}}),
            format!("{O}ComparisonOperator CONTAINS is not valid for L AttributeValue type"),
        ),
        (
            json!({"AttributesToGet": ["a", "b", "a"]}),
            format!("{O}Duplicate value in attribute name: a"),
        ),
        (
            json!({"ConditionalOperator": "OR"}),
            format!("{O}ConditionalOperator cannot be used without Filter or Expected"),
        ),
        (
            json!({"ConditionalOperator": "OR", "QueryFilter": {}}),
            format!("{O}ConditionalOperator cannot be used without Filter or Expected"),
        ),
        (
            json!({"AttributesToGet": ["x"], "Select": "ALL_ATTRIBUTES"}),
            format!("{O}Cannot specify the AttributesToGet when choosing to get ALL_ATTRIBUTES"),
        ),
        (
            json!({"AttributesToGet": ["x"], "Select": "COUNT"}),
            format!("{O}Cannot specify the AttributesToGet when choosing to get only the Count"),
        ),
    ] {
        let mut request = base();
        for (name, value) in changes.as_object().unwrap() {
            request[name] = value.clone();
        }
        server.invalid("Query", request, &text);
    }
}

/// Faults of a Query, each as a change to a good request, in the order AWS reports them.
/// Any two of them together are reported as the first.
#[test]
fn of_two_faults_the_first_in_order_is_reported() {
    let server = server();
    let expressions = vec![
        (
            json!({"Limit": 0}),
            "ValidationException: 1 validation error detected: Value '0' at 'limit'",
        ),
        (
            json!({"AttributesToGet": ["x"]}),
            "ValidationException: Can not use both expression and non-expression",
        ),
        (
            json!({"ExclusiveStartKey": {"p": {"S": "k"}, "s": {"N": "x"}}}),
            "ValidationException: The provided starting key is invalid: The parameter cannot be converted",
        ),
        (
            json!({"FilterExpression": "!!!"}),
            "ValidationException: Invalid FilterExpression: Syntax error",
        ),
        (json!({"TableName": "none"}), "ResourceNotFoundException: Requested resource not found"),
        (
            json!({"IndexName": "none"}),
            "ValidationException: The table does not have the specified index: none",
        ),
        (
            json!({"IndexName": "gsi", "ConsistentRead": true}),
            "ValidationException: Consistent reads are not supported",
        ),
        (
            json!({"ExclusiveStartKey": {"p": {"S": "k"}}}),
            "ValidationException: The provided starting key is invalid",
        ),
        (
            json!({"KeyConditionExpression": "x = :p"}),
            "ValidationException: Query condition missed key schema element: p",
        ),
        (
            json!({"ExclusiveStartKey": {"p": {"S": "other"}, "s": {"N": "1"}}}),
            "ValidationException: The provided starting key is outside query boundaries",
        ),
        (
            json!({"ProjectionExpression": "p.x"}),
            "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: p",
        ),
        (
            json!({"FilterExpression": "s = :p"}),
            "ValidationException: Filter Expression can only contain non-primary key attributes: Primary key attribute: s",
        ),
        (
            json!({"Select": "ALL_PROJECTED_ATTRIBUTES"}),
            "ValidationException: One or more parameter values were invalid: ALL_PROJECTED_ATTRIBUTES can be used only",
        ),
        (
            json!({"FilterExpression": "g.x = :p"}),
            "ValidationException: Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: IndexKey: g",
        ),
    ];
    let legacy = vec![
        (
            json!({"Limit": 0}),
            "ValidationException: 1 validation error detected: Value '0' at 'limit'",
        ),
        (
            json!({"QueryFilter": {"x": compare("LT", json!([]))}}),
            "ValidationException: One or more parameter values were invalid: Invalid number of argument(s) for the LT",
        ),
        (
            json!({"AttributesToGet": ["a", "a"]}),
            "ValidationException: One or more parameter values were invalid: Duplicate value in attribute name: a",
        ),
        (
            json!({"ExclusiveStartKey": {"p": {"S": "k"}, "s": {"N": "x"}}}),
            "ValidationException: The provided starting key is invalid: The parameter cannot be converted",
        ),
        (
            json!({"KeyConditions": null}),
            "ValidationException: Either the KeyConditions or KeyConditionExpression parameter",
        ),
        (
            json!({"KeyConditions": {"p": compare("NE", json!([{"S": "k"}]))}}),
            "ValidationException: Attempted conditional constraint is not an indexable operation",
        ),
        (json!({"TableName": "none"}), "ResourceNotFoundException: Requested resource not found"),
        (
            json!({"KeyConditions": {"x": compare("EQ", json!([{"S": "k"}]))}}),
            "ValidationException: Query condition missed key schema element: p",
        ),
    ];
    let old =
        json!({"TableName": "kind-N", "KeyConditions": {"p": compare("EQ", json!([{"S": "k"}]))}});
    let mut wrong = Vec::new();
    for (base, faults) in [(with_values("p = :p"), expressions), (old, legacy)] {
        server.ok("Query", base.clone());
        wrong.extend(server.pairs_of_faults("Query", &base, &faults));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
