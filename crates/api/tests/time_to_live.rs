//! Items that expire, with time moved by hand.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::Server;

const NOW: i64 = 1_700_000_000;
const YEAR: i64 = 365 * 24 * 60 * 60;

fn server() -> Server {
    let server = Server::new();
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [
                {"AttributeName": "a", "AttributeType": "S"},
                {"AttributeName": "g", "AttributeType": "S"},
            ],
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "gsi",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "OLD_IMAGE"},
        }),
    );
    server
}

fn enable(server: &Server, enabled: bool, attribute: &str) {
    let setting = json!({"Enabled": enabled, "AttributeName": attribute});
    server.ok("UpdateTimeToLive", json!({"TableName": "abc", "TimeToLiveSpecification": setting}));
    server.work();
}

fn put(server: &Server, key: &str, attribute: &str, value: Value) {
    let mut item = json!({"a": {"S": key}, "g": {"S": "all"}});
    item[attribute] = value;
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

fn keys(server: &Server) -> Vec<String> {
    let names = |answer: Value| -> Vec<String> {
        let items = answer["Items"].as_array().unwrap();
        let mut names: Vec<String> =
            items.iter().map(|item| item["a"]["S"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let found = names(server.ok("Scan", json!({"TableName": "abc"})));
    let indexed = names(server.ok("Scan", json!({"TableName": "abc", "IndexName": "gsi"})));
    assert_eq!(found, indexed);
    let table = server.ok("DescribeTable", json!({"TableName": "abc"}))["Table"].clone();
    assert_eq!(table["ItemCount"], found.len());
    assert_eq!(table["GlobalSecondaryIndexes"][0]["ItemCount"], found.len());
    found
}

#[test]
fn only_numbers_of_the_last_five_years_expire() {
    let server = server();
    enable(&server, true, "ttl");
    let number = |seconds: i64| json!({"N": seconds.to_string()});
    for (key, value) in [
        ("a due", number(NOW)),
        ("a due with a fraction", json!({"N": format!("{NOW}.9")})),
        ("a due with an exponent", json!({"N": "1.7E9"})),
        ("a due for years", number(NOW - 5 * YEAR + 1)),
        ("in a second", number(NOW + 1)),
        ("in milliseconds", number(NOW * 1000)),
        ("negative", number(-5)),
        ("zero", number(0)),
        ("a text", json!({"S": NOW.to_string()})),
        ("a list", json!({"L": [number(NOW)]})),
        ("a set", json!({"NS": [NOW.to_string()]})),
        ("too long ago", number(NOW - 5 * YEAR - 1)),
    ] {
        put(&server, key, "ttl", value);
    }
    assert_eq!(keys(&server).len(), 12, "expired items stay until they are deleted");
    server.work();
    let left = keys(&server);
    assert!(!left.iter().any(|key| key.starts_with("a due")), "{left:?}");
    assert_eq!(left.len(), 8);
    server.wait(Duration::from_secs(1));
    server.work();
    assert!(!keys(&server).contains(&"in a second".to_owned()));
    server.wait(Duration::from_secs(YEAR as u64 * 6));
    server.work();
    assert_eq!(keys(&server).len(), 7);
}

#[test]
fn an_expiry_that_was_moved_or_removed_does_not_count() {
    let server = server();
    enable(&server, true, "ttl");
    for key in ["moved", "removed", "stays", "deleted"] {
        put(&server, key, "ttl", json!({"N": (NOW + 10).to_string()}));
    }
    put(&server, "moved", "ttl", json!({"N": (NOW + 100).to_string()}));
    let update = json!({"TableName": "abc", "Key": {"a": {"S": "removed"}},
        "UpdateExpression": "REMOVE #t", "ExpressionAttributeNames": {"#t": "ttl"}});
    server.ok("UpdateItem", update);
    server.ok("DeleteItem", json!({"TableName": "abc", "Key": {"a": {"S": "deleted"}}}));
    server.wait(Duration::from_secs(10));
    server.work();
    assert_eq!(keys(&server), ["moved", "removed"]);
    server.wait(Duration::from_secs(90));
    server.work();
    assert_eq!(keys(&server), ["removed"]);
}

#[test]
fn items_from_before_are_taken_in_and_a_disabled_setting_deletes_nothing() {
    let server = server();
    for at in 0..450 {
        put(&server, &format!("{at:03}"), "one", json!({"N": (NOW - 1).to_string()}));
    }
    put(&server, "other", "two", json!({"N": (NOW - 1).to_string()}));
    server.work();
    assert_eq!(keys(&server).len(), 451);
    enable(&server, true, "two");
    assert_eq!(keys(&server).len(), 450);
    enable(&server, false, "two");
    put(&server, "late", "two", json!({"N": (NOW - 1).to_string()}));
    server.work();
    assert_eq!(keys(&server).len(), 451);
    enable(&server, true, "one");
    assert_eq!(keys(&server), ["late"]);
    enable(&server, false, "one");
    enable(&server, true, "two");
    assert!(keys(&server).is_empty());
}

#[test]
fn the_stream_tells_that_the_service_deleted_it() {
    let server = server();
    enable(&server, true, "ttl");
    put(&server, "k", "ttl", json!({"N": NOW.to_string()}));
    server.work();
    let table = server.ok("DescribeTable", json!({"TableName": "abc"}));
    let arn = table["Table"]["LatestStreamArn"].clone();
    let stream = server.ok("DescribeStream", json!({"StreamArn": arn}));
    let shard = stream["StreamDescription"]["Shards"][0]["ShardId"].clone();
    let iterator = server.ok(
        "GetShardIterator",
        json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}),
    );
    let found = server.ok("GetRecords", json!({"ShardIterator": iterator["ShardIterator"]}));
    let found = found["Records"].as_array().unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["eventName"], "REMOVE");
    assert_eq!(found[1]["dynamodb"]["OldImage"]["a"], json!({"S": "k"}));
    let service = json!({"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"});
    assert_eq!(found[1]["userIdentity"], service);
}
