"""A body that is no JSON, or JSON of the wrong kinds, is a SerializationException."""

import json

import pytest

from definitions import on_demand

STRUCTURE = "Start of structure or map found where not expected"
STRING_LIST = "Unrecognized collection type class java.lang.String"
FIELD = "Unexpected field type"
PAYLOAD = "Unexpected value type in payload"
NAMESPACE = "com.amazonaws.dynamodb.v20120810."
KIND = "com.amazon.coral.service#SerializationException"


def item(value):
    return {"TableName": "abc", "Item": {"a": value}}


def table(**members):
    return {**on_demand("abc"), **members}


WRONG = [
    # A scalar for a string.
    ("GetItem", {"TableName": 5}, "NUMBER_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": 5.5}, "DECIMAL_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": True}, "TRUE_VALUE cannot be converted to String"),
    ("GetItem", {"TableName": False}, "FALSE_VALUE cannot be converted to String"),
    ("PutItem", item({"N": 5}), "NUMBER_VALUE cannot be converted to String"),
    ("PutItem", item({"N": 1.5}), "DECIMAL_VALUE cannot be converted to String"),
    ("PutItem", item({"S": True}), "TRUE_VALUE cannot be converted to String"),
    ("PutItem", item({"SS": [5]}), "NUMBER_VALUE cannot be converted to String"),
    ("PutItem", item({"L": [{"S": 5}]}), "NUMBER_VALUE cannot be converted to String"),
    (
        "GetItem",
        {"TableName": "abc", "ReturnConsumedCapacity": 1},
        "NUMBER_VALUE cannot be converted to String",
    ),
    # A scalar for a number.
    ("ListTables", {"Limit": "5"}, "STRING_VALUE cannot be converted to Integer"),
    ("ListTables", {"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
    ("ListTables", {"Limit": False}, "FALSE_VALUE cannot be converted to Integer"),
    (
        "CreateTable",
        table(ProvisionedThroughput={"ReadCapacityUnits": "5"}),
        "STRING_VALUE cannot be converted to Long",
    ),
    (
        "CreateTable",
        table(ProvisionedThroughput={"ReadCapacityUnits": True}),
        "TRUE_VALUE cannot be converted to Long",
    ),
    # A scalar for a truth.
    (
        "GetItem",
        {"TableName": "abc", "ConsistentRead": 1},
        "NUMBER_VALUE cannot be converted to Boolean",
    ),
    (
        "GetItem",
        {"TableName": "abc", "ConsistentRead": 1.5},
        "DECIMAL_VALUE cannot be converted to Boolean",
    ),
    ("PutItem", item({"BOOL": 1}), "NUMBER_VALUE cannot be converted to Boolean"),
    # An object or a list for a scalar.
    ("GetItem", {"TableName": {}}, STRUCTURE),
    ("GetItem", {"TableName": {"S": "abc"}}, STRUCTURE),
    ("GetItem", {"TableName": []}, STRING_LIST),
    ("GetItem", {"TableName": ["abc"]}, STRING_LIST),
    ("PutItem", item({"S": {}}), STRUCTURE),
    ("PutItem", item({"N": []}), STRING_LIST),
    ("ListTables", {"Limit": {}}, STRUCTURE),
    # A scalar for a structure, a list or a map.
    ("CreateTable", table(ProvisionedThroughput=5), FIELD),
    ("CreateTable", table(ProvisionedThroughput="x"), FIELD),
    ("CreateTable", table(KeySchema="x"), FIELD),
    ("CreateTable", table(KeySchema=["x"]), PAYLOAD),
    ("CreateTable", table(AttributeDefinitions=[5]), PAYLOAD),
    ("PutItem", {"TableName": "abc", "Item": "x"}, FIELD),
    ("PutItem", {"TableName": "abc", "Item": 5}, FIELD),
    ("PutItem", item("x"), PAYLOAD),
    ("PutItem", item(5), PAYLOAD),
    ("PutItem", item({"L": "x"}), FIELD),
    ("PutItem", item({"L": ["x"]}), PAYLOAD),
    ("PutItem", item({"M": "x"}), FIELD),
    ("PutItem", item({"SS": "x"}), FIELD),
    # A list for a structure, and the other way round.
    (
        "CreateTable",
        table(ProvisionedThroughput=[]),
        f"Unrecognized collection type class {NAMESPACE}ProvisionedThroughput",
    ),
    (
        "CreateTable",
        table(StreamSpecification=[1]),
        f"Unrecognized collection type class {NAMESPACE}StreamSpecification",
    ),
    ("PutItem", item([]), f"Unrecognized collection type class {NAMESPACE}AttributeValue"),
    ("CreateTable", table(KeySchema={}), STRUCTURE),
    ("PutItem", item({"L": {}}), STRUCTURE),
    ("PutItem", item({"SS": {}}), STRUCTURE),
    # Base64.
    ("PutItem", item({"B": 5}), "only base-64-encoded strings are convertible to bytes"),
    ("PutItem", item({"B": True}), "only base-64-encoded strings are convertible to bytes"),
    (
        "PutItem",
        item({"B": "abc"}),
        "Base64 encoded length is expected a multiple of 4 bytes but found: 3",
    ),
    (
        "PutItem",
        item({"B": "abcde"}),
        "Base64 encoded length is expected a multiple of 4 bytes but found: 5",
    ),
    ("PutItem", item({"B": "YR=="}), "Invalid last non-pad Base64 character dectected"),
    ("PutItem", item({"BS": ["YWJ="]}), "Invalid last non-pad Base64 character dectected"),
]


@pytest.mark.parametrize("operation, request_, text", WRONG, ids=lambda part: str(part)[:60])
def test_a_wrong_kind_is_named(wire, operation, request_, text):
    answer = wire.post(operation, request_)
    assert answer.status == 400
    assert answer.json == {"__type": KIND, "Message": text}


NO_JSON = [
    b"",
    b" ",
    b"{",
    b"}",
    b"{]",
    b'{"TableName": }',
    b'{"TableName": "abc"',
    b'{"a": 1,}',
    b"{'a': 1}",
    b"{}{}",
    b"{} x",
    b"nothing",
    b"\xff\xfe",
    b'{"a": "\xff"}',
    b'{"a": "\n"}',
    b'{"a": 01}',
    b'{"a": NaN}',
    b"// comment\n{}",
    b"[",
    b'{"TableName": 5, "Limit": {}',
]


@pytest.mark.parametrize("operation", ["ListTables", "GetItem", "Query", "Nothing"])
@pytest.mark.parametrize("body", NO_JSON)
def test_a_body_that_is_no_json_is_refused_without_a_word(wire, operation, body):
    answer = wire.post(operation, body)
    assert answer.status == 400
    assert answer.json == {"__type": KIND}


@pytest.mark.parametrize("body", [b"[]", b"5", b'"text"', b"true", b"null"])
def test_json_that_is_no_object_is_refused(wire, body):
    answer = wire.post("ListTables", body)
    assert (answer.status, answer.json["__type"]) == (400, KIND)


def test_kinds_are_checked_before_constraints(wire):
    answer = wire.post("GetItem", {"TableName": "", "ReturnConsumedCapacity": "X", "Key": "x"})
    assert answer.json == {"__type": KIND, "Message": FIELD}


def test_escapes_and_large_text_are_read(wire, make_table):
    table = make_table(on_demand("escapes"))
    body = (
        '{"T\\u0061bleName": "%s", "\\u0049tem": {"pk": {"S": "\\u00e9\\ud83d\\ude00\\n"}}}' % table
    )
    assert wire.post("PutItem", body.encode()).status == 200
    found = wire.call("GetItem", {"TableName": table, "Key": {"pk": {"S": "\u00e9\U0001f600\n"}}})
    assert json.dumps(found["Item"]) == json.dumps({"pk": {"S": "\u00e9\U0001f600\n"}})
