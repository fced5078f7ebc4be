"""What a restored table has of its source, and what a request may change."""

import json

import pytest

from definitions import attributes, index, key, name, projection, units
from recovery.tables import Table, describe, item, until_active, window

ENCRYPTED = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "alias/mine"}


def rich(**more):
    """The definition of a provisioned table with every setting there is."""
    return {
        "TableName": name("rich"),
        "AttributeDefinitions": attributes("pk:S", "sk:S", "g:S", "h:N", "l:S"),
        "KeySchema": key("pk", "sk"),
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": units(11, 12),
        "GlobalSecondaryIndexes": [
            index("by-g", "g", "sk", ProvisionedThroughput=units(3, 4)),
            index("by-h", "h", (), projection("INCLUDE", "n"), ProvisionedThroughput=units(5, 6)),
        ],
        "LocalSecondaryIndexes": [index("by-l", "pk", "l", projection("KEYS_ONLY"))],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        "SSESpecification": ENCRYPTED,
        "DeletionProtectionEnabled": True,
        "Tags": [{"Key": "team", "Value": "orders"}],
        **more,
    }


POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "dynamodb:*", "Resource": "*"}],
}


@pytest.fixture
def source(server, client, make_table):
    table = Table(server, make_table(rich()))
    client.update_time_to_live(
        TableName=table.name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"},
    )
    client.put_resource_policy(ResourceArn=table.arn, Policy=json.dumps(POLICY))
    table.put(*(item("p", str(n), n, h={"N": str(n)}) for n in range(10)))
    return table


def begin(client, kind, source, target, **more):
    """Begins to restore a table, from itself or from a backup of it."""
    if kind == "moment":
        return source.begin(target, **more)
    arn = source.backup()["BackupDetails"]["BackupArn"]
    answer = client.restore_table_from_backup(BackupArn=arn, TargetTableName=target, **more)
    return answer["TableDescription"]


@pytest.fixture(params=["moment", "backup"])
def restored(request, client, target):
    """Restores a table in one of the two ways: the description of what came out."""

    def restore(source, **more):
        made = target()
        begin(client, request.param, source, made, **more)
        return until_active(client, made)

    return restore


def indexes(described, kind="GlobalSecondaryIndexes"):
    """The indexes without what is theirs alone."""
    own = {"IndexArn"}
    found = [
        {name_: value for name_, value in each.items() if name_ not in own}
        for each in described.get(kind, [])
    ]
    return sorted(found, key=lambda each: each["IndexName"])


def index_names(described):
    kinds = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
    return [each["IndexName"] for kind in kinds for each in described.get(kind, [])]


def throughput(described):
    found = described["ProvisionedThroughput"]
    return found["ReadCapacityUnits"], found["WriteCapacityUnits"]


def test_definition_throughput_and_encryption_carry_over(client, source, restored):
    was, found = describe(client, source.name), restored(source)
    for same in ("AttributeDefinitions", "KeySchema", "SSEDescription", "ItemCount"):
        assert found[same] == was[same], same
    assert found["TableSizeBytes"] == was["TableSizeBytes"]
    assert throughput(found) == (11, 12)
    assert indexes(found) == indexes(was)
    assert indexes(found, "LocalSecondaryIndexes") == indexes(was, "LocalSecondaryIndexes")
    assert found["SSEDescription"]["KMSMasterKeyArn"].endswith("alias/mine")
    for own in ("TableName", "TableArn", "TableId"):
        assert found[own] != was[own], own
    assert found["CreationDateTime"] > was["CreationDateTime"]


