"""Writes that happen only if the item is as expected."""

import pytest
from boto3.dynamodb.conditions import Attr
from botocore.exceptions import ClientError

KEY = {"PK": "TENANT#t1#BRANCH#b1#TRANSACTION", "SK": "2026-01-15#txn-001"}


@pytest.fixture
def failed(resource):
    return resource.meta.client.exceptions.ConditionalCheckFailedException


def stored(table, key=None):
    return table.get_item(Key=key or KEY, ConsistentRead=True).get("Item")


def test_a_transaction_is_not_recorded_twice(table, failed):
    def create(amount):
        table.put_item(
            Item={**KEY, "amount": amount}, ConditionExpression="attribute_not_exists(PK)"
        )

    create(100)
    with pytest.raises(failed) as caught:
        create(200)
    assert caught.value.response["Error"] == {
        "Code": "ConditionalCheckFailedException",
        "Message": "The conditional request failed",
    }
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert stored(table)["amount"] == 100


def test_other_sort_keys_are_other_items(table):
    for day in ("2026-01-15#a", "2026-01-16#a"):
        table.put_item(Item={**KEY, "SK": day}, ConditionExpression=Attr("PK").not_exists())
    assert stored(table, {**KEY, "SK": "2026-01-16#a"}) == {**KEY, "SK": "2026-01-16#a"}


ITEM = {
    **KEY,
    "status": "open",
    "amount": 250,
    "labels": {"food", "travel"},
    "lines": [{"sku": "a", "quantity": 2}],
    "owner": {"name": "Alice", "mail": None},
    "raw": b"\x01\x02",
}


@pytest.mark.parametrize(
    "condition, holds",
    [
        (Attr("status").eq("open"), True),
        (Attr("status").ne("open"), False),
        (Attr("amount").lt(251), True),
        (Attr("amount").lte(249), False),
        (Attr("amount").gt(249), True),
        (Attr("amount").gte(251), False),
        (Attr("amount").between(100, 500), True),
        (Attr("status").is_in(["open", "held"]), True),
        (Attr("status").is_in(["closed"]), False),
        (Attr("status").begins_with("op"), True),
        (Attr("labels").contains("food"), True),
        (Attr("labels").contains("drink"), False),
        (Attr("labels").size().eq(2), True),
        (Attr("amount").attribute_type("N"), True),
        (Attr("raw").attribute_type("B"), True),
        (Attr("raw").begins_with(b"\x01"), True),
        (Attr("gone").exists(), False),
        (Attr("gone").not_exists(), True),
        (Attr("owner.name").eq("Alice"), True),
        (Attr("owner.mail").exists(), True),
        (Attr("lines[0].quantity").gte(2), True),
        (Attr("lines[1]").exists(), False),
        (Attr("status").eq("open") & Attr("amount").lt(100), False),
        (Attr("status").eq("open") | Attr("amount").lt(100), True),
        (~Attr("status").eq("open"), False),
        (~(Attr("status").eq("open") & Attr("amount").lt(100)), True),
    ],
    ids=lambda value: str(getattr(value, "expression_operator", value)),
)
def test_conditions_built_with_attr(table, failed, condition, holds):
    table.put_item(Item=ITEM)
    if holds:
        table.delete_item(Key=KEY, ConditionExpression=condition)
        assert stored(table) is None
    else:
        with pytest.raises(failed):
            table.delete_item(Key=KEY, ConditionExpression=condition)
        assert stored(table) == ITEM


def test_a_version_guards_against_lost_updates(table, failed):
    table.put_item(Item={**KEY, "version": 1, "text": "first"})

    def save(text, version):
        return table.update_item(
            Key=KEY,
            UpdateExpression="SET #text = :text, version = version + :one",
            ConditionExpression="version = :version",
            ExpressionAttributeNames={"#text": "text"},
            ExpressionAttributeValues={":text": text, ":version": version, ":one": 1},
            ReturnValues="ALL_NEW",
        )["Attributes"]

    assert save("second", 1) == {**KEY, "version": 2, "text": "second"}
    with pytest.raises(failed):
        save("late", 1)
    assert save("third", 2)["version"] == 3


