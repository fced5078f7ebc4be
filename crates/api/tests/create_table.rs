//! CreateTable: what it refuses, request by request, and what it describes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use support::Server;

/// A valid request with some members replaced; null takes one away.
fn table(changes: Value) -> Value {
    let mut request = json!({
        "TableName": "abc",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    for (name, value) in changes.as_object().unwrap() {
        request[name] = value.clone();
    }
    request
}

fn definitions(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"AttributeName": name, "AttributeType": "S"})).collect()
}

/// `"a b"` is a HASH and b RANGE; `"a+b c"` has two HASH attributes.
fn key(text: &str) -> Value {
    let mut parts = text.split(' ');
    let hash =
        parts.next().unwrap().split('+').map(|n| json!({"AttributeName": n, "KeyType": "HASH"}));
    let range = parts.next().into_iter().flat_map(|p| p.split('+'));
    hash.chain(range.map(|n| json!({"AttributeName": n, "KeyType": "RANGE"}))).collect()
}

fn index(name: &str, schema: &str) -> Value {
    json!({"IndexName": name, "KeySchema": key(schema), "Projection": {"ProjectionType": "ALL"}})
}

const O: &str = "One or more parameter values were invalid: ";

#[test]
fn constraints_of_the_model_are_reported_together() {
    let server = Server::new();
    for (request, text) in [
        (json!({}), "The parameter 'TableName' is required but was not present in the request"),
        (
            json!({"TableName": "ab", "BillingMode": "x"}),
            "4 validation errors detected: \
             Value null at 'attributeDefinitions' failed to satisfy constraint: Member must not be null; \
             Value 'ab' at 'tableName' failed to satisfy constraint: Member must have length greater than or equal to 3; \
             Value 'x' at 'billingMode' failed to satisfy constraint: Member must satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]; \
             Value null at 'keySchema' failed to satisfy constraint: Member must not be null",
        ),
        (
            table(json!({"TableName": "a b"})),
            "1 validation error detected: Value 'a b' at 'tableName' failed to satisfy constraint: \
             Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+",
        ),
        (
            table(json!({"TableName": "n".repeat(256)})),
            &format!(
                "1 validation error detected: Value '{}' at 'tableName' failed to satisfy constraint: \
                 Member must have length less than or equal to 255",
                "n".repeat(256)
            ),
        ),
        (
            table(json!({"KeySchema": []})),
            "1 validation error detected: Value '[]' at 'keySchema' failed to satisfy constraint: \
             Member must have length greater than or equal to 1",
        ),
        (
            table(json!({"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"},
                {"AttributeName": "b", "KeyType": "RANGE"}, {"AttributeName": "c", "KeyType": "RANGE"}]})),
            "1 validation error detected: Value '[KeySchemaElement(attributeName=a, keyType=HASH), \
             KeySchemaElement(attributeName=b, keyType=RANGE), KeySchemaElement(attributeName=c, keyType=RANGE)]' \
             at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2",
        ),
        (
            table(json!({"KeySchema": [{"KeyType": "x"}]})),
            "2 validation errors detected: \
             Value null at 'keySchema.1.member.attributeName' failed to satisfy constraint: Member must not be null; \
             Value 'x' at 'keySchema.1.member.keyType' failed to satisfy constraint: \
             Member must satisfy enum value set: [HASH, RANGE]",
        ),
        (
            table(json!({"ProvisionedThroughput": {"ReadCapacityUnits": 0}})),
            "2 validation errors detected: \
             Value null at 'provisionedThroughput.writeCapacityUnits' failed to satisfy constraint: Member must not be null; \
             Value '0' at 'provisionedThroughput.readCapacityUnits' failed to satisfy constraint: \
             Member must have value greater than or equal to 1",
        ),
        (
            table(json!({"GlobalSecondaryIndexes": [{"IndexName": "h;", "KeySchema": key("a"),
                "Projection": {"NonKeyAttributes": []}}]})),
            "3 validation errors detected: \
             Value 'h;' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: \
             Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; \
             Value 'h;' at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: \
             Member must have length greater than or equal to 3; \
             Value '[]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy \
             constraint: Member must have length greater than or equal to 1",
        ),
        (
            table(json!({"StreamSpecification": {"StreamViewType": "x"}})),
            "2 validation errors detected: \
             Value null at 'streamSpecification.streamEnabled' failed to satisfy constraint: Member must not be null; \
             Value 'x' at 'streamSpecification.streamViewType' failed to satisfy constraint: \
             Member must satisfy enum value set: [NEW_IMAGE, OLD_IMAGE, NEW_AND_OLD_IMAGES, KEYS_ONLY]",
        ),
    ] {
        server.invalid("CreateTable", request, text);
    }
}

