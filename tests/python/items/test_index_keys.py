"""An attribute that is the key of an index must be fit to be one."""

import pytest

from definitions import index, name, on_demand
from sizes import blob

INVALID = "One or more parameter values were invalid: "
SECONDARY = (
    "One or more parameter values are not valid. A value specified for a secondary index key is "
    "not supported. The AttributeValue for a key attribute cannot contain an empty {kind} value. "
    "IndexName: {index}, IndexKey: {key}"
)
BASE = {"pk": {"S": "1"}, "sk": {"S": "1"}}


@pytest.fixture(scope="module")
def table(server):
    """`shared` is in two indexes, of which `a-first` comes first by name."""
    table = name("indexed")
    server.wire.call(
        "CreateTable",
        on_demand(
            table,
            "pk",
            "sk",
            "shared:S",
            "n:N",
            "b:B",
            "l:S",
            "h1:S",
            "h2:S",
            "r1:S",
            "r2:S",
            GlobalSecondaryIndexes=[
                index("z-last", "shared"),
                index("a-first", "shared", "n"),
                index("binary", "b"),
                index("wide", ["h1", "h2"], ["r1", "r2"]),
            ],
            LocalSecondaryIndexes=[index("local", "pk", "l")],
        ),
    )
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def mismatch(attribute, expected, actual, index_name):
    return INVALID + (
        f"Type mismatch for Index Key {attribute} Expected: {expected} Actual: {actual} "
        f"IndexName: {index_name}"
    )


@pytest.mark.parametrize(
    "attributes, text",
    [
        ({"shared": {"N": "1"}}, mismatch("shared", "S", "N", "a-first")),
        ({"n": {"S": "1"}}, mismatch("n", "N", "S", "a-first")),
        ({"b": {"S": "1"}}, mismatch("b", "B", "S", "binary")),
        ({"l": {"BOOL": True}}, mismatch("l", "S", "BOOL", "local")),
        ({"l": {"NULL": True}}, mismatch("l", "S", "NULL", "local")),
        ({"shared": {"L": []}}, mismatch("shared", "S", "L", "a-first")),
        ({"r2": {"N": "1"}}, mismatch("r2", "S", "N", "wide")),
        ({"shared": {"S": ""}}, SECONDARY.format(kind="string", index="a-first", key="shared")),
        ({"b": {"B": ""}}, SECONDARY.format(kind="binary", index="binary", key="b")),
        ({"l": {"S": ""}}, SECONDARY.format(kind="string", index="local", key="l")),
        ({"h2": {"S": ""}}, SECONDARY.format(kind="string", index="wide", key="h2")),
    ],
    ids=str,
)
def test_an_attribute_that_cannot_be_an_index_key_is_refused(wire, table, attributes, text):
    refusal = wire.refused("PutItem", {"TableName": table, "Item": {**BASE, **attributes}})
    assert refusal == (400, "ValidationException", text)


@pytest.mark.parametrize(
    "attributes, text",
    [
        (
            {"shared": {"S": "x" * 2049}},
            "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"b": blob(b"x" * 2049)},
            "Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {"l": {"S": "x" * 1025}},
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
        (
            {"h1": {"S": "1"}, "h2": {"S": "2"}, "r1": {"S": "x" * 512}, "r2": {"S": "x" * 513}},
            "Aggregated size of all range keys has exceeded the size limit of 1024 bytes",
        ),
    ],
    ids=lambda part: str(part)[:20],
)
def test_an_index_key_that_is_too_long_is_refused(wire, table, attributes, text):
    refusal = wire.refused("PutItem", {"TableName": table, "Item": {**BASE, **attributes}})
    assert refusal == (400, "ValidationException", INVALID + text)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"shared": {"S": "x" * 2048}},
        {"l": {"S": "x" * 1024}},
        {"h1": {"S": "1"}},
        {"h1": {"S": "1"}, "h2": {"S": "2"}, "r1": {"S": "x" * 512}, "r2": {"S": "x" * 512}},
    ],
    ids=lambda part: str(part)[:20],
)
def test_an_item_may_be_in_some_indexes_and_not_in_others(wire, table, attributes):
    item = {**BASE, **attributes}
    wire.call("PutItem", {"TableName": table, "Item": item})
    assert wire.call("GetItem", {"TableName": table, "Key": BASE}) == {"Item": item}


def test_the_primary_key_is_checked_before_index_keys(wire, table):
    item = {"pk": {"S": "1"}, "shared": {"N": "1"}}
    refusal = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert refusal == (400, "ValidationException", INVALID + "Missing the key sk in the item")
