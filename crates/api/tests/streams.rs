//! Streams, with time moved by hand: what is recorded, shards that roll, what is trimmed.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::Server;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);

fn create(server: &Server, view: &str) -> String {
    let request = json!({
        "TableName": "abc",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": view},
    });
    let table = server.ok("CreateTable", request);
    table["TableDescription"]["LatestStreamArn"].as_str().unwrap().to_owned()
}

fn put(server: &Server, key: &str, number: &str) {
    let item = json!({"a": {"S": key}, "n": {"N": number}});
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

fn shards(server: &Server, arn: &str) -> Vec<Value> {
    let stream = server.ok("DescribeStream", json!({"StreamArn": arn}));
    stream["StreamDescription"]["Shards"].as_array().unwrap().clone()
}

fn iterator(server: &Server, arn: &str, shard: &Value, more: Value) -> Value {
    let mut request = json!({"StreamArn": arn, "ShardId": shard["ShardId"]});
    for (name, value) in more.as_object().unwrap() {
        request[name] = value.clone();
    }
    server.ok("GetShardIterator", request)["ShardIterator"].clone()
}

fn from_the_start(server: &Server, arn: &str, shard: &Value) -> Value {
    iterator(server, arn, shard, json!({"ShardIteratorType": "TRIM_HORIZON"}))
}

fn records(server: &Server, iterator: &Value) -> (Vec<Value>, Value) {
    let answer = server.ok("GetRecords", json!({"ShardIterator": iterator}));
    (answer["Records"].as_array().unwrap().clone(), answer["NextShardIterator"].clone())
}

/// All records of all shards, in the order of the shards.
fn all(server: &Server, arn: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for shard in shards(server, arn) {
        found.extend(records(server, &from_the_start(server, arn, &shard)).0);
    }
    found
}

#[test]
fn each_view_shows_its_images_and_their_size() {
    for (view, insert, modify, remove) in [
        ("KEYS_ONLY", (false, false, 2), (false, false, 2), (false, false, 2)),
        ("NEW_IMAGE", (false, true, 7), (false, true, 8), (false, false, 2)),
        ("OLD_IMAGE", (false, false, 2), (true, false, 7), (true, false, 8)),
        ("NEW_AND_OLD_IMAGES", (false, true, 7), (true, true, 13), (true, false, 8)),
    ] {
        let server = Server::new();
        let arn = create(&server, view);
        put(&server, "k", "1");
        put(&server, "k", "1234");
        put(&server, "k", "1234");
        server.ok("DeleteItem", json!({"TableName": "abc", "Key": {"a": {"S": "k"}}}));
        server.ok("DeleteItem", json!({"TableName": "abc", "Key": {"a": {"S": "k"}}}));
        let found = all(&server, &arn);
        let events: Vec<_> = found.iter().map(|record| &record["eventName"]).collect();
        assert_eq!(events, ["INSERT", "MODIFY", "REMOVE"], "{view}");
        for (record, (old, new, size)) in found.iter().zip([insert, modify, remove]) {
            let body = &record["dynamodb"];
            let images = (body.get("OldImage").is_some(), body.get("NewImage").is_some());
            assert_eq!(images, (old, new), "{view} {record}");
            assert_eq!(body["SizeBytes"], size, "{view} {record}");
            assert_eq!(body["Keys"], json!({"a": {"S": "k"}}));
            assert_eq!(body["StreamViewType"], view);
            assert_eq!(body["ApproximateCreationDateTime"], 1_700_000_000.0);
            assert_eq!(record.get("userIdentity"), None);
            assert_eq!(record["awsRegion"], "eu-west-1");
            assert_eq!(record["eventID"].as_str().unwrap().len(), 32);
        }
    }
}

#[test]
fn shards_are_followed_by_children_and_end() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    put(&server, "one", "1");
    server.wait(3 * HOUR);
    server.work();
    assert_eq!(shards(&server, &arn).len(), 1);
    put(&server, "two", "1");
    server.wait(HOUR);
    server.work();
    put(&server, "three", "1");
    let found = shards(&server, &arn);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["ParentShardId"], found[0]["ShardId"]);
    assert_eq!(
        found[0]["SequenceNumberRange"]["EndingSequenceNumber"],
        found[1]["SequenceNumberRange"]["StartingSequenceNumber"]
    );
    let (first, next) = records(&server, &from_the_start(&server, &arn, &found[0]));
    assert_eq!((first.len(), next), (2, Value::Null));
    let (second, next) = records(&server, &from_the_start(&server, &arn, &found[1]));
    assert_eq!(second.len(), 1);
    assert!(next.is_string());
    let latest = iterator(&server, &arn, &found[0], json!({"ShardIteratorType": "LATEST"}));
    assert_eq!(records(&server, &latest), (vec![], Value::Null));
    let children = json!({"StreamArn": arn,
        "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": found[0]["ShardId"]}});
    let children = server.ok("DescribeStream", children);
    assert_eq!(children["StreamDescription"]["Shards"], json!([found[1]]));
}

