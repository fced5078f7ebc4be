"""Item sizes are exact to the byte: 409,600 fit, and write units tell the rest."""

import pytest

from definitions import index, name, on_demand
from sizes import LARGEST_ITEM, NUMBERS, VALUES, padded

TOO_LARGE = (400, "ValidationException", "Item size has exceeded the maximum allowed size")
ALL = VALUES + [({"N": text}, size) for text, size in NUMBERS]


@pytest.fixture(scope="module")
def table(server):
    table = name("sizes")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def write_units(wire, table, item):
    """What the item costs to write where there was none; that is, its size in KB."""
    wire.call("DeleteItem", {"TableName": table, "Key": {"pk": item["pk"]}})
    request = {"TableName": table, "Item": item, "ReturnConsumedCapacity": "TOTAL"}
    return wire.call("PutItem", request)["ConsumedCapacity"]["CapacityUnits"]


@pytest.mark.parametrize("value, size", ALL, ids=lambda part: str(part)[:40])
def test_a_value_has_its_size_to_the_byte(wire, table, value, size):
    assert write_units(wire, table, padded(1024, a=(value, size))) == 1
    assert write_units(wire, table, padded(1025, a=(value, size))) == 2


@pytest.mark.parametrize("value, size", VALUES, ids=lambda part: str(part)[:40])
def test_an_item_of_409600_bytes_fits_and_no_more(wire, table, value, size):
    largest = padded(LARGEST_ITEM, a=(value, size))
    wire.call("PutItem", {"TableName": table, "Item": largest})
    item = padded(LARGEST_ITEM + 1, a=(value, size))
    assert wire.refused("PutItem", {"TableName": table, "Item": item}) == TOO_LARGE


def test_the_largest_item_comes_back_whole(wire, table):
    largest = padded(LARGEST_ITEM)
    wire.call("PutItem", {"TableName": table, "Item": largest})
    found = wire.call("GetItem", {"TableName": table, "Key": {"pk": largest["pk"]}})
    assert found == {"Item": largest}


def test_names_count_by_their_bytes(wire, table):
    for name_ in ("n" * 500, "\u20ac" * 100):
        assert write_units(wire, table, padded(1024, **{name_: ({"BOOL": True}, 1)})) == 1
        assert write_units(wire, table, padded(1025, **{name_: ({"BOOL": True}, 1)})) == 2


def test_a_name_of_65535_bytes_fits_and_no_more(wire, table):
    item = {"pk": {"S": "1"}, "n" * 65535: {"S": "x"}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    assert wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "1"}}}) == {"Item": item}
    item = {"pk": {"S": "1"}, "n" * 65536: {"S": "x"}}
    status, kind, _ = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert (status, kind) == (400, "ValidationException")


def test_an_item_that_is_too_large_is_refused_before_its_table_is_looked_up(wire):
    item = padded(LARGEST_ITEM + 1)
    assert wire.refused("PutItem", {"TableName": "nowhere", "Item": item}) == TOO_LARGE


def test_entries_in_local_indexes_count_towards_the_limit(wire, make_table):
    table = make_table(
        on_demand(name(), "pk", "sk", "l:S", LocalSecondaryIndexes=[index("lsi", "pk", "l")])
    )
    half = {**padded(LARGEST_ITEM // 2 - 10), "sk": {"S": "1"}, "l": {"S": "2"}}
    wire.call("PutItem", {"TableName": table, "Item": half})
    more = {**padded(LARGEST_ITEM // 2 + 10), "sk": {"S": "1"}, "l": {"S": "2"}}
    status, kind, _ = wire.refused("PutItem", {"TableName": table, "Item": more})
    assert (status, kind) == (400, "ValidationException")
    sparse = {**padded(LARGEST_ITEM // 2 + 10), "sk": {"S": "1"}}
    wire.call("PutItem", {"TableName": table, "Item": sparse})