#[test]
fn no_more_than_ten_violations_are_listed() {
    let server = Server::new();
    let elements: Vec<Value> = (0..20).map(|_| json!({})).collect();
    let (_, text) =
        server.call("CreateTable", &table(json!({"AttributeDefinitions": elements}))).unwrap_err();
    assert!(text.starts_with("10 validation errors detected: "), "{text}");
    assert_eq!(text.matches("Member must not be null").count(), 10);
}

#[test]
fn throughput_fits_the_billing_mode() {
    let server = Server::new();
    let units = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let absurd = json!({"ReadCapacityUnits": 1_000_000_000_001_i64, "WriteCapacityUnits": 1});
    for (changes, text) in [
        (
            json!({"BillingMode": "PROVISIONED"}),
            format!("{O}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"),
        ),
        (
            json!({"BillingMode": null}),
            format!("{O}ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED"),
        ),
        (
            json!({"ProvisionedThroughput": units}),
            format!("{O}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"),
        ),
        (
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": absurd}),
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds".to_owned(),
        ),
        (
            json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units, "OnDemandThroughput": {"MaxReadRequestUnits": 5}}),
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED".to_owned(),
        ),
        (
            json!({"OnDemandThroughput": {"MaxWriteRequestUnits": 0}}),
            "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range".to_owned(),
        ),
    ] {
        server.invalid("CreateTable", table(changes), &text);
    }
}

#[test]
fn keys_fit_their_definitions() {
    let server = Server::new();
    for (names, schema, text) in [
        (
            vec!["a"],
            key("a b"),
            "Invalid KeySchema: Some index key attribute have no definition".to_owned(),
        ),
        (
            vec!["a"],
            key("a a"),
            "Invalid KeySchema: Some index key attribute have no definition".to_owned(),
        ),
        (
            vec!["b"],
            key("a"),
            format!(
                "{O}Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [b]"
            ),
        ),
        (
            vec!["a", "b"],
            key("a a"),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
                .to_owned(),
        ),
        (
            vec!["a"],
            json!([{"AttributeName": "a", "KeyType": "RANGE"}]),
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type".to_owned(),
        ),
        (
            vec!["a", "b"],
            json!([{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "HASH"}]),
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type".to_owned(),
        ),
        (
            vec!["a", "b"],
            key("a"),
            format!(
                "{O}Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions"
            ),
        ),
        (vec!["a", "a"], key("a"), "Attribute Name is duplicated: a".to_owned()),
    ] {
        let changes = json!({"AttributeDefinitions": definitions(&names), "KeySchema": schema});
        server.invalid("CreateTable", table(changes), &text);
    }
}

#[test]
fn local_indexes_fit_their_table() {
    let server = Server::new();
    let with = |names: &[&str], schema: &str, indexes: Value| {
        table(
            json!({"AttributeDefinitions": definitions(names), "KeySchema": key(schema), "LocalSecondaryIndexes": indexes}),
        )
    };
    let abc = ["a", "b", "c"];
    let many: Value = (0..6).map(|i| index(&format!("ix{i}"), "a c")).collect();
    for (request, text) in [
        (with(&["a", "b"], "a b", json!([])), "List of LocalSecondaryIndexes is empty"),
        (
            with(&["a"], "a", json!([index("ix1", "a")])),
            "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex",
        ),
        (
            with(&abc, "a b", json!([index("ix1", "a d")])),
            "Some index key attributes are not defined in AttributeDefinitions. Keys: [a, d], AttributeDefinitions: [a, b, c]",
        ),
        (
            with(&abc, "a b", json!([index("ix1", "a")])),
            "Index KeySchema does not have a range key for index: ix1",
        ),
        (
            with(&abc, "a b", json!([index("ix1", "c b")])),
            "Index KeySchema does not have the same leading hash key as table KeySchema for index: ix1. index hash key: c, table hash key: a",
        ),
        (
            with(&abc, "a b", json!([index("ix1", "a c"), index("ix1", "a c")])),
            "Duplicate index name: ix1",
        ),
        (with(&abc, "a b", many), "Number of LocalSecondaryIndexes exceeds per-table limit of 5"),
        (
            with(&["a", "b", "c", "d"], "a b", json!([index("ix1", "a c")])),
            "Some AttributeDefinitions are not used. AttributeDefinitions: [a, b, c, d], keys used: [a, b, c]",
        ),
    ] {
        server.invalid("CreateTable", request, &format!("{O}{text}"));
    }
}

