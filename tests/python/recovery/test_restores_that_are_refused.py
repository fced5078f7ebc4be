"""What RestoreTableToPointInTime refuses, with its words."""

import datetime

import pytest

from definitions import name, on_demand
from recovery.tables import item, moment, seconds, until_active, window

RESTORE = "RestoreTableToPointInTime"
BOTH_OR_NONE = (
    400,
    "ValidationException",
    "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, "
    "but not both",
)
SOURCE = (
    400,
    "ValidationException",
    "Must provide exactly one of: sourceTableArn, sourceTableName",
)


@pytest.fixture
def refused(wire, table, target):
    """Makes a request that must be refused and must leave nothing behind."""

    def refuse(**changes):
        request = {"SourceTableName": table.name, "TargetTableName": target()} | changes
        request = {name_: value for name_, value in request.items() if value is not None}
        found = wire.refused(RESTORE, request)
        if "TargetTableName" not in changes:
            gone = wire.refused("DescribeTable", {"TableName": request["TargetTableName"]})
            assert gone[1] == "ResourceNotFoundException"
        return found

    return refuse


def test_an_unknown_table(refused):
    expected = (400, "TableNotFoundException", "Table not found: nowhere")
    assert refused(SourceTableName="nowhere", UseLatestRestorableTime=True) == expected
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere"
    given = {"SourceTableName": None, "SourceTableArn": arn}
    assert refused(**given, UseLatestRestorableTime=True) == expected


def test_a_table_without_recovery(refused, make_table):
    plain = make_table(on_demand(name()))
    expected = (
        400,
        "PointInTimeRecoveryUnavailableException",
        f"Point in time recovery is not enabled for table '{plain}'",
    )
    assert refused(SourceTableName=plain, UseLatestRestorableTime=True) == expected
    now = seconds(moment())
    assert refused(SourceTableName=plain, RestoreDateTime=now) == expected


def test_times_outside_of_the_window(refused, client, table):
    earliest = window(client, table.name)["EarliestRestorableDateTime"]
    hour = datetime.timedelta(hours=1)
    for time_ in (earliest - hour, earliest - hour / 3600, moment() + hour):
        status, kind, _ = refused(RestoreDateTime=seconds(time_))
        assert (status, kind) == (400, "InvalidRestoreTimeException")
    for time_ in (0, -1, 1e12):
        assert refused(RestoreDateTime=time_)[1] == "InvalidRestoreTimeException"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"UseLatestRestorableTime": False},
        {"UseLatestRestorableTime": True, "RestoreDateTime": True},
    ],
)
def test_both_or_none_of_the_moments(refused, given):
    if "RestoreDateTime" in given:
        given = {**given, "RestoreDateTime": seconds(moment())}
    assert refused(**given) == BOTH_OR_NONE


def test_a_time_and_not_the_latest(client, table, target):
    """What says the same twice is no contradiction."""
    table.put(item("a", "b"))
    restored = target()
    client.restore_table_to_point_in_time(
        SourceTableName=table.name,
        TargetTableName=restored,
        RestoreDateTime=moment(),
        UseLatestRestorableTime=False,
    )
    assert until_active(client, restored)["ItemCount"] == 1


def test_both_or_none_of_the_sources(refused, table):
    assert refused(SourceTableName=None, UseLatestRestorableTime=True) == SOURCE
    assert refused(SourceTableArn=table.arn, UseLatestRestorableTime=True) == SOURCE


def test_a_target_that_is_there(refused, table, make_table, target):
    plain = make_table(on_demand(name()))
    for taken in (plain, table.name):
        assert refused(TargetTableName=taken, UseLatestRestorableTime=True) == (
            400,
            "TableAlreadyExistsException",
            f"Table already exists: {taken}",
        )
    restored = target()
    table.begin(restored)
    found = refused(TargetTableName=restored, UseLatestRestorableTime=True)
    assert found[1:] == ("TableAlreadyExistsException", f"Table already exists: {restored}")


def test_names_that_are_none(refused):
    status, kind, text = refused(TargetTableName="no", UseLatestRestorableTime=True)
    assert (status, kind) == (400, "ValidationException")
    assert "'targetTableName' failed to satisfy constraint" in text
    assert refused(TargetTableName=None, UseLatestRestorableTime=True) == (
        400,
        "ValidationException",
        "1 validation error detected: Value null at 'targetTableName' failed to satisfy "
        "constraint: Member must not be null",
    )
