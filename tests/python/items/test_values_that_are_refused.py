"""Attribute values that AWS refuses, in its words, wherever they stand."""

import base64
import re

import pytest

from definitions import name, on_demand

INVALID = "One or more parameter values were invalid: "
EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes"
)
A = base64.b64encode(b"a").decode()

REFUSED = {
    "no type": ({}, EMPTY),
    "only an unknown type": ({"X": "1"}, EMPTY),
    "only a null type": ({"S": None}, EMPTY),
    "two types": ({"S": "a", "N": "1"}, SEVERAL),
    "two empty types": ({"L": [], "M": {}}, SEVERAL),
    "null that is false": (
        {"NULL": False},
        INVALID + "Null attribute value types must have the value of true",
    ),
    "empty string set": ({"SS": []}, INVALID + "An string set  may not be empty"),
    "empty number set": ({"NS": []}, INVALID + "An number set  may not be empty"),
    "empty binary set": ({"BS": []}, INVALID + "Binary sets should not be empty"),
    "string twice in a set": (
        {"SS": ["a", "a"]},
        INVALID + "Input collection [a, a] contains duplicates.",
    ),
    "string twice among others": (
        {"SS": ["b", "a", "c", "b"]},
        INVALID + "Input collection [b, a, c, b] contains duplicates.",
    ),
    "number twice in a set": ({"NS": ["1", "1"]}, "Input collection contains duplicates"),
    "number twice in two forms": (
        {"NS": ["1", "2", "1.0"]},
        "Input collection contains duplicates",
    ),
}


@pytest.fixture(scope="module")
def table(server):
    table = name("refusing")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


@pytest.mark.parametrize("value, text", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize(
    "place",
    [lambda v: v, lambda v: {"L": [{"S": "x"}, v]}, lambda v: {"M": {"x": v}}],
    ids=["attribute", "in a list", "in a map"],
)
def test_a_bad_value_is_refused_wherever_it_stands(wire, table, place, value, text):
    item = {"pk": {"S": "1"}, "a": place(value)}
    refusal = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert refusal == (400, "ValidationException", text)


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem"])
@pytest.mark.parametrize("value, text", REFUSED.values(), ids=REFUSED)
def test_a_bad_value_in_a_key_is_refused(wire, table, operation, value, text):
    refusal = wire.refused(operation, {"TableName": table, "Key": {"pk": value}})
    assert refusal == (400, "ValidationException", text)


def test_binaries_that_are_equal_in_a_set_are_refused(wire, table):
    item = {"pk": {"S": "1"}, "a": {"BS": [A, "", A]}}
    status, kind, text = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert (status, kind) == (400, "ValidationException")
    assert re.fullmatch(
        re.escape(INVALID) + r"Input collection \[.*\]of type BS contains duplicates\.", text
    )


def test_an_attribute_without_a_name_is_refused(wire, table):
    item = {"pk": {"S": "1"}, "": {"S": "x"}}
    status, kind, text = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert (status, kind) == (400, "ValidationException")
    assert text.endswith("Empty attribute name")


def test_bad_values_are_found_before_the_table_is(wire):
    item = {"pk": {"S": "1"}, "a": {}}
    refusal = wire.refused("PutItem", {"TableName": "nowhere", "Item": item})
    assert refusal == (400, "ValidationException", EMPTY)


@pytest.mark.parametrize("given", ["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
@pytest.mark.parametrize("operation, part", [("PutItem", "Item"), ("DeleteItem", "Key")])
def test_a_put_or_delete_returns_only_what_was_there(wire, operation, part, given):
    request = {"TableName": "nowhere", part: {"pk": {"S": "1"}}, "ReturnValues": given}
    refusal = wire.refused(operation, request)
    assert refusal == (400, "ValidationException", "ReturnValues can only be ALL_OLD or NONE")


def test_a_refused_put_leaves_the_item_as_it_was(wire, table):
    item = {"pk": {"S": "kept"}, "a": {"S": "old"}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    wire.refused("PutItem", {"TableName": table, "Item": {**item, "a": {"SS": []}}})
    found = wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "kept"}}})
    assert found == {"Item": item}
