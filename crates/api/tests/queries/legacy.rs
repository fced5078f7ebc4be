//! Key conditions and filters in the form from before expressions.

use super::*;

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
