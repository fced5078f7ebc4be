"""Streams, their records and iterators are there after a restart."""

import pytest

from definitions import on_demand
from streams.reading import (
    OFF,
    Stream,
    Table,
    events,
    item,
    keys,
    number,
    numbers,
    on,
    streams_client,
)


class Restarting:
    """A server on one directory that can be ended and started again."""

    def __init__(self, start, *options):
        self.start = lambda: start(*options)
        self.server = None
        self.again()

    def again(self, end="stop"):
        if self.server is not None:
            getattr(self.server, end)()
        self.server = self.start()
        self.client = self.server.boto
        self.streams = streams_client(self.server.endpoint)

    def table(self, table):
        return Table(self.client, self.streams, table)

    def stream(self, arn):
        return Stream(self.streams, arn)


@pytest.fixture
def restarting(fresh_server, tmp_path):
    return lambda *options: Restarting(fresh_server, "--data", tmp_path / "data", *options)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_records_and_iterators_survive(restarting, end):
    run = restarting()
    run.client.create_table(**on_demand("abc", StreamSpecification=on()))
    table = run.table("abc")
    start, latest = table.stream.iterator(), table.stream.iterator(kind="LATEST")
    written = 0
    iterator, seen = start, []
    for _ in range(3):
        for _ in range(20):
            table.put(item(f"k{written % 7}", n=number(written)))
            written += 1
        answer = run.streams.get_records(ShardIterator=iterator, Limit=11)
        seen += answer["Records"]
        iterator = answer["NextShardIterator"]
        before, described = table.stream.records(), table.stream.describe()
        run.again(end)
        table = run.table("abc")
        assert table.stream.records() == before
        assert table.stream.describe() == described
        for kept in (start, latest):
            assert table.stream.read(kept)[0] == before
    assert len(seen) == 33
    seen += table.stream.read(iterator)[0]
    assert seen == table.stream.records()
    assert [int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in seen] == list(range(60))
    assert numbers(seen) == sorted(set(numbers(seen)))


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_every_stream_there_was_survives(restarting, end):
    run = restarting()
    for table in ("abc", "gone"):
        run.client.create_table(**on_demand(table, StreamSpecification=on()))
        run.table(table).put(item(table))
    first, gone = run.table("abc").stream.arn, run.table("gone").stream.arn
    run.table("abc").set_stream(OFF)
    run.table("abc").put(item("unseen"))
    run.table("abc").set_stream(on("KEYS_ONLY"))
    run.client.delete_table(TableName="gone")
    second = run.table("abc").stream.arn
    listed = run.streams.list_streams()["Streams"]
    assert sorted(stream["StreamArn"] for stream in listed) == sorted([first, second, gone])
    for _ in range(2):
        run.again(end)
        assert run.streams.list_streams()["Streams"] == listed
        assert keys(run.stream(first).records()) == ["abc"]
        assert keys(run.stream(gone).records()) == ["gone"]
        for arn, status in ((first, "DISABLED"), (gone, "DISABLED"), (second, "ENABLED")):
            assert run.stream(arn).describe()["StreamStatus"] == status
    run.table("abc").put(item("seen"))
    assert keys(run.stream(second).records()) == ["seen"]
    assert keys(run.stream(first).records()) == ["abc"]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_lineage_goes_on_where_it_was(restarting, end):
    run = restarting("--stream-shards", 2, "--shard-age", "300ms")
    run.client.create_table(**on_demand("abc", StreamSpecification=on()))
    written = 0
    for _ in range(3):
        table, before = run.table("abc"), run.table("abc").stream.shards()
        while len(table.stream.shards()) < len(before) + 4:
            table.put(item("k", n=number(written)))
            written += 1
        run.again(end)
        after = run.table("abc").stream.shards()
        ids = [shard["ShardId"] for shard in after]
        assert ids[: len(before)] == [shard["ShardId"] for shard in before]
        assert sum("ParentShardId" not in shard for shard in after) == 2
        assert all(shard.get("ParentShardId", ids[0]) in ids for shard in after)
    found = run.table("abc").stream.records()
    assert [int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in found] == list(
        range(written)
    )
    assert events(found) == ["INSERT"] + ["MODIFY"] * (written - 1)


def test_a_server_in_memory_keeps_a_stream_as_long_as_it_runs(fresh_server):
    server = fresh_server("--memory")
    server.boto.create_table(**on_demand("abc", StreamSpecification=on()))
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    table.put(item("k"))
    assert keys(table.stream.records()) == ["k"]