#[test]
fn global_indexes_and_projections_make_sense() {
    let server = Server::new();
    let with = |names: &[&str], indexes: Value| {
        table(
            json!({"AttributeDefinitions": definitions(names), "GlobalSecondaryIndexes": indexes}),
        )
    };
    let projected = |projection: Value| json!([{"IndexName": "ix1", "KeySchema": key("b"), "Projection": projection}]);
    let ab = ["a", "b"];
    let many: Value = (0..21).map(|i| index(&format!("ix{i}"), "b")).collect();
    let mut provisioned = index("ix1", "b");
    provisioned["ProvisionedThroughput"] = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 1});
    let names = ["a", "b", "c", "d", "e", "f"];
    for (request, text) in [
        (with(&["a"], json!([])), format!("{O}List of GlobalSecondaryIndexes is empty")),
        (
            with(&ab, many),
            format!("{O}GlobalSecondaryIndex count exceeds the per-table limit of 20"),
        ),
        (
            with(&ab, json!([index("ix1", "b"), index("ix1", "b")])),
            format!("{O}Duplicate index name: ix1"),
        ),
        (with(&ab, projected(json!({}))), format!("{O}Unknown ProjectionType: null")),
        (
            with(&ab, projected(json!({"ProjectionType": "ALL", "NonKeyAttributes": ["x"]}))),
            format!("{O}ProjectionType is ALL, but NonKeyAttributes is specified"),
        ),
        (
            with(&ab, projected(json!({"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": ["x"]}))),
            format!("{O}ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified"),
        ),
        (
            with(&ab, projected(json!({"ProjectionType": "INCLUDE"}))),
            format!("{O}ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
        ),
        (
            with(
                &ab,
                projected(json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "x"]})),
            ),
            format!("{O}Duplicate element in NonKeyAttributes: x"),
        ),
        (
            with(&ab, json!([provisioned])),
            format!(
                "{O}ProvisionedThroughput should not be specified for index: ix1 when BillingMode is PAY_PER_REQUEST"
            ),
        ),
        (
            with(&names, json!([index("ix1", "b+c+d+e+f")])),
            "The KeySchema exceeds the maximum allowed number of HASH key attributes".to_owned(),
        ),
        (
            with(&names, json!([index("ix1", "a b+c+d+e+f")])),
            "The KeySchema exceeds the maximum allowed number of RANGE key attributes".to_owned(),
        ),
        (
            with(&ab, json!([index("ix1", "b b")])),
            "Both the Hash Key and the Range Key element in the KeySchema have the same name"
                .to_owned(),
        ),
        (
            with(&ab, json!([index("ix1", "b+a b")])),
            "The KeySchema contains multiple key attributes with the same name".to_owned(),
        ),
        (
            with(
                &["a", "b", "c"],
                json!([{"IndexName": "ix1", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
                {"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"},
                {"AttributeName": "c", "KeyType": "HASH"}]}]),
            ),
            "All HASH key attributes must precede RANGE key attributes in the KeySchema".to_owned(),
        ),
    ] {
        server.invalid("CreateTable", request, &text);
    }
    let request = table(json!({
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
        "AttributeDefinitions": definitions(&ab),
        "GlobalSecondaryIndexes": [index("ix1", "b")],
    }));
    let text = format!("{O}ProvisionedThroughput is not specified for index: ix1");
    server.invalid("CreateTable", request, &text);
}