#[test]
fn records_are_read_by_place_and_by_time() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    let shard = &shards(&server, &arn)[0];
    let before = iterator(&server, &arn, shard, json!({"ShardIteratorType": "LATEST"}));
    for key in ["k0", "k1", "k2", "k3"] {
        server.wait(MINUTE);
        put(&server, key, "1");
    }
    let keys = |iterator: &Value| -> Vec<String> {
        let (found, _) = records(&server, iterator);
        let key = |record: &Value| record["dynamodb"]["Keys"]["a"]["S"].as_str().unwrap().into();
        found.iter().map(key).collect()
    };
    assert_eq!(keys(&before), ["k0", "k1", "k2", "k3"]);
    let found = all(&server, &arn);
    let number = &found[1]["dynamodb"]["SequenceNumber"];
    for (kind, more, expected) in [
        ("AT_SEQUENCE_NUMBER", json!({"SequenceNumber": number}), &["k1", "k2", "k3"][..]),
        ("AFTER_SEQUENCE_NUMBER", json!({"SequenceNumber": number}), &["k2", "k3"]),
        ("AT_TIMESTAMP", json!({"Timestamp": 1_700_000_180}), &["k2", "k3"]),
        ("AT_TIMESTAMP", json!({"Timestamp": 1_700_000_180.001}), &["k3"]),
        ("AT_TIMESTAMP", json!({"Timestamp": 1}), &["k0", "k1", "k2", "k3"]),
        ("LATEST", json!({}), &[]),
        ("TRIM_HORIZON", json!({}), &["k0", "k1", "k2", "k3"]),
    ] {
        let mut request = more.clone();
        request["ShardIteratorType"] = kind.into();
        assert_eq!(keys(&iterator(&server, &arn, shard, request)), expected, "{kind} {more}");
    }
    let page = server.ok("GetRecords", json!({"ShardIterator": before, "Limit": 3}));
    assert_eq!(page["Records"].as_array().unwrap().len(), 3);
    assert_eq!(keys(&page["NextShardIterator"]), ["k3"]);
}

#[test]
fn records_are_gone_after_a_day_and_iterators_after_a_quarter_of_an_hour() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    put(&server, "k0", "1");
    let number = all(&server, &arn)[0]["dynamodb"]["SequenceNumber"].clone();
    let shard = &shards(&server, &arn)[0];
    let old = from_the_start(&server, &arn, shard);
    server.wait(15 * MINUTE);
    assert_eq!(records(&server, &old).0.len(), 1);
    server.wait(Duration::from_millis(1));
    server.refused(
        "GetRecords",
        json!({"ShardIterator": old}),
        "ExpiredIteratorException: The shard iterator has expired: it can be used for 15 minutes",
    );
    server.wait(23 * HOUR);
    put(&server, "k1", "1");
    assert_eq!(all(&server, &arn).len(), 2);
    server.wait(HOUR);
    for _ in 0..2 {
        assert_eq!(all(&server, &arn).len(), 1);
        for kind in ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"] {
            server.refused(
                "GetShardIterator",
                json!({"StreamArn": arn, "ShardId": shard["ShardId"],
                    "ShardIteratorType": kind, "SequenceNumber": number}),
                "TrimmedDataAccessException: \
                 The operation attempted to read past the oldest stream record in a shard",
            );
        }
        // The same once it has been removed.
        server.work();
    }
}

