"""UpdateContinuousBackups and DescribeContinuousBackups."""

import time

import pytest

from definitions import name, on_demand


@pytest.fixture
def table(make_table):
    return make_table(on_demand(name()))


def change(wire, table, **specification):
    request = {"TableName": table, "PointInTimeRecoverySpecification": specification}
    return wire.call("UpdateContinuousBackups", request)["ContinuousBackupsDescription"]


def described(wire, table):
    answer = wire.call("DescribeContinuousBackups", {"TableName": table})
    return answer["ContinuousBackupsDescription"]


def test_backups_are_enabled_and_recovery_is_off_by_default(wire, table):
    found = described(wire, table)
    assert found["ContinuousBackupsStatus"] == "ENABLED"
    recovery = found["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "DISABLED"
    assert "EarliestRestorableDateTime" not in recovery
    assert "LatestRestorableDateTime" not in recovery


@pytest.mark.parametrize("days, expected", [(None, 35), (1, 1), (35, 35)])
def test_recovery_is_turned_on_for_some_days(wire, table, days, expected):
    period = {} if days is None else {"RecoveryPeriodInDays": days}
    answer = change(wire, table, PointInTimeRecoveryEnabled=True, **period)
    recovery = answer["PointInTimeRecoveryDescription"]
    later = described(wire, table)["PointInTimeRecoveryDescription"]
    assert later.pop("LatestRestorableDateTime") >= recovery.pop("LatestRestorableDateTime")
    assert recovery == later
    assert abs(recovery["EarliestRestorableDateTime"] - time.time()) < 60
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    assert recovery["RecoveryPeriodInDays"] == expected



def test_recovery_is_turned_off(wire, table):
    change(wire, table, PointInTimeRecoveryEnabled=True)
    found = change(wire, table, PointInTimeRecoveryEnabled=False)
    assert found["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"


def refused(wire, table, **specification):
    request = {"TableName": table, "PointInTimeRecoverySpecification": specification}
    return wire.refused("UpdateContinuousBackups", request)


def test_a_period_makes_no_sense_when_recovery_is_turned_off(wire, table):
    assert refused(wire, table, PointInTimeRecoveryEnabled=False, RecoveryPeriodInDays=5) == (
        400,
        "ValidationException",
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling "
        "point-in-time recovery.",
    )


@pytest.mark.parametrize(
    "days, bound", [(0, "greater than or equal to 1"), (36, "less than or equal to 35")]
)
def test_the_period_is_1_to_35_days(wire, table, days, bound):
    assert refused(wire, table, PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=days) == (
        400,
        "ValidationException",
        f"1 validation error detected: Value '{days}' at "
        "'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint: "
        f"Member must have value {bound}",
    )


def test_an_unknown_table_has_an_error_of_its_own(wire):
    expected = (400, "TableNotFoundException", "Table not found: nowhere")
    assert wire.refused("DescribeContinuousBackups", {"TableName": "nowhere"}) == expected
    assert refused(wire, "nowhere", PointInTimeRecoveryEnabled=True) == expected
