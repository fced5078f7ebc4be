"""Consumers that walk the lineage of shards see every write once, in order."""

import collections
import concurrent.futures
import json
import random
import threading
import time

import pytest
from botocore.exceptions import ConnectionError as NoConnection
from botocore.exceptions import HTTPClientError

from conftest import boto
from definitions import on_demand
from streams.lineage import END, Replica, Walker, check
from streams.reading import OFF, Table, item, number, on, streams_client, text

WRITERS = 5
ITEMS = 12
OPTIONS = "--stream-shards", 4, "--shard-age", "1s"
Write = collections.namedtuple("Write", "key token kind")


class Writers:
    """Threads that write to the same few items in every way there is.

    A write puts a token of its own into the item, so that its record can be told from others.
    """

    def __init__(self, server, table="abc", seed=1):
        # boto3 makes clients in one thread only.
        self.clients = [boto(server.endpoint) for _ in range(WRITERS)]
        self.table = table
        self.seed = seed
        self.sent = {}
        self.acknowledged = set()
        self.removed = collections.Counter()
        self.lock = threading.Lock()
        self.count = 0
        self.stopped = threading.Event()

    def run(self, rounds):
        self.pool = concurrent.futures.ThreadPoolExecutor(WRITERS)
        self.futures = [self.pool.submit(self._work, n, rounds) for n in range(WRITERS)]

    def join(self):
        for future in self.futures:
            future.result()
        self.pool.shutdown()

    def _work(self, number_of_writer, rounds):
        client = self.clients[number_of_writer]
        choices = random.Random(f"{self.seed}-{number_of_writer}")
        for turn in range(rounds):
            if self.stopped.is_set():
                return
            token = f"{self.seed}-{number_of_writer}-{turn}"
            try:
                self._write(client, choices, token)
            except (HTTPClientError, NoConnection):
                # The server was killed under it.
                return
            with self.lock:
                self.count += 1

    def _write(self, client, choices, token):
        key = item(f"k{choices.randrange(ITEMS)}")
        kind = choices.choice(["put", "put", "update", "update", "delete", "transact", "batch"])
        other = item(f"k{choices.randrange(ITEMS)}-{token}")
        new = {**key, "token": text(token), "pad": text("x" * choices.randrange(200))}
        with self.lock:
            self.sent[token] = Write(key["pk"]["S"], token, kind)
        if kind == "put":
            client.put_item(TableName=self.table, Item=new)
        elif kind == "update":
            client.update_item(
                TableName=self.table,
                Key=key,
                UpdateExpression="SET #token = :token ADD changes :one",
                ExpressionAttributeNames={"#token": "token"},
                ExpressionAttributeValues={":token": text(token), ":one": number(1)},
            )
        elif kind == "delete":
            answer = client.delete_item(TableName=self.table, Key=key, ReturnValues="ALL_OLD")
            if "Attributes" in answer:
                with self.lock:
                    self.removed[answer["Attributes"]["token"]["S"]] += 1
            return
        elif kind == "transact":
            puts = [new, {**other, "token": text(token)}]
            items = [{"Put": {"TableName": self.table, "Item": each}} for each in puts]
            client.transact_write_items(TransactItems=items)
        else:
            puts = [new, {**other, "token": text(token)}]
            puts = [{"PutRequest": {"Item": each}} for each in puts]
            client.batch_write_item(RequestItems={self.table: puts})
        with self.lock:
            self.acknowledged.add(token)


def check_tokens(replica, all_writers, killed=False):
    """Each write that was acknowledged was seen once, and nothing that was not sent."""
    sent = {token: write for writers in all_writers for token, write in writers.sent.items()}
    acknowledged = set().union(*(writers.acknowledged for writers in all_writers))
    seen, removed = collections.Counter(), collections.Counter()
    for _, record in replica.records:
        body = record["dynamodb"]
        if "NewImage" in body:
            seen[body["NewImage"]["token"]["S"], body["Keys"]["pk"]["S"]] += 1
        else:
            removed[body["OldImage"]["token"]["S"]] += 1
    assert set(seen.values()) == {1}
    by_token = collections.Counter(token for token, _ in seen)
    assert set(by_token) <= set(sent)
    for token in acknowledged:
        expected = 2 if sent[token].kind in ("transact", "batch") else 1
        assert by_token[token] == expected, sent[token]
    if not killed:
        assert set(by_token) == acknowledged
    told = sum((writers.removed for writers in all_writers), collections.Counter())
    assert told <= removed
    if not killed:
        assert told == removed


def test_racing_writers_are_followed_while_they_write(fresh_server):
    server = fresh_server("--memory", *OPTIONS)
    server.boto.create_table(**on_demand("abc", StreamSpecification=on()))
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    writers = Writers(server)
    writers.run(250)
    walker, replica = Walker(table.stream.client, table.stream.arn, limit=40), Replica()
    begun = time.monotonic()
    while not all(future.done() for future in writers.futures) or time.monotonic() < begun + 3:
        walker.step(replica.apply)
    writers.join()
    walker.drain(replica.apply)
    check(replica, walker, table.scan())
    check_tokens(replica, [writers])
    assert len(walker.shards) >= 8, "shards were rolled while they wrote"
    assert len(replica.records) > 600
    visited = replica.shards_of_items().values()
    assert max(len(shards) for shards in visited) > 1, "an item's records went over shards"
    assert len({shard for shards in visited for shard in shards}) >= 8


