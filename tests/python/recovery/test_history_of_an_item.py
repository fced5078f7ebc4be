"""DescribeItemHistory tells what happened to an item."""

import time

import pytest

from definitions import name, on_demand
from recovery.tables import item, key, moment, seconds, set_recovery
from server import until


def told(history):
    """The events with the number of the item that each left."""
    return [
        (version["EventName"], version.get("Item", {}).get("n", {}).get("N"))
        for version in history["Versions"]
    ]


def test_every_change_is_told_newest_first(table):
    begun = seconds(moment())
    one = item("a", "b")
    table.put(item("a", "b", 1))
    table.put(item("a", "b", 2), item("a", "c", 50))
    table.put(item("a", "c", 51), item("b", "b", 60))
    table.delete(one)
    table.put(item("a", "b", 3))
    table.client.update_item(
        TableName=table.name,
        Key=key(one),
        UpdateExpression="ADD n :one",
        ExpressionAttributeValues={":one": {"N": "1"}},
    )
    put = {"Put": {"TableName": table.name, "Item": item("a", "b", 5)}}
    table.client.transact_write_items(TransactItems=[put])
    found = table.history(one)
    assert told(found) == [
        ("MODIFY", "5"),
        ("MODIFY", "4"),
        ("INSERT", "3"),
        ("REMOVE", None),
        ("MODIFY", "2"),
        ("INSERT", "1"),
    ]
    assert found["Versions"][0]["Item"] == item("a", "b", 5)
    assert "Item" not in found["Versions"][3]
    assert "Before" not in found and found["More"] is False
    assert all("UserIdentity" not in version for version in found["Versions"])
    times = [version["DateTime"] for version in found["Versions"]]
    assert times == sorted(times, reverse=True)
    assert begun <= times[-1] and times[0] <= seconds(moment())


def test_a_version_can_be_restored_by_its_time(table):
    """The time of a version is a moment at which the item was that."""
    for n in range(5):
        table.put(item("a", "b", n))
        moment()
    for version in table.history(item("a", "b"))["Versions"]:
        request = {"Keys": [key(item("a", "b"))], "RestoreDateTime": version["DateTime"]}
        table.restore_items(moment(), **request)
        assert table.contents() == {("a", "b"): version["Item"]}


def test_pages_end_where_they_are_told_to(table):
    for n in range(5):
        table.put(item("a", "b", n))
    for limit in range(1, 7):
        found = table.history(item("a", "b"), Limit=limit)
        assert [number for _, number in told(found)] == ["4", "3", "2", "1", "0"][:limit]
        assert found["More"] is (limit < 5)
        before = found.get("Before", {}).get("n", {}).get("N")
        assert before == (str(4 - limit) if limit < 5 else None)


def test_writes_that_change_nothing_are_no_versions(table):
    for _ in range(3):
        table.put(item("a", "b", 1))
    assert told(table.history(item("a", "b"))) == [("INSERT", "1")]


def test_an_item_that_was_never_changed(table):
    unknown = table.history(item("never", "there"))
    assert unknown == {"Versions": [], "More": False}
    set_recovery(table.client, table.name, False)
    table.put(item("a", "b", 1))
    set_recovery(table.client, table.name)
    found = table.history(item("a", "b"))
    assert found == {"Versions": [], "More": False, "Before": item("a", "b", 1)}
    table.put(item("a", "b", 2))
    found = table.history(item("a", "b"))
    assert told(found) == [("MODIFY", "2")]
    assert found["Before"] == item("a", "b", 1)


def test_history_begins_again_when_recovery_does(table):
    table.put(item("a", "b", 1))
    set_recovery(table.client, table.name, False)
    table.put(item("a", "b", 2))
    moment()
    set_recovery(table.client, table.name)
    table.put(item("a", "b", 3))
    found = table.history(item("a", "b"))
    assert told(found) == [("MODIFY", "3")]
    assert found["Before"] == item("a", "b", 2)


def test_deletions_by_time_to_live_are_told_by_their_principal(table):
    table.client.update_time_to_live(
        TableName=table.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"}
    )
    ttl = {"N": str(int(time.time()) - 5)}
    table.put(item("a", "b", 1, ttl=ttl))
    until(lambda: table.contents() == {}, "the item is deleted")
    table.put(item("a", "b", 2))
    table.delete(item("a", "b"))
    found = table.history(item("a", "b"))
    assert told(found) == [("REMOVE", None), ("INSERT", "2"), ("REMOVE", None), ("INSERT", "1")]
    identities = [version.get("UserIdentity") for version in found["Versions"]]
    service = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert identities == [None, None, service, None]


def test_a_restore_in_place_is_a_version_too(table):
    table.put(item("a", "b", 1))
    then = moment()
    table.put(item("a", "b", 2))
    table.restore_items(then)
    found = table.history(item("a", "b"))
    assert told(found) == [("MODIFY", "1"), ("MODIFY", "2"), ("INSERT", "1")]
    assert all("UserIdentity" not in version for version in found["Versions"])


def test_many_changes_of_other_items_are_stepped_over(table):
    table.put(item("a", "b", 1))
    table.put(*(item("other", f"{n:04}", n) for n in range(1500)))
    table.put(item("a", "b", 2))
    assert told(table.history(item("a", "b"))) == [("MODIFY", "2"), ("INSERT", "1")]
    assert told(table.history(item("other", "0000"))) == [("INSERT", "0")]


def test_without_recovery_there_is_none(wire, make_table):
    plain = make_table(on_demand(name(), "pk", "sk"))
    request = {"TableName": plain, "Key": key(item("a", "b"))}
    assert wire.refused("DescribeItemHistory", request) == (
        400,
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{plain}'",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"Limit": 0},
        {"Limit": 1001},
        {"Key": {"pk": {"S": "a"}}},
        {"Key": {"pk": {"S": "a"}, "sk": {"N": "1"}}},
        {"Key": None},
    ],
)
def test_requests_that_are_refused(wire, table, changes):
    request = {"TableName": table.name, "Key": key(item("a", "b")), **changes}
    assert wire.refused("DescribeItemHistory", request)[:2] == (400, "ValidationException")


def test_an_unknown_table(wire):
    request = {"TableName": "nowhere", "Key": key(item("a", "b"))}
    assert wire.refused("DescribeItemHistory", request)[1] == "ResourceNotFoundException"