def test_money_is_spent_only_if_it_is_there(table, failed):
    table.put_item(Item={**KEY, "Balance": 100})

    def spend(amount):
        table.update_item(
            Key=KEY,
            UpdateExpression="SET Balance = Balance - :amount",
            ConditionExpression="Balance >= :amount",
            ExpressionAttributeValues={":amount": amount},
        )

    spend(60)
    with pytest.raises(failed):
        spend(60)
    spend(40)
    assert stored(table)["Balance"] == 0


WRITES = {
    "put_item": {"Item": {**KEY, "status": "new"}},
    "update_item": {"Key": KEY, "UpdateExpression": "REMOVE amount"},
    "delete_item": {"Key": KEY},
}
FAILING = {
    "ConditionExpression": "#s = :closed",
    "ExpressionAttributeNames": {"#s": "status"},
    "ExpressionAttributeValues": {":closed": "closed"},
}


@pytest.mark.parametrize("write", WRITES)
def test_the_error_brings_the_item_when_asked_to(table, failed, write):
    table.put_item(Item=ITEM)
    with pytest.raises(failed) as caught:
        getattr(table, write)(
            **WRITES[write], **FAILING, ReturnValuesOnConditionCheckFailure="ALL_OLD"
        )
    assert caught.value.response["Item"] == {
        "PK": {"S": KEY["PK"]},
        "SK": {"S": KEY["SK"]},
        "status": {"S": "open"},
        "amount": {"N": "250"},
        "labels": {"SS": ["food", "travel"]},
        "lines": {"L": [{"M": {"sku": {"S": "a"}, "quantity": {"N": "2"}}}]},
        "owner": {"M": {"name": {"S": "Alice"}, "mail": {"NULL": True}}},
        "raw": {"B": b"\x01\x02"},
    }
    assert caught.value.response["Error"]["Message"] == "The conditional request failed"
    assert stored(table) == ITEM


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("wanted", [{}, {"ReturnValuesOnConditionCheckFailure": "NONE"}], ids=str)
def test_the_error_brings_no_item_unasked(table, failed, write, wanted):
    table.put_item(Item=ITEM)
    with pytest.raises(failed) as caught:
        getattr(table, write)(**WRITES[write], **FAILING, **wanted)
    assert "Item" not in caught.value.response


@pytest.mark.parametrize("write", WRITES)
def test_the_error_brings_no_item_where_there_is_none(table, failed, write):
    with pytest.raises(failed) as caught:
        getattr(table, write)(
            **WRITES[write], **FAILING, ReturnValuesOnConditionCheckFailure="ALL_OLD"
        )
    assert "Item" not in caught.value.response
    assert stored(table) is None


def test_a_condition_that_holds_returns_what_return_values_says(table):
    table.put_item(Item=ITEM)
    answer = table.update_item(
        Key=KEY,
        UpdateExpression="REMOVE amount",
        ConditionExpression=Attr("status").eq("open"),
        ReturnValues="UPDATED_OLD",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert answer["Attributes"] == {"amount": 250}


@pytest.mark.parametrize("write", WRITES)
def test_another_setting_of_the_failures_item_is_refused(table, write):
    with pytest.raises(ClientError) as caught:
        getattr(table, write)(
            **WRITES[write], **FAILING, ReturnValuesOnConditionCheckFailure="ALL_NEW"
        )
    assert caught.value.response["Error"]["Code"] == "ValidationException"


def test_the_wire_carries_the_item_beside_the_message(wire, table):
    table.put_item(Item={**KEY, "a": 1})
    answer = wire.post(
        "DeleteItem",
        {
            "TableName": table.name,
            "Key": {name: {"S": value} for name, value in KEY.items()},
            "ConditionExpression": "a = b",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    )
    assert answer.status == 400
    body = answer.json
    assert body["__type"] == "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
    assert body["Item"]["a"] == {"N": "1"}
    assert body.get("message", body.get("Message")) == "The conditional request failed"
