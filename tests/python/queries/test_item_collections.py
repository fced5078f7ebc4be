"""Item collections of tables with local indexes have a limit."""

import pytest

from definitions import index, name, on_demand

FULL = "ItemCollectionSizeLimitExceededException"


@pytest.fixture(scope="module")
def small(start_server):
    """A server whose item collections hold 20,000 bytes."""
    with start_server("--memory", "--collection-limit", "20000") as server:
        yield server


@pytest.fixture
def table(small):
    table = name()
    request = on_demand(
        table,
        "pk",
        "sk",
        "l:S",
        "g:S",
        LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        GlobalSecondaryIndexes=[index("gsi", "g")],
    )
    small.wire.call("CreateTable", request)
    return table


def item(partition, sort, size, **more):
    """An item of exactly that size."""
    taken = 2 + len(partition) + 2 + len(sort) + 3
    taken += sum(len(attribute) + len(value["S"]) for attribute, value in more.items())
    pad = {"S": "x" * (size - taken)}
    return {"pk": {"S": partition}, "sk": {"S": sort}, "pad": pad, **more}


def put(table, whole, **more):
    return {"TableName": table, "Item": whole, **more}


def test_a_collection_can_be_filled_and_no_further(small, table):
    wire = small.wire
    for n in range(4):
        wire.call("PutItem", put(table, item("a", str(n), 5000)))
    status, kind, _ = wire.refused("PutItem", put(table, item("a", "9", 100)))
    assert (status, kind) == (400, FULL)
    key = {"pk": {"S": "a"}, "sk": {"S": "0"}}
    grow = {
        "TableName": table,
        "Key": key,
        "UpdateExpression": "SET more = :m",
        "ExpressionAttributeValues": {":m": {"S": "x"}},
    }
    assert wire.refused("UpdateItem", grow)[1] == FULL
    # Another collection has room; this one can shrink.
    wire.call("PutItem", put(table, item("b", "0", 5000)))
    wire.call("PutItem", put(table, item("a", "0", 4000)))
    wire.call("PutItem", put(table, item("a", "9", 1000)))
    assert wire.refused("UpdateItem", grow)[1] == FULL
    wire.call("DeleteItem", {"TableName": table, "Key": key})
    wire.call("UpdateItem", grow)
    counted = {
        "TableName": table,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "a"}},
        "Select": "COUNT",
    }
    assert wire.call("Query", counted)["Count"] == 5


def test_local_entries_count_and_global_ones_do_not(small, table):
    wire = small.wire
    wire.call("PutItem", put(table, item("a", "0", 9000, l={"S": "l"})))
    assert wire.refused("PutItem", put(table, item("a", "1", 2001)))[1] == FULL
    wire.call("PutItem", put(table, item("a", "1", 2000)))
    wire.call("PutItem", put(table, item("c", "0", 19000, g={"S": "g"})))


def test_sizes_are_told_for_local_indexes_only(small, table):
    request = put(table, item("a", "0", 100), ReturnItemCollectionMetrics="SIZE")
    metrics = small.wire.call("PutItem", request)["ItemCollectionMetrics"]
    assert metrics == {"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}
    small.boto.create_table(**on_demand("without"))
    request = put("without", {"pk": {"S": "a"}}, ReturnItemCollectionMetrics="SIZE")
    assert "ItemCollectionMetrics" not in small.wire.call("PutItem", request)


def test_a_table_without_local_indexes_has_no_limit(small):
    table = name()
    small.wire.call("CreateTable", on_demand(table, "pk", "sk"))
    for n in range(6):
        small.wire.call("PutItem", put(table, item("a", str(n), 5000)))
