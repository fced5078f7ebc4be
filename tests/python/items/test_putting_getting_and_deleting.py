"""PutItem, GetItem and DeleteItem on one item."""

import concurrent.futures

import pytest

from definitions import index, name, on_demand

KEY = {"pk": {"S": "1"}}
OLD = {**KEY, "a": {"S": "old"}, "gone": {"N": "1"}}
NEW = {**KEY, "a": {"S": "new"}}


@pytest.fixture
def table(make_table):
    return make_table(on_demand(name()))


def get(wire, table, key=None, **more):
    return wire.call("GetItem", {"TableName": table, "Key": key or KEY, **more})


def test_an_item_that_is_not_there_is_absent_from_the_answer(wire, table):
    assert get(wire, table) == {}
    assert get(wire, table, ConsistentRead=True) == {}


def test_a_put_replaces_every_attribute(wire, table):
    assert wire.call("PutItem", {"TableName": table, "Item": OLD}) == {}
    assert get(wire, table) == {"Item": OLD}
    wire.call("PutItem", {"TableName": table, "Item": NEW})
    assert get(wire, table) == {"Item": NEW}


def test_a_delete_removes_and_may_be_repeated(wire, table):
    wire.call("PutItem", {"TableName": table, "Item": OLD})
    for _ in range(2):
        assert wire.call("DeleteItem", {"TableName": table, "Key": KEY}) == {}
        assert get(wire, table) == {}


@pytest.mark.parametrize("operation, part", [("PutItem", NEW), ("DeleteItem", KEY)])
@pytest.mark.parametrize(
    "wanted, before, expected",
    [
        ("ALL_OLD", OLD, {"Attributes": OLD}),
        ("ALL_OLD", None, {}),
        ("NONE", OLD, {}),
        (None, OLD, {}),
    ],
)
def test_the_old_item_is_returned_when_asked_for(
    wire, table, operation, part, wanted, before, expected
):
    if before:
        wire.call("PutItem", {"TableName": table, "Item": before})
    member = "Item" if operation == "PutItem" else "Key"
    request = {"TableName": table, member: part, "ReturnValues": wanted}
    assert wire.call(operation, request) == expected


def test_a_write_is_read_at_once_by_everyone(wire, table):
    def write_and_read(n):
        item = {"pk": {"S": str(n)}, "a": {"N": str(n)}}
        wire.call("PutItem", {"TableName": table, "Item": item})
        return get(wire, table, {"pk": {"S": str(n)}}, ConsistentRead=True) == {"Item": item}

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(200)))


def test_of_many_writers_of_one_item_exactly_one_finds_none_before_it(wire, table):
    def write(n):
        item = {**KEY, "writer": {"N": str(n)}}
        request = {"TableName": table, "Item": item, "ReturnValues": "ALL_OLD"}
        return wire.call("PutItem", request).get("Attributes", {}).get("writer", {}).get("N")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        seen = list(pool.map(write, range(100)))
    last = get(wire, table)["Item"]["writer"]["N"]
    # Every value was overwritten by one other write, except the last.
    assert sorted(map(str, seen + [last])) == sorted(["None", *map(str, range(100))])


def test_tables_do_not_see_one_anothers_items(wire, make_table):
    first, second = (make_table(on_demand(name())) for _ in range(2))
    wire.call("PutItem", {"TableName": first, "Item": OLD})
    assert get(wire, second) == {}
    wire.call("DeleteItem", {"TableName": second, "Key": KEY})
    assert get(wire, first) == {"Item": OLD}


def metrics(wire, make_table, operation, part, *extra, **more):
    table = make_table(on_demand(name(), "pk", "sk", *extra, **more))
    item = {"pk": {"S": "1"}, "sk": {"S": "2"}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    request = {"TableName": table, part: item, "ReturnItemCollectionMetrics": "SIZE"}
    return wire.call(operation, request)


CALLS = pytest.mark.parametrize("operation, part", [("PutItem", "Item"), ("DeleteItem", "Key")])


@CALLS
def test_a_local_index_makes_writes_tell_the_size_of_a_collection(
    wire, make_table, operation, part
):
    local = [index("lsi", "pk", "l")]
    answer = metrics(wire, make_table, operation, part, "l:S", LocalSecondaryIndexes=local)
    found = answer["ItemCollectionMetrics"]
    assert found["ItemCollectionKey"] == {"pk": {"S": "1"}}
    lower, upper = found["SizeEstimateRangeGB"]
    assert 0 <= lower <= upper


@CALLS
def test_a_table_without_local_index_has_no_collections(wire, make_table, operation, part):
    assert metrics(wire, make_table, operation, part) == {}
