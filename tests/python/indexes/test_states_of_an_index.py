"""An index that is created or deleted goes through its states."""

import pytest

from definitions import attributes, index, name, on_demand, units
from indexes.expected import describe, index_of, until_active, until_gone
from server import until

DELAY = "400ms"


@pytest.fixture(scope="module")
def slow(start_server):
    with start_server("--memory", "--table-delay", DELAY) as server:
        yield server


def states(table, index_name):
    found = index_of(table, index_name)
    state = (found["IndexStatus"], found.get("Backfilling")) if found else None
    return table["TableStatus"], state


def create(table, index_name="new"):
    return {
        "TableName": table,
        "AttributeDefinitions": attributes("g:S"),
        "GlobalSecondaryIndexUpdates": [{"Create": index(index_name, "g")}],
    }


def until_ready(wire, table):
    until(lambda: describe(wire, table)["TableStatus"] == "ACTIVE", "the table is active")


def test_states_come_one_after_another(slow):
    wire = slow.wire
    table = name()
    wire.call("CreateTable", on_demand(table))
    until_ready(wire, table)
    wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": "1"}, "g": {"S": "g"}}})
    answer = wire.call("UpdateTable", create(table))["TableDescription"]
    seen = [states(answer, "new")]

    def note():
        state = states(describe(wire, table), "new")
        if state != seen[-1]:
            seen.append(state)
        return state == ("ACTIVE", ("ACTIVE", None))

    until(note, "the index is active")
    assert seen[0] == ("UPDATING", ("CREATING", False))
    allowed = [
        ("UPDATING", ("CREATING", False)),
        ("UPDATING", ("CREATING", True)),
        ("UPDATING", ("ACTIVE", None)),
        ("ACTIVE", ("ACTIVE", None)),
    ]
    assert seen == [state for state in allowed if state in seen]

    answer = wire.call(
        "UpdateTable",
        {"TableName": table, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "new"}}]},
    )["TableDescription"]
    assert states(answer, "new") == ("UPDATING", ("DELETING", None))
    assert states(describe(wire, table), "new") == ("UPDATING", ("DELETING", None))
    until_gone(wire, table, "new")


def test_what_an_index_in_creation_does_not_allow(slow):
    wire = slow.wire
    table = name()
    wire.call(
        "CreateTable",
        on_demand(table, "pk", (), "o:S", GlobalSecondaryIndexes=[index("old", "o")]),
    )
    until_ready(wire, table)
    wire.call("UpdateTable", create(table))
    delete = {"TableName": table, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "old"}}]}
    in_use = "Attempt to change a resource which is still in use: "
    limit = (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    )
    for operation, request, expected in [
        ("UpdateTable", create(table, "more"), (400, "LimitExceededException", limit)),
        ("UpdateTable", delete, (400, "LimitExceededException", limit)),
        (
            "UpdateTable",
            {"TableName": table, "DeletionProtectionEnabled": True},
            (400, "ResourceInUseException", f"{in_use}Table is being updated: {table}"),
        ),
        (
            "DeleteTable",
            {"TableName": table},
            (
                400,
                "ResourceInUseException",
                f"{in_use}Cannot delete table while indexes are being created, updated, or "
                "deleted.",
            ),
        ),
        (
            "Scan",
            {"TableName": table, "IndexName": "new"},
            (
                400,
                "ValidationException",
                "Cannot read from backfilling global secondary index: new",
            ),
        ),
    ]:
        assert wire.refused(operation, request) == expected
    # The table is in use all the while.
    wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": "1"}, "g": {"S": "g"}}})
    until_active(wire, table, "new")
    assert wire.call("Scan", {"TableName": table, "IndexName": "new"})["Count"] == 1
    wire.call("DeleteTable", {"TableName": table})


def test_an_index_is_not_deleted_while_its_resources_are_allocated(slow):
    wire = slow.wire
    table = name()
    wire.call("CreateTable", on_demand(table))
    until_ready(wire, table)
    wire.call("UpdateTable", create(table))
    delete = {"TableName": table, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "new"}}]}
    assert wire.refused("UpdateTable", delete) == (
        400,
        "ResourceInUseException",
        "Attempt to change a resource which is still in use: Index creation is in resource "
        "allocation phase. Retry deletion during backfilling phase or when the index is active. "
        f"Table: {table} Index: new",
    )


def test_an_index_created_with_its_table_never_says_backfilling(slow):
    wire = slow.wire
    table = name()
    request = on_demand(table, "pk", (), "g:S", GlobalSecondaryIndexes=[index("gsi", "g")])
    answer = wire.call("CreateTable", request)["TableDescription"]
    assert states(answer, "gsi") == ("CREATING", ("CREATING", None))

    def ready():
        table_status, (index_status, backfilling) = states(describe(wire, table), "gsi")
        assert backfilling is None
        return (table_status, index_status) == ("ACTIVE", "ACTIVE")

    until(ready, "the table is active")


def test_throughput_of_an_index_is_changed(wire, make_table):
    table = make_table(
        {
            **on_demand(name(), "pk", (), "g:S"),
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": units(5, 5),
            "GlobalSecondaryIndexes": [
                index("gsi", "g", ProvisionedThroughput=units(2, 2)),
            ],
        }
    )
    update = {"IndexName": "gsi", "ProvisionedThroughput": units(3, 4)}
    request = {"TableName": table, "GlobalSecondaryIndexUpdates": [{"Update": update}]}
    wire.call("UpdateTable", request)
    until_active(wire, table, "gsi")
    found = index_of(describe(wire, table), "gsi")["ProvisionedThroughput"]
    assert (found["ReadCapacityUnits"], found["WriteCapacityUnits"]) == (3, 4)
    status, kind, text = wire.refused("UpdateTable", request)
    assert (status, kind) == (400, "ValidationException")
    assert text.startswith("The provisioned throughput for the index will not change.")


def test_only_the_index_whose_throughput_changes_is_updating(slow):
    wire = slow.wire
    table = name()
    wire.call(
        "CreateTable",
        {
            **on_demand(table, "pk", (), "g:S", "h:S"),
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": units(5, 5),
            "GlobalSecondaryIndexes": [
                index("one", "g", ProvisionedThroughput=units(2, 2)),
                index("other", "h", ProvisionedThroughput=units(2, 2)),
            ],
        },
    )
    until_ready(wire, table)
    update = {"IndexName": "one", "ProvisionedThroughput": units(3, 4)}
    request = {"TableName": table, "GlobalSecondaryIndexUpdates": [{"Update": update}]}
    answer = wire.call("UpdateTable", request)["TableDescription"]
    assert states(answer, "one") == ("UPDATING", ("UPDATING", None))
    assert states(answer, "other") == ("UPDATING", ("ACTIVE", None))
    found = wire.call(
        "Query",
        {
            "TableName": table,
            "IndexName": "one",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "g"}},
        },
    )
    assert found["Count"] == 0
    until_ready(wire, table)
    assert states(describe(wire, table), "one") == ("ACTIVE", ("ACTIVE", None))
    wire.call("UpdateTable", {"TableName": table, "BillingMode": "PAY_PER_REQUEST"})
    for each in ("one", "other"):
        assert states(describe(wire, table), each) == ("UPDATING", ("UPDATING", None))
    until_ready(wire, table)
    for each in ("one", "other"):
        assert states(describe(wire, table), each) == ("ACTIVE", ("ACTIVE", None))