#[test]
fn streams_classes_and_tags_make_sense() {
    let server = Server::new();
    let tags = |keys: Vec<String>| {
        let tags: Value = keys.iter().map(|key| json!({"Key": key, "Value": ""})).collect();
        json!({ "Tags": tags })
    };
    for (changes, text) in [
        (
            json!({"StreamSpecification": {"StreamEnabled": true}}),
            format!("{O}Table is being created with a stream enabled, UpdateViewType is required"),
        ),
        (
            json!({"TableClass": "CHEAP"}),
            "Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].".to_owned(),
        ),
        (tags(vec!["aws:x".into()]), "Tag Key cannot be prefixed with aws:, Key: aws:x".to_owned()),
        (tags(vec!["a*".into()]), "The Tag Key provided is invalid, Key: a*".to_owned()),
        (
            tags(vec!["a".into(), "a".into()]),
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found a".to_owned(),
        ),
        (
            tags((0..51).map(|i| format!("k{i}")).collect()),
            "Number of Tags exceed the current limit for the provided ResourceArn".to_owned(),
        ),
    ] {
        server.invalid("CreateTable", table(changes), &text);
    }
}

#[test]
fn a_name_is_used_once() {
    let server = Server::new();
    server.ok("CreateTable", table(json!({})));
    server.refused(
        "CreateTable",
        table(json!({})),
        "ResourceInUseException: Table already exists: abc",
    );
}

#[test]
fn a_table_is_described_with_all_it_was_given() {
    let server = Server::new();
    let four = "b+c+d+e f+g+h+i";
    let names = ["a", "s", "b", "c", "d", "e", "f", "g", "h", "i", "l"];
    let answer = server.ok("CreateTable", json!({
        "TableName": "full",
        "AttributeDefinitions": definitions(&names),
        "KeySchema": key("a s"),
        "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": key("a l"), "Projection": {"ProjectionType": "KEYS_ONLY"}}],
        "GlobalSecondaryIndexes": [{"IndexName": "wide", "KeySchema": key(four),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
            "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2},
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
        "SSESpecification": {"Enabled": true, "SSEType": "KMS", "KMSMasterKeyId": "1234"},
        "Tags": [{"Key": "team", "Value": "x"}],
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "DeletionProtectionEnabled": true,
        "ResourcePolicy": "{\"Statement\":[]}",
    }));
    let mut described = server.ok("DescribeTable", json!({"TableName": "full"}))["Table"].clone();
    assert_eq!(answer["TableDescription"]["TableStatus"], "CREATING");
    assert_eq!(described["TableStatus"], "ACTIVE");
    described["AttributeDefinitions"].take();
    let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/full";
    let expected = json!({
        "AttributeDefinitions": null,
        "TableName": "full",
        "KeySchema": key("a s"),
        "TableStatus": "ACTIVE",
        "CreationDateTime": 1_700_000_000.0,
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2, "NumberOfDecreasesToday": 0},
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "TableArn": arn,
        "TableId": "00000000-0000-4000-8000-000000000001",
        "LocalSecondaryIndexes": [{"IndexName": "local", "KeySchema": key("a l"),
            "Projection": {"ProjectionType": "KEYS_ONLY"}, "IndexSizeBytes": 0, "ItemCount": 0,
            "IndexArn": format!("{arn}/index/local")}],
        "GlobalSecondaryIndexes": [{"IndexName": "wide", "KeySchema": key(four),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
            "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4, "NumberOfDecreasesToday": 0},
            "IndexStatus": "ACTIVE", "IndexSizeBytes": 0, "ItemCount": 0, "IndexArn": format!("{arn}/index/wide"),
            "WarmThroughput": {"ReadUnitsPerSecond": 3, "WriteUnitsPerSecond": 4, "Status": "ACTIVE"}}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
        "LatestStreamLabel": "2023-11-14T22:13:20.000",
        "LatestStreamArn": format!("{arn}/stream/2023-11-14T22:13:20.000"),
        "SSEDescription": {"Status": "ENABLED", "SSEType": "KMS",
            "KMSMasterKeyArn": "arn:aws:kms:eu-west-1:123456789012:key/1234"},
        "TableClassSummary": {"TableClass": "STANDARD_INFREQUENT_ACCESS"},
        "DeletionProtectionEnabled": true,
        "WarmThroughput": {"ReadUnitsPerSecond": 1, "WriteUnitsPerSecond": 2, "Status": "ACTIVE"},
    });
    assert_eq!(described, expected);
    let tags = server.ok("ListTagsOfResource", json!({"ResourceArn": arn}));
    assert_eq!(tags, json!({"Tags": [{"Key": "team", "Value": "x"}]}));
    let policy = server.ok("GetResourcePolicy", json!({"ResourceArn": arn}));
    assert_eq!(policy["Policy"], "{\"Statement\":[]}");
}
