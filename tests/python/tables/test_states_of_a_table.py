"""With a table delay, tables are CREATING, UPDATING and DELETING for a while.

A delay of an hour makes states that do not end while the test looks at them; tables that
must be ACTIVE before are made by a server without delay, on the same directory.
"""

import pytest

from definitions import on_demand, units
from server import until

KEY = {"pk": {"S": "1"}}
NOT_FOUND = (400, "ResourceNotFoundException", "Requested resource not found")
IN_USE = "Attempt to change a resource which is still in use: Table is being "
SECOND_CHANGES = [
    ("UpdateTable", {"DeletionProtectionEnabled": True}),
    ("UpdateTable", {"TableClass": "STANDARD"}),
    ("DeleteTable", {}),
]


def status(server, table):
    return server.wire.call("DescribeTable", {"TableName": table})["Table"]["TableStatus"]


def data_plane(server, table):
    for operation, part in [("GetItem", "Key"), ("PutItem", "Item"), ("DeleteItem", "Key")]:
        yield server.wire.post(operation, {"TableName": table, part: KEY})


@pytest.fixture(scope="module")
def slow(start_server, tmp_path_factory):
    """A server whose transitions do not end, with tables that are ACTIVE already."""
    data = tmp_path_factory.mktemp("slow") / "data"
    with start_server("--data", data) as quick:
        for table in ("updated", "deleted", "deleted-twice"):
            quick.wire.call("CreateTable", on_demand(table))
            quick.wire.call("PutItem", {"TableName": table, "Item": KEY})
        assert quick.stop() == 0
    with start_server("--data", data, "--table-delay", "1h") as server:
        server.wire.call("CreateTable", on_demand("created"))
        server.wire.call("UpdateTable", {"TableName": "updated", "TableClass": "STANDARD"})
        server.wire.call("DeleteTable", {"TableName": "deleted"})
        server.wire.call("DeleteTable", {"TableName": "deleted-twice"})
        yield server


@pytest.mark.parametrize(
    "table, expected",
    [("created", "CREATING"), ("updated", "UPDATING"), ("deleted", "DELETING")],
)
def test_a_table_in_transition_is_described_and_listed(slow, table, expected):
    assert status(slow, table) == expected
    assert table in slow.wire.call("ListTables", {})["TableNames"]


@pytest.mark.parametrize("table", ["created", "deleted"])
def test_items_of_a_table_that_is_created_or_deleted_are_not_found(slow, table):
    for answer in data_plane(slow, table):
        assert (answer.status, *answer.error) == NOT_FOUND


def test_items_of_a_table_that_is_updated_are_there(slow):
    get, put, delete = data_plane(slow, "updated")
    assert get.json == {"Item": KEY}
    assert (put.status, delete.status) == (200, 200)


@pytest.mark.parametrize("operation, change", SECOND_CHANGES)
@pytest.mark.parametrize("table, verb", [("created", "created"), ("updated", "updated")])
def test_a_second_change_is_refused(slow, table, verb, operation, change):
    assert slow.wire.refused(operation, {"TableName": table, **change}) == (
        400,
        "ResourceInUseException",
        f"{IN_USE}{verb}: {table}",
    )


def test_a_table_that_is_deleted_cannot_be_updated(slow):
    code, kind, _ = slow.wire.refused(
        "UpdateTable", {"TableName": "deleted", "DeletionProtectionEnabled": True}
    )
    assert (code, kind) == (400, "ResourceInUseException")


def test_deleting_a_table_that_is_deleted_is_no_error(slow):
    found = slow.wire.call("DeleteTable", {"TableName": "deleted-twice"})["TableDescription"]
    assert found["TableStatus"] == "DELETING"


@pytest.mark.parametrize("table", ["created", "updated", "deleted"])
def test_the_name_of_a_table_in_transition_is_taken(slow, table):
    assert slow.wire.refused("CreateTable", on_demand(table)) == (
        400,
        "ResourceInUseException",
        f"Table already exists: {table}",
    )


def test_time_to_live_cannot_be_described_while_a_table_is_created(slow):
    _, _, text = slow.wire.refused("DescribeTimeToLive", {"TableName": "created"})
    assert text == (
        "Cannot describe time to live while table is in CREATING state: "
        "Current table state is CREATING"
    )


def test_transitions_end_and_a_name_is_free_and_empty_again(fresh_server):
    server = fresh_server("--memory", "--table-delay", "300ms")
    table = "life"
    for _ in range(2):
        server.wire.call("CreateTable", on_demand(table))
        until(lambda: status(server, table) == "ACTIVE", "the table is active")
        assert server.wire.call("GetItem", {"TableName": table, "Key": KEY}) == {}
        server.wire.call("PutItem", {"TableName": table, "Item": KEY})
        change = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
        answer = server.wire.call("UpdateTable", {"TableName": table, **change})
        assert answer["TableDescription"]["TableStatus"] == "UPDATING"
        until(lambda: status(server, table) == "ACTIVE", "the update is over")
        answer = server.wire.call("DeleteTable", {"TableName": table})
        assert answer["TableDescription"]["TableStatus"] == "DELETING"
        until(
            lambda: server.wire.post("DescribeTable", {"TableName": table}).status == 400,
            "the table is gone",
        )
        assert server.wire.call("ListTables", {}) == {"TableNames": []}


def test_the_waiters_of_boto3_see_a_table_come_and_go(fresh_server):
    server = fresh_server("--memory", "--table-delay", "200ms")
    config = {"Delay": 1, "MaxAttempts": 60}
    server.boto.create_table(**on_demand("waited"))
    server.boto.get_waiter("table_exists").wait(TableName="waited", WaiterConfig=config)
    assert status(server, "waited") == "ACTIVE"
    server.boto.delete_table(TableName="waited")
    server.boto.get_waiter("table_not_exists").wait(TableName="waited", WaiterConfig=config)
    assert server.wire.call("ListTables", {}) == {"TableNames": []}
