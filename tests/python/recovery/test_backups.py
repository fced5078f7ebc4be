"""Backups: made, described, restored from, deleted."""

import concurrent.futures
import re
import threading

import pytest

from definitions import index, name, on_demand, projection, units
from indexes.expected import check_indexes
from recovery.tables import (
    Table,
    contents,
    definition,
    describe,
    item,
    keyed,
    moment,
    restore_backup,
    until_active,
    until_available,
)
from server import until


@pytest.fixture
def plain(server, make_table):
    """A table without recovery; backups do not need it."""
    table = Table(server, make_table(definition()), on=False)
    table.put(*(item(f"p{n % 5}", f"{n:03}", n) for n in range(60)))
    return table


def arn_of(backup):
    return backup["BackupDetails"]["BackupArn"]


def gone(wire, arn):
    """What is answered for a backup that is not there."""
    expected = (400, "BackupNotFoundException", f"Backup not found: {arn}")
    return all(
        wire.refused(operation, {"BackupArn": arn, **more}) == expected
        for operation, more in [
            ("DescribeBackup", {}),
            ("DeleteBackup", {}),
            ("RestoreTableFromBackup", {"TargetTableName": "nothing"}),
        ]
    )


def test_a_backup_is_made(client, plain):
    before = moment()
    made = client.create_backup(TableName=plain.name, BackupName="my.first_backup-1")
    made = made["BackupDetails"]
    assert made["BackupStatus"] in ("CREATING", "AVAILABLE")
    assert (made["BackupName"], made["BackupType"]) == ("my.first_backup-1", "USER")
    assert before <= made["BackupCreationDateTime"] <= moment()
    assert "BackupExpiryDateTime" not in made
    created = int(made["BackupCreationDateTime"].timestamp() * 1000 + 0.5)
    assert re.fullmatch(
        rf"{re.escape(plain.arn)}/backup/{created:014}-[0-9a-f]{{8}}", made["BackupArn"]
    )
    done = until_available(client, made["BackupArn"])["BackupDetails"]
    size = describe(client, plain.name)["TableSizeBytes"]
    assert done == {**made, "BackupStatus": "AVAILABLE", "BackupSizeBytes": size}


def test_a_table_by_its_arn(client, plain):
    made = client.create_backup(TableName=plain.arn, BackupName="by-arn")["BackupDetails"]
    assert made["BackupArn"].startswith(f"{plain.arn}/backup/")


def test_the_table_is_described(server, client, make_table):
    request = on_demand(
        name("described"),
        "pk",
        "sk",
        "g:S",
        "l:S",
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(3, 4),
        GlobalSecondaryIndexes=[
            index("gsi", "g", "sk", projection("INCLUDE", "n"), ProvisionedThroughput=units(5, 6))
        ],
        LocalSecondaryIndexes=[index("lsi", "pk", "l", projection("KEYS_ONLY"))],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"},
    )
    table = Table(server, make_table(request), on=False)
    client.update_time_to_live(
        TableName=table.name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"},
    )
    until(
        lambda: client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"][
            "TimeToLiveStatus"
        ]
        == "ENABLED",
        "items expire",
    )
    table.put(item("a", "b"), item("a", "c"))
    found = table.backup()
    was = describe(client, table.name)
    assert found["SourceTableDetails"] == {
        "TableName": table.name,
        "TableId": was["TableId"],
        "TableArn": was["TableArn"],
        "TableSizeBytes": was["TableSizeBytes"],
        "KeySchema": request["KeySchema"],
        "TableCreationDateTime": was["CreationDateTime"],
        "ProvisionedThroughput": units(3, 4),
        "ItemCount": 2,
        "BillingMode": "PROVISIONED",
    }
    assert found["SourceTableFeatureDetails"] == {
        "GlobalSecondaryIndexes": request["GlobalSecondaryIndexes"],
        "LocalSecondaryIndexes": request["LocalSecondaryIndexes"],
        "StreamDescription": request["StreamSpecification"],
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"},
    }
    # It stays the description of the table as it was.
    client.update_table(TableName=table.name, StreamSpecification={"StreamEnabled": False})
    table.delete(item("a", "b"))
    assert client.describe_backup(BackupArn=arn_of(found))["BackupDescription"] == found


