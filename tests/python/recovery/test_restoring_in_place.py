"""Items are put back into the table they come from, as ordinary writes."""

import collections
import concurrent.futures
import threading

import pytest

import streams.reading
from definitions import index
from indexes.expected import check_indexes
from recovery.tables import (
    Table,
    contents,
    definition,
    describe,
    item,
    key,
    keyed,
    moment,
    place,
    state,
    until_active,
    until_over,
    window,
)
from server import until
from streams.reading import on, streams_client


@pytest.fixture
def streamed(make_recoverable, client, server):
    """A table with recovery and a stream, and a way to read the records since the last time."""
    table = make_recoverable(StreamSpecification=on())
    stream = streams.reading.Table(client, streams_client(server.endpoint), table.name).stream
    iterator = stream.iterator()

    def records():
        nonlocal iterator
        found, iterator = stream.read(iterator)
        return found

    return table, records


def change_of(record):
    """What a record tells: the event, the item before and the item after."""
    images = record["dynamodb"]
    return record["eventName"], images.get("OldImage"), images.get("NewImage")


def test_streams_see_the_writes(streamed):
    table, records = streamed
    kept, changed, gone = item("a", "kept", 1), item("a", "changed", 2), item("a", "gone", 3)
    table.put(kept, changed, gone)
    then = moment()
    wrong, added = item("a", "changed", 20), item("a", "added", 30)
    table.put(wrong, added)
    table.delete(gone)
    records()
    table.restore_items(then, DryRun=True)
    assert records() == []
    table.restore_items(then)
    found = records()
    assert sorted(map(change_of, found), key=lambda change: change[0]) == [
        ("INSERT", None, gone),
        ("MODIFY", wrong, changed),
        ("REMOVE", added, None),
    ]
    assert all("userIdentity" not in record for record in found)
    assert table.contents() == keyed([kept, changed, gone])


def test_what_it_did_can_be_undone(client, table):
    """It is recorded as any change is."""
    table.put(*(item("a", f"{n:02}", n) for n in range(40)))
    then, was = table.note()
    table.put(*(item("a", f"{n:02}", n + 1) for n in range(20, 60)))
    table.delete(*(item("a", f"{n:02}") for n in range(10)))
    wrong, now = table.note()
    assert table.restore_items(then)["ItemsWritten"] == 50
    right = moment()
    assert table.contents() == was
    assert table.restore_items(wrong)["ItemsWritten"] == 50
    assert table.contents() == now
    table.restore_items(right)
    assert table.contents() == was
    table.restore_items(window(client, table.name)["EarliestRestorableDateTime"])
    assert table.contents() == {}


def test_an_index_that_is_built_meanwhile(wire, client, large):
    """On a table of some thousand items that changes all over."""
    was = large.contents()
    then = moment()
    wrong = [{**found, "l": {"S": "wrong"}} for found in was.values()]
    large.put(*wrong[:800])
    large.delete(*wrong[800:1600])
    client.update_table(
        TableName=large.name,
        AttributeDefinitions=describe(client, large.name)["AttributeDefinitions"],
        GlobalSecondaryIndexUpdates=[{"Create": index("meanwhile", "l", "sk")}],
    )
    assert large.restore_items(then)["ItemsWritten"] == 1600
    until(
        lambda: all(
            each["IndexStatus"] == "ACTIVE"
            for each in until_active(client, large.name)["GlobalSecondaryIndexes"]
        ),
        "the index is built",
    )
    assert large.contents() == was
    check_indexes(wire, large.name, queries=False)


