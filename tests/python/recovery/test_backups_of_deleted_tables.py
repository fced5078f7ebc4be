"""A table that is deleted while recovery is on leaves a backup."""

import datetime

import pytest

from indexes.expected import check_indexes
from recovery.tables import Table, definition, describe, item, restore_backup

DAY = datetime.timedelta(days=1)


def backups(client, table, kind="SYSTEM"):
    return client.list_backups(TableName=table, BackupType=kind)["BackupSummaries"]


@pytest.fixture
def deleted(server, client):
    request = definition("deleted")
    client.create_table(**request)
    table = Table(server, request["TableName"])
    table.put(*(item(f"p{n % 3}", f"{n:03}", n) for n in range(700)))
    table.delete(*(item(f"p{n % 3}", f"{n:03}") for n in range(0, 700, 2)))
    was, described = table.contents(), describe(client, table.name)
    client.delete_table(TableName=table.name)
    (summary,) = backups(client, table.name)
    return summary, was, described


def test_it_is_listed_and_described(client, deleted):
    summary, was, table = deleted
    assert summary["BackupName"] == f"{table['TableName']}$DeletedTableBackup"
    assert (summary["BackupType"], summary["BackupStatus"]) == ("SYSTEM", "AVAILABLE")
    life = summary["BackupExpiryDateTime"] - summary["BackupCreationDateTime"]
    assert life == 35 * DAY
    assert backups(client, table["TableName"], "USER") == []
    found = client.describe_backup(BackupArn=summary["BackupArn"])["BackupDescription"]
    details = found["BackupDetails"]
    assert details == {each: summary[each] for each in details}
    source = found["SourceTableDetails"]
    for same in ("TableName", "TableId", "TableArn", "TableSizeBytes", "ItemCount"):
        assert source[same] == table[same], same


def test_it_is_restored_from(wire, client, deleted, target):
    summary, was, table = deleted
    for restored in (target(), target()):
        assert restore_backup(client, summary["BackupArn"], restored) == was
        check_indexes(wire, restored, queries=False)
    # Under the name it had, too.
    assert restore_backup(client, summary["BackupArn"], table["TableName"]) == was
    client.delete_table(TableName=table["TableName"])
    assert backups(client, table["TableName"]) == [summary]


def test_it_cannot_be_deleted(wire, client, deleted):
    summary, _, _ = deleted
    arn = summary["BackupArn"]
    assert wire.refused("DeleteBackup", {"BackupArn": arn}) == (
        400,
        "ValidationException",
        f"User is not allowed to delete the system backup with arn {arn}",
    )
    client.describe_backup(BackupArn=arn)


def test_every_deletion_leaves_one(server, client, target):
    request = definition("again")
    for n in range(2):
        client.create_table(**request)
        table = Table(server, request["TableName"])
        table.put(item("a", "b", n))
        client.delete_table(TableName=table.name)
    client.create_table(**request)
    client.delete_table(TableName=request["TableName"])
    found = backups(client, request["TableName"])
    kept = [restore_backup(client, each["BackupArn"], target()) for each in found]
    assert kept == [{("a", "b"): item("a", "b", n)} for n in range(2)]


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_it_survives_a_restart(fresh_server, tmp_path, end):
    options = "--data", tmp_path / "data"
    server = fresh_server(*options)
    request = definition("deleted")
    server.boto.create_table(**request)
    table = Table(server, request["TableName"])
    table.put(*(item(f"p{n % 3}", f"{n:03}", n) for n in range(700)))
    was = table.contents()
    server.boto.delete_table(TableName=table.name)
    for turn in range(2):
        getattr(server, end)()
        server = fresh_server(*options)
        (summary,) = backups(server.boto, table.name)
        assert restore_backup(server.boto, summary["BackupArn"], f"restored-{turn}") == was


def test_without_recovery_there_is_none(server, client):
    request = definition("plain")
    client.create_table(**request)
    Table(server, request["TableName"], on=False).put(item("a", "b"))
    client.delete_table(TableName=request["TableName"])
    assert backups(client, request["TableName"], "ALL") == []