def test_a_plain_on_demand_table_is_described(server, make_table):
    ceilings = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20}
    table = make_table(on_demand(name(), OnDemandThroughput=ceilings))
    found = Table(server, table, on=False).backup()
    source = found["SourceTableDetails"]
    assert (source["BillingMode"], source["OnDemandThroughput"]) == ("PAY_PER_REQUEST", ceilings)
    assert source["ItemCount"] == source["TableSizeBytes"] == 0
    assert found["SourceTableFeatureDetails"] == {}


def test_a_backup_keeps_what_was_there(wire, client, plain, target):
    was = plain.contents()
    backup = arn_of(plain.backup())
    plain.delete(*list(was.values())[:30])
    plain.put(item("new", "one"), item("p0", "000", 999))
    now = plain.contents()
    restored = target()
    assert restore_backup(client, backup, restored) == was
    check_indexes(wire, restored)
    assert plain.contents() == now


def test_a_backup_of_an_empty_table(client, server, make_table, target):
    table = Table(server, make_table(definition()), on=False)
    found = table.backup()
    assert found["BackupDetails"]["BackupSizeBytes"] == 0
    assert restore_backup(client, arn_of(found), target()) == {}


def test_a_restored_table_names_its_backup(client, plain, target):
    backup = plain.backup()
    restored = target()
    answer = client.restore_table_from_backup(BackupArn=arn_of(backup), TargetTableName=restored)
    summary = {
        "SourceBackupArn": arn_of(backup),
        "SourceTableArn": plain.arn,
        "RestoreDateTime": backup["BackupDetails"]["BackupCreationDateTime"],
    }
    begun = answer["TableDescription"]
    assert begun["TableStatus"] == "CREATING"
    assert begun["RestoreSummary"] == {**summary, "RestoreInProgress": True}
    done = until_active(client, restored)
    assert done["RestoreSummary"] == {**summary, "RestoreInProgress": False}


def test_several_backups_of_one_name(client, plain, target):
    kept = []
    for n in range(3):
        plain.put(item("changed", "item", n))
        kept.append((arn_of(plain.backup("same-name")), plain.contents()))
    assert len({arn for arn, _ in kept}) == 3
    client.delete_backup(BackupArn=kept[1][0])
    for arn, expected in (kept[0], kept[2]):
        assert restore_backup(client, arn, target()) == expected


def test_a_backup_is_deleted_once(wire, client, plain, target):
    backup = plain.backup()
    other = plain.backup()
    was, restored = plain.contents(), target()
    restore_backup(client, arn_of(backup), restored)
    answer = client.delete_backup(BackupArn=arn_of(backup))["BackupDescription"]
    assert answer["BackupDetails"] == {**backup["BackupDetails"], "BackupStatus": "DELETED"}
    assert answer["SourceTableDetails"] == backup["SourceTableDetails"]
    assert gone(wire, arn_of(backup))
    assert contents(client, restored) == was
    summaries = client.list_backups(TableName=plain.name)["BackupSummaries"]
    assert [each["BackupArn"] for each in summaries] == [arn_of(other)]
    assert describe(client, restored)["RestoreSummary"]["SourceBackupArn"] == arn_of(backup)


def test_backups_that_are_not_there(wire, plain):
    assert gone(wire, f"{plain.arn}/backup/01489602797149-73d8d5bc")


def test_requests_that_are_refused(wire, plain):
    named = {"TableName": "nowhere", "BackupName": "backup"}
    assert wire.refused("CreateBackup", named) == (
        400,
        "TableNotFoundException",
        "Table not found: nowhere",
    )
    for wrong in ("no", "a b c", "x" * 256, None):
        request = {"TableName": plain.name, "BackupName": wrong}
        status, kind, text = wire.refused("CreateBackup", request)
        assert (status, kind) == (400, "ValidationException")
        assert "'backupName' failed to satisfy constraint" in text
    backup = arn_of(plain.backup())
    request = {"BackupArn": backup, "TargetTableName": plain.name}
    assert wire.refused("RestoreTableFromBackup", request) == (
        400,
        "TableAlreadyExistsException",
        f"Table already exists: {plain.name}",
    )


