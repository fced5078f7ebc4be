"""RestoreTableToPointInTime gives back what was there."""

import concurrent.futures

import pytest

from definitions import attributes, index, name, on_demand
from indexes.expected import check_indexes
from recovery.tables import (
    Table,
    contents,
    definition,
    describe,
    item,
    moment,
    set_recovery,
    until_active,
)
from sizes import NUMBERS, VALUES


def test_to_any_moment_and_to_the_latest(table, target):
    notes = [table.note()]
    table.put(*(item("a", str(n), n) for n in range(10)))
    notes.append(table.note())
    table.put(*(item("a", str(n), n + 100) for n in range(5)))
    table.delete(item("a", "9"), item("a", "8"))
    notes.append(table.note())
    table.delete(*(item("a", str(n)) for n in range(10)))
    notes.append(table.note())
    table.put(item("a", "9", 7), item("b", "0"))
    for then, expected in notes:
        assert table.restore(target(), then) == expected
    assert table.restore(target()) == table.contents() == {
        ("a", "9"): item("a", "9", 7),
        ("b", "0"): item("b", "0"),
    }


def test_from_an_arn(client, table, target):
    table.put(item("a", "b"))
    then, expected = table.note()
    table.delete(item("a", "b"))
    restored = target()
    answer = client.restore_table_to_point_in_time(
        SourceTableArn=table.arn, TargetTableName=restored, RestoreDateTime=then
    )
    assert answer["TableDescription"]["TableName"] == restored
    until_active(client, restored)
    assert contents(client, restored) == expected


def test_the_source_stays_as_it_is(client, table, target):
    table.put(item("a", "b"))
    then = moment()
    table.put(item("a", "b", 5), item("c", "d"))
    before, described = table.contents(), describe(client, table.name)
    table.restore(target(), then)
    assert (table.contents(), describe(client, table.name)) == (before, described)


def test_values_of_every_type(table, target):
    values = [value for value, _ in VALUES] + [{"N": number} for number, _ in NUMBERS]
    for n, value in enumerate(values):
        found = item("typed", f"{n:03}", n, value=value)
        table.wire.call("PutItem", {"TableName": table.name, "Item": found})
    then, expected = table.note()
    assert len(expected) == len(values)
    table.delete(*expected.values())
    assert table.restore(target(), then) == expected
    table.restore_items(then)
    assert table.contents() == expected


def test_large_items(table, target):
    """Of more bytes together than one commit of a restore takes."""
    for n in range(20):
        put = item(f"p{n % 2}", str(n), pad={"B": bytes([n]) * 190_000})
        table.client.put_item(TableName=table.name, Item=put)
    then, expected = table.note()
    table.delete(*expected.values())
    assert table.restore(target(), then) == expected


def test_indexes_and_figures_agree_with_the_items(wire, table, target):
    table.put(*(item(f"p{n % 7}", f"{n:03}", n) for n in range(150)))
    partial = [{"pk": {"S": "p1"}, "sk": {"S": f"no index {n}"}} for n in range(10)]
    table.put(*partial)
    then, expected = table.note()
    for n in range(0, 150, 3):
        table.put(item(f"p{n % 7}", f"{n:03}", n + 1))
    table.delete(*(item(f"p{n % 7}", f"{n:03}") for n in range(0, 150, 4)))
    table.put(*(item("later", str(n)) for n in range(20)))
    for time_, wanted in ((then, expected), table.note()):
        restored = target()
        assert table.restore(restored, time_) == wanted
        check_indexes(wire, restored)


def test_items_that_no_index_may_hold(server, client, make_table, target):
    """Items from before an index, whose values are none of its keys, are restored all the same."""
    table = Table(server, make_table(on_demand(name(), "pk", "sk")))
    values = {"number": {"N": "1"}, "empty": {"S": ""}, "long": {"S": "x" * 3000}}
    table.put(*({**item("a", sk), "late": value} for sk, value in values.items()))
    table.put({**item("a", "good"), "late": {"S": "x"}})
    then, expected = table.note()
    table.delete(item("a", "number"), item("a", "empty"))
    client.update_table(
        TableName=table.name,
        AttributeDefinitions=attributes("pk:S", "sk:S", "late:S"),
        GlobalSecondaryIndexUpdates=[{"Create": index("late", "late")}],
    )
    until_active(client, table.name)
    for time_, wanted in ((then, expected), table.note()):
        restored = target()
        assert table.restore(restored, time_) == wanted
        assert set(contents(client, restored, IndexName="late")) == {("a", "good")}
    table.restore_items(then)
    assert table.contents() == expected
    assert set(contents(client, table.name, IndexName="late")) == {("a", "good")}