def test_items_that_have_changed_meanwhile_are_left_alone(streamed):
    """Somebody writes to all items while they are put back: each item that he comes to first is
    a conflict and stays his, the others were put back before he wrote."""
    table, records = streamed
    was = [item(f"p{n % 20}", f"{n:04}", n) for n in range(1000)]
    conflicts = 0
    for turn in range(10):
        table.put(*was)
        then = moment()
        table.put(*({**each, "n": {"N": "-1"}} for each in was))
        records()
        restore = table.begin_items(then)
        until(lambda: state(table.wire, restore)["Phase"] != "UNDOING", "it is put back")
        mine = [{**each, "n": {"N": "-2"}} for each in was]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda part: table.put(*mine[part::4]), range(4)))
        found = until_over(table.wire, restore)
        assert found["ItemsWritten"] + found["Conflicts"] == len(was)
        assert table.contents() == keyed(mine)
        told = collections.defaultdict(list)
        for record in records():
            told[place(record["dynamodb"]["Keys"])].append(record["dynamodb"]["NewImage"]["n"]["N"])
        right = {place(each): [each["n"]["N"], "-2"] for each in was}
        assert all(told[each] in (right[each], ["-2"]) for each in right)
        conflicts = sum(numbers == ["-2"] for numbers in told.values())
        assert found["Conflicts"] == conflicts
        if conflicts:
            break
    assert conflicts, "nobody ever came in between"
    # Once more, and they are put back too.
    assert table.restore_items(then)["ItemsWritten"] == len(was)
    assert table.contents() == keyed(was)


def test_racing_writers_of_other_items_lose_nothing(table):
    """What a restore does not choose keeps every write."""
    table.put(*(item("chosen", f"{n:03}", n) for n in range(300)))
    table.put(*(item("counted", str(n), 0) for n in range(4)))
    then, was = table.note()
    stop = threading.Event()

    def count(n):
        done = 0
        while not stop.is_set():
            table.client.update_item(
                TableName=table.name,
                Key=key(item("counted", str(n))),
                UpdateExpression="ADD n :one",
                ExpressionAttributeValues={":one": {"N": "1"}},
            )
            done += 1
        return done

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        counts = [pool.submit(count, n) for n in range(4)]
        try:
            for turn in range(4):
                table.put(*(item("chosen", f"{n:03}", n + 1) for n in range(turn, 300, 2)))
                found = table.restore_items(then, PartitionKeyPrefix="chosen")
                assert (found["ItemsWritten"], found["Conflicts"]) == (len(range(turn, 300, 2)), 0)
        finally:
            stop.set()
        counts = [each.result() for each in counts]
    found = table.contents()
    assert all(found[where] == each for where, each in was.items() if where[0] == "chosen")
    assert [int(found["counted", str(n)]["n"]["N"]) for n in range(4)] == counts
    assert min(counts) > 0


def test_a_table_that_is_deleted_before_it_is_its_turn(server, client, large, make_table, target):
    """The restore fails and says so."""
    for _ in range(10):
        table = Table(server, make_table(definition()))
        table.put(item("a", "b"))
        then = moment()
        table.delete(item("a", "b"))
        # Something that takes a while, before it.
        large.begin(target())
        restore = table.begin_items(then)
        client.delete_table(TableName=table.name)
        found = until_over(table.wire, restore)
        if found["Status"] == "FAILED":
            break
    assert found["Status"] == "FAILED"
    assert found["FailureMessage"]
    assert found["ItemsWritten"] == 0


# One table for all tenants: transactions, and the reports that are made of them.


def transaction(tenant, n, amount):
    return item(f"TENANT#{tenant}#BRANCH#{n % 3}", f"TXN#{n:04}", n, amount={"N": str(amount)})


def report(tenant, n, lines=0):
    return item(f"TENANT#{tenant}#BRANCH#{n % 3}", f"REPORT#{n:04}", n, lines={"N": str(lines)})


class Company:
    """Programs that keep writing reports of all tenants, and transactions of tenant 2."""

    def __init__(self, table):
        self.table = table
        self.stop = threading.Event()
        self.written = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(3)
        programs = (self.reports, 1), (self.reports, 2), (self.transactions, 2)
        self.running = [self.pool.submit(program, tenant) for program, tenant in programs]

    def write(self, put):
        self.table.client.put_item(TableName=self.table.name, Item=put)
        self.written[place(put)] = put

    def reports(self, tenant):
        lines = 0
        while not self.stop.is_set():
            lines += 1
            self.write(report(tenant, lines % 40, lines))

    def transactions(self, tenant):
        n = 1000
        while not self.stop.is_set():
            n += 1
            self.write(transaction(tenant, n, n))

    def end(self):
        self.stop.set()
        for program in self.running:
            program.result()
        return self.written