def test_a_backup_in_use_is_neither_deleted_nor_restored(wire, client, large, target):
    """While it is made, and while it is restored from."""
    for _ in range(10):
        arn = client.create_backup(TableName=large.name, BackupName="used")["BackupDetails"][
            "BackupArn"
        ]
        delete = wire.post("DeleteBackup", {"BackupArn": arn})
        request = {"BackupArn": arn, "TargetTableName": target()}
        early = wire.post("RestoreTableFromBackup", request)
        if delete.status == 200:
            continue
        status = client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]
        if status["BackupStatus"] == "CREATING":
            break
    else:
        pytest.fail("the backup was never seen while it was made")
    assert delete.error[0] == early.error[0] == "BackupInUseException"
    until_available(client, arn)
    for _ in range(10):
        restored = target()
        client.restore_table_from_backup(BackupArn=arn, TargetTableName=restored)
        delete = wire.post("DeleteBackup", {"BackupArn": arn})
        if describe(client, restored)["TableStatus"] == "CREATING":
            break
        arn = arn_of(large.backup())
    else:
        pytest.fail("the restore was never seen under way")
    assert (delete.status, delete.error[0]) == (400, "BackupInUseException")
    until_active(client, restored)
    assert contents(client, restored) == large.contents()
    until(
        lambda: wire.post("DeleteBackup", {"BackupArn": arn}).status == 200, "nobody restores it"
    )


def test_a_backup_outlives_its_table(server, wire, client, target):
    request = definition()
    client.create_table(**request)
    table = Table(server, request["TableName"], on=False)
    table.put(*(item("a", str(n), n) for n in range(20)))
    was, backup = table.contents(), table.backup()
    client.delete_table(TableName=table.name)
    assert client.describe_backup(BackupArn=arn_of(backup))["BackupDescription"] == backup
    # Under its own name again, and another table with the same name does not matter.
    assert restore_backup(client, arn_of(backup), table.name) == was
    client.delete_table(TableName=table.name)
    client.create_table(**request)
    table.put(item("other", "table"))
    assert restore_backup(client, arn_of(backup), target()) == was
    assert table.contents() == keyed([item("other", "table")])
    client.delete_table(TableName=table.name)
    client.delete_backup(BackupArn=arn_of(backup))
    assert gone(wire, arn_of(backup))


def test_a_backup_is_of_one_moment(table, target):
    """Two items that are always written together are equal in every backup."""
    table.put(*(item(f"between{n % 50}", f"{n:04}", n) for n in range(800)))
    stop = threading.Event()

    def write(worker):
        n = 0
        while not stop.is_set():
            n += 1
            puts = [item(f"{side}{worker}", "both", n) for side in ("left", "right")]
            table.client.transact_write_items(
                TransactItems=[{"Put": {"TableName": table.name, "Item": put}} for put in puts]
            )

    backups = []
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(write, worker) for worker in range(3)]
        try:
            until(lambda: ("right2", "both") in table.contents(), "they write")
            for _ in range(4):
                backups.append(table.backup())
        finally:
            stop.set()
        for run in runs:
            run.result()
    for backup in backups:
        restored = target()
        found = restore_backup(table.client, arn_of(backup), restored)
        assert backup["SourceTableDetails"]["ItemCount"] == len(found)
        size = describe(table.client, restored)["TableSizeBytes"]
        assert backup["BackupDetails"]["BackupSizeBytes"] == size
        for worker in range(3):
            assert found[f"left{worker}", "both"]["n"] == found[f"right{worker}", "both"]["n"]


def test_a_table_that_is_deleted_while_it_is_backed_up(client, large, make_recoverable, target):
    """The backup waits for a restore, and its table for the backup."""
    table = make_recoverable()
    table.put(*(item("p", f"{n:04}", n) for n in range(30)))
    expected = table.contents()
    large.begin(target())
    answer = client.create_backup(TableName=table.name, BackupName="late")
    client.delete_table(TableName=table.name)
    arn = answer["BackupDetails"]["BackupArn"]
    found = until_available(client, arn)
    assert found["SourceTableDetails"]["ItemCount"] == 30
    restored = target()
    restore_backup(client, arn, restored)
    assert contents(client, restored) == expected
