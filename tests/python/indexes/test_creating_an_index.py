"""An index that is created on a table in use ends up as if it had been there from the start."""

import concurrent.futures
import random
import threading

import pytest

from definitions import attributes, index, name, on_demand, projection
from indexes.expected import (
    Caller,
    check_indexes,
    describe,
    index_of,
    until_active,
)

INVALID = "One or more parameter values were invalid: "


def create(table, definition, *defined):
    return {
        "TableName": table,
        "AttributeDefinitions": attributes(*defined),
        "GlobalSecondaryIndexUpdates": [{"Create": definition}],
    }


def fill(wire, table, count, workers=4):
    def load(worker):
        caller = Caller(wire)
        for n in range(worker, count, workers):
            item = {"pk": {"S": f"{n:05}"}, "n": {"N": str(n)}, "x": {"S": "x" * (n % 50)}}
            if n % 3:
                item["g"] = {"S": f"g{n % 7}"}
            caller.call("PutItem", {"TableName": table, "Item": item})

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(load, range(workers)))


@pytest.mark.parametrize(
    "definition, defined",
    [
        (index("new", "g", "n"), ("g:S", "n:N")),
        (index("new", "g", (), projection("KEYS_ONLY")), ("g:S",)),
        (index("new", ["g", "n"], "pk", projection("INCLUDE", "x")), ("g:S", "n:N", "pk:S")),
    ],
    ids=["all", "keys", "several"],
)
def test_an_index_created_under_writers_is_exact(wire, make_table, definition, defined):
    table = make_table(on_demand(name("growing")))
    fill(wire, table, 900)
    stop = threading.Event()
    written = [0, 0, 0]

    def write(worker):
        caller = Caller(wire)
        chance = random.Random(worker)
        while not stop.is_set():
            # Each has its own items, old and new ones.
            key = {"pk": {"S": f"{chance.randrange(0, 1200) // 3 * 3 + worker:05}"}}
            action = chance.randrange(4)
            if action == 0:
                caller.call("DeleteItem", {"TableName": table, "Key": key})
            elif action == 1:
                item = {**key, "n": {"N": str(chance.randrange(99))}}
                caller.call("PutItem", {"TableName": table, "Item": item})
            else:
                update = "SET g = :g, n = :n, x = :x" if action == 2 else "SET n = :n REMOVE g"
                values = {":n": {"N": str(chance.randrange(99))}}
                if action == 2:
                    values[":g"] = {"S": f"g{chance.randrange(7)}"}
                    values[":x"] = {"S": "y" * chance.randrange(50)}
                caller.call(
                    "UpdateItem",
                    {
                        "TableName": table,
                        "Key": key,
                        "UpdateExpression": update,
                        "ExpressionAttributeValues": values,
                    },
                )
            written[worker] += 1

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(write, worker) for worker in range(3)]
        try:
            wire.call("UpdateTable", create(table, definition, *defined))
            until_active(wire, table, "new")
        finally:
            stop.set()
        for writer in writers:
            writer.result()
    described, _ = check_indexes(wire, table, queries=definition["KeySchema"][1:] != [])
    new = index_of(described, "new")
    assert new["KeySchema"] == definition["KeySchema"]
    assert new["Projection"] == definition["Projection"]
    assert new["IndexArn"] == f"{described['TableArn']}/index/new"
    names = {d["AttributeName"] for d in described["AttributeDefinitions"]}
    assert names == {"pk", *(d.split(":")[0] for d in defined)}


def test_an_index_on_an_empty_table_is_active_and_kept(wire, make_table):
    table = make_table(on_demand(name()))
    wire.call("UpdateTable", create(table, index("new", "g"), "g:S"))
    until_active(wire, table, "new")
    wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": "1"}, "g": {"S": "g"}}})
    check_indexes(wire, table)
    assert index_of(describe(wire, table), "new")["ItemCount"] == 1


def test_boto3_creates_an_index_and_queries_it(client, make_table):
    table = make_table(on_demand(name()))
    client.put_item(TableName=table, Item={"pk": {"S": "1"}, "g": {"S": "g"}})
    answer = client.update_table(**create(table, index("new", "g"), "g:S"))
    description = answer["TableDescription"]["GlobalSecondaryIndexes"][0]
    assert description["IndexStatus"] == "CREATING"
    assert "Backfilling" in description
    until_active_client(client, table)
    found = client.query(
        TableName=table,
        IndexName="new",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": "g"}},
    )
    assert found["Count"] == 1


