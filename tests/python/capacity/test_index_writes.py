"""Writes to indexes: what each change costs, as measured on the service."""

import pytest

from definitions import index, name, on_demand, projection


@pytest.fixture
def table(make_table):
    """A global index that includes `seen`, and a local one with everything."""
    return make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            "g:S",
            "l:S",
            GlobalSecondaryIndexes=[index("gsi", "g", (), projection("INCLUDE", "seen"))],
            LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        )
    )


def item(**attributes):
    """An item that is in both indexes, changed as told; None leaves an attribute out."""
    built = {"pk": "1", "sk": "1", "g": "g", "l": "l", "seen": "s", "unseen": "u", **attributes}
    return {name: {"S": value} for name, value in built.items() if value is not None}


KEY = {"pk": {"S": "1"}, "sk": {"S": "1"}}


def units(answer):
    """Units of the table, the global and the local index; they add up to the total."""
    consumed = answer["ConsumedCapacity"]
    parts = (
        consumed["Table"]["CapacityUnits"],
        *(
            consumed.get(f"{kind}SecondaryIndexes", {}).get(index_name, {}).get("CapacityUnits", 0)
            for kind, index_name in [("Global", "gsi"), ("Local", "lsi")]
        ),
    )
    assert consumed["CapacityUnits"] == sum(parts)
    return parts


def put(wire, table, new):
    request = {"TableName": table, "Item": new, "ReturnConsumedCapacity": "INDEXES"}
    return units(wire.call("PutItem", request))


def delete(wire, table):
    request = {"TableName": table, "Key": KEY, "ReturnConsumedCapacity": "INDEXES"}
    return units(wire.call("DeleteItem", request))


BIG, BIGGER = "x" * 1500, "x" * 2500
CHANGES = {
    "an item appears in both": (None, item(), (1, 1, 1)),
    "the same item again": (item(), item(), (1, 0, 0)),
    "an attribute the global index does not hold": (item(), item(unseen="v"), (1, 0, 1)),
    "an attribute that both hold": (item(), item(seen="t"), (1, 1, 1)),
    "an attribute that both hold disappears": (item(), item(seen=None), (1, 1, 1)),
    "the key of the global index": (item(), item(g="h"), (1, 2, 1)),
    "the key of the global index disappears": (item(), item(g=None), (1, 1, 1)),
    "the key of the global index appears": (item(g=None), item(), (1, 1, 1)),
    "the key of the local index": (item(), item(l="m"), (1, 0, 2)),
    "the key of the local index disappears": (item(), item(l=None), (1, 0, 1)),
    "an item that is in neither": (item(g=None, l=None), item(g=None, l=None, seen="t"), (1, 0, 0)),
    "an item leaves both": (item(), item(g=None, l=None), (1, 1, 1)),
    "an item of two KB appears": (None, item(seen=BIG), (2, 2, 2)),
    "an item grows": (item(), item(seen=BIG), (2, 2, 2)),
    "an item shrinks": (item(seen=BIG), item(), (2, 2, 2)),
    "an item grows where the global index does not look": (item(), item(unseen=BIG), (2, 0, 2)),
    "a large item moves in the global index": (item(seen=BIG), item(seen=BIG, g="h"), (2, 4, 2)),
    "an item moves and shrinks": (item(seen=BIGGER), item(g="h"), (3, 4, 3)),
    "a large item leaves the global index": (item(seen=BIG), item(seen=BIG, g=None), (2, 2, 2)),
}


@pytest.mark.parametrize("old, new, expected", CHANGES.values(), ids=CHANGES)
def test_a_put_costs_in_each_index(wire, table, old, new, expected):
    if old:
        put(wire, table, old)
    assert put(wire, table, new) == expected


@pytest.mark.parametrize(
    "old, expected",
    [
        (item(), (1, 1, 1)),
        (item(g=None), (1, 0, 1)),
        (item(l=None), (1, 1, 0)),
        (item(g=None, l=None), (1, 0, 0)),
        (item(seen=BIG), (2, 2, 2)),
        (item(unseen=BIG), (2, 1, 2)),
        (None, (1, 0, 0)),
    ],
)
def test_a_delete_costs_in_each_index(wire, table, old, expected):
    if old:
        put(wire, table, old)
    assert delete(wire, table) == expected


def test_the_measured_ladder(wire, table):
    """The steps in one go, as far as puts and deletes can take them."""
    for new, expected in [
        (item(), (1, 1, 1)),
        (item(), (1, 0, 0)),
        (item(unseen="v"), (1, 0, 1)),
        (item(unseen="v", seen="t"), (1, 1, 1)),
        (item(unseen="v", seen="t", g="h"), (1, 2, 1)),
        (item(unseen="v", seen="t", g=None), (1, 1, 1)),
        (item(unseen="v", seen="t", g="h"), (1, 1, 1)),
        (item(unseen="v", seen="t", g="h", l="m"), (1, 0, 2)),
    ]:
        assert put(wire, table, new) == expected
    assert delete(wire, table) == (1, 1, 1)


def test_an_index_of_several_attributes_holds_an_item_only_with_all_of_them(wire, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            "a:S",
            "b:S",
            "c:S",
            "d:S",
            GlobalSecondaryIndexes=[index("gsi", ["a", "b"], ["c", "d"], projection("KEYS_ONLY"))],
        )
    )
    whole = {**KEY, **{attribute: {"S": "1"} for attribute in "abcd"}}
    assert put(wire, table, whole) == (1, 1, 0)
    for attribute in "abcd":
        part = {name: value for name, value in whole.items() if name != attribute}
        assert put(wire, table, part) == (1, 1, 0)
        assert put(wire, table, {**part, "other": {"S": "x"}}) == (1, 0, 0)
        assert put(wire, table, whole) == (1, 1, 0)
        assert put(wire, table, {**whole, attribute: {"S": "2"}}) == (1, 2, 0)
        assert put(wire, table, whole) == (1, 2, 0)


def test_an_index_by_itself_holds_only_keys(wire, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            "g:S",
            GlobalSecondaryIndexes=[index("gsi", "g", (), projection("KEYS_ONLY"))],
        )
    )
    assert put(wire, table, item(seen=BIG)) == (2, 1, 0)
    assert put(wire, table, item(seen=BIGGER)) == (3, 0, 0)
