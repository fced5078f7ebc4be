"""UpdateTable changes one thing and leaves the rest alone."""

import pytest

from definitions import attributes, index, key, name, on_demand, units


@pytest.fixture
def describe(wire):
    return lambda table: wire.call("DescribeTable", {"TableName": table})["Table"]


def provisioned(read, write, **more):
    return {
        "AttributeDefinitions": attributes("pk:S"),
        "KeySchema": key("pk"),
        "ProvisionedThroughput": units(read, write),
        **more,
    }


def test_billing_switches_to_on_demand_and_back(wire, make_table, describe):
    table = make_table(provisioned(5, 6))
    wire.call("UpdateTable", {"TableName": table, "BillingMode": "PAY_PER_REQUEST"})
    found = describe(table)
    since = found["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"]
    assert found["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert found["ProvisionedThroughput"]["WriteCapacityUnits"] == 0
    back = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(7, 8)}
    wire.call("UpdateTable", {"TableName": table, **back})
    found = describe(table)
    assert found["BillingModeSummary"] == {
        "BillingMode": "PROVISIONED",
        "LastUpdateToPayPerRequestDateTime": since,
    }
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert found["ProvisionedThroughput"]["WriteCapacityUnits"] == 8


def test_billing_switches_with_its_indexes(wire, make_table, describe):
    gsi = index("gsi", "pk", ProvisionedThroughput=units(1, 2))
    table = make_table(provisioned(5, 6, GlobalSecondaryIndexes=[gsi]))
    wire.call("UpdateTable", {"TableName": table, "BillingMode": "PAY_PER_REQUEST"})
    (found,) = describe(table)["GlobalSecondaryIndexes"]
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    update = {"IndexName": "gsi", "ProvisionedThroughput": units(3, 4)}
    wire.call(
        "UpdateTable",
        {
            "TableName": table,
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": units(7, 8),
            "GlobalSecondaryIndexUpdates": [{"Update": update}],
        },
    )
    (found,) = describe(table)["GlobalSecondaryIndexes"]
    assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert found["ProvisionedThroughput"]["WriteCapacityUnits"] == 4


def test_throughput_grows_and_shrinks_with_a_note_of_when(wire, make_table, describe):
    table = make_table(provisioned(5, 5))
    wire.call("UpdateTable", {"TableName": table, "ProvisionedThroughput": units(10, 5)})
    found = describe(table)["ProvisionedThroughput"]
    assert found["ReadCapacityUnits"] == 10
    assert found["NumberOfDecreasesToday"] == 0
    assert "LastIncreaseDateTime" in found and "LastDecreaseDateTime" not in found
    wire.call("UpdateTable", {"TableName": table, "ProvisionedThroughput": units(10, 1)})
    found = describe(table)["ProvisionedThroughput"]
    assert found["WriteCapacityUnits"] == 1
    assert found["NumberOfDecreasesToday"] == 1
    assert "LastDecreaseDateTime" in found


def test_several_indexes_change_their_throughput_at_once(wire, make_table, describe):
    indexes = [index(n, "pk", ProvisionedThroughput=units(1, 1)) for n in ("one", "two")]
    table = make_table(provisioned(5, 5, GlobalSecondaryIndexes=indexes))
    updates = [
        {"Update": {"IndexName": n, "ProvisionedThroughput": units(2, 3)}} for n in ("one", "two")
    ]
    wire.call("UpdateTable", {"TableName": table, "GlobalSecondaryIndexUpdates": updates})
    for found in describe(table)["GlobalSecondaryIndexes"]:
        assert found["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
        assert found["ProvisionedThroughput"]["WriteCapacityUnits"] == 3


def test_the_class_changes(wire, make_table, describe):
    table = make_table(on_demand(name()))
    for wanted in ("STANDARD_INFREQUENT_ACCESS", "STANDARD"):
        wire.call("UpdateTable", {"TableName": table, "TableClass": wanted})
        summary = describe(table)["TableClassSummary"]
        assert summary["TableClass"] == wanted
        assert isinstance(summary["LastUpdateDateTime"], float)


def test_deletion_protection_changes(wire, make_table, describe):
    table = make_table(on_demand(name()))
    for wanted in (True, False):
        wire.call("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": wanted})
        assert describe(table)["DeletionProtectionEnabled"] is wanted


def test_a_stream_that_is_turned_on_again_has_a_new_label(wire, make_table, describe):
    on = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    table = make_table(on_demand(name()))
    wire.call("UpdateTable", {"TableName": table, "StreamSpecification": on})
    first = describe(table)
    assert first["StreamSpecification"] == on
    wire.call("UpdateTable", {"TableName": table, "StreamSpecification": {"StreamEnabled": False}})
    off = describe(table)
    assert "StreamSpecification" not in off
    assert off["LatestStreamLabel"] == first["LatestStreamLabel"]
    assert off["LatestStreamArn"] == first["LatestStreamArn"]
    again = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    wire.call("UpdateTable", {"TableName": table, "StreamSpecification": again})
    second = describe(table)
    assert second["StreamSpecification"] == again
    assert second["LatestStreamLabel"] != first["LatestStreamLabel"]
    assert second["LatestStreamArn"].endswith("/stream/" + second["LatestStreamLabel"])


def test_encryption_is_turned_on_and_off(wire, make_table, describe):
    table = make_table(on_demand(name()))
    request = {"TableName": table, "SSESpecification": {"Enabled": True, "SSEType": "KMS"}}
    wire.call("UpdateTable", request)
    found = describe(table)["SSEDescription"]
    assert (found["Status"], found["SSEType"]) == ("ENABLED", "KMS")
    assert found["KMSMasterKeyArn"].startswith("arn:aws:kms:")
    wire.call("UpdateTable", {"TableName": table, "SSESpecification": {"Enabled": False}})
    assert "SSEDescription" not in describe(table)


def test_ceilings_are_set_and_taken_away(wire, make_table, describe):
    table = make_table(on_demand(name()))
    ceilings = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    wire.call("UpdateTable", {"TableName": table, "OnDemandThroughput": ceilings})
    assert describe(table)["OnDemandThroughput"] == ceilings
    none = {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1}
    wire.call("UpdateTable", {"TableName": table, "OnDemandThroughput": none})
    found = describe(table).get("OnDemandThroughput", none)
    assert found == none


def test_warm_throughput_grows(wire, make_table, describe):
    table = make_table(on_demand(name()))
    warm = {"ReadUnitsPerSecond": 15000, "WriteUnitsPerSecond": 7000}
    wire.call("UpdateTable", {"TableName": table, "WarmThroughput": warm})
    assert describe(table)["WarmThroughput"].items() >= warm.items()


def test_items_stay_when_settings_change(wire, make_table):
    table = make_table(on_demand(name()))
    item = {"pk": {"S": "1"}, "a": {"N": "2"}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    change = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
    wire.call("UpdateTable", {"TableName": table, **change})
    assert wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "1"}}}) == {"Item": item}
