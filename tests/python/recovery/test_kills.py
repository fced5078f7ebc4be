"""Restores and backups go on after a kill in their middle, and end as if there had been none."""

import collections

import pytest

import streams.reading
from indexes.expected import check_indexes
from recovery.tables import (
    Table,
    contents,
    definition,
    item,
    place,
    restore_backup,
    state,
    until_active,
    until_available,
    until_over,
)
from server import until
from streams.reading import on, streams_client

ITEMS, KILLS = 2000, 3


class Killed:
    """A server with a table of some thousand items that can be killed and started again."""

    def __init__(self, start, directory, **more):
        # What is acknowledged has to survive a kill of the server, not of the machine.
        self.start = lambda: start("--data", directory, "--durability", "os")
        self.server = self.start()
        request = definition("killed", **more)
        self.server.boto.create_table(**request)
        self.table = Table(self.server, request["TableName"])

    def again(self, end="kill"):
        getattr(self.server, end)()
        self.server = self.start()
        self.table = Table(self.server, self.table.name, on=False)

    def fill(self):
        """Items, some of which change: what they were, and when."""
        self.table.put(*(item(f"p{n % 50}", f"{n:05}", n) for n in range(ITEMS)))
        then, was = self.table.note()
        found = list(was.values())
        self.table.put(*({**each, "n": {"N": "-1"}} for each in found[: ITEMS // 2]))
        self.table.delete(*found[ITEMS // 2 : ITEMS // 2 + 500])
        self.table.put(*(item("later", f"{n:05}", n) for n in range(300)))
        return then, was

    def kill_through(self, progress):
        """Kills again and again, each time a bit further on: how often that was in the middle.
        `progress` tells how far it is, or none if it is over."""
        midway = 0
        for _ in range(KILLS):
            seen = progress()
            if seen is None:
                break
            until(lambda: progress() != seen, "it goes on")
            midway += progress() is not None
            self.again()
        return midway


@pytest.fixture
def killed(fresh_server, tmp_path):
    return lambda **more: Killed(fresh_server, tmp_path / "data", **more)


def test_a_restore_into_a_table(killed):
    run = killed()
    then, was = run.fill()
    now = run.table.contents()

    def progress():
        for found in run.server.wire.call("ListRestores", {})["Restores"]:
            if found["TargetTableName"] == restored and found["Status"] == "IN_PROGRESS":
                return found["Phase"], found["ItemsRead"], found["ChangesRead"]
        return None

    for turn in range(5):
        restored = f"restored-{turn}"
        run.table.begin(restored, then)
        midway = run.kill_through(progress)
        done = until_active(run.server.boto, restored)
        assert done["RestoreSummary"]["RestoreInProgress"] is False
        assert contents(run.server.boto, restored) == was
        check_indexes(run.server.wire, restored, queries=False)
        assert run.table.contents() == now
        if midway:
            break
    assert midway, "no kill ever came in the middle"


def test_a_restore_in_place_has_no_effect_twice(killed):
    run = killed(StreamSpecification=on())
    then, was = run.fill()
    wrong, now = run.table.note()
    changed = sum(was.get(where) != now.get(where) for where in was.keys() | now.keys())

    def stream():
        """The stream, and where it ends."""
        streams_ = streams_client(run.server.endpoint)
        found = streams.reading.Table(run.server.boto, streams_, run.table.name).stream
        return found, found.iterator(kind="LATEST")

    def applying():
        found = state(run.server.wire, restore)
        return found["Phase"] == "APPLYING" and found["ItemsWritten"] < changed

    midway = 0
    for turn in range(10):
        # There and back: the wrong state is as good as the right one.
        time_, expected = (then, was) if turn % 2 == 0 else (wrong, now)
        _, end = stream()
        restore = run.table.begin_items(time_)
        for _ in range(KILLS):
            until(lambda: state(run.server.wire, restore)["Phase"] != "UNDOING", "it is applied")
            if not applying():
                break
            run.again()
            midway += 1
        found = until_over(run.server.wire, restore)
        assert (found["Status"], found["Conflicts"]) == ("COMPLETED", 0)
        assert found["ItemsWritten"] == changed
        assert run.table.contents() == expected
        # Each item once.
        told = collections.Counter(
            place(each["dynamodb"]["Keys"]) for each in stream()[0].read(end)[0]
        )
        assert len(told) == changed and set(told.values()) == {1}
        if turn and midway:
            break
    assert midway, "no kill ever came in the middle"
    check_indexes(run.server.wire, run.table.name, queries=False)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_look_back_of_a_restore_in_place(killed, end):
    """Ended while it gathers what the items were."""
    run = killed()
    then, was = run.fill()
    for turn in range(10):
        restore = run.table.begin_items(then)
        gathering = state(run.server.wire, restore)["Phase"] == "UNDOING"
        run.again(end)
        assert until_over(run.server.wire, restore)["Status"] == "COMPLETED"
        assert run.table.contents() == was
        if gathering:
            break
        run.table.put(*({**each, "n": {"N": "-1"}} for each in was.values()))
    assert gathering, "it was never seen"
    check_indexes(run.server.wire, run.table.name, queries=False)


def test_a_backup(killed):
    run = killed()
    run.fill()
    expected = run.table.contents()

    def progress():
        """While it is made nothing tells how far it is."""
        found = run.server.boto.describe_backup(BackupArn=arn)["BackupDescription"]
        return found["BackupDetails"]["BackupStatus"] == "CREATING" or None

    midway = 0
    for turn in range(10):
        made = run.server.boto.create_backup(TableName=run.table.name, BackupName="killed")
        arn = made["BackupDetails"]["BackupArn"]
        for _ in range(KILLS):
            if progress() is None:
                break
            midway += 1
            run.again()
        found = until_available(run.server.boto, arn)
        assert found["SourceTableDetails"]["ItemCount"] == len(expected)
        assert found["BackupDetails"]["BackupCreationDateTime"] == (
            made["BackupDetails"]["BackupCreationDateTime"]
        )
        assert restore_backup(run.server.boto, arn, f"restored-{turn}") == expected
        if midway > 1:
            break
    assert midway, "no kill ever came in the middle"
    summaries = run.server.boto.list_backups(TableName=run.table.name)["BackupSummaries"]
    assert len(summaries) == turn + 1


def test_a_restore_from_a_backup(killed):
    run = killed()
    run.fill()
    expected = run.table.contents()
    arn = run.table.backup()["BackupDetails"]["BackupArn"]
    run.server.boto.delete_table(TableName=run.table.name)

    def progress():
        for found in run.server.wire.call("ListRestores", {})["Restores"]:
            if found["TargetTableName"] == restored and found["Status"] == "IN_PROGRESS":
                return found["ItemsRead"]
        return None

    for turn in range(10):
        restored = f"restored-{turn}"
        run.server.boto.restore_table_from_backup(BackupArn=arn, TargetTableName=restored)
        midway = run.kill_through(progress)
        until_active(run.server.boto, restored)
        assert contents(run.server.boto, restored) == expected
        if midway:
            break
    assert midway, "no kill ever came in the middle"
    check_indexes(run.server.wire, restored, queries=False)
