"""What can be restored, from when recovery is turned on."""

import datetime

import pytest

from definitions import name, on_demand
from recovery.tables import contents, item, moment, set_recovery, until_active, window

TIMES = {"EarliestRestorableDateTime", "LatestRestorableDateTime"}


@pytest.fixture
def plain(make_table):
    """A table without recovery."""
    return make_table(on_demand(name()))


def test_the_window_begins_when_recovery_is_turned_on_and_its_end_moves(client, plain):
    before = moment()
    on = set_recovery(client, plain)
    after = moment()
    earliest = on["EarliestRestorableDateTime"]
    assert before <= earliest <= after
    assert earliest <= on["LatestRestorableDateTime"] <= after
    latest = on["LatestRestorableDateTime"]
    for _ in range(3):
        moment()
        found = window(client, plain)
        assert found["PointInTimeRecoveryStatus"] == "ENABLED"
        assert found["EarliestRestorableDateTime"] == earliest
        assert latest < found["LatestRestorableDateTime"] <= moment()
        latest = found["LatestRestorableDateTime"]


def test_the_ends_of_the_window_can_be_restored(client, table, target):
    """As a client has read them, whatever it makes of their fractions."""
    found = window(client, table.name)
    table.put(item("a", "b"))
    for end in TIMES:
        assert table.restore(target(), found[end]) == {}
    assert table.restore(target(), window(client, table.name)["LatestRestorableDateTime"])


def test_turning_recovery_on_again_changes_nothing(client, plain):
    earliest = set_recovery(client, plain)["EarliestRestorableDateTime"]
    moment()
    assert set_recovery(client, plain)["EarliestRestorableDateTime"] == earliest


def test_there_is_no_window_while_recovery_is_off(client, plain):
    set_recovery(client, plain)
    for found in (set_recovery(client, plain, False), window(client, plain)):
        assert found["PointInTimeRecoveryStatus"] == "DISABLED"
        assert not TIMES & set(found)


def test_the_window_begins_again_when_recovery_does(client, table, target):
    table.put(item("a", "b", 1))
    during = moment()
    set_recovery(client, table.name, False)
    table.put(item("a", "b", 2))
    off = moment()
    earliest = set_recovery(client, table.name)["EarliestRestorableDateTime"]
    assert off < earliest <= moment()
    table.put(item("a", "b", 3))
    for gone in (during, off):
        with pytest.raises(client.exceptions.InvalidRestoreTimeException):
            table.begin(target(), gone)
    assert table.restore(target(), earliest) == {("a", "b"): item("a", "b", 2)}


def test_a_shorter_period_does_not_reach_further_back(client, table):
    earliest = window(client, table.name)["EarliestRestorableDateTime"]
    for days in (1, 35, 7):
        found = set_recovery(client, table.name, RecoveryPeriodInDays=days)
        assert found["RecoveryPeriodInDays"] == days
        assert found["EarliestRestorableDateTime"] == earliest
        assert window(client, table.name)["RecoveryPeriodInDays"] == days


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_window_survives_a_restart(fresh_server, tmp_path, end):
    options = "--data", tmp_path / "data"
    server = fresh_server(*options)
    server.boto.create_table(**on_demand("abc"))
    on = set_recovery(server.boto, "abc", RecoveryPeriodInDays=3)
    server.boto.put_item(TableName="abc", Item={"pk": {"S": "a"}})
    then = moment()
    server.boto.delete_item(TableName="abc", Key={"pk": {"S": "a"}})
    getattr(server, end)()
    client = fresh_server(*options).boto
    found = window(client, "abc")
    assert found["EarliestRestorableDateTime"] == on["EarliestRestorableDateTime"]
    assert found["RecoveryPeriodInDays"] == 3
    client.restore_table_to_point_in_time(
        SourceTableName="abc", TargetTableName="target", RestoreDateTime=then
    )
    until_active(client, "target")
    assert client.scan(TableName="target")["Items"] == [{"pk": {"S": "a"}}]


def test_a_table_is_restored_to_a_second(client, table, target):
    """Everything that was answered before a second began is there, nothing that came later."""
    table.put(item("a", "early"))
    second = moment().replace(microsecond=0) + datetime.timedelta(seconds=1)
    while moment() <= second:
        pass
    table.put(item("a", "late"))
    assert set(table.restore(target(), second)) == {("a", "early")}
    assert set(contents(client, table.name)) == {("a", "early"), ("a", "late")}
