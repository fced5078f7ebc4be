"""RestoreItems restores what a prefix, a condition and keys choose, and nothing else."""

import pytest

from indexes.expected import check_indexes
from recovery.tables import (
    contents,
    item,
    key,
    keyed,
    moment,
    place,
    seconds,
    set_recovery,
    state,
    until_active,
    window,
)


def before():
    """The items at the moment that is restored."""
    return [
        item(f"{tenant}#{kind}", f"{kind}#{n:02}", n, **({"flag": {"S": "on"}} if n % 2 else {}))
        for tenant in ("t1", "t2")
        for kind in ("txn", "report")
        for n in range(12)
    ]


def change(table):
    """Changes, deletes and adds some of every kind."""
    found = before()
    changed = [{**each, "n": {"N": str(int(each["n"]["N"]) + 100)}} for each in found[::3]]
    table.put(*changed)
    table.delete(*found[1::3])
    table.put(*(item(f"t{t}#txn", f"txn#9{n}", n) for t in (1, 2) for n in range(4)))
    # Changed and changed back: nothing to restore.
    table.put({**found[2], "n": {"N": "77"}})
    table.put(found[2])


def n(found):
    return int(found["n"]["N"])


def pk(found):
    return found["pk"]["S"]


KEYS = [key(each) for each in before()[:7] + before()[30:34]] + [key(item("t1#txn", "txn#91"))]


def listed(found):
    return key(found) in KEYS


# What a request says, and whether it takes an item.
CHOICES = [
    ({}, lambda found: True),
    ({"PartitionKeyPrefix": "t1#"}, lambda found: pk(found).startswith("t1#")),
    ({"PartitionKeyPrefix": "t1#txn"}, lambda found: pk(found) == "t1#txn"),
    ({"PartitionKeyPrefix": "none"}, lambda found: False),
    ({"Condition": "begins_with(sk, 'txn#')"}, lambda found: found["sk"]["S"][:4] == "txn#"),
    ({"Condition": "n >= 3 AND n < 9"}, lambda found: 3 <= n(found) < 9),
    ({"Condition": "n BETWEEN 2 AND 4 OR n IN [8, 9]"}, lambda found: n(found) in (2, 3, 4, 8, 9)),
    (
        {"Condition": "flag = 'on' AND NOT contains(pk, 't2')"},
        lambda found: "flag" in found and "t2" not in pk(found),
    ),
    ({"Condition": "flag IS MISSING"}, lambda found: "flag" not in found),
    (
        {"Condition": "\"g\" = 'g1' AND pk = 't1#txn'"},
        lambda found: found["g"]["S"] == "g1" and pk(found) == "t1#txn",
    ),
    ({"Condition": "n > 1000000"}, lambda found: False),
    ({"Keys": KEYS}, listed),
    ({"Keys": [key(item("no", "where"))]}, lambda found: False),
    (
        {"Keys": KEYS, "PartitionKeyPrefix": "t2"},
        lambda found: listed(found) and pk(found)[:2] == "t2",
    ),
    ({"Keys": KEYS, "Condition": "n < 4"}, lambda found: listed(found) and n(found) < 4),
    (
        {"PartitionKeyPrefix": "t2", "Condition": "begins_with(sk, 'rep')"},
        lambda found: pk(found) == "t2#report",
    ),
    (
        {"PartitionKeyPrefix": "t", "Condition": "n = 1", "Keys": KEYS},
        lambda found: listed(found) and n(found) == 1,
    ),
]


@pytest.mark.parametrize("choice, takes", CHOICES, ids=[str(list(c)) for c, _ in CHOICES])
def test_what_is_chosen_is_restored(wire, client, table, target, choice, takes):
    """As a preview, into a table of its own, and in place: each time the same items."""
    table.put(*before())
    then, was = table.note()
    change(table)
    now = table.contents()
    differing = {
        where: (now.get(where), was.get(where))
        for where in was.keys() | now.keys()
        if was.get(where) != now.get(where) and takes(was.get(where) or now[where])
    }
    deleted = sum(was_ is None for _, was_ in differing.values())

    preview = table.restore_items(then, DryRun=True, **choice)
    assert (preview["ItemsWritten"], preview["ItemsDeleted"]) == (len(differing), deleted)
    assert preview["Conflicts"] == 0
    assert len(preview["Samples"]) == min(10, len(differing))
    for sample in preview["Samples"]:
        shown = sample.get("Now"), sample.get("Then")
        assert differing[place(shown[0] or shown[1])] == shown
    assert table.contents() == now

    restored = target()
    made = table.restore_items(then, TargetTableName=restored, **choice)
    assert (made["TargetTableName"], made["Status"]) == (restored, "COMPLETED")
    until_active(client, restored)
    expected = {where: found for where, found in was.items() if takes(found)}
    assert contents(client, restored, ConsistentRead=True) == expected
    check_indexes(wire, restored, queries=False)
    assert table.contents() == now

    done = table.restore_items(then, **choice)
    assert (done["ItemsWritten"], done["ItemsDeleted"]) == (len(differing), deleted)
    assert (done["Conflicts"], done["TargetTableName"]) == (0, table.name)
    put_back = {where: was_ for where, (_, was_) in differing.items()}
    expected = {where: found for where, found in (now | put_back).items() if found}
    assert table.contents() == expected
    check_indexes(wire, table.name, queries=False)

    again = table.restore_items(then, **choice)
    assert (again["ItemsWritten"], again["Conflicts"]) == (0, 0)