def until_active_client(client, table):
    client.get_waiter("table_exists").wait(
        TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )


UNFIT = {
    "number": {"N": "1"},
    "null": {"NULL": True},
    "list": {"L": []},
    "empty": {"S": ""},
    "long": {"S": "x" * 2049},
}


@pytest.fixture(scope="module")
def unfit(server):
    """A table with items that cannot be in the index created on it."""
    table = name("unfit")
    wire = server.wire
    wire.call("CreateTable", on_demand(table))
    for key, value in UNFIT.items():
        item = {"pk": {"S": key}, "g": value, "r": {"N": "1"}}
        wire.call("PutItem", {"TableName": table, "Item": item})
    more = {
        "without": {},
        "half": {"g": {"S": "g"}},
        "other": {"g": {"S": "g"}, "r": {"S": "1"}},
        "good": {"g": {"S": "g"}, "r": {"N": "1"}},
        "longest": {"g": {"S": "x" * 2048}, "r": {"N": "1"}},
    }
    for key, attributes_ in more.items():
        wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": key}, **attributes_}})
    wire.call("UpdateTable", create(table, index("new", "g", "r"), "g:S", "r:N"))
    until_active(wire, table, "new")
    yield table
    wire.call("DeleteTable", {"TableName": table})


def test_items_that_do_not_fit_are_skipped(wire, unfit):
    found = wire.call("Scan", {"TableName": unfit, "IndexName": "new"})["Items"]
    assert {item["pk"]["S"] for item in found} == {"good", "longest"}
    described, items = check_indexes(wire, unfit)
    assert len(items) == 10
    assert index_of(described, "new")["ItemCount"] == 2


@pytest.mark.parametrize("key", UNFIT)
def test_an_item_that_does_not_fit_is_not_written_again(wire, unfit, key):
    mismatch = f"{INVALID}Type mismatch for Index Key g Expected: S Actual: {{}} IndexName: new"
    empty = (
        "One or more parameter values are not valid. A value specified for a secondary index key "
        "is not supported. The AttributeValue for a key attribute cannot contain an empty string "
        "value. IndexName: new, IndexKey: g"
    )
    text = {
        "number": mismatch.format("N"),
        "null": mismatch.format("NULL"),
        "list": mismatch.format("L"),
        "empty": empty,
        "long": f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
    }[key]
    item = {"pk": {"S": key}, "g": UNFIT[key], "r": {"N": "2"}}
    refusal = wire.refused("PutItem", {"TableName": unfit, "Item": item})
    assert refusal == (400, "ValidationException", text)
    update = {
        "TableName": unfit,
        "Key": {"pk": {"S": key}},
        "UpdateExpression": "SET other = :o",
        "ExpressionAttributeValues": {":o": {"S": "o"}},
    }
    status, kind, _ = wire.refused("UpdateItem", update)
    assert (status, kind) == (400, "ValidationException")


def test_an_item_that_does_not_fit_can_be_read_mended_and_deleted(wire, make_table):
    table = make_table(on_demand(name()))
    for key in ("mended", "removed", "deleted"):
        item = {"pk": {"S": key}, "g": {"N": "1"}}
        wire.call("PutItem", {"TableName": table, "Item": item})
    wire.call("UpdateTable", create(table, index("new", "g"), "g:S"))
    until_active(wire, table, "new")

    def update(key, expression, **more):
        request = {"TableName": table, "Key": {"pk": {"S": key}}, "UpdateExpression": expression}
        wire.call("UpdateItem", {**request, **more})

    update("mended", "SET g = :g", ExpressionAttributeValues={":g": {"S": "g"}})
    update("removed", "REMOVE g")
    wire.call("DeleteItem", {"TableName": table, "Key": {"pk": {"S": "deleted"}}})
    described, items = check_indexes(wire, table)
    assert len(items) == 2
    assert index_of(described, "new")["ItemCount"] == 1
