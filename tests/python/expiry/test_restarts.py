"""Expiry goes on after a restart, and after a kill in its middle."""

import collections
import time

import pytest

from expiry.tables import definition, item, names, now, put_all, set_expiry, status
from server import until
from streams.lineage import Replica, Walker, check
from streams.reading import Table, on, streams_client

EXPIRED, KEPT, WAVES = 2000, 300, 5


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_what_expired_while_nobody_ran_is_deleted(fresh_server, tmp_path, end):
    options = "--data", tmp_path / "data"
    server = fresh_server(*options)
    wanted = definition()
    table = wanted["TableName"]
    server.boto.create_table(**wanted)
    set_expiry(server.boto, table, True)
    put_all(server.boto, table, [item("gone", now() + 2), item("kept", now() + 3600)])
    assert len(names(server.boto, table)) == 2
    getattr(server, end)()
    time.sleep(2.5)
    server = fresh_server(*options)
    assert status(server.boto, table) == "ENABLED"
    until(lambda: names(server.boto, table) == {"kept"}, "the item is deleted")
    set_expiry(server.boto, table, False)
    put_all(server.boto, table, [item("stays", now() - 5)])
    getattr(server, end)()
    server = fresh_server(*options)
    assert status(server.boto, table) == "DISABLED"
    time.sleep(1.5)
    assert names(server.boto, table) == {"kept", "stays"}


def count(wire, table):
    return wire.call("DescribeTable", {"TableName": table})["Table"]["ItemCount"]


@pytest.mark.parametrize("setting", ["enabled before", "enabled after"])
def test_kills_while_many_items_expire(fresh_server, tmp_path, setting):
    """Killed again and again while it deletes: in the end nothing expired is left, nothing else
    is lost, and each deletion is in the stream once."""
    options = "--data", tmp_path / "data", "--stream-shards", 2
    server = fresh_server(*options)
    wanted = definition(StreamSpecification=on())
    table = wanted["TableName"]
    server.boto.create_table(**wanted)
    if setting == "enabled before":
        set_expiry(server.boto, table, True)
    put_all(server.boto, table, [item(f"kept {n:04}", now() + 36_000) for n in range(KEPT)])
    # They come due in waves, so that no server gets to delete them all.
    first = now() + 4
    gone = [item(f"gone {n:04}", first + n % WAVES) for n in range(EXPIRED)]
    put_all(server.boto, table, gone)
    midway = []
    for turn in range(WAVES):
        if turn == 0 and setting == "enabled after":
            set_expiry(server.boto, table, True)
        before = count(server.wire, table)
        if before > KEPT:
            until(lambda: count(server.wire, table) < before, "some are deleted")
        server.kill()
        server = fresh_server(*options)
        midway.append(count(server.wire, table))
    assert any(KEPT < left < KEPT + EXPIRED for left in midway), "a kill came in the middle"
    client = server.boto
    until(lambda: count(server.wire, table) == KEPT, "all that has expired is deleted")
    kept = {f"kept {n:04}" for n in range(KEPT)}
    for more in ({}, {"IndexName": "gsi"}, {"IndexName": "lsi"}):
        assert names(client, table, **more) == kept
    described = client.describe_table(TableName=table)["Table"]
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == KEPT
    watched = Table(client, streams_client(server.endpoint), table)
    walker, replica = Walker(watched.stream.client, watched.stream.arn), Replica(("pk", "sk"))
    walker.drain(replica.apply)
    check(replica, walker, watched.scan())
    found = collections.Counter(
        (record["eventName"], "userIdentity" in record) for _, record in replica.records
    )
    assert found == {("INSERT", False): EXPIRED + KEPT, ("REMOVE", True): EXPIRED}


def test_a_kill_while_items_are_taken_in(fresh_server, tmp_path):
    """Killed while a setting is being enabled on many items."""
    options = "--data", tmp_path / "data", "--durability", "os"
    server = fresh_server(*options)
    wanted = definition()
    table = wanted["TableName"]
    server.boto.create_table(**wanted)
    put_all(server.boto, table, [item(f"gone {n:04}", now() - 5) for n in range(EXPIRED)])
    put_all(server.boto, table, [item(f"kept {n:04}") for n in range(KEPT)])
    set_expiry(server.boto, table, True)
    server.kill()
    server = fresh_server(*options)
    assert status(server.boto, table) in ("ENABLING", "ENABLED")
    until(lambda: count(server.wire, table) == KEPT, "all that has expired is deleted")
    assert status(server.boto, table) == "ENABLED"
    assert names(server.boto, table) == {f"kept {n:04}" for n in range(KEPT)}
