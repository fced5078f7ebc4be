"""What a read sees of a write that was answered: all of it, unless reads are told to lag."""

import time

import pytest

from definitions import index, name, on_demand
from server import until

QUERY = {
    "IndexName": "gsi",
    "KeyConditionExpression": "g = :g",
    "ExpressionAttributeValues": {":g": {"S": "g"}},
}


def definition():
    return on_demand(name(), "pk", (), "g:S", GlobalSecondaryIndexes=[index("gsi", "g")])


def keys(answer):
    return [item["pk"]["S"] for item in answer["Items"]]


def test_an_index_shows_a_write_at_once(wire, make_table):
    table = make_table(definition())
    for n in range(30):
        key = f"{n:02}"
        item = {"pk": {"S": key}, "g": {"S": "g"}}
        wire.call("PutItem", {"TableName": table, "Item": item})
        assert key in keys(wire.call("Query", {"TableName": table, **QUERY}))
        assert key in keys(wire.call("Scan", {"TableName": table, "IndexName": "gsi"}))
    wire.call("DeleteItem", {"TableName": table, "Key": {"pk": {"S": "07"}}})
    assert "07" not in keys(wire.call("Query", {"TableName": table, **QUERY}))


@pytest.fixture(scope="module")
def late(start_server):
    with start_server("--memory", "--gsi-lag", "300ms") as server:
        yield server


def test_a_late_index_shows_a_write_later(late):
    request = definition()
    table = request["TableName"]
    wire = late.wire
    wire.call("CreateTable", request)
    started = time.monotonic()
    wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": "1"}, "g": {"S": "g"}}})
    first = keys(wire.call("Query", {"TableName": table, **QUERY}))
    # On a machine so slow that the lag is over already, this says nothing.
    assert first == [] or time.monotonic() - started > 0.3
    mine = {
        "TableName": table,
        "KeyConditionExpression": "pk = :k",
        "ExpressionAttributeValues": {":k": {"S": "1"}},
        "ConsistentRead": True,
    }
    assert keys(wire.call("Query", mine)) == ["1"]
    assert keys(wire.call("Scan", {"TableName": table, "ConsistentRead": True})) == ["1"]
    got = wire.call(
        "GetItem", {"TableName": table, "Key": {"pk": {"S": "1"}}, "ConsistentRead": True}
    )
    assert got["Item"]["pk"] == {"S": "1"}
    until(
        lambda: keys(wire.call("Query", {"TableName": table, **QUERY})) == ["1"],
        "the index shows the item",
    )
    assert time.monotonic() - started > 0.25
    until(
        lambda: keys(wire.call("Query", {**mine, "ConsistentRead": False})) == ["1"],
        "the table shows the item",
    )


def test_a_late_index_never_goes_back(late):
    request = definition()
    table = request["TableName"]
    late.wire.call("CreateTable", request)
    seen = 0
    written = 0

    def look():
        nonlocal seen, written
        if written < 40:
            item = {"pk": {"S": f"{written:02}"}, "g": {"S": "g"}}
            late.wire.call("PutItem", {"TableName": table, "Item": item})
            written += 1
        count = late.wire.call("Query", {"TableName": table, **QUERY})["Count"]
        assert seen <= count <= written
        seen = count
        return seen == 40

    until(look, "the index shows all")
