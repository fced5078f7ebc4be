"""Write units: one for each KB of the larger of the old item and the new one."""

import pytest

from definitions import name, on_demand
from sizes import LARGEST_ITEM, padded


@pytest.fixture
def table(make_table):
    return make_table(on_demand(name()))


def put(wire, table, size):
    request = {"TableName": table, "Item": padded(size), "ReturnConsumedCapacity": "TOTAL"}
    return wire.call("PutItem", request)["ConsumedCapacity"]["CapacityUnits"]


def delete(wire, table):
    key = {"pk": {"S": "k"}}
    request = {"TableName": table, "Key": key, "ReturnConsumedCapacity": "TOTAL"}
    return wire.call("DeleteItem", request)["ConsumedCapacity"]["CapacityUnits"]


@pytest.mark.parametrize(
    "size, expected",
    [(10, 1), (1023, 1), (1024, 1), (1025, 2), (2048, 2), (2049, 3), (LARGEST_ITEM, 400)],
)
def test_a_write_costs_by_the_size_of_its_item(wire, table, size, expected):
    assert put(wire, table, size) == expected
    assert delete(wire, table) == expected


@pytest.mark.parametrize(
    "old, new, expected", [(5000, 100, 5), (100, 5000, 5), (5000, 5000, 5), (1024, 1025, 2)]
)
def test_a_put_costs_by_the_larger_of_the_old_and_the_new_item(wire, table, old, new, expected):
    put(wire, table, old)
    assert put(wire, table, new) == expected


def test_deleting_nothing_costs_one_unit(wire, table):
    assert delete(wire, table) == 1
