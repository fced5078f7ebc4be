//! Incremental exports, with time moved by hand.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::{collections::BTreeMap, io::Read, path::Path, time::Duration};
use support::Server;

const START: u64 = 1_700_000_000;
const HOUR: Duration = Duration::from_secs(60 * 60);

fn put(server: &Server, key: &str, n: u64) {
    let item = json!({"a": {"S": key}, "n": {"N": n.to_string()}});
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

fn delete(server: &Server, key: &str) {
    server.ok("DeleteItem", json!({"TableName": "abc", "Key": {"a": {"S": key}}}));
}

/// The lines of all data files below a folder.
fn lines(folder: &Path) -> Vec<Value> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(lines(&path));
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            let mut text = String::new();
            let file = std::fs::File::open(path).unwrap();
            flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
            found.extend(text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        }
    }
    found
}

#[test]
fn an_incremental_export_has_what_became_of_each_item() {
    let server = Server::new();
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
    let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/abc";
    let on = json!({"PointInTimeRecoveryEnabled": true});
    server.ok(
        "UpdateContinuousBackups",
        json!({"TableName": "abc", "PointInTimeRecoverySpecification": on}),
    );
    for key in ["same", "changed", "changed later too", "deleted", "deleted and back later"] {
        put(&server, key, 1);
    }
    server.wait(HOUR);
    put(&server, "changed", 2);
    put(&server, "changed later too", 2);
    put(&server, "new", 2);
    put(&server, "new and deleted later", 2);
    put(&server, "new and gone", 2);
    delete(&server, "new and gone");
    delete(&server, "deleted");
    delete(&server, "deleted and back later");
    server.wait(HOUR);
    put(&server, "changed later too", 3);
    put(&server, "deleted and back later", 3);
    put(&server, "only later", 3);
    delete(&server, "new and deleted later");
    server.wait(HOUR);

    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bucket")).unwrap();
    let times = json!({"ExportFromTime": START + 1800, "ExportToTime": START + 5400});
    let request = json!({"TableArn": arn, "S3Bucket": "bucket", "ClientToken": "token",
        "ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": times});
    let begun = server.ok("ExportTableToPointInTime", request.clone());
    let again = server.ok("ExportTableToPointInTime", request);
    assert_eq!(begun, again, "the same token means the same export");
    server.transfer(folder.path());
    let export = begun["ExportDescription"]["ExportArn"].clone();
    let described = server.ok("DescribeExport", json!({"ExportArn": export}));
    let described = &described["ExportDescription"];
    assert_eq!(described["ExportStatus"], "COMPLETED", "{described}");
    assert_eq!(described["ItemCount"], 6);

    let found: BTreeMap<String, (Value, Value)> = lines(folder.path())
        .iter()
        .map(|line| {
            let number = |image: &str| line[image]["n"]["N"].clone();
            let key = line["Keys"]["a"]["S"].as_str().unwrap().to_owned();
            let micros = (START + 3600) * 1_000_000;
            assert_eq!(line["Metadata"]["WriteTimestampMicros"]["N"], micros.to_string());
            (key, (number("OldImage"), number("NewImage")))
        })
        .collect();
    let none = Value::Null;
    let expected = [
        ("changed", (json!("1"), json!("2"))),
        ("changed later too", (json!("1"), json!("2"))),
        ("deleted", (json!("1"), none.clone())),
        ("deleted and back later", (json!("1"), none.clone())),
        ("new", (none.clone(), json!("2"))),
        ("new and deleted later", (none, json!("2"))),
    ];
    assert_eq!(found, expected.map(|(key, images)| (key.to_owned(), images)).into());
}