def test_restore_just_the_transactions_do_not_touch_the_reports(streamed, target):
    table, records = streamed
    table.put(*(transaction(tenant, n, n * 10) for tenant in (1, 2) for n in range(60)))
    table.put(*(report(tenant, n) for tenant in (1, 2) for n in range(40)))
    company = Company(table)
    good = moment()
    transactions = {
        where: found
        for where, found in table.contents().items()
        if where[0].startswith("TENANT#1#") and where[1].startswith("TXN#")
    }

    # Somebody runs a script on the wrong tenant.
    table.put(*(transaction(1, n, 0) for n in range(0, 60, 2)))
    table.delete(*(transaction(1, n, 0) for n in range(1, 60, 6)))
    table.put(*(transaction(1, n, 5) for n in range(60, 65)))

    chosen = {"PartitionKeyPrefix": "TENANT#1#", "Condition": "begins_with(sk, 'TXN#')"}
    preview = table.restore_items(good, DryRun=True, **chosen)
    # Nothing of transaction 0 changed: its amount was 0 before.
    assert (preview["ItemsWritten"], preview["ItemsDeleted"]) == (29 + 10 + 5, 5)
    aside = target()
    table.restore_items(good, TargetTableName=aside, **chosen)
    assert contents(table.client, aside) == transactions

    done = table.restore_items(good, **chosen)
    assert (done["ItemsWritten"], done["ItemsDeleted"], done["Conflicts"]) == (44, 5, 0)
    written = company.end()
    found = table.contents()
    restored = {
        where: each
        for where, each in found.items()
        if where[0].startswith("TENANT#1#") and where[1].startswith("TXN#")
    }
    assert restored == transactions
    # What the programs wrote last is there, reports and the other tenant alike.
    assert len(written) > 3
    assert {where: found[where] for where in written} == written
    others = keyed(transaction(2, n, n * 10) for n in range(60))
    assert {where: found[where] for where in others} == others
    added = [where for where in written if where[1].startswith("TXN#")]
    assert len(found) == 2 * 60 + 2 * 40 + len(added)
    # The stream tells the same story.
    told = collections.Counter(
        record["eventName"]
        for record in records()
        if place(record["dynamodb"]["Keys"]) in transactions
        or place(record["dynamodb"]["Keys"])[1] in {f"TXN#{n:04}" for n in range(60, 65)}
    )
    assert told == {
        "INSERT": 60 + 5 + 10,
        "MODIFY": 29 + 29,
        "REMOVE": 10 + 5,
    }
    check_indexes(table.wire, table.name, queries=False)


def test_what_is_written_right_after_a_restore_begins_stays(table):
    """The walk comes to this item last, so it was written to before it was seen."""
    first = item("first", "0", 1)
    table.put(first)
    then = moment()
    table.put({**first, "n": {"N": "2"}})
    table.put(*(item(f"p{n % 20}", f"{n:04}", n) for n in range(3000)))
    restore = table.begin_items(then)
    mine = {**first, "n": {"N": "3"}}
    table.put(mine)
    found = until_over(table.wire, restore)
    assert (found["Status"], found["Conflicts"]) == ("COMPLETED", 1)
    assert table.contents() == keyed([mine])


def test_another_table_of_the_same_name_is_left_alone(server, client, make_recoverable):
    table = make_recoverable()
    table.put(*(item(f"p{n % 20}", f"{n:04}", n) for n in range(2000)))
    then = moment()
    table.delete(*(item(f"p{n % 20}", f"{n:04}", n) for n in range(2000)))
    restore = table.begin_items(then)
    client.delete_table(TableName=table.name)
    client.create_table(**definition() | {"TableName": table.name})
    until_over(server.wire, restore)
    assert contents(client, table.name) == {}