#[test]
fn a_stream_outlives_its_end_by_a_day() {
    let server = Server::new();
    let arn = create(&server, "NEW_IMAGE");
    put(&server, "k0", "1");
    let update = |enabled: Value| {
        server.ok("UpdateTable", json!({"TableName": "abc", "StreamSpecification": enabled}))
            ["TableDescription"]["LatestStreamArn"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let status = |arn: &str| {
        let stream = server.ok("DescribeStream", json!({"StreamArn": arn}));
        stream["StreamDescription"]["StreamStatus"].clone()
    };
    assert_eq!(status(&arn), "ENABLED");
    assert_eq!(update(json!({"StreamEnabled": false})), arn);
    assert_eq!(status(&arn), "DISABLED");
    put(&server, "k0", "2");
    let second = update(json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}));
    assert_ne!(second, arn);
    put(&server, "k0", "3");
    assert_eq!((all(&server, &arn).len(), all(&server, &second).len()), (1, 1));
    let streams = |request: Value| server.ok("ListStreams", request)["Streams"].clone();
    assert_eq!(streams(json!({})).as_array().unwrap().len(), 2);
    assert_eq!(streams(json!({"TableName": "other"})), json!([]));
    let page = server.ok("ListStreams", json!({"Limit": 1, "TableName": "abc"}));
    assert_eq!(page["LastEvaluatedStreamArn"], arn.as_str());
    let rest = json!({"ExclusiveStartStreamArn": arn});
    let rest = server.ok("ListStreams", rest);
    assert_eq!(rest["Streams"][0]["StreamArn"], second.as_str());
    assert_eq!(rest.get("LastEvaluatedStreamArn"), None);

    server.wait(HOUR);
    server.ok("DeleteTable", json!({"TableName": "abc"}));
    server.work();
    assert_eq!(all(&server, &second).len(), 1);
    assert_eq!(status(&second), "DISABLED");
    server.wait(23 * HOUR);
    for (gone, left) in [(&arn, 1), (&second, 0)] {
        server.work();
        let text = format!(
            "ResourceNotFoundException: Requested resource not found: Stream: {gone} not found"
        );
        server.refused("DescribeStream", json!({"StreamArn": gone}), &text);
        assert_eq!(streams(json!({})).as_array().unwrap().len(), left);
        server.wait(HOUR);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    let shard = shards(&server, &arn)[0]["ShardId"].clone();
    let nobody = "arn:aws:dynamodb:eu-west-1:123456789012:table/abc/stream/2020-01-01T00:00:00.000";
    let not_found = |what: &str| {
        format!("ResourceNotFoundException: Requested resource not found: {what} not found")
    };
    let iterate = |more: Value| {
        let mut request =
            json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        request
    };
    let other = "shardId-00000000000000000009-00000000";
    let number = "100470480000000000000000000";
    for (operation, request, expected) in [
        ("DescribeStream", json!({"StreamArn": nobody}), not_found(&format!("Stream: {nobody}"))),
        (
            "DescribeStream",
            json!({"StreamArn": "arn:aws:dynamodb:eu-west-1:123456789012:table/abc"}),
            "ValidationException: Invalid StreamArn".into(),
        ),
        (
            "DescribeStream",
            json!({"StreamArn": arn, "ExclusiveStartShardId": other}),
            not_found(&format!("Shard: {other}")),
        ),
        (
            "GetShardIterator",
            iterate(json!({"ShardId": other})),
            not_found(&format!("Shard: {other}")),
        ),
        (
            "GetShardIterator",
            iterate(json!({"StreamArn": nobody})),
            not_found(&format!("Stream: {nobody}")),
        ),
        (
            "GetShardIterator",
            iterate(json!({"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": number})),
            format!("ValidationException: Invalid SequenceNumber: {number}"),
        ),
        (
            "GetShardIterator",
            iterate(json!({"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 1_700_000_001})),
            "ValidationException: Timestamp must not be in the future".into(),
        ),
        (
            "GetRecords",
            json!({"ShardIterator": "nonsense"}),
            "ValidationException: Invalid ShardIterator".into(),
        ),
    ] {
        server.refused(operation, request, &expected);
    }
}

#[test]
fn a_transaction_is_recorded_item_by_item() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    let put = |key: &str| json!({"Put": {"TableName": "abc", "Item": {"a": {"S": key}}}});
    let writes: Vec<Value> = (0..100).map(|i| put(&format!("{i:02}"))).collect();
    server.ok("TransactWriteItems", json!({"TransactItems": writes}));
    let found = all(&server, &arn);
    assert_eq!(found.len(), 100);
    let numbers: Vec<_> =
        found.iter().map(|r| r["dynamodb"]["SequenceNumber"].as_str().unwrap()).collect();
    assert!(numbers.is_sorted());
    let check = json!({"ConditionCheck": {"TableName": "abc", "Key": {"a": {"S": "00"}},
        "ConditionExpression": "attribute_not_exists(a)"}});
    let failing = json!({"TransactItems": [put("new"), check]});
    assert!(server.call("TransactWriteItems", &failing).is_err());
    assert_eq!(all(&server, &arn).len(), 100);
}

#[test]
fn limits_are_the_api_s() {
    let server = Server::new();
    let arn = create(&server, "KEYS_ONLY");
    let constraint = |value: &str, most: &str| {
        format!(
            "1 validation error detected: Value '{value}' at 'limit' failed to satisfy \
             constraint: Member must have value less than or equal to {most}"
        )
    };
    server.invalid("ListStreams", json!({"Limit": 101}), &constraint("101", "100"));
    let request = json!({"StreamArn": arn, "Limit": 101});
    server.invalid("DescribeStream", request, &constraint("101", "100"));
    let request = json!({"ShardIterator": "x", "Limit": 1001});
    server.invalid("GetRecords", request, &constraint("1001", "1000"));
}
