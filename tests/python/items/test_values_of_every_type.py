"""What is put is what is got back, for all ten types."""

import base64

import pytest

from definitions import name, on_demand


@pytest.fixture(scope="module")
def table(server):
    table = name("values")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def put_and_get(wire, table, item):
    item = {"pk": {"S": "1"}, **item}
    wire.call("PutItem", {"TableName": table, "Item": item})
    found = wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "1"}}})["Item"]
    assert found.pop("pk") == {"S": "1"}
    return found


def b(data):
    return base64.b64encode(data).decode()


VALUES = {
    "string": {"S": "text"},
    "empty string": {"S": ""},
    "string of every plane": {"S": '\u0000\u001f"\\/\u007f\u00e9\u20ac\ufeff\U0001f600'},
    "number": {"N": "-1.5"},
    "binary": {"B": b(bytes(range(256)))},
    "empty binary": {"B": ""},
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "null": {"NULL": True},
    "empty list": {"L": []},
    "empty map": {"M": {}},
    "list of everything": {
        "L": [
            {"S": ""},
            {"N": "0"},
            {"B": ""},
            {"BOOL": False},
            {"NULL": True},
            {"L": []},
            {"M": {}},
            {"SS": ["x"]},
            {"NS": ["1"]},
            {"BS": [b(b"x")]},
        ]
    },
    "map of everything": {
        "M": {
            "S": {"S": "s"},
            "N": {"N": "1"},
            "L": {"L": [{"M": {"deep": {"L": []}}}]},
            "a.b": {"S": "dot"},
            "\u00e9": {"S": "name"},
        }
    },
    "nested lists": {"L": [{"L": [{"L": [{"N": "1"}, {"L": []}]}]}]},
}
SETS = {
    "string set": {"SS": ["b", "a", "\u00e9"]},
    "string set with an empty string": {"SS": ["", "a"]},
    "number set": {"NS": ["3", "-1", "2.5"]},
    "binary set": {"BS": [b(b"z"), b(b"a"), b(b"\x00")]},
    "binary set with an empty binary": {"BS": ["", b(b"a")]},
    "set of one": {"SS": ["only"]},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_comes_back_as_it_was_put(wire, table, value):
    assert put_and_get(wire, table, {"a": value}) == {"a": value}


@pytest.mark.parametrize("value", SETS.values(), ids=SETS)
def test_a_set_comes_back_with_the_same_elements(wire, table, value):
    found = put_and_get(wire, table, {"a": value})["a"]
    ((kind, elements),) = value.items()
    assert list(found) == [kind]
    assert sorted(found[kind]) == sorted(elements)


def test_an_item_with_many_attributes_comes_back_whole(wire, table):
    item = {f"attribute{n}": {"N": str(n)} for n in range(500)}
    assert put_and_get(wire, table, item) == item


def test_the_order_of_a_list_is_kept(wire, table):
    value = {"L": [{"N": str(n)} for n in (5, 3, 9, 1, 1)]}
    assert put_and_get(wire, table, {"a": value}) == {"a": value}


@pytest.mark.parametrize("text", ["true", "1", "yes"])
def test_a_truth_may_come_as_text(wire, table, text):
    assert put_and_get(wire, table, {"a": {"BOOL": text}}) == {"a": {"BOOL": True}}


def test_boto3_resources_write_and_read_python_values(server, table):
    import decimal

    import boto3

    resource = boto3.resource("dynamodb", endpoint_url=server.endpoint).Table(table)
    item = {
        "pk": "python",
        "number": decimal.Decimal("1.25"),
        "text": "",
        "bytes": b"\x00\xff",
        "none": None,
        "list": [1, "two", [b"3"]],
        "map": {"a": {"b": True}},
        "strings": {"x", "y"},
        "numbers": {1, 2},
        "binaries": {b"a", b"b"},
    }
    resource.put_item(Item=item)
    found = resource.get_item(Key={"pk": "python"}, ConsistentRead=True)["Item"]
    assert found == item