def test_a_restore_is_described_and_listed(wire, table, target):
    table.put(item("a", "b"), item("a", "c"))
    then = moment()
    table.delete(item("a", "b"))
    begun = moment()
    for more, expected in [
        ({}, {"TargetTableName": table.name, "DryRun": False}),
        ({"DryRun": True}, {"DryRun": True}),
        ({"TargetTableName": target()}, {"DryRun": False}),
    ]:
        found = table.restore_items(then, **more)
        expected |= more
        expected |= {"TableName": table.name, "Status": "COMPLETED", "Phase": "DONE"}
        assert {name: found.get(name) for name in expected} == expected
        assert found["RestoreDateTime"] == seconds(then)
        assert seconds(begun) <= found["StartDateTime"] <= found["EndDateTime"]
        assert found["EndDateTime"] <= seconds(moment())
        assert "FailureMessage" not in found
        assert state(wire, found["RestoreId"]) == found
        listed = wire.call("ListRestores", {})["Restores"]
        assert [each for each in listed if each["RestoreId"] == found["RestoreId"]] == [found]


def test_restores_of_whole_tables_are_listed_too(wire, table, target):
    restored = target()
    table.put(item("a", "b"))
    table.restore(restored)
    arn = table.backup()["BackupDetails"]["BackupArn"]
    other = target()
    table.client.restore_table_from_backup(BackupArn=arn, TargetTableName=other)
    until_active(table.client, other)
    listed = {
        each["TargetTableName"]: each
        for each in wire.call("ListRestores", {})["Restores"]
        if not each["DryRun"]
    }
    assert listed[restored]["TableName"] == table.name
    assert listed[restored]["SourceItemCount"] == listed[restored]["ItemsRead"] == 1
    assert listed[other]["BackupArn"] == arn
    assert "TableName" not in listed[other]


def test_a_table_by_its_arn(table):
    table.put(item("a", "b"))
    then = moment()
    table.delete(item("a", "b"))
    found = table.restore_items(then, TableName=table.arn)
    assert found["ItemsWritten"] == 1
    assert table.contents() == keyed([item("a", "b")])


def test_only_the_window_can_be_restored(wire, client, table):
    earliest = window(client, table.name)["EarliestRestorableDateTime"].timestamp()
    for time_ in (earliest - 1, earliest + 3600):
        for more in ({}, {"DryRun": True}, {"TargetTableName": "nothing"}):
            request = {"TableName": table.name, "RestoreDateTime": time_, **more}
            assert wire.refused("RestoreItems", request)[:2] == (400, "InvalidRestoreTimeException")
    set_recovery(client, table.name, False)
    request = {"TableName": table.name, "RestoreDateTime": seconds(moment())}
    assert wire.refused("RestoreItems", request) == (
        400,
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{table.name}'",
    )


def refused(table, **more):
    request = {"TableName": table.name, "RestoreDateTime": seconds(moment()), **more}
    return table.wire.refused("RestoreItems", request)


@pytest.mark.parametrize(
    "condition",
    [
        "n =",
        "= 1",
        "n = 1 ORDER BY n",
        "n = 1 OR",
        "begins_with(sk)",
        "n = ?",
        'n = 1"; DROP',
        "1 = 1 UNION",
        "SELECT * FROM x",
    ],
)
def test_conditions_that_are_none(table, condition):
    status, kind, text = refused(table, Condition=condition)
    assert (status, kind) == (400, "ValidationException")
    assert text.startswith("Invalid Condition: ")


@pytest.mark.parametrize(
    "wrong",
    [
        {"pk": {"S": "a"}},
        {"pk": {"S": "a"}, "sk": {"N": "1"}},
        {**key(item("a", "b")), "x": {"S": ""}},
    ],
)
def test_keys_that_are_none(table, wrong):
    assert refused(table, Keys=[key(item("a", "b")), wrong])[:2] == (400, "ValidationException")


@pytest.mark.parametrize(
    "more, member",
    [
        ({"Keys": []}, "keys"),
        ({"Condition": ""}, "condition"),
        ({"PartitionKeyPrefix": ""}, "partitionKeyPrefix"),
        ({"TargetTableName": "no"}, "targetTableName"),
        ({"RestoreDateTime": None}, "restoreDateTime"),
        ({"TableName": None}, "tableName"),
    ],
)
def test_constraints_of_the_request(table, more, member):
    status, kind, text = refused(table, **more)
    assert (status, kind) == (400, "ValidationException")
    assert f"'{member}' failed to satisfy constraint" in text


def test_what_is_not_there(wire, table):
    assert refused(table, TableName="nowhere") == (
        400,
        "TableNotFoundException",
        "Table not found: nowhere",
    )
    assert refused(table, TargetTableName=table.name) == (
        400,
        "TableAlreadyExistsException",
        f"Table already exists: {table.name}",
    )
    for unknown in ("987654", "none", "-1"):
        assert wire.refused("DescribeRestore", {"RestoreId": unknown}) == (
            400,
            "ResourceNotFoundException",
            f"Requested resource not found: Restore: {unknown} not found",
        )
