"""What DescribeTable and its kin say about a table."""

import datetime
import re
import time

from definitions import attributes, index, key, name, on_demand, units
from wire import authorization


def test_an_on_demand_table_is_described_with_every_member(wire, make_table):
    before = time.time()
    table = make_table(on_demand(name(), "pk", "sk"))
    found = wire.call("DescribeTable", {"TableName": table})["Table"]
    assert found["TableName"] == table
    assert found["TableStatus"] == "ACTIVE"
    assert found["KeySchema"] == key("pk", "sk")
    by_name = sorted(found["AttributeDefinitions"], key=lambda entry: entry["AttributeName"])
    assert by_name == attributes("pk:S", "sk:S")
    assert isinstance(found["CreationDateTime"], float)
    assert before - 60 < found["CreationDateTime"] < time.time() + 60
    assert found["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    assert found["TableSizeBytes"] == 0
    assert found["ItemCount"] == 0
    assert found["TableArn"] == f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}"
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", found["TableId"])
    assert found["DeletionProtectionEnabled"] is False
    warm = found["WarmThroughput"]
    assert set(warm) == {"ReadUnitsPerSecond", "WriteUnitsPerSecond", "Status"}
    assert warm["Status"] == "ACTIVE"
    summary = found["BillingModeSummary"]
    assert summary["BillingMode"] == "PAY_PER_REQUEST"
    assert isinstance(summary["LastUpdateToPayPerRequestDateTime"], float)


def test_what_was_not_asked_for_is_not_described(wire, make_table):
    table = make_table(on_demand(name()))
    found = wire.call("DescribeTable", {"TableName": table})["Table"]
    absent = [
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
        "StreamSpecification",
        "LatestStreamArn",
        "LatestStreamLabel",
        "SSEDescription",
        "TableClassSummary",
        "OnDemandThroughput",
        "Replicas",
        "RestoreSummary",
        "ArchivalSummary",
        "GlobalTableVersion",
    ]
    assert [member for member in absent if member in found] == []


def test_a_table_that_was_never_on_demand_has_no_billing_summary(wire, make_table):
    table = make_table(
        {
            "AttributeDefinitions": attributes("pk:S"),
            "KeySchema": key("pk"),
            "ProvisionedThroughput": units(3, 4),
        }
    )
    found = wire.call("DescribeTable", {"TableName": table})["Table"]
    assert "BillingModeSummary" not in found
    assert found["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 3,
        "WriteCapacityUnits": 4,
    }


def test_indexes_are_described_with_every_member(wire, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            "a:S",
            GlobalSecondaryIndexes=[index("gsi", "a")],
            LocalSecondaryIndexes=[index("lsi", "pk", "a")],
        )
    )
    found = wire.call("DescribeTable", {"TableName": table})["Table"]
    (gsi,), (lsi,) = found["GlobalSecondaryIndexes"], found["LocalSecondaryIndexes"]
    common = {"IndexName", "KeySchema", "Projection", "IndexSizeBytes", "ItemCount", "IndexArn"}
    assert set(lsi) == common
    assert set(gsi) == common | {"IndexStatus", "ProvisionedThroughput", "WarmThroughput"}
    assert gsi["IndexArn"] == found["TableArn"] + "/index/gsi"
    assert lsi["IndexArn"] == found["TableArn"] + "/index/lsi"
    assert (gsi["ItemCount"], gsi["IndexSizeBytes"]) == (0, 0)


def test_a_stream_is_described_by_label_and_arn(wire, make_table):
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    table = make_table(on_demand(name(), StreamSpecification=stream))
    found = wire.call("DescribeTable", {"TableName": table})["Table"]
    label = found["LatestStreamLabel"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", label)
    assert found["LatestStreamArn"] == f"{found['TableArn']}/stream/{label}"


def test_region_and_account_of_an_arn_are_those_of_the_caller(server):
    table = name("far")
    auth = {"Authorization": authorization(key="123456789012", region="eu-central-1")}
    server.wire.post("CreateTable", on_demand(table), **auth)
    found = server.wire.post("DescribeTable", {"TableName": table}, **auth).json["Table"]
    assert found["TableArn"] == f"arn:aws:dynamodb:eu-central-1:123456789012:table/{table}"
    server.wire.post("DeleteTable", {"TableName": table}, **auth)


def test_create_update_and_delete_describe_the_table_too(wire):
    table = name()
    created = wire.call("CreateTable", on_demand(table))["TableDescription"]
    assert created["TableName"] == table
    assert created["TableStatus"] == "CREATING"
    updated = wire.call("UpdateTable", {"TableName": table, "TableClass": "STANDARD"})
    assert updated["TableDescription"]["TableId"] == created["TableId"]
    deleted = wire.call("DeleteTable", {"TableName": table})["TableDescription"]
    assert deleted["TableStatus"] == "DELETING"
    assert deleted["TableId"] == created["TableId"]


def test_boto3_reads_the_times_as_times(client, make_table):
    table = make_table(on_demand(name()))
    created = client.describe_table(TableName=table)["Table"]["CreationDateTime"]
    age = datetime.datetime.now(datetime.timezone.utc) - created
    assert abs(age) < datetime.timedelta(minutes=5)


def test_an_unknown_table_is_not_found_by_name(wire):
    assert wire.refused("DescribeTable", {"TableName": "nowhere"}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found: Table: nowhere not found",
    )