def test_stream_tags_policy_expiry_recovery_and_protection_do_not(client, source, restored):
    found = restored(source)
    assert found["DeletionProtectionEnabled"] is False
    for gone in ("StreamSpecification", "LatestStreamArn", "LatestStreamLabel"):
        assert gone in describe(client, source.name) and gone not in found
    assert client.list_tags_of_resource(ResourceArn=found["TableArn"])["Tags"] == []
    with pytest.raises(client.exceptions.PolicyNotFoundException):
        client.get_resource_policy(ResourceArn=found["TableArn"])
    expiry = client.describe_time_to_live(TableName=found["TableName"])["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "DISABLED"}
    assert window(client, found["TableName"])["PointInTimeRecoveryStatus"] == "DISABLED"
    client.delete_table(TableName=found["TableName"])


def test_an_on_demand_table_stays_one(table, restored):
    found = restored(table)
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert throughput(found) == (0, 0)
    assert "SSEDescription" not in found


def test_ceilings_carry_over_and_can_be_changed(make_recoverable, restored):
    ceilings = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    table = make_recoverable(OnDemandThroughput=ceilings)
    assert restored(table)["OnDemandThroughput"] == ceilings
    other = {"MaxReadRequestUnits": 30, "MaxWriteRequestUnits": 40}
    assert restored(table, OnDemandThroughputOverride=other)["OnDemandThroughput"] == other


def test_provisioned_throughput_is_changed(source, restored):
    found = restored(source, ProvisionedThroughputOverride=units(1, 2))
    assert throughput(found) == (1, 2)
    assert [throughput(each) for each in indexes(found)] == [(3, 4), (5, 6)]


def test_a_provisioned_table_becomes_on_demand(source, restored):
    found = restored(source, BillingModeOverride="PAY_PER_REQUEST")
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert throughput(found) == (0, 0)
    assert [throughput(each) for each in indexes(found)] == [(0, 0), (0, 0)]


def test_an_on_demand_table_becomes_provisioned(table, restored):
    gsi = index("gsi", "g", "sk", ProvisionedThroughput=units(7, 8))
    found = restored(
        table,
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units(5, 6),
        GlobalSecondaryIndexOverride=[gsi],
    )
    assert found.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == "PROVISIONED"
    assert throughput(found) == (5, 6)
    assert [throughput(each) for each in indexes(found)] == [(7, 8)]


BY_G = index("by-g", "g", "sk", ProvisionedThroughput=units(9, 10))
BY_L = index("by-l", "pk", "l", projection("KEYS_ONLY"))


@pytest.mark.parametrize(
    "overrides, expected",
    [
        ({"GlobalSecondaryIndexOverride": [BY_G]}, ["by-g", "by-l"]),
        ({"GlobalSecondaryIndexOverride": []}, ["by-l"]),
        ({"LocalSecondaryIndexOverride": []}, ["by-g", "by-h"]),
        ({"LocalSecondaryIndexOverride": [BY_L]}, ["by-g", "by-h", "by-l"]),
        ({"GlobalSecondaryIndexOverride": [], "LocalSecondaryIndexOverride": []}, []),
    ],
)
def test_indexes_are_left_out(client, source, restored, overrides, expected):
    found = restored(source, **overrides)
    assert sorted(index_names(found)) == expected
    assert found["ItemCount"] == 10
    for each in found.get("GlobalSecondaryIndexes", []):
        assert each["ItemCount"] == 10
    used = {"pk", "sk"} | {
        element["AttributeName"]
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for each in found.get(kind, [])
        for element in each["KeySchema"]
    }
    assert {each["AttributeName"] for each in found["AttributeDefinitions"]} == used
    if "GlobalSecondaryIndexOverride" in overrides and "by-g" in expected:
        assert throughput(indexes(found)[0]) == (9, 10)
    for gone in {"by-g", "by-h", "by-l"} - set(expected):
        with pytest.raises(client.exceptions.ClientError, match="index"):
            client.scan(TableName=found["TableName"], IndexName=gone)


def test_encryption_is_changed(source, table, restored):
    assert "SSEDescription" not in restored(source, SSESpecificationOverride={"Enabled": False})
    found = restored(table, SSESpecificationOverride={"Enabled": True})["SSEDescription"]
    assert (found["Status"], found["SSEType"]) == ("ENABLED", "KMS")


@pytest.mark.parametrize("kind", ["GlobalSecondaryIndexOverride", "LocalSecondaryIndexOverride"])
@pytest.mark.parametrize("way", ["moment", "backup"])
def test_an_index_cannot_be_made_up(wire, table, target, kind, way):
    local = kind.startswith("Local")
    made_up = index("other", "pk", "l") if local else index("other", "g")
    request = {"TargetTableName": target(), kind: [made_up]}
    if way == "moment":
        operation = "RestoreTableToPointInTime"
        request |= {"SourceTableName": table.name, "UseLatestRestorableTime": True}
    else:
        operation = "RestoreTableFromBackup"
        request["BackupArn"] = table.backup()["BackupDetails"]["BackupArn"]
    assert wire.refused(operation, request) == (
        400,
        "ValidationException",
        "Invalid Request: Index other does not match a secondary index that existed in the source "
        "table and cannot be created during the restore operation",
    )
    assert wire.refused("DescribeTable", {"TableName": request["TargetTableName"]})[1] == (
        "ResourceNotFoundException"
    )


def test_provisioned_needs_throughput(wire, table, target):
    request = {
        "SourceTableName": table.name,
        "TargetTableName": target(),
        "UseLatestRestorableTime": True,
        "BillingModeOverride": "PROVISIONED",
    }
    assert wire.refused("RestoreTableToPointInTime", request)[:2] == (400, "ValidationException")
    assert wire.refused("DescribeTable", {"TableName": request["TargetTableName"]})[1] == (
        "ResourceNotFoundException"
    )
