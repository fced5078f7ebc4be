"""Lists and maps nest 32 levels deep, the item being the first."""

import pytest

from definitions import name, on_demand

TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
    "beyond supported limit"
)
# A top-level attribute, and thirty levels below it.
DEEPEST = 31


@pytest.fixture(scope="module")
def table(server):
    table = name("nesting")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def lists(value):
    return {"L": [value]}


def maps(value):
    return {"M": {"a": value}}


def nested(containers, *wrap):
    value = {"S": "bottom"}
    for level in range(containers):
        value = wrap[level % len(wrap)](value)
    return value


KINDS = pytest.mark.parametrize(
    "wrap", [(lists,), (maps,), (lists, maps)], ids=["lists", "maps", "both"]
)


@KINDS
def test_the_deepest_value_comes_back(wire, table, wrap):
    item = {"pk": {"S": "1"}, "a": nested(DEEPEST, *wrap)}
    wire.call("PutItem", {"TableName": table, "Item": item})
    assert wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "1"}}}) == {"Item": item}


@KINDS
@pytest.mark.parametrize("containers", [DEEPEST + 1, DEEPEST + 2, 200])
def test_a_deeper_value_is_refused(wire, table, wrap, containers):
    item = {"pk": {"S": "1"}, "a": nested(containers, *wrap)}
    refusal = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert refusal == (400, "ValidationException", TOO_DEEP)