def test_a_stream_is_walked_after_it_was_written(fresh_server):
    """One reader begins when all is over, and its lease goes from worker to worker."""
    server = fresh_server("--memory", *OPTIONS)
    server.boto.create_table(**on_demand("abc", StreamSpecification=on()))
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    writers = Writers(server)
    writers.run(200)
    writers.join()
    table.set_stream(OFF)
    scanned = table.scan()
    whole, replica = Walker(table.stream.client, table.stream.arn), Replica()
    whole.drain(replica.apply)
    check(replica, whole, scanned)
    check_tokens(replica, [writers])
    assert set(whole.checkpoints.values()) == {END}
    assert whole.ready() == []

    # Workers that each die in the middle of a page; the next has only the checkpoints.
    class Died(Exception):
        pass

    chances = random.Random(7)
    checkpoints, again, deaths = {}, Replica(), 0

    def handle(shard_id, record):
        if chances.random() < 0.02:
            raise Died
        again.apply(shard_id, record)

    while True:
        worker = Walker(table.stream.client, table.stream.arn, checkpoints, limit=50)
        try:
            worker.drain(handle)
            break
        except Died:
            deaths += 1
            checkpoints = json.loads(json.dumps(worker.checkpoints))
    assert deaths > 5
    check(again, worker, scanned)
    check_tokens(again, [writers])


@pytest.mark.parametrize("shards", [(4, 4), (1, 4), (2, 8)], ids=str)
def test_nothing_is_lost_or_out_of_order_across_kills(fresh_server, tmp_path, shards):
    """The server is killed under its writers and under its reader, and started again, maybe with
    more shards. The reader keeps its iterators."""
    before, after = shards
    options = "--data", tmp_path / "data", "--shard-age", "1s", "--durability", "os"
    server = fresh_server(*options, "--stream-shards", before)
    server.boto.create_table(**on_demand("abc", StreamSpecification=on()))
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    walker, replica = Walker(table.stream.client, table.stream.arn, limit=30), Replica()
    all_writers = []
    for cycle in range(3):
        writers = Writers(server, seed=cycle)
        all_writers.append(writers)
        writers.run(10_000)
        while writers.count < 220:
            walker.step(replica.apply)
        server.kill()
        writers.join()
        count = after if cycle else before
        server = fresh_server(*options, "--stream-shards", count)
        walker.connect(streams_client(server.endpoint))
    walker.drain(replica.apply)
    scanned = Table(server.boto, walker.client, "abc").scan()
    check(replica, walker, scanned)
    check_tokens(replica, all_writers, killed=True)
    # Somebody who reads it all from the start sees the same.
    fresh, copy = Walker(walker.client, walker.arn), Replica()
    fresh.drain(copy.apply)
    check(copy, fresh, scanned)
    seen = {record["eventID"] for _, record in replica.records}
    assert {record["eventID"] for _, record in copy.records} == seen
    assert sum(len(writers.acknowledged) for writers in all_writers) > 400


def test_each_parent_is_over_before_its_children_begin(fresh_server):
    """No record is added to a shard that has an end."""
    server = fresh_server("--memory", *OPTIONS)
    server.boto.create_table(**on_demand("abc", StreamSpecification=on("KEYS_ONLY")))
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    writers = Writers(server)
    writers.run(10_000)
    ended = {}
    begun = time.monotonic()
    while time.monotonic() < begun + 4:
        for shard in table.stream.shards():
            shard_id, numbers = shard["ShardId"], shard["SequenceNumberRange"]
            if "EndingSequenceNumber" in numbers and shard_id not in ended:
                found, rest = table.stream.read(table.stream.iterator(shard_id))
                assert rest is None
                ended[shard_id] = numbers["EndingSequenceNumber"], found
    writers.stopped.set()
    writers.join()
    assert len(ended) >= 8
    for shard in table.stream.shards():
        if shard["ShardId"] in ended:
            end, found = ended[shard["ShardId"]]
            assert shard["SequenceNumberRange"]["EndingSequenceNumber"] == end
            assert table.stream.read(table.stream.iterator(shard["ShardId"]))[0] == found
    assert sum(len(found) for _, found in ended.values()) > 100


def test_items_of_one_partition_stay_in_one_lineage(fresh_server):
    """A partition's records are in one shard at a time."""
    server = fresh_server("--memory", *OPTIONS)
    definition = on_demand("abc", "pk", "sk", StreamSpecification=on())
    server.boto.create_table(**definition)
    table = Table(server.boto, streams_client(server.endpoint), "abc")
    n = 0
    while len(table.stream.shards()) < 12:
        table.put({"pk": text(f"p{n % 10}"), "sk": text(str(n)), "n": number(n)})
        n += 1
    walker, by_partition = Replica(("pk", "sk")), Replica(("pk",))
    reader = Walker(table.stream.client, table.stream.arn)
    reader.drain(lambda *given: (walker.apply(*given), by_partition.records.append(given)))
    check(walker, reader, table.scan())
    partitions = by_partition.shards_of_items()
    assert len(partitions) == 10
    for visited in partitions.values():
        assert len(set(visited)) == len(visited), "no shard is come back to"
    order = {}
    for _, record in by_partition.records:
        new = record["dynamodb"]["NewImage"]
        order.setdefault(new["pk"]["S"], []).append(int(new["n"]["N"]))
    assert all(numbers == sorted(numbers) for numbers in order.values())
    assert len({shard for visited in partitions.values() for shard in visited}) > 4
