//! Tables after their creation: states, updates, settings, deletion.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::Server;

const O: &str = "One or more parameter values were invalid: ";
const ARN: &str = "arn:aws:dynamodb:eu-west-1:123456789012:table/abc";

fn create(server: &Server, name: &str, changes: Value) -> Value {
    let mut request = json!({
        "TableName": name,
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    });
    for (name, value) in changes.as_object().unwrap() {
        request[name] = value.clone();
    }
    server.ok("CreateTable", request)
}

fn units(read: i64, write: i64) -> Value {
    json!({"ReadCapacityUnits": read, "WriteCapacityUnits": write})
}

fn provisioned() -> Value {
    json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(5, 5)})
}

fn status(server: &Server) -> Value {
    server.ok("DescribeTable", json!({"TableName": "abc"}))["Table"]["TableStatus"].clone()
}

#[test]
fn states_last_as_long_as_the_delay() {
    let server = Server::with_delay(Duration::from_secs(10));
    create(&server, "abc", json!({}));
    let in_use = |what: &str| {
        format!(
            "ResourceInUseException: Attempt to change a resource which is still in use: Table is being {what}: abc"
        )
    };
    let put = json!({"TableName": "abc", "Item": {"a": {"S": "x"}}});
    let named = json!({"TableName": "abc"});
    let protect = json!({"TableName": "abc", "DeletionProtectionEnabled": true});

    assert_eq!(status(&server), "CREATING");
    server.refused(
        "PutItem",
        put.clone(),
        "ResourceNotFoundException: Requested resource not found",
    );
    server.refused("DeleteTable", named.clone(), &in_use("created"));
    server.refused("UpdateTable", protect.clone(), &in_use("created"));
    server.wait(Duration::from_secs(10));
    assert_eq!(status(&server), "ACTIVE");
    server.ok("PutItem", put.clone());

    assert_eq!(
        server.ok("UpdateTable", protect.clone())["TableDescription"]["TableStatus"],
        "UPDATING"
    );
    server.ok("PutItem", put.clone());
    server.refused("UpdateTable", protect, &in_use("updated"));
    server.refused("DeleteTable", named.clone(), &in_use("updated"));
    server.wait(Duration::from_secs(10));
    server.ok("UpdateTable", json!({"TableName": "abc", "DeletionProtectionEnabled": false}));
    server.wait(Duration::from_secs(10));

    assert_eq!(
        server.ok("DeleteTable", named.clone())["TableDescription"]["TableStatus"],
        "DELETING"
    );
    assert_eq!(
        server.ok("DeleteTable", named.clone())["TableDescription"]["TableStatus"],
        "DELETING"
    );
    assert_eq!(status(&server), "DELETING");
    assert_eq!(server.ok("ListTables", json!({}))["TableNames"], json!(["abc"]));
    server.refused("PutItem", put, "ResourceNotFoundException: Requested resource not found");
    server.wait(Duration::from_secs(10));
    server.refused(
        "DescribeTable",
        named.clone(),
        "ResourceNotFoundException: Requested resource not found: Table: abc not found",
    );
    assert_eq!(server.ok("ListTables", json!({}))["TableNames"], json!([]));

    create(&server, "abc", json!({}));
    server.wait(Duration::from_secs(10));
    let get = json!({"TableName": "abc", "Key": {"a": {"S": "x"}}});
    assert_eq!(
        server.ok("GetItem", get),
        json!({}),
        "the new table does not show the old one's items"
    );
    assert_eq!(server.ok("DescribeTable", named)["Table"]["ItemCount"], 0);
}

#[test]
fn protected_tables_are_not_deleted() {
    let server = Server::new();
    create(&server, "abc", json!({"DeletionProtectionEnabled": true}));
    server.invalid(
        "DeleteTable",
        json!({"TableName": "abc"}),
        "Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
    );
    server.ok("UpdateTable", json!({"TableName": "abc", "DeletionProtectionEnabled": false}));
    server.ok("DeleteTable", json!({"TableName": "abc"}));
}

