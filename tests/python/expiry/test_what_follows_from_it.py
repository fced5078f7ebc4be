"""Indexes, counts and streams follow what expires."""

import time

import pytest

from expiry.tables import definition, item, key, names, now, put_all, scan, set_expiry
from server import until
from streams.lineage import Replica, Walker, check
from streams.reading import VIEWS, Table, on, streams_client

SERVICE = {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}


@pytest.fixture
def make_watched(server, client, make_table):
    """Tables whose items expire, with a stream."""

    def make(view="NEW_AND_OLD_IMAGES"):
        table = make_table(definition(StreamSpecification=on(view)))
        set_expiry(client, table, True)
        return Table(client, streams_client(server.endpoint), table)

    return make


def figures(client, table):
    described = client.describe_table(TableName=table)["Table"]
    (gsi,), (lsi,) = described["GlobalSecondaryIndexes"], described["LocalSecondaryIndexes"]
    return [
        (described["ItemCount"], described["TableSizeBytes"]),
        (gsi["ItemCount"], gsi["IndexSizeBytes"]),
        (lsi["ItemCount"], lsi["IndexSizeBytes"]),
    ]


def test_indexes_and_counts_follow(client, table):
    put_all(client, table, [item(f"kept {n}", now() + 3600) for n in range(10)])
    before = figures(client, table)
    put_all(client, table, [item(f"gone {n}", now() + 2, pad={"S": "x" * 500}) for n in range(40)])
    assert [count for count, _ in figures(client, table)] == [50, 50, 50]
    until(lambda: figures(client, table) == before, "all is as it was before")
    kept = {f"kept {n}" for n in range(10)}
    for more in ({}, {"IndexName": "gsi"}, {"IndexName": "lsi"}):
        assert names(client, table, **more) == kept
    metrics = client.put_item(
        TableName=table, Item=item("last"), ReturnItemCollectionMetrics="SIZE"
    )["ItemCollectionMetrics"]
    assert metrics["SizeEstimateRangeGB"] == [0.0, 1.0]


@pytest.mark.parametrize("view", VIEWS)
def test_the_stream_tells_who_deleted_an_item(make_watched, client, view):
    table = make_watched(view)
    gone = item("gone", now() + 1, b={"B": b"\x00\xff"})
    table.put(gone)
    table.put(item("by hand", now() + 3600))
    table.delete(key("by hand"))
    until(lambda: not names(client, table.name), "the item is deleted")
    removed = {
        record["dynamodb"]["Keys"]["sk"]["S"]: record
        for record in table.stream.records()
        if record["eventName"] == "REMOVE"
    }
    assert removed["gone"]["userIdentity"] == SERVICE
    assert "userIdentity" not in removed["by hand"]
    body = removed["gone"]["dynamodb"]
    assert body["Keys"] == key("gone")
    assert body.get("OldImage") == (gone if "OLD" in view else None)
    assert "NewImage" not in body
    assert abs(body["ApproximateCreationDateTime"].timestamp() - time.time()) < 60
    assert all(
        "userIdentity" not in record
        for record in table.stream.records()
        if record["eventName"] != "REMOVE"
    )


def test_each_deletion_is_recorded_once_and_in_order(make_watched, client):
    table = make_watched()
    moment = now()
    put_all(client, table.name, [item(f"{n:03}", moment - 5 + n % 8) for n in range(300)])
    for n in range(0, 300, 10):
        table.put(item(f"{n:03}", moment + 3600))
    until(lambda: len(names(client, table.name)) == 30, "the others are deleted")
    walker, replica = Walker(table.stream.client, table.stream.arn), Replica(("pk", "sk"))
    walker.drain(replica.apply)
    check(replica, walker, table.scan())
    removed = [record for _, record in replica.records if record["eventName"] == "REMOVE"]
    assert all(record.get("userIdentity") == SERVICE for record in removed)
    by_item = [record["dynamodb"]["Keys"]["sk"]["S"] for record in removed]
    left = names(client, table.name)
    # An item that expired before it was put again was deleted and is there all the same.
    assert {f"{n:03}" for n in range(300)} - left <= set(by_item)
    assert len([each for each in by_item if each not in left]) == 270


def test_a_put_after_the_deletion_is_an_insert(make_watched, client):
    table = make_watched()
    table.put(item("k", now() - 1))
    until(lambda: not names(client, table.name), "the item is deleted")
    table.put(item("k", now() + 3600))
    found = [
        (record["eventName"], "userIdentity" in record) for record in table.stream.records()
    ]
    assert found == [("INSERT", False), ("REMOVE", True), ("INSERT", False)]


def test_a_table_without_a_stream_expires_all_the_same(client, table):
    put_all(client, table, [item(f"{n}", now() - 1) for n in range(120)])
    until(lambda: scan(client, table) == [], "all are deleted")
