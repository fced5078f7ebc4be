"""DeleteTable takes a table away with everything in it."""

from definitions import name, on_demand

ITEM = {"pk": {"S": "1"}, "a": {"S": "x"}}
KEY = {"pk": {"S": "1"}}


def test_a_deleted_table_is_gone(client, wire):
    table = name()
    wire.call("CreateTable", on_demand(table))
    wire.call("PutItem", {"TableName": table, "Item": ITEM})
    client.delete_table(TableName=table)
    client.get_waiter("table_not_exists").wait(TableName=table)
    assert (
        table not in wire.call("ListTables", {"ExclusiveStartTableName": table[:-1]})["TableNames"]
    )
    not_found = (400, "ResourceNotFoundException", "Requested resource not found")
    assert wire.refused("GetItem", {"TableName": table, "Key": KEY}) == not_found
    assert wire.refused("PutItem", {"TableName": table, "Item": ITEM}) == not_found
    assert wire.refused("DeleteItem", {"TableName": table, "Key": KEY}) == not_found


def test_a_name_can_be_used_again_and_its_table_is_empty(wire):
    table = name()
    identities = set()
    for _ in range(3):
        wire.call("CreateTable", on_demand(table))
        identities.add(wire.call("DescribeTable", {"TableName": table})["Table"]["TableId"])
        assert wire.call("GetItem", {"TableName": table, "Key": KEY}) == {}
        wire.call("PutItem", {"TableName": table, "Item": ITEM})
        wire.call("DeleteTable", {"TableName": table})
    assert len(identities) == 3


def test_settings_do_not_survive_their_table(wire):
    table = name()
    wire.call("CreateTable", on_demand(table, Tags=[{"Key": "a", "Value": "b"}]))
    specification = {"Enabled": True, "AttributeName": "expires"}
    wire.call("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": specification})
    wire.call("DeleteTable", {"TableName": table})
    wire.call("CreateTable", on_demand(table))
    found = wire.call("DescribeTimeToLive", {"TableName": table})["TimeToLiveDescription"]
    assert found == {"TimeToLiveStatus": "DISABLED"}
    arn = wire.call("DescribeTable", {"TableName": table})["Table"]["TableArn"]
    assert wire.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == []
    wire.call("DeleteTable", {"TableName": table})


def test_a_protected_table_stays(wire, make_table):
    table = make_table(on_demand(name(), DeletionProtectionEnabled=True))
    assert wire.refused("DeleteTable", {"TableName": table}) == (
        400,
        "ValidationException",
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first.",
    )
    wire.call("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": False})
    wire.call("DeleteTable", {"TableName": table})


def test_an_unknown_table_cannot_be_deleted(wire):
    assert wire.refused("DeleteTable", {"TableName": "nowhere"}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found: Table: nowhere not found",
    )
