"""A deleted index leaves nothing behind, and its name can be used again."""

import pytest

from definitions import attributes, index, name, on_demand
from indexes.expected import check_indexes, describe, index_of, until_active, until_gone


@pytest.fixture
def table(wire, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            (),
            "g:S",
            "shared:S",
            GlobalSecondaryIndexes=[index("gone", "g", "shared"), index("stays", "shared")],
        )
    )
    for n in range(30):
        item = {"pk": {"S": f"{n}"}, "g": {"S": f"g{n % 3}"}, "shared": {"S": "s"}}
        wire.call("PutItem", {"TableName": table, "Item": item})
    return table


def change(table, **update):
    return {"TableName": table, "GlobalSecondaryIndexUpdates": [update]}


def test_a_deleted_index_is_gone(wire, table):
    answer = wire.call("UpdateTable", change(table, Delete={"IndexName": "gone"}))
    assert answer["TableDescription"]["TableStatus"] == "UPDATING"
    until_gone(wire, table, "gone")
    described = describe(wire, table)
    assert index_of(described, "stays")["ItemCount"] == 30
    assert described["AttributeDefinitions"] == attributes("pk:S", "shared:S")
    query = {
        "TableName": table,
        "IndexName": "gone",
        "KeyConditionExpression": "g = :g",
        "ExpressionAttributeValues": {":g": {"S": "g1"}},
    }
    refusal = (400, "ValidationException", "The table does not have the specified index: gone")
    assert wire.refused("Query", query) == refusal
    assert wire.refused("Scan", {"TableName": table, "IndexName": "gone"}) == refusal
    # What was bound to a type is not any more; what another index uses still is.
    wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": "0"}, "g": {"N": "1"}}})
    bad = {"TableName": table, "Item": {"pk": {"S": "0"}, "shared": {"N": "1"}}}
    assert wire.refused("PutItem", bad)[1] == "ValidationException"
    check_indexes(wire, table)


def test_the_last_index_can_be_deleted(wire, table):
    for index_name in ("gone", "stays"):
        wire.call("UpdateTable", change(table, Delete={"IndexName": index_name}))
        until_gone(wire, table, index_name)
    described = describe(wire, table)
    assert "GlobalSecondaryIndexes" not in described
    assert described["AttributeDefinitions"] == attributes("pk:S")


def test_an_index_can_be_created_again_under_its_name(wire, table):
    for key, defined in [("n", "n:N"), ("g", "g:S"), ("shared", "shared:S")]:
        wire.call("UpdateTable", change(table, Delete={"IndexName": "gone"}))
        until_gone(wire, table, "gone")
        for n in range(10):
            item = {
                "pk": {"S": f"{n}"},
                "n": {"N": str(n)},
                "g": {"S": key},
                "shared": {"S": "again"},
            }
            wire.call("PutItem", {"TableName": table, "Item": item})
        request = change(table, Create=index("gone", key))
        wire.call("UpdateTable", {**request, "AttributeDefinitions": attributes(defined)})
        until_active(wire, table, "gone")
        described, _ = check_indexes(wire, table)
        assert index_of(described, "gone")["ItemCount"] == (10 if key == "n" else 30)


def test_deleted_indexes_stay_deleted_after_a_crash(fresh_server, tmp_path):
    server = fresh_server("--data", tmp_path / "data")
    request = on_demand("abc", "pk", (), "g:S", GlobalSecondaryIndexes=[index("gone", "g")])
    server.wire.call("CreateTable", request)
    for n in range(20):
        item = {"pk": {"S": str(n)}, "g": {"S": "g"}}
        server.wire.call("PutItem", {"TableName": "abc", "Item": item})
    server.wire.call("UpdateTable", change("abc", Delete={"IndexName": "gone"}))
    server.kill()
    server = fresh_server("--data", tmp_path / "data")
    until_gone(server.wire, "abc", "gone")
    check_indexes(server.wire, "abc")
