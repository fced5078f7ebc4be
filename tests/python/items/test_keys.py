"""Primary keys: their sizes, and what is said of those that do not fit."""

import pytest

from definitions import attributes, key, name
from sizes import blob

INVALID = "One or more parameter values were invalid: "
UNMATCHED = "The provided key element does not match the schema"
PARTITION = INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"
SORT = INVALID + "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
EMPTY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an empty {kind} value. Key: {key}"
)


@pytest.fixture(scope="module")
def tables(server):
    """A table for each type of key; the key attributes are `pk` and `sk`."""
    made = {kind: name(f"keys-{kind}") for kind in "SNB"}
    for kind, table in made.items():
        server.wire.call(
            "CreateTable",
            {
                "TableName": table,
                "AttributeDefinitions": attributes(f"pk:{kind}", f"sk:{kind}"),
                "KeySchema": key("pk", "sk"),
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
    yield made
    for table in made.values():
        server.wire.call("DeleteTable", {"TableName": table})


S1, S2 = {"S": "1"}, {"S": "2"}


@pytest.mark.parametrize("operation", ["GetItem", "DeleteItem"])
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"pk": S1},
        {"sk": S1},
        {"pk": S1, "sk": S2, "x": S1},
        {"pk": S1, "x": S2},
        {"pk": {"N": "1"}, "sk": S2},
        {"pk": S1, "sk": {"B": "YQ=="}},
        {"pk": S1, "sk": {"NULL": True}},
        {"pk": S1, "sk": {"L": []}},
        {"pk": {"SS": ["1"]}, "sk": S2},
        {"PK": S1, "SK": S2},
    ],
    ids=str,
)
def test_a_key_that_is_not_the_tables_is_refused(wire, tables, operation, given):
    refusal = wire.refused(operation, {"TableName": tables["S"], "Key": given})
    assert refusal == (400, "ValidationException", UNMATCHED)


@pytest.mark.parametrize(
    "item, text",
    [
        ({}, "Missing the key pk in the item"),
        ({"sk": S1}, "Missing the key pk in the item"),
        ({"pk": S1, "a": S2}, "Missing the key sk in the item"),
        ({"pk": {"N": "1"}, "sk": S1}, "Type mismatch for key pk expected: S actual: N"),
        ({"pk": S1, "sk": {"BOOL": True}}, "Type mismatch for key sk expected: S actual: BOOL"),
        ({"pk": S1, "sk": {"NULL": True}}, "Type mismatch for key sk expected: S actual: NULL"),
        ({"pk": {"SS": ["1"]}, "sk": S1}, "Type mismatch for key pk expected: S actual: SS"),
        ({"pk": {"L": []}, "sk": S1}, "Type mismatch for key pk expected: S actual: L"),
        ({"pk": {"M": {}}, "sk": S1}, "Type mismatch for key pk expected: S actual: M"),
    ],
    ids=str,
)
def test_an_item_without_its_key_is_refused(wire, tables, item, text):
    refusal = wire.refused("PutItem", {"TableName": tables["S"], "Item": item})
    assert refusal == (400, "ValidationException", INVALID + text)


def calls(wire, table, given):
    for operation, part in [("PutItem", "Item"), ("GetItem", "Key"), ("DeleteItem", "Key")]:
        yield wire.post(operation, {"TableName": table, part: given})


@pytest.mark.parametrize(
    "kind, empty, word", [("S", {"S": ""}, "string"), ("B", {"B": ""}, "binary")]
)
@pytest.mark.parametrize("attribute", ["pk", "sk"])
def test_an_empty_key_is_refused(wire, tables, kind, empty, word, attribute):
    full = {"S": {"S": "x"}, "B": {"B": "YQ=="}}[kind]
    given = {"pk": full, "sk": full, attribute: empty}
    for answer in calls(wire, tables[kind], given):
        text = EMPTY.format(kind=word, key=attribute)
        assert (answer.status, *answer.error) == (400, "ValidationException", text)


def value(kind, size):
    return {"S": "x" * size} if kind == "S" else blob(b"x" * size)


@pytest.mark.parametrize("kind", ["S", "B"])
def test_the_longest_keys_fit(wire, tables, kind):
    given = {"pk": value(kind, 2048), "sk": value(kind, 1024)}
    put, get, delete = calls(wire, tables[kind], given)
    assert (put.status, delete.status) == (200, 200)
    assert get.json == {"Item": given}


@pytest.mark.parametrize("kind", ["S", "B"])
@pytest.mark.parametrize("pk, sk, text", [(2049, 1, PARTITION), (1, 1025, SORT)])
def test_a_key_that_is_too_long_is_refused(wire, tables, kind, pk, sk, text):
    for answer in calls(wire, tables[kind], {"pk": value(kind, pk), "sk": value(kind, sk)}):
        assert (answer.status, *answer.error) == (400, "ValidationException", text)


def test_the_length_of_a_key_is_that_of_its_bytes(wire, tables):
    fits = {"pk": {"S": "\u00e9" * 1024}, "sk": {"S": "\u20ac" * 341}}
    assert [answer.status for answer in calls(wire, tables["S"], fits)] == [200] * 3
    too_long = {**fits, "pk": {"S": "\u00e9" * 1024 + "x"}}
    for answer in calls(wire, tables["S"], too_long):
        assert answer.error == ("ValidationException", PARTITION)


def test_keys_of_numbers_are_told_apart_to_the_last_digit(wire, tables):
    digits = "1234567890123456789012345678901234567"
    items = [
        {"pk": {"N": sign + digits + last}, "sk": {"N": "1E-130"}, "a": {"S": sign + last}}
        for last in "89"
        for sign in ("", "-")
    ]
    for item in items:
        wire.call("PutItem", {"TableName": tables["N"], "Item": item})
    for item in items:
        given = {"pk": item["pk"], "sk": item["sk"]}
        found = wire.call("GetItem", {"TableName": tables["N"], "Key": given})
        assert found["Item"]["a"] == item["a"]


def test_keys_that_share_their_bytes_are_different_items(wire, tables):
    pairs = [
        ("a", "bc"),
        ("ab", "c"),
        ("a\x00", "b"),
        ("a", "\x00b"),
        ("a\x00\x01", "b"),
        ("A", "bc"),
    ]
    for pk, sk in pairs:
        item = {"pk": {"S": pk}, "sk": {"S": sk}, "own": {"S": f"{pk}|{sk}"}}
        wire.call("PutItem", {"TableName": tables["S"], "Item": item})
    for pk, sk in pairs:
        given = {"pk": {"S": pk}, "sk": {"S": sk}}
        found = wire.call("GetItem", {"TableName": tables["S"], "Key": given})["Item"]
        assert found["own"] == {"S": f"{pk}|{sk}"}


@pytest.mark.parametrize(
    "operation, part", [("PutItem", "Item"), ("GetItem", "Key"), ("DeleteItem", "Key")]
)
def test_items_of_an_unknown_table_are_not_found(wire, operation, part):
    assert wire.refused(operation, {"TableName": "nowhere", part: {"any": S1}}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found",
    )
