"""A restore gives the table at its moment while others write to it."""

import concurrent.futures
import random
import threading

import pytest

from indexes.expected import check_indexes
from recovery.tables import Table, contents, definition, item, moment, until_active
from server import until


class Writers:
    """Threads that write, each to its own partitions, and pause when they are told to."""

    def __init__(self, table, count=3):
        self.table = table
        self.barrier = threading.Barrier(count + 1, timeout=60)
        self.over = threading.Event()
        self.pool = concurrent.futures.ThreadPoolExecutor(count)
        self.runs = [self.pool.submit(self.run, worker) for worker in range(count)]

    def run(self, worker):
        chance = random.Random(worker)
        written = 0
        while not self.over.is_set():
            for _ in range(40):
                self.write(chance, f"w{worker}", written)
                written += 1
            self.barrier.wait()
            self.barrier.wait()
        return written

    def write(self, chance, pk, n):
        sk = f"{chance.randrange(30):02}"
        if chance.random() < 0.3:
            self.table.client.delete_item(
                TableName=self.table.name, Key={"pk": {"S": pk}, "sk": {"S": sk}}
            )
        else:
            self.table.client.put_item(TableName=self.table.name, Item=item(pk, sk, n))

    def pause(self, do):
        """Does something while nobody writes."""
        self.barrier.wait()
        done = do()
        self.barrier.wait()
        return done

    def end(self):
        self.barrier.wait()
        self.over.set()
        self.barrier.wait()
        return [run.result() for run in self.runs]


@pytest.mark.parametrize("shards", [(), ("--stream-shards", 3, "--shard-age", "100ms")])
def test_writers_go_on_meanwhile(fresh_server, tmp_path, shards):
    server = fresh_server("--data", tmp_path / "data", "--durability", "os", *shards)
    request = definition()
    server.boto.create_table(**request)
    table = Table(server, request["TableName"])
    table.put(*(item("before", f"{n:04}", n) for n in range(300)))
    writers = Writers(table)
    notes = []
    for turn in range(4):
        then, expected = writers.pause(table.note)
        notes.append((then, expected, f"restored-{turn}"))
        table.begin(notes[-1][2], then)
    # To the same moments again, with more changes to undo.
    for turn, (then, expected, _) in enumerate(list(notes)):
        notes.append((then, expected, f"again-{turn}"))
        table.begin(notes[-1][2], then)
        writers.pause(moment)
    assert min(writers.end()) > 100
    for then, expected, restored in notes:
        until_active(table.client, restored)
        assert contents(table.client, restored) == expected, restored
        check_indexes(server.wire, restored, queries=False)


def test_transactions_are_there_whole_or_not_at_all(table, target):
    """Two items that are always written together are equal at any moment."""
    stop, written = threading.Event(), [0, 0]

    def write(worker):
        while not stop.is_set():
            n = written[worker] + 1
            puts = [item(f"{side}{worker}", "both", n) for side in ("left", "right")]
            table.client.transact_write_items(
                TransactItems=[{"Put": {"TableName": table.name, "Item": put}} for put in puts]
            )
            written[worker] = n

    moments, seen = [], [0, 0]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(write, worker) for worker in range(2)]
        try:
            for _ in range(8):
                until(lambda: all(map(int.__gt__, written, seen)), "both have written")
                seen = list(written)
                moments.append((moment(), seen, target()))
                table.begin(moments[-1][2], moments[-1][0])
        finally:
            stop.set()
        for run in runs:
            run.result()
    for _, seen, restored in moments:
        until_active(table.client, restored)
        found = contents(table.client, restored)
        for worker in range(2):
            left, right = (found[f"{side}{worker}", "both"]["n"] for side in ("left", "right"))
            assert left == right
            assert seen[worker] <= int(left["N"]) <= written[worker]
