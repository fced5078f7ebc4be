"""ReturnValues in all its forms, through boto3's client and its resource."""

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import ClientError

KEY = {"PK": "1", "SK": "2"}
OLD = {**KEY, "n": 5, "gone": "x", "doc": {"a": 1, "b": 2}, "items": [0, 1, 2], "tags": {"a"}}
EXPRESSION = "SET n = n + :one, doc.a = :one, #i[1] = :one REMOVE gone ADD tags :tag"
NAMES = {"#i": "items"}
VALUES = {":one": 1, ":tag": {"b"}}
NEW = {**KEY, "n": 6, "doc": {"a": 1, "b": 2}, "items": [0, 1, 2], "tags": {"a", "b"}}

EXPECTED = {
    "NONE": None,
    "ALL_OLD": OLD,
    "ALL_NEW": NEW,
    "UPDATED_OLD": {"n": 5, "gone": "x", "doc": {"a": 1}, "items": [1], "tags": {"a"}},
    "UPDATED_NEW": {"n": 6, "doc": {"a": 1}, "items": [1], "tags": {"a", "b"}},
}


def wire_form(values):
    return {key: TypeSerializer().serialize(value) for key, value in values.items()}


def plain(attributes):
    if attributes is None:
        return None
    return {key: TypeDeserializer().deserialize(value) for key, value in attributes.items()}


class Resource:
    """Plain values go in and come out."""

    def __init__(self, table):
        self.table = table

    def update(self, **request):
        return self.table.update_item(Key=KEY, **request).get("Attributes")

    def put(self, **request):
        return self.table.put_item(Item=NEW, **request).get("Attributes")

    def delete(self, **request):
        return self.table.delete_item(Key=KEY, **request).get("Attributes")


class Client:
    """The same in DynamoDB's own form."""

    def __init__(self, client, table):
        self.client = client
        self.table = table.name

    def update(self, **request):
        if "ExpressionAttributeValues" in request:
            values = wire_form(request["ExpressionAttributeValues"])
            request["ExpressionAttributeValues"] = values
        request = {"TableName": self.table, "Key": wire_form(KEY), **request}
        return plain(self.client.update_item(**request).get("Attributes"))

    def put(self, **request):
        request = {"TableName": self.table, "Item": wire_form(NEW), **request}
        return plain(self.client.put_item(**request).get("Attributes"))

    def delete(self, **request):
        request = {"TableName": self.table, "Key": wire_form(KEY), **request}
        return plain(self.client.delete_item(**request).get("Attributes"))


@pytest.fixture(params=["client", "resource"])
def items(request, client, table):
    return Client(client, table) if request.param == "client" else Resource(table)


@pytest.mark.parametrize("wanted", EXPECTED)
def test_an_update_returns_what_is_asked_for(items, table, wanted):
    table.put_item(Item=OLD)
    found = items.update(
        UpdateExpression=EXPRESSION,
        ExpressionAttributeNames=NAMES,
        ExpressionAttributeValues=VALUES,
        ReturnValues=wanted,
    )
    assert found == EXPECTED[wanted]
    assert table.get_item(Key=KEY)["Item"] == NEW


@pytest.mark.parametrize(
    "wanted, expected",
    [
        ("NONE", None),
        ("ALL_OLD", None),
        ("ALL_NEW", {**KEY, "a": 1}),
        ("UPDATED_OLD", None),
        ("UPDATED_NEW", {"a": 1}),
    ],
)
def test_an_update_of_a_missing_item_returns_what_is_asked_for(items, wanted, expected):
    found = items.update(
        UpdateExpression="SET a = :v", ExpressionAttributeValues={":v": 1}, ReturnValues=wanted
    )
    assert found == expected


def test_nothing_is_returned_unasked(items, table):
    table.put_item(Item=OLD)
    assert items.update(UpdateExpression="REMOVE n") is None
    assert items.put() is None
    assert items.delete() is None


def test_a_put_and_a_delete_return_the_old_item(items, table):
    assert items.put(ReturnValues="ALL_OLD") is None
    table.put_item(Item=OLD)
    assert items.put(ReturnValues="ALL_OLD") == OLD
    assert items.delete(ReturnValues="ALL_OLD") == NEW
    assert items.delete(ReturnValues="ALL_OLD") is None


@pytest.mark.parametrize("wanted", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
@pytest.mark.parametrize("operation", ["put", "delete"])
def test_a_put_and_a_delete_return_nothing_else(items, operation, wanted):
    with pytest.raises(ClientError) as caught:
        getattr(items, operation)(ReturnValues=wanted)
    assert caught.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "ReturnValues can only be ALL_OLD or NONE",
    }
