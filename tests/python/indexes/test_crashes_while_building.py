"""A server that is killed while it builds an index goes on with it."""

import concurrent.futures

from definitions import attributes, index, on_demand, projection
from indexes.expected import Caller, check_indexes, describe, index_of, until_active, until_gone
from server import until

ITEMS = 150
# A page of the backfill holds a megabyte.
BODY = "x" * 150_000


def fill(wire):
    def load(worker):
        caller = Caller(wire)
        for n in range(worker, ITEMS, 3):
            item = {"pk": {"S": f"{n:04}"}, "g": {"S": f"g{n % 5}"}, "body": {"S": BODY}}
            caller.call("PutItem", {"TableName": "abc", "Item": item})

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(load, range(3)))


def start_building(wire, projected):
    request = {
        "TableName": "abc",
        "AttributeDefinitions": attributes("g:S", "pk:S"),
        "GlobalSecondaryIndexUpdates": [{"Create": index("new", "g", "pk", projected)}],
    }
    wire.call("UpdateTable", request)


def until_midway(wire):
    """Waits until some items have been taken in; false if that was missed."""

    def some():
        found = index_of(describe(wire, "abc"), "new")
        return found if found["ItemCount"] or found["IndexStatus"] == "ACTIVE" else None

    found = until(some, "the backfill has begun")
    return found["IndexStatus"] == "CREATING" and found["ItemCount"] < ITEMS


def test_a_backfill_survives_kills(fresh_server, tmp_path):
    options = "--data", tmp_path / "data", "--durability", "os"
    server = fresh_server(*options)
    server.wire.call("CreateTable", on_demand("abc"))
    fill(server.wire)
    midway = False
    for _ in range(5):
        start_building(server.wire, projection())
        midway = until_midway(server.wire)
        if midway:
            break
        server.wire.call(
            "UpdateTable",
            {
                "TableName": "abc",
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "new"}}],
            },
        )
        until_gone(server.wire, "abc", "new")
    assert midway, "the backfill was never caught in the middle"
    server.kill()
    server = fresh_server(*options)
    # What is written before it is complete counts too.
    put = {"TableName": "abc", "Item": {"pk": {"S": "0149"}, "g": {"S": "late"}}}
    server.wire.call("PutItem", put)
    server.wire.call("DeleteItem", {"TableName": "abc", "Key": {"pk": {"S": "0000"}}})
    until_active(server.wire, "abc", "new")
    described, items = check_indexes(server.wire, "abc", queries=False)
    assert len(items) == ITEMS - 1
    assert index_of(described, "new")["ItemCount"] == ITEMS - 1
    server.kill()
    server = fresh_server(*options)
    assert index_of(describe(server.wire, "abc"), "new")["IndexStatus"] == "ACTIVE"
