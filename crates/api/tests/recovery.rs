//! Restores, previews, histories and backups, with time moved by hand.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use support::Server;

const SECOND: Duration = Duration::from_secs(1);
const START: u64 = 1_700_000_000;

fn create(server: &Server) {
    server.ok(
        "CreateTable",
        json!({
            "TableName": "abc",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"},
                {"AttributeName": "s", "AttributeType": "N"},
                {"AttributeName": "g", "AttributeType": "S"},
            ],
            "KeySchema": [
                {"AttributeName": "p", "KeyType": "HASH"},
                {"AttributeName": "s", "KeyType": "RANGE"},
            ],
            "GlobalSecondaryIndexes": [{
                "IndexName": "gsi",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }],
            "LocalSecondaryIndexes": [{
                "IndexName": "lsi",
                "KeySchema": [
                    {"AttributeName": "p", "KeyType": "HASH"},
                    {"AttributeName": "g", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }],
            "BillingMode": "PAY_PER_REQUEST",
        }),
    );
}

fn recover(server: &Server, enabled: bool) {
    let setting = json!({"PointInTimeRecoveryEnabled": enabled});
    server.ok(
        "UpdateContinuousBackups",
        json!({"TableName": "abc", "PointInTimeRecoverySpecification": setting}),
    );
}

fn item(p: &str, s: u64, n: u64) -> Value {
    json!({"p": {"S": p}, "s": {"N": s.to_string()}, "g": {"S": format!("g{}", n % 3)},
        "n": {"N": n.to_string()}})
}

fn put(server: &Server, item: &Value) {
    server.ok("PutItem", json!({"TableName": "abc", "Item": item}));
}

fn delete(server: &Server, p: &str, s: u64) {
    let key = json!({"p": {"S": p}, "s": {"N": s.to_string()}});
    server.ok("DeleteItem", json!({"TableName": "abc", "Key": key}));
}

/// The items of a table, which its indexes and its figures must agree with.
fn items(server: &Server, table: &str) -> BTreeMap<String, Value> {
    let scan = |index: Option<&str>| -> BTreeMap<String, Value> {
        let mut found = BTreeMap::new();
        let mut request = json!({"TableName": table});
        if let Some(index) = index {
            request["IndexName"] = index.into();
        }
        loop {
            let page = server.ok("Scan", request.clone());
            for item in page["Items"].as_array().unwrap() {
                found.insert(format!("{}/{}", item["p"]["S"], item["s"]["N"]), item.clone());
            }
            match page.get("LastEvaluatedKey") {
                Some(last) => request["ExclusiveStartKey"] = last.clone(),
                None => return found,
            }
        }
    };
    let found = scan(None);
    assert_eq!(scan(Some("gsi")), found);
    assert!(scan(Some("lsi")).keys().eq(found.keys()));
    let described = server.ok("DescribeTable", json!({"TableName": table}))["Table"].clone();
    assert_eq!(described["ItemCount"], found.len());
    assert_eq!(described["LocalSecondaryIndexes"][0]["ItemCount"], found.len());
    found
}

fn restore_to(server: &Server, target: &str, millis: u64) -> BTreeMap<String, Value> {
    let request = json!({"SourceTableName": "abc", "TargetTableName": target,
        "RestoreDateTime": millis as f64 / 1000.0});
    let begun = server.ok("RestoreTableToPointInTime", request)["TableDescription"].clone();
    assert_eq!(begun["TableStatus"], "CREATING");
    assert_eq!(begun["RestoreSummary"]["RestoreInProgress"], true);
    server.work();
    let described = server.ok("DescribeTable", json!({"TableName": target}))["Table"].clone();
    assert_eq!(described["TableStatus"], "ACTIVE");
    assert_eq!(described["RestoreSummary"]["RestoreInProgress"], false);
    items(server, target)
}

/// A generator of numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % bound
    }
}