#[test]
fn tables_are_listed_by_name_in_pages() {
    let server = Server::new();
    for name in ["ccc", "aaa", "bbb"] {
        create(&server, name, json!({}));
    }
    for (request, expected) in [
        (json!({}), json!({"TableNames": ["aaa", "bbb", "ccc"]})),
        (
            json!({"Limit": 2}),
            json!({"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}),
        ),
        (json!({"Limit": 3}), json!({"TableNames": ["aaa", "bbb", "ccc"]})),
        (json!({"ExclusiveStartTableName": "bbb"}), json!({"TableNames": ["ccc"]})),
        (
            json!({"ExclusiveStartTableName": "abc", "Limit": 1}),
            json!({"TableNames": ["bbb"], "LastEvaluatedTableName": "bbb"}),
        ),
    ] {
        assert_eq!(server.ok("ListTables", request.clone()), expected, "{request}");
    }
    server.invalid(
        "ListTables",
        json!({"Limit": 101, "ExclusiveStartTableName": "a"}),
        "2 validation errors detected: Value '101' at 'limit' failed to satisfy constraint: \
         Member must have value less than or equal to 100; Value 'a' at 'exclusiveStartTableName' failed to satisfy \
         constraint: Member must have length greater than or equal to 3",
    );
}

#[test]
fn updates_that_make_no_sense_are_refused() {
    let server = Server::new();
    create(&server, "abc", provisioned());
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    for (changes, text) in [
        (
            json!({}),
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required".to_owned(),
        ),
        (
            json!({"TableClass": "STANDARD", "ProvisionedThroughput": units(1, 1)}),
            "TableClass modification must be the only operation in the request".to_owned(),
        ),
        (
            json!({"DeletionProtectionEnabled": true, "StreamSpecification": stream}),
            "DeletionProtection modification must be the only operation in the request".to_owned(),
        ),
        (
            json!({"SSESpecification": {"Enabled": true}, "BillingMode": "PAY_PER_REQUEST"}),
            "Server-Side Encryption modification must be the only operation in the request".to_owned(),
        ),
        (
            json!({"StreamSpecification": stream, "ProvisionedThroughput": units(1, 1)}),
            "You cannot modify stream status while updating table IOPS".to_owned(),
        ),
        (
            json!({"OnDemandThroughput": {"MaxReadRequestUnits": 5}, "ProvisionedThroughput": units(1, 1)}),
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request".to_owned(),
        ),
        (
            json!({"OnDemandThroughput": {"MaxReadRequestUnits": 5}}),
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is PROVISIONED".to_owned(),
        ),
        (
            json!({"ProvisionedThroughput": units(5, 5)}),
            "The provisioned throughput for the table will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.".to_owned(),
        ),
        (
            json!({"BillingMode": "PROVISIONED"}),
            format!("{O}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"),
        ),
        (
            json!({"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)}),
            format!("{O}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"),
        ),
        (json!({"StreamSpecification": {"StreamEnabled": true}}), format!("{O}If stream is being enabled then UpdateViewType is required")),
        (
            json!({"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "NEW_IMAGE"}}),
            format!("{O}If stream is being disabled, then UpdateViewType must not be specified"),
        ),
        (json!({"StreamSpecification": {"StreamEnabled": false}}), "Table has no stream to disable: TableName: abc".to_owned()),
        (
            json!({"GlobalSecondaryIndexUpdates": [{}]}),
            format!("{O}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null"),
        ),
    ] {
        let mut request = changes;
        request["TableName"] = json!("abc");
        server.invalid("UpdateTable", request, &text);
    }
    server.refused(
        "UpdateTable",
        json!({"TableName": "none", "DeletionProtectionEnabled": true}),
        "ResourceNotFoundException: Requested resource not found: Table: none not found",
    );
}

#[test]
fn billing_and_throughput_change_with_a_record() {
    let server = Server::new();
    create(&server, "abc", provisioned());
    let update = |changes: Value| {
        let mut request = changes;
        request["TableName"] = json!("abc");
        server.ok("UpdateTable", request)["TableDescription"].clone()
    };
    server.wait(Duration::from_secs(1));
    let changed = update(json!({"ProvisionedThroughput": units(6, 4)}));
    assert_eq!(
        changed["ProvisionedThroughput"],
        json!({"ReadCapacityUnits": 6, "WriteCapacityUnits": 4, "NumberOfDecreasesToday": 1,
            "LastIncreaseDateTime": 1_700_000_001.0, "LastDecreaseDateTime": 1_700_000_001.0})
    );
    assert_eq!(changed.get("BillingModeSummary"), None);
    server.wait(Duration::from_secs(1));
    let changed = update(json!({"BillingMode": "PAY_PER_REQUEST"}));
    assert_eq!(changed["ProvisionedThroughput"]["ReadCapacityUnits"], 0);
    assert_eq!(
        changed["BillingModeSummary"],
        json!({"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": 1_700_000_002.0})
    );
    let changed =
        update(json!({"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}));
    assert_eq!(changed["BillingModeSummary"]["BillingMode"], "PROVISIONED");
    assert_eq!(changed["ProvisionedThroughput"]["WriteCapacityUnits"], 1);
}

#[test]
fn every_stream_has_its_own_label() {
    let server = Server::new();
    create(&server, "abc", json!({}));
    let update = |stream: Value| {
        let request = json!({"TableName": "abc", "StreamSpecification": stream});
        server.ok("UpdateTable", request)["TableDescription"].clone()
    };
    let on = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    let first = update(on.clone());
    assert_eq!(first["StreamSpecification"], on);
    assert_eq!(first["LatestStreamArn"], format!("{ARN}/stream/2023-11-14T22:13:20.000"));
    server.invalid(
        "UpdateTable",
        json!({"TableName": "abc", "StreamSpecification": on}),
        "Table already has an enabled stream: TableName: abc",
    );
    let off = update(json!({"StreamEnabled": false}));
    assert_eq!(off.get("StreamSpecification"), None);
    assert_eq!(off["LatestStreamLabel"], "2023-11-14T22:13:20.000");
    server.wait(Duration::from_secs(1));
    assert_eq!(update(on)["LatestStreamLabel"], "2023-11-14T22:13:21.000");
}

#[test]
fn time_to_live_is_set_on_one_attribute() {
    let server = Server::new();
    create(&server, "abc", json!({}));
    let set = |enabled: bool, name: &str| json!({"TableName": "abc", "TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": name}});
    let described = || {
        server.ok("DescribeTimeToLive", json!({"TableName": "abc"}))["TimeToLiveDescription"]
            .clone()
    };
    assert_eq!(described(), json!({"TimeToLiveStatus": "DISABLED"}));
    server.invalid("UpdateTimeToLive", set(false, "ttl"), "TimeToLive is already disabled");
    assert_eq!(
        server.ok("UpdateTimeToLive", set(true, "ttl")),
        json!({"TimeToLiveSpecification": {"Enabled": true, "AttributeName": "ttl"}})
    );
    assert_eq!(described(), json!({"TimeToLiveStatus": "ENABLING", "AttributeName": "ttl"}));
    server.work();
    assert_eq!(described(), json!({"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}));
    server.invalid("UpdateTimeToLive", set(true, "ttl"), "TimeToLive is already enabled");
    let other = "TimeToLive is active on a different AttributeName: current AttributeName is ttl";
    server.invalid("UpdateTimeToLive", set(true, "other"), other);
    server.ok("UpdateTimeToLive", set(false, "ttl"));
    assert_eq!(described(), json!({"TimeToLiveStatus": "DISABLED"}));
}

#[test]
fn recovery_is_a_setting() {
    let server = Server::new();
    create(&server, "abc", json!({}));
    let set = |specification: Value| json!({"TableName": "abc", "PointInTimeRecoverySpecification": specification});
    let on = server.ok(
        "UpdateContinuousBackups",
        set(json!({"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 7})),
    );
    let expected = json!({"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 7,
            "EarliestRestorableDateTime": 1_700_000_000.0, "LatestRestorableDateTime": 1_700_000_000.0}}});
    assert_eq!(on, expected);
    assert_eq!(server.ok("DescribeContinuousBackups", json!({"TableName": "abc"})), expected);
    server.invalid(
        "UpdateContinuousBackups",
        set(json!({"PointInTimeRecoveryEnabled": false, "RecoveryPeriodInDays": 7})),
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
    );
    server.refused(
        "DescribeContinuousBackups",
        json!({"TableName": "none"}),
        "TableNotFoundException: Table not found: none",
    );
}

#[test]
fn tags_and_policies_are_kept() {
    let server = Server::new();
    create(&server, "abc", json!({}));
    let tags = || server.ok("ListTagsOfResource", json!({"ResourceArn": ARN}))["Tags"].clone();
    assert_eq!(tags(), json!([]));
    let tag = |key: &str, value: &str| json!({"Key": key, "Value": value});
    server.ok("TagResource", json!({"ResourceArn": ARN, "Tags": [tag("b", "1"), tag("a", "2")]}));
    server.ok("TagResource", json!({"ResourceArn": ARN, "Tags": [tag("b", "3")]}));
    assert_eq!(tags(), json!([tag("a", "2"), tag("b", "3")]));
    server.ok("UntagResource", json!({"ResourceArn": ARN, "TagKeys": ["a", "x"]}));
    assert_eq!(tags(), json!([tag("b", "3")]));
    let fifty: Value = (0..50).map(|i| tag(&format!("k{i}"), "")).collect();
    let request = json!({"ResourceArn": ARN, "Tags": fifty});
    server.invalid(
        "TagResource",
        request,
        "Number of Tags exceed the current limit for the provided ResourceArn",
    );
    for (operation, request, text) in [
        (
            "TagResource",
            json!({"ResourceArn": ARN, "Tags": []}),
            "ValidationException: Atleast one Tag needs to be provided as Input.".to_owned(),
        ),
        (
            "UntagResource",
            json!({"ResourceArn": ARN, "TagKeys": []}),
            "ValidationException: Atleast one Tag Key needs to be provided as Input.".to_owned(),
        ),
        (
            "ListTagsOfResource",
            json!({"ResourceArn": "abc"}),
            format!("ValidationException: {O}ARNs must start with 'arn:': abc"),
        ),
        (
            "ListTagsOfResource",
            json!({"ResourceArn": "arn:x"}),
            "ValidationException: Invalid TableArn: Invalid ResourceArn provided as input arn:x"
                .to_owned(),
        ),
        (
            "ListTagsOfResource",
            json!({"ResourceArn": format!("{ARN}d")}),
            format!(
                "ResourceNotFoundException: Requested resource not found: ResourceArn: {ARN}d not found"
            ),
        ),
    ] {
        server.refused(operation, request, &text);
    }

    let named = json!({"ResourceArn": ARN});
    let missing = format!(
        "PolicyNotFoundException: Resource-based policy not found for the provided ResourceArn: {ARN}"
    );
    server.refused("GetResourcePolicy", named.clone(), &missing);
    let put = json!({"ResourceArn": ARN, "Policy": "{}", "ExpectedRevisionId": "NO_POLICY"});
    let revision = server.ok("PutResourcePolicy", put.clone())["RevisionId"].clone();
    assert_eq!(
        server.ok("GetResourcePolicy", named.clone()),
        json!({"Policy": "{}", "RevisionId": revision})
    );
    server.refused("PutResourcePolicy", put, &missing);
    server.ok("DeleteResourcePolicy", json!({"ResourceArn": ARN, "ExpectedRevisionId": revision}));
    server.ok("DeleteResourcePolicy", named);
}

#[test]
fn tables_can_be_named_by_arn() {
    let server = Server::new();
    create(&server, "abc", json!({}));
    assert_eq!(server.ok("DescribeTable", json!({"TableName": ARN}))["Table"]["TableName"], "abc");
    let put =
        json!({"TableName": ARN, "Item": {"a": {"S": "x"}}, "ReturnConsumedCapacity": "TOTAL"});
    assert_eq!(server.ok("PutItem", put)["ConsumedCapacity"]["TableName"], ARN);
    let elsewhere = ARN.replace("eu-west-1", "us-east-1");
    server.refused(
        "GetItem",
        json!({"TableName": elsewhere, "Key": {"a": {"S": "x"}}}),
        "ResourceNotFoundException: Requested resource not found",
    );
}

#[test]
fn limits_and_endpoints_are_told() {
    let server = Server::new();
    let limits = server.ok("DescribeLimits", json!({}));
    assert_eq!(limits["TableMaxReadCapacityUnits"], 40_000);
    assert_eq!(limits["AccountMaxWriteCapacityUnits"], 80_000);
    let endpoints = server.ok("DescribeEndpoints", json!({}));
    assert_eq!(
        endpoints,
        json!({"Endpoints": [{"Address": "here:8000", "CachePeriodInMinutes": 1440}]})
    );
}
