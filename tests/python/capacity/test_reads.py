"""Read units: one for each 4 KB read consistently, half of that otherwise."""

import pytest

from definitions import name, on_demand
from sizes import LARGEST_ITEM, padded


@pytest.fixture(scope="module")
def table(server):
    table = name("reads")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def units(wire, table, consistent, key="k"):
    request = {
        "TableName": table,
        "Key": {"pk": {"S": key}},
        "ConsistentRead": consistent,
        "ReturnConsumedCapacity": "TOTAL",
    }
    return wire.call("GetItem", request)["ConsumedCapacity"]["CapacityUnits"]


@pytest.mark.parametrize(
    "size, strong",
    [(10, 1), (4095, 1), (4096, 1), (4097, 2), (8192, 2), (8193, 3), (LARGEST_ITEM, 100)],
)
def test_a_read_costs_by_the_size_of_its_item(wire, table, size, strong):
    wire.call("PutItem", {"TableName": table, "Item": padded(size)})
    assert units(wire, table, True) == strong
    assert units(wire, table, False) == strong / 2


def test_a_read_of_nothing_costs_as_much_as_one_of_little(wire, table):
    assert units(wire, table, True, "absent") == 1
    assert units(wire, table, False, "absent") == 0.5


def test_a_read_is_not_consistent_unless_it_says_so(wire, table):
    request = {
        "TableName": table,
        "Key": {"pk": {"S": "absent"}},
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert wire.call("GetItem", request)["ConsumedCapacity"]["CapacityUnits"] == 0.5