#[test]
fn a_table_is_restored_to_any_moment_of_a_random_workload() {
    for seed in 0..3 {
        let server = Server::new();
        let mut numbers = Numbers(seed);
        create(&server);
        for at in 0..numbers.below(300) {
            put(&server, &item(&format!("before{}", at % 7), at, at));
        }
        recover(&server, true);
        let mut now = START * 1000;
        let mut moments = vec![(now, items(&server, "abc"))];
        for step in 0..250 {
            let pause = numbers.below(5) * 400;
            server.wait(Duration::from_millis(pause));
            now += pause;
            let (p, s) = (format!("p{}", numbers.below(6)), numbers.below(8));
            match numbers.below(20) {
                0..10 => put(&server, &item(&p, s, numbers.below(1000))),
                10..16 => delete(&server, &p, s),
                16..18 => {
                    delete(&server, &format!("before{}", numbers.below(7)), numbers.below(300))
                }
                // Streams come and go in between, and shards roll.
                18 => {
                    let on = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
                    let _ = server.call(
                        "UpdateTable",
                        &json!({"TableName": "abc", "StreamSpecification": on}),
                    );
                }
                _ => {
                    let off = json!({"StreamEnabled": false});
                    let _ = server.call(
                        "UpdateTable",
                        &json!({"TableName": "abc", "StreamSpecification": off}),
                    );
                    if step % 2 == 0 {
                        server.wait(Duration::from_secs(5 * 60 * 60));
                        now += 5 * 60 * 60 * 1000;
                        server.work();
                    }
                }
            }
            if moments.last().unwrap().0 == now {
                moments.pop();
            }
            moments.push((now, items(&server, "abc")));
        }
        for round in 0..12 {
            let at = numbers.below(moments.len() as u64) as usize;
            let (moment, expected) = &moments[at];
            let next = moments.get(at + 1).map_or(now, |(next, _)| *next);
            // Any time until the next change will do.
            let moment = moment + numbers.below(next.saturating_sub(*moment).max(1));
            let found = restore_to(&server, &format!("target{round}"), moment);
            assert!(found == *expected, "seed {seed}, round {round}, {moment}");
        }
    }
}

