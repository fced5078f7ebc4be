"""UpdateTimeToLive and DescribeTimeToLive."""

import pytest

from definitions import name, on_demand
from server import until


@pytest.fixture
def table(make_table):
    return make_table(on_demand(name()))


def setting(table, enabled, attribute="expires"):
    specification = {"Enabled": enabled, "AttributeName": attribute}
    return {"TableName": table, "TimeToLiveSpecification": specification}


def described(wire, table):
    return wire.call("DescribeTimeToLive", {"TableName": table})["TimeToLiveDescription"]


def test_time_to_live_is_off_by_default(wire, table):
    assert described(wire, table) == {"TimeToLiveStatus": "DISABLED"}


def test_time_to_live_is_turned_on_and_off(wire, table):
    on, off = setting(table, True), setting(table, False)
    answer = wire.call("UpdateTimeToLive", on)
    assert answer == {"TimeToLiveSpecification": on["TimeToLiveSpecification"]}
    found = {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    until(lambda: described(wire, table) == found, "time to live is enabled")
    answer = wire.call("UpdateTimeToLive", off)
    assert answer == {"TimeToLiveSpecification": off["TimeToLiveSpecification"]}
    assert described(wire, table)["TimeToLiveStatus"] == "DISABLED"


@pytest.mark.parametrize(
    "before, request_, text",
    [
        ([(True, "expires")], (True, "expires"), "TimeToLive is already enabled"),
        ([], (False, "expires"), "TimeToLive is already disabled"),
        (
            [(True, "expires")],
            (True, "other"),
            "TimeToLive is active on a different AttributeName: current AttributeName is expires",
        ),
    ],
)
def test_a_setting_that_is_in_force_is_refused(wire, table, before, request_, text):
    for earlier in before:
        wire.call("UpdateTimeToLive", setting(table, *earlier))
    refusal = wire.refused("UpdateTimeToLive", setting(table, *request_))
    assert refusal == (400, "ValidationException", text)


@pytest.mark.parametrize("operation", ["UpdateTimeToLive", "DescribeTimeToLive"])
def test_an_unknown_table_is_not_found(wire, operation):
    assert wire.refused(operation, setting("nowhere", True)) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found: Table: nowhere not found",
    )


@pytest.mark.parametrize(
    "specification, violation",
    [
        (
            {"Enabled": True, "AttributeName": ""},
            "Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: "
            "Member must have length greater than or equal to 1",
        ),
        (
            {"Enabled": True, "AttributeName": "x" * 256},
            f"Value '{'x' * 256}' at 'timeToLiveSpecification.attributeName' failed to satisfy "
            "constraint: Member must have length less than or equal to 255",
        ),
        (
            {"AttributeName": "x"},
            "Value null at 'timeToLiveSpecification.enabled' failed to satisfy constraint: "
            "Member must not be null",
        ),
    ],
)
def test_a_malformed_setting_is_refused(wire, table, specification, violation):
    request = {"TableName": table, "TimeToLiveSpecification": specification}
    assert wire.refused("UpdateTimeToLive", request) == (
        400,
        "ValidationException",
        f"1 validation error detected: {violation}",
    )


def test_a_table_that_is_not_in_use_yet(start_server):
    with start_server("--memory", "--table-delay", "1h") as slow:
        wire = slow.wire
        wire.call("CreateTable", on_demand("slow"))
        text = (
            "Attempt to change a resource which is still in use: Table is being created: slow"
        )
        refused = wire.refused("UpdateTimeToLive", setting("slow", True))
        assert refused == (400, "ResourceInUseException", text)
        recovery = {"PointInTimeRecoveryEnabled": True}
        refused = wire.refused(
            "UpdateContinuousBackups",
            {"TableName": "slow", "PointInTimeRecoverySpecification": recovery},
        )
        text = "Backups are being enabled for the table: slow. Please retry later"
        assert refused == (400, "ContinuousBackupsUnavailableException", text)
