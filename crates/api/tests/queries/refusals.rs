//! Conditions and what goes with them that Query refuses.

use super::*;

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
