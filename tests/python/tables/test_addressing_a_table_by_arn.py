"""An ARN stands wherever a table name does."""

import pytest

from definitions import name, on_demand

KEY = {"pk": {"S": "1"}}


@pytest.fixture
def arn(make_table):
    return "arn:aws:dynamodb:us-east-1:000000000000:table/" + make_table(on_demand(name()))


def test_items_are_written_and_read_by_arn(client, arn):
    client.put_item(TableName=arn, Item=KEY)
    assert client.get_item(TableName=arn, Key=KEY)["Item"] == KEY
    assert client.get_item(TableName=arn.split("/")[1], Key=KEY)["Item"] == KEY
    old = client.delete_item(TableName=arn, Key=KEY, ReturnValues="ALL_OLD")
    assert old["Attributes"] == KEY


def test_consumed_capacity_repeats_the_name_as_it_was_given(client, arn):
    for given in (arn, arn.split("/")[1]):
        answer = client.put_item(TableName=given, Item=KEY, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"]["TableName"] == given


@pytest.mark.parametrize(
    "operation, change",
    [
        ("DescribeTable", {}),
        ("DescribeTimeToLive", {}),
        ("DescribeContinuousBackups", {}),
        ("UpdateTimeToLive", {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "t"}}),
        (
            "UpdateContinuousBackups",
            {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}},
        ),
        ("UpdateTable", {"TableClass": "STANDARD"}),
        ("DeleteTable", {}),
    ],
)
def test_operations_on_tables_take_an_arn(wire, arn, operation, change):
    wire.call(operation, {"TableName": arn, **change})


@pytest.mark.parametrize("arn_", ["arn:", "arn:aws:dynamodb", "arn:aws:s3:::bucket"])
@pytest.mark.parametrize("operation", ["GetItem", "DescribeTable"])
def test_an_arn_that_names_no_table_is_refused(wire, operation, arn_):
    status, kind, _ = wire.refused(operation, {"TableName": arn_, "Key": KEY})
    assert (status, kind) == (400, "ValidationException")


def test_the_arn_of_a_table_that_is_not_there_is_not_found(wire):
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere"
    assert wire.refused("GetItem", {"TableName": arn, "Key": KEY}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found",
    )
    status, kind, _ = wire.refused("DescribeTable", {"TableName": arn})
    assert (status, kind) == (400, "ResourceNotFoundException")
