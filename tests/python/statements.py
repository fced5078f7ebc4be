"""PartiQL statements: tables for them, and a short way to run them through boto3."""

import boto3.dynamodb.types as types
import pytest
from botocore.exceptions import ClientError

from definitions import attributes, index, key, name, projection

MALFORMED = "Statement wasn't well formed, can't be processed: "
INVALID = "One or more parameter values were invalid: "
CONDITION_FAILED = "ConditionalCheckFailedException: The conditional request failed"
NO_KEY = "Where clause does not contain a mandatory equality on all key attributes"
DUPLICATE = "DuplicateItemException: Duplicate primary key exists in table"


def wired(value):
    """A plain value as the API has it."""
    return types.TypeSerializer().serialize(value)


def plain(value):
    """A value of the API as Python has it; binaries become bytes."""
    found = types.TypeDeserializer().deserialize(value)
    return unwrapped(found)


def unwrapped(value):
    if isinstance(value, types.Binary):
        return value.value
    if isinstance(value, list):
        return [unwrapped(element) for element in value]
    if isinstance(value, dict):
        return {key: unwrapped(element) for key, element in value.items()}
    if isinstance(value, (set, frozenset)):
        return {unwrapped(element) for element in value}
    return value


def plain_item(item):
    return {attribute: plain(value) for attribute, value in item.items()}


def responses_items(answer):
    """The items of a batch's or transaction's answer, None where there is none."""
    found = (response.get("Item") for response in answer["Responses"])
    return [None if item is None else plain_item(item) for item in found]


class Statements:
    """Runs statements; `{t}` in them is the quoted table name."""

    def __init__(self, client, table):
        self.client = client
        self.table = table

    def text(self, statement):
        return statement.replace("{t}", f'"{self.table}"')

    def request(self, statement, parameters=(), **more):
        given = {"Statement": self.text(statement), **more}
        if parameters:
            given["Parameters"] = [wired(parameter) for parameter in parameters]
        return given

    def execute(self, statement, parameters=(), **more):
        """The answer as it is."""
        return self.client.execute_statement(**self.request(statement, parameters, **more))

    def run(self, statement, parameters=(), **more):
        """The items, as plain values, of all pages."""
        items = []
        while True:
            answer = self.execute(statement, parameters, **more)
            items += [plain_item(item) for item in answer["Items"]]
            if "NextToken" not in answer:
                return items
            more["NextToken"] = answer["NextToken"]

    def refusal(self, statement, parameters=(), **more):
        """The error as `Name: text`."""
        with pytest.raises(ClientError) as raised:
            self.execute(statement, parameters, **more)
        error = raised.value.response["Error"]
        return f"{error['Code']}: {error['Message']}"

    def put(self, item):
        item = {attribute: wired(value) for attribute, value in item.items()}
        self.client.put_item(TableName=self.table, Item=item)

    def get(self, **item_key):
        item_key = {attribute: wired(value) for attribute, value in item_key.items()}
        found = self.client.get_item(TableName=self.table, Key=item_key, ConsistentRead=True)
        return plain_item(found["Item"]) if "Item" in found else None

    def clear(self):
        for page in self.client.get_paginator("scan").paginate(TableName=self.table):
            for item in page["Items"]:
                item_key = {attribute: item[attribute] for attribute in ("pk", "sk")}
                self.client.delete_item(TableName=self.table, Key=item_key)


def definition():
    """A table with an index of every kind of projection."""
    return {
        "TableName": name("partiql"),
        "AttributeDefinitions": attributes("pk:S", "sk:N", "rank:N", "genre:S", "year:N"),
        "KeySchema": key("pk", "sk"),
        "BillingMode": "PAY_PER_REQUEST",
        "LocalSecondaryIndexes": [
            index("by-rank", "pk", "rank", projection("INCLUDE", "title")),
        ],
        "GlobalSecondaryIndexes": [
            index("by-genre", "genre", "year", projection("INCLUDE", "title")),
            index("by-genre-all", "genre", "year"),
            index("by-genre-keys", "genre", (), projection("KEYS_ONLY")),
        ],
    }


def music():
    """The items of the table that is only read."""
    items = []
    for sk in range(1, 6):
        items.append(
            {
                "pk": "a",
                "sk": sk,
                "title": f"t{sk}",
                "rank": 10 - sk,
                "genre": "rock" if sk % 2 else "jazz",
                "year": 2000 + sk,
            }
        )
    items[0].update(
        tags={"x", "y"}, n=5, m={"b": {"c": "deep"}, "l": [1, "two", {"z": 3}]}, flag=True
    )
    items[1].update(n=7, nothing=None, l=[1, 2])
    items[2].update(n=5, text="hello", bin=b"\x00\x01")
    items[3].update(nums={1, 2}, flag=False)
    items[4].update(n="5", **{"odd name": 1, "dotted.name": 2, "select": 3})
    items += [
        {"pk": "b", "sk": 1, "title": "t1", "genre": "rock", "year": 2001, "n": 5},
        {"pk": "b", "sk": 2, "title": "t2", "genre": "rock", "year": 2002},
        {"pk": "c", "sk": 1, "title": "it's"},
    ]
    return items
