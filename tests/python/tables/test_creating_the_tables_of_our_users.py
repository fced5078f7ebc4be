"""The tables that users define with their own tools can be created with all their settings."""

import pytest

from server import until
from users_tables import ALL, BOTO3


def titles(definition):
    create = definition["create"]
    return f"{create['TableName']}-{len(create.get('GlobalSecondaryIndexes', []))}"


@pytest.mark.parametrize("definition", ALL, ids=titles)
def test_a_users_table_has_the_settings_it_was_given(client, make_table, definition):
    wanted = definition["create"]
    table = make_table(wanted)
    client.get_waiter("table_exists").wait(TableName=table)
    if "time_to_live" in definition:
        client.update_time_to_live(
            TableName=table,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": definition["time_to_live"]},
        )
    if "recovery" in definition:
        client.update_continuous_backups(
            TableName=table,
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": definition["recovery"]},
        )

    found = client.describe_table(TableName=table)["Table"]
    assert found["TableStatus"] == "ACTIVE"
    assert found["KeySchema"] == wanted["KeySchema"]
    assert by_name(found["AttributeDefinitions"]) == by_name(wanted["AttributeDefinitions"])
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert found["DeletionProtectionEnabled"] == wanted.get("DeletionProtectionEnabled", False)
    assert found.get("StreamSpecification") == wanted.get("StreamSpecification")
    assert ("LatestStreamArn" in found) == ("StreamSpecification" in wanted)
    assert indexes(found) == indexes(wanted)
    expected = {"TimeToLiveStatus": "DISABLED"}
    if "time_to_live" in definition:
        expected = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": definition["time_to_live"],
        }

    def status():
        return client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]

    until(lambda: status() == expected, "time to live is as it was set")
    backups = client.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
    assert recovery == ("ENABLED" if definition.get("recovery") else "DISABLED")


def by_name(definitions):
    return {entry["AttributeName"]: entry["AttributeType"] for entry in definitions}


def indexes(table):
    return {
        index["IndexName"]: (index["KeySchema"], index["Projection"])
        for index in table.get("GlobalSecondaryIndexes", [])
    }


def test_the_capacity_optimizer_switches_a_table_both_ways(client, make_table):
    wanted = {**BOTO3["create"]}
    wanted.pop("GlobalSecondaryIndexes")
    wanted["AttributeDefinitions"] = wanted["AttributeDefinitions"][:2]
    table = make_table({**wanted, "TableName": "optimized"})
    client.update_table(
        TableName=table,
        BillingMode="PROVISIONED",
        ProvisionedThroughput={"ReadCapacityUnits": 10, "WriteCapacityUnits": 5},
    )
    found = client.describe_table(TableName=table)["Table"]
    assert found["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 10
    client.update_table(TableName=table, BillingMode="PAY_PER_REQUEST")
    found = client.describe_table(TableName=table)["Table"]
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