def test_a_summary_tells_that_it_is_under_way_and_stays(client, table, target):
    table.put(item("a", "b"))
    then, restored = moment(), target()
    begun = table.begin(restored, then)
    assert begun["TableStatus"] == "CREATING"
    summary = {"SourceTableArn": table.arn, "RestoreDateTime": then}
    assert begun["RestoreSummary"] == {**summary, "RestoreInProgress": True}
    done = until_active(client, restored)
    assert done["RestoreSummary"] == {**summary, "RestoreInProgress": False}
    assert (done["TableId"], done["TableArn"]) == (begun["TableId"], begun["TableArn"])
    client.put_item(TableName=restored, Item=item("more", "items"))
    client.update_table(TableName=restored, DeletionProtectionEnabled=True)
    assert describe(client, restored)["RestoreSummary"] == done["RestoreSummary"]
    assert "RestoreSummary" not in describe(client, table.name)


def test_the_waiter_of_the_sdk_waits_for_it(client, large, target):
    restored = target()
    large.begin(restored)
    waiter = client.get_waiter("table_exists")
    waiter.wait(TableName=restored, WaiterConfig={"Delay": 0.1, "MaxAttempts": 600})
    assert describe(client, restored)["RestoreSummary"]["RestoreInProgress"] is False
    assert contents(client, restored) == large.contents()


def refusals(wire, table):
    """What is asked of a table that is not in use yet, with the answers."""
    named, key = {"TableName": table}, {"pk": {"S": "a"}, "sk": {"S": "b"}}
    put = {"Put": {**named, "Item": key}}
    requests = [
        ("PutItem", {**named, "Item": key}),
        ("GetItem", {**named, "Key": key}),
        ("DeleteItem", {**named, "Key": key}),
        ("UpdateItem", {**named, "Key": key}),
        ("Scan", named),
        ("BatchWriteItem", {"RequestItems": {table: [{"PutRequest": {"Item": key}}]}}),
        ("BatchGetItem", {"RequestItems": {table: {"Keys": [key]}}}),
        ("TransactWriteItems", {"TransactItems": [put]}),
        ("ExecuteStatement", {"Statement": f'SELECT * FROM "{table}"'}),
        ("DeleteTable", named),
        ("UpdateTable", {**named, "DeletionProtectionEnabled": True}),
        ("CreateBackup", {**named, "BackupName": "early"}),
    ]
    return {operation: wire.post(operation, request) for operation, request in requests}


def test_the_table_is_in_use_only_when_it_is_complete(wire, client, large, target):
    for _ in range(10):
        restored = target()
        large.begin(restored)
        answers = refusals(wire, restored)
        if describe(client, restored)["TableStatus"] == "CREATING":
            break
    else:
        pytest.fail("the restore was never seen under way")
    changes = {
        "DeleteTable": "ResourceInUseException",
        "UpdateTable": "ResourceInUseException",
        "CreateBackup": "TableInUseException",
    }
    for operation, answer in answers.items():
        expected = changes.get(operation, "ResourceNotFoundException")
        assert (answer.status, answer.error[0]) == (400, expected), operation
    until_active(client, restored)
    assert contents(client, restored) == large.contents()
    assert wire.post("PutItem", {"TableName": restored, "Item": item("a", "b")}).status == 200


def test_several_restores_at_once(table, target):
    notes = []
    for turn in range(6):
        table.put(*(item(f"p{n % 3}", f"{n:03}", n + turn) for n in range(turn, 60, 2)))
        table.delete(*(item(f"p{n % 3}", f"{n:03}") for n in range(turn, 60, 7)))
        notes.append((*table.note(), target()))
    with concurrent.futures.ThreadPoolExecutor(len(notes)) as pool:
        list(pool.map(lambda note: table.begin(note[2], note[0]), notes))
    for _, expected, restored in notes:
        until_active(table.client, restored)
        assert contents(table.client, restored) == expected


def test_a_restore_of_a_restored_table(server, table, target):
    table.put(item("a", "b", 1))
    first = target()
    table.restore(first)
    again = Table(server, first)
    then = moment()
    again.put(item("a", "b", 2))
    assert again.restore(target(), then) == {("a", "b"): item("a", "b", 1)}


def test_a_source_that_is_deleted_meanwhile(client, server, target):
    """What was begun ends as if nothing had happened, also if recovery is turned off before."""
    request = definition()
    client.create_table(**request)
    source = Table(server, request["TableName"])
    source.put(*(item(f"p{n % 9}", f"{n:04}", n) for n in range(1000)))
    then, expected = source.note()
    source.delete(*expected.values())
    names = [target(), target()]
    for restored in names:
        source.begin(restored, then)
    set_recovery(client, source.name, False)
    client.delete_table(TableName=source.name)
    for restored in names:
        until_active(client, restored)
        assert contents(client, restored) == expected
