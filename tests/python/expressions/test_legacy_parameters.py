"""Programs from before expressions: Expected, AttributeUpdates and AttributesToGet."""

from decimal import Decimal

import pytest
from botocore.exceptions import ClientError

KEY = {"PK": "1", "SK": "2"}
ITEM = {**KEY, "n": 5, "s": "abc", "tags": {"a", "b"}, "items": [1]}


@pytest.fixture
def filled(table):
    table.put_item(Item=ITEM)
    return table


def stored(table):
    return table.get_item(Key=KEY, ConsistentRead=True).get("Item")


def changed(**changes):
    return {key: value for key, value in {**ITEM, **changes}.items() if value is not None}


@pytest.mark.parametrize(
    "updates, expected",
    [
        ({"n": {"Value": 6}}, changed(n=6)),
        ({"n": {"Value": 6, "Action": "PUT"}}, changed(n=6)),
        ({"n": {"Value": 1, "Action": "ADD"}}, changed(n=6)),
        ({"z": {"Value": Decimal("0.5"), "Action": "ADD"}}, changed(z=Decimal("0.5"))),
        ({"tags": {"Value": {"c"}, "Action": "ADD"}}, changed(tags={"a", "b", "c"})),
        ({"items": {"Value": [2], "Action": "ADD"}}, changed(items=[1, 2])),
        ({"tags": {"Value": {"a"}, "Action": "DELETE"}}, changed(tags={"b"})),
        ({"tags": {"Value": {"a", "b"}, "Action": "DELETE"}}, changed(tags=None)),
        ({"s": {"Action": "DELETE"}}, changed(s=None)),
        ({"status": {"Value": {"a.b": None}}}, changed(status={"a.b": None})),
        ({}, ITEM),
    ],
    ids=str,
)
def test_attribute_updates(filled, updates, expected):
    answer = filled.update_item(Key=KEY, AttributeUpdates=updates, ReturnValues="ALL_NEW")
    assert answer["Attributes"] == expected
    assert stored(filled) == expected


@pytest.mark.parametrize(
    "expected, holds",
    [
        ({"n": {"Value": 5}}, True),
        ({"n": {"Value": 6}}, False),
        ({"z": {"Exists": False}}, True),
        ({"PK": {"Exists": False}}, False),
        ({"n": {"ComparisonOperator": "GT", "AttributeValueList": [4]}}, True),
        ({"n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [6, 7]}}, False),
        ({"s": {"ComparisonOperator": "IN", "AttributeValueList": ["x", "abc"]}}, True),
        ({"tags": {"ComparisonOperator": "CONTAINS", "AttributeValueList": ["a"]}}, True),
        ({"tags": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": ["a"]}}, False),
        ({"z": {"ComparisonOperator": "NULL"}}, True),
        ({"n": {"ComparisonOperator": "NOT_NULL"}, "s": {"Value": "abc"}}, True),
        ({"n": {"ComparisonOperator": "NOT_NULL"}, "s": {"Value": "x"}}, False),
    ],
    ids=str,
)
def test_expected(filled, expected, holds):
    failed = filled.meta.client.exceptions.ConditionalCheckFailedException
    writes = [
        lambda: filled.update_item(
            Key=KEY, AttributeUpdates={"w": {"Value": 1}}, Expected=expected
        ),
        lambda: filled.put_item(Item={**ITEM, "w": 2}, Expected=expected),
        lambda: filled.delete_item(Key=KEY, Expected=expected),
    ]
    for write in writes:
        if holds:
            write()
        else:
            with pytest.raises(failed):
                write()
    assert stored(filled) == (None if holds else ITEM)


def test_one_of_several_expectations_is_enough_with_or(filled):
    expected = {"n": {"Value": 6}, "s": {"Value": "abc"}}
    failed = filled.meta.client.exceptions.ConditionalCheckFailedException
    with pytest.raises(failed):
        filled.delete_item(Key=KEY, Expected=expected, ConditionalOperator="AND")
    filled.delete_item(Key=KEY, Expected=expected, ConditionalOperator="OR")
    assert stored(filled) is None


def test_the_error_of_an_expectation_brings_the_item_too(filled):
    failed = filled.meta.client.exceptions.ConditionalCheckFailedException
    with pytest.raises(failed) as caught:
        filled.delete_item(
            Key=KEY,
            Expected={"n": {"Value": 6}},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"]["n"] == {"N": "5"}


def test_attributes_to_get(filled):
    found = filled.get_item(Key=KEY, AttributesToGet=["n", "s", "missing"])
    assert found["Item"] == {"n": 5, "s": "abc"}
    assert filled.get_item(Key=KEY, AttributesToGet=["missing"])["Item"] == {}


@pytest.mark.parametrize(
    "call, text",
    [
        (
            lambda table: table.update_item(
                Key=KEY,
                AttributeUpdates={"n": {"Value": 1}},
                ConditionExpression="attribute_exists(n)",
            ),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributeUpdates} "
            "Expression parameters: {ConditionExpression}",
        ),
        (
            lambda table: table.get_item(
                Key=KEY, AttributesToGet=["n"], ProjectionExpression="n"
            ),
            "Can not use both expression and non-expression parameters in the same request: "
            "Non-expression parameters: {AttributesToGet} "
            "Expression parameters: {ProjectionExpression}",
        ),
        (
            lambda table: table.update_item(
                Key=KEY, AttributeUpdates={"PK": {"Value": "other"}}
            ),
            "One or more parameter values were invalid: Cannot update attribute PK. "
            "This attribute is part of the key",
        ),
        (
            lambda table: table.update_item(
                Key=KEY, AttributeUpdates={"s": {"Value": 1, "Action": "ADD"}}
            ),
            "Type mismatch for attribute to update",
        ),
    ],
)
def test_what_is_refused(filled, call, text):
    with pytest.raises(ClientError) as caught:
        call(filled)
    assert caught.value.response["Error"] == {"Code": "ValidationException", "Message": text}
    assert stored(filled) == ITEM
