"""The forms of ConsumedCapacity: NONE, TOTAL and INDEXES."""

import json

import pytest

from definitions import index, name, on_demand

ITEM = {"pk": {"S": "1"}, "sk": {"S": "1"}, "g": {"S": "g"}, "l": {"S": "l"}}
KEY = {"pk": {"S": "1"}, "sk": {"S": "1"}}
CALLS = [("PutItem", {"Item": ITEM}), ("GetItem", {"Key": KEY}), ("DeleteItem", {"Key": KEY})]


@pytest.fixture
def table(make_table):
    return make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            "g:S",
            "l:S",
            GlobalSecondaryIndexes=[index("gsi", "g"), index("untouched", "g", "l")],
            LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        )
    )


@pytest.mark.parametrize("operation, request_", CALLS)
@pytest.mark.parametrize("wanted", ["NONE", None])
def test_nothing_is_told_unless_asked_for(wire, table, operation, request_, wanted):
    request = {"TableName": table, **request_, "ReturnConsumedCapacity": wanted}
    assert "ConsumedCapacity" not in wire.call(operation, request)


def test_a_total_folds_the_indexes_in(wire, table):
    new = {**ITEM}
    del new["l"]
    request = {"TableName": table, "Item": new, "ReturnConsumedCapacity": "TOTAL"}
    assert wire.call("PutItem", request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 2.0,
    }


def test_indexes_are_told_apart_and_untouched_ones_left_out(wire, table):
    new = {**ITEM}
    del new["l"]
    one = {"CapacityUnits": 1.0}
    request = {"TableName": table, "Item": new, "ReturnConsumedCapacity": "INDEXES"}
    assert wire.call("PutItem", request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 2.0,
        "Table": one,
        "GlobalSecondaryIndexes": {"gsi": one},
    }
    request["Item"] = ITEM
    assert wire.call("PutItem", request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 4.0,
        "Table": one,
        "GlobalSecondaryIndexes": {"gsi": one, "untouched": one},
        "LocalSecondaryIndexes": {"lsi": one},
    }


def test_a_write_that_touches_no_index_has_no_maps(wire, table):
    request = {"TableName": table, "Item": KEY, "ReturnConsumedCapacity": "INDEXES"}
    assert wire.call("PutItem", request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 1.0,
        "Table": {"CapacityUnits": 1.0},
    }


def test_a_read_of_the_table_lists_no_indexes(wire, table):
    wire.call("PutItem", {"TableName": table, "Item": ITEM})
    request = {"TableName": table, "Key": KEY, "ReturnConsumedCapacity": "INDEXES"}
    assert wire.call("GetItem", request)["ConsumedCapacity"] == {
        "TableName": table,
        "CapacityUnits": 0.5,
        "Table": {"CapacityUnits": 0.5},
    }


@pytest.mark.parametrize("operation, request_", CALLS)
def test_units_are_written_with_a_fraction(wire, table, operation, request_):
    request = {"TableName": table, **request_, "ReturnConsumedCapacity": "TOTAL"}
    body = wire.post(operation, request).body
    consumed = json.loads(body)["ConsumedCapacity"]
    assert isinstance(consumed["CapacityUnits"], float)
    assert not {"ReadCapacityUnits", "WriteCapacityUnits"} & set(consumed)