#[test]
fn only_the_window_can_be_restored() {
    let server = Server::new();
    create(&server);
    let restore = |seconds: u64| json!({"SourceTableName": "abc", "TargetTableName": "target", "RestoreDateTime": seconds});
    server.refused(
        "RestoreTableToPointInTime",
        restore(START),
        "PointInTimeRecoveryUnavailableException: \
         Point in time recovery is not enabled for table 'abc'",
    );
    server.wait(10 * SECOND);
    recover(&server, true);
    server.wait(10 * SECOND);
    let described = || {
        let answer = server.ok("DescribeContinuousBackups", json!({"TableName": "abc"}));
        let described = &answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
        (
            described["EarliestRestorableDateTime"].clone(),
            described["LatestRestorableDateTime"].clone(),
        )
    };
    assert_eq!(described(), (json!((START + 10) as f64), json!((START + 20) as f64)));
    for seconds in [START + 9, START + 21] {
        let text = "InvalidRestoreTimeException: The restore time must be between \
                    2023-11-14T22:13:30.000Z and 2023-11-14T22:13:40.000Z";
        server.refused("RestoreTableToPointInTime", restore(seconds), text);
    }
    server.wait(Duration::from_secs(40 * 24 * 60 * 60));
    let now = START + 20 + 40 * 24 * 60 * 60;
    let earliest = now - 35 * 24 * 60 * 60;
    assert_eq!(described(), (json!(earliest as f64), json!(now as f64)));
    server.ok("RestoreTableToPointInTime", restore(earliest));
    server.refused(
        "RestoreTableToPointInTime",
        restore(now),
        "TableAlreadyExistsException: Table already exists: target",
    );
    recover(&server, false);
    recover(&server, true);
    assert_eq!(described().0, json!(now as f64));
    server.invalid(
        "RestoreTableToPointInTime",
        json!({"SourceTableName": "abc", "TargetTableName": "other"}),
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be \
         specified, but not both",
    );
    server.invalid(
        "RestoreTableToPointInTime",
        json!({"TargetTableName": "other", "UseLatestRestorableTime": true}),
        "Must provide exactly one of: sourceTableArn, sourceTableName",
    );
    server.invalid(
        "RestoreTableToPointInTime",
        json!({"SourceTableName": "abc", "TargetTableName": "other", "UseLatestRestorableTime": true,
            "GlobalSecondaryIndexOverride": [{"IndexName": "new", "KeySchema":
                [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}),
        "Invalid Request: Index new does not match a secondary index that existed in the source \
         table and cannot be created during the restore operation",
    );
    let described = server.ok(
        "RestoreTableToPointInTime",
        json!({"SourceTableName": "abc", "TargetTableName": "other", "UseLatestRestorableTime": true,
            "GlobalSecondaryIndexOverride": [], "BillingModeOverride": "PROVISIONED",
            "ProvisionedThroughputOverride": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}),
    );
    let described = &described["TableDescription"];
    assert_eq!(described.get("GlobalSecondaryIndexes"), None);
    assert_eq!(described["ProvisionedThroughput"]["WriteCapacityUnits"], 4);
}

/// A restore by our own operation, carried to its end.
fn restored(server: &Server, request: Value) -> Value {
    let id = server.ok("RestoreItems", request)["RestoreId"].clone();
    server.work();
    let found =
        server.ok("DescribeRestore", json!({"RestoreId": id}))["RestoreDescription"].clone();
    assert_eq!(found["Status"], "COMPLETED", "{found}");
    found
}

#[test]
fn part_of_a_table_is_put_back_while_the_rest_stays() {
    let server = Server::new();
    create(&server);
    recover(&server, true);
    for s in 0..250 {
        put(&server, &item("tenant1#transactions", s, s));
        put(&server, &item("tenant1#reports", s, s));
        put(&server, &item("tenant2#transactions", s, s));
    }
    let then = items(&server, "abc");
    server.wait(10 * SECOND);
    for s in 0..250 {
        put(&server, &item("tenant1#transactions", s, 999));
        put(&server, &item("tenant1#reports", s, 999));
    }
    for s in 0..100 {
        delete(&server, "tenant2#transactions", s);
        delete(&server, "tenant1#transactions", s);
    }
    put(&server, &item("tenant1#transactions", 900, 7));
    let now = items(&server, "abc");
    server.wait(10 * SECOND);
    let request = |more: Value| {
        let mut request = json!({"TableName": "abc", "RestoreDateTime": START + 5});
        for (name, value) in more.as_object().unwrap() {
            request[name] = value.clone();
        }
        request
    };
    let chosen = json!({"PartitionKeyPrefix": "tenant1#transactions", "DryRun": true});
    let preview = restored(&server, request(chosen));
    assert_eq!((&preview["ItemsWritten"], &preview["ItemsDeleted"]), (&json!(251), &json!(1)));
    assert_eq!(preview["Samples"].as_array().unwrap().len(), 10);
    assert!(items(&server, "abc") == now, "a preview changes nothing");

    let put_back =
        restored(&server, request(json!({"PartitionKeyPrefix": "tenant1#transactions"})));
    assert_eq!(put_back["ItemsWritten"], 251);
    assert_eq!(put_back["Conflicts"], 0);
    let expected: BTreeMap<_, _> = now
        .iter()
        .filter(|(key, _)| !key.contains("tenant1#transactions"))
        .chain(then.iter().filter(|(key, _)| key.contains("tenant1#transactions")))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    assert!(items(&server, "abc") == expected);

    let condition =
        json!({"Condition": "begins_with(p, 'tenant2') AND n < 50", "TargetTableName": "part"});
    restored(&server, request(condition));
    let part = items(&server, "part");
    assert_eq!(part.len(), 50);
    assert!(part.iter().all(|(key, value)| then[key] == *value));

    let key = |p: &str, s: u64| json!({"p": {"S": p}, "s": {"N": s.to_string()}});
    let keys = json!([key("tenant2#transactions", 1), key("tenant1#reports", 2), key("none", 3)]);
    let chosen = restored(&server, request(json!({"Keys": keys})));
    assert_eq!(chosen["ItemsWritten"], 2);
    let found = items(&server, "abc");
    assert_eq!(found["\"tenant2#transactions\"/\"1\""]["n"]["N"], "1");
    assert_eq!(found["\"tenant1#reports\"/\"2\""]["n"]["N"], "2");
    server.invalid(
        "RestoreItems",
        request(json!({"Condition": "p ="})),
        "Invalid Condition: Statement wasn't well formed, can't be processed: Expected expression",
    );
}

#[test]
fn the_history_of_an_item_is_told() {
    let server = Server::new();
    create(&server);
    let key = json!({"p": {"S": "k"}, "s": {"N": "1"}});
    let history = |limit: u64| {
        server.ok("DescribeItemHistory", json!({"TableName": "abc", "Key": key, "Limit": limit}))
    };
    put(&server, &item("k", 1, 0));
    recover(&server, true);
    for n in 1..4 {
        server.wait(SECOND);
        put(&server, &item("k", 1, n));
        put(&server, &item("k", 2, n));
    }
    delete(&server, "k", 1);
    let found = history(10);
    let told: Vec<_> = found["Versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| (version["EventName"].as_str().unwrap(), version["Item"]["n"]["N"].as_str()))
        .collect();
    let expected =
        [("REMOVE", None), ("MODIFY", Some("3")), ("MODIFY", Some("2")), ("MODIFY", Some("1"))];
    assert_eq!(told, expected);
    assert_eq!(found["Before"], item("k", 1, 0));
    assert_eq!((&found["More"], &history(2)["More"]), (&json!(false), &json!(true)));
    assert_eq!(history(2)["Before"]["n"]["N"], "2");
    assert_eq!(found["Versions"][1]["DateTime"], (START + 3) as f64);
}

#[test]
fn a_backup_holds_one_moment_and_outlives_its_table() {
    let server = Server::new();
    create(&server);
    for s in 0..600 {
        put(&server, &item("p", s, s));
    }
    let then = items(&server, "abc");
    let made = server.ok("CreateBackup", json!({"TableName": "abc", "BackupName": "first"}));
    let details = made["BackupDetails"].clone();
    assert_eq!(details["BackupStatus"], "CREATING");
    let arn = details["BackupArn"].clone();
    server.refused(
        "DeleteBackup",
        json!({"BackupArn": arn}),
        &format!("BackupInUseException: Backup is in use: {}", arn.as_str().unwrap()),
    );
    server.work();
    let described =
        server.ok("DescribeBackup", json!({"BackupArn": arn}))["BackupDescription"].clone();
    assert_eq!(described["BackupDetails"]["BackupStatus"], "AVAILABLE");
    assert_eq!(described["SourceTableDetails"]["ItemCount"], 600);
    for s in 0..300 {
        delete(&server, "p", s);
    }
    recover(&server, true);
    server.ok("DeleteTable", json!({"TableName": "abc"}));
    server.work();
    let restore = |backup: &Value, target: &str| {
        let request = json!({"BackupArn": backup, "TargetTableName": target});
        let begun = server.ok("RestoreTableFromBackup", request)["TableDescription"].clone();
        assert_eq!(begun["RestoreSummary"]["SourceBackupArn"], *backup);
        server.work();
        items(&server, target)
    };
    assert!(restore(&arn, "from-backup") == then);
    let list = |kind: &str| {
        let found = server.ok("ListBackups", json!({"BackupType": kind}));
        found["BackupSummaries"].as_array().unwrap().clone()
    };
    assert_eq!((list("USER").len(), list("SYSTEM").len(), list("ALL").len()), (1, 1, 2));
    let system = list("SYSTEM")[0].clone();
    assert_eq!(system["BackupName"], "abc$DeletedTableBackup");
    assert_eq!(restore(&system["BackupArn"], "from-system").len(), 300);
    let arn_text = system["BackupArn"].as_str().unwrap();
    server.invalid(
        "DeleteBackup",
        json!({"BackupArn": arn_text}),
        &format!("User is not allowed to delete the system backup with arn {arn_text}"),
    );
    server.wait(Duration::from_secs(35 * 24 * 60 * 60));
    server.work();
    assert_eq!(list("SYSTEM").len(), 0);
    server.ok("DeleteBackup", json!({"BackupArn": arn}));
    server.work();
    server.refused(
        "DescribeBackup",
        json!({"BackupArn": arn}),
        &format!("BackupNotFoundException: Backup not found: {}", arn.as_str().unwrap()),
    );
}
