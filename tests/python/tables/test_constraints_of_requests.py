"""Constraints of the service model: every violation is listed, in AWS's words and order."""

import pytest

from definitions import attributes, index, key, name, on_demand, units

ITEM = {"pk": {"S": "1"}}
LONG = "x" * 256
RETURN_VALUES = "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]"
CAPACITY = "[INDEXES, TOTAL, NONE]"
METRICS = "[SIZE, NONE]"


def violation(value, path, constraint):
    shown = "null" if value is None else f"'{value}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: Member must {constraint}"


def detected(*violations):
    plural = "" if len(violations) == 1 else "s"
    return f"{len(violations)} validation error{plural} detected: {'; '.join(violations)}"


def enum(value, path, values):
    return violation(value, path, f"satisfy enum value set: {values}")


def at_least(value, path, bound, of="length"):
    return violation(value, path, f"have {of} greater than or equal to {bound}")


def at_most(value, path, bound, of="length"):
    return violation(value, path, f"have {of} less than or equal to {bound}")


def table(**changes):
    return {**on_demand("constrained"), **changes}


def with_index(**changes):
    gsi = {**index("gsi", "pk"), **changes}
    return table(GlobalSecondaryIndexes=[gsi])


DATA_PLANE = [("GetItem", "Key"), ("PutItem", "Item"), ("DeleteItem", "Key"), ("UpdateItem", "Key")]


@pytest.mark.parametrize("operation, part", DATA_PLANE)
@pytest.mark.parametrize(
    "given, expected",
    [
        (None, violation(None, "tableName", "not be null")),
        ("", at_least("", "tableName", 1)),
        (LONG, at_most(LONG, "tableName", 255)),
        (
            "a b",
            violation("a b", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"),
        ),
    ],
)
def test_a_bad_table_name_of_an_item_operation_is_refused(wire, operation, part, given, expected):
    request = {part: ITEM} if given is None else {"TableName": given, part: ITEM}
    refusal = wire.refused(operation, request)
    assert refusal == (400, "ValidationException", detected(expected))


def test_a_short_table_name_of_an_item_operation_is_only_not_found(wire):
    assert wire.refused("GetItem", {"TableName": "ab", "Key": ITEM}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found",
    )


def test_creating_a_table_without_a_name_asks_for_it(wire):
    request = table()
    del request["TableName"]
    assert wire.refused("CreateTable", request) == (
        400,
        "ValidationException",
        "The parameter 'TableName' is required but was not present in the request",
    )


NON_ITEM = [
    # A name for a table to be created.
    ("CreateTable", table(TableName="ab"), detected(at_least("ab", "tableName", 3))),
    ("CreateTable", table(TableName=LONG), detected(at_most(LONG, "tableName", 255))),
    (
        "CreateTable",
        table(TableName="a/b"),
        detected(
            violation("a/b", "tableName", "satisfy regular expression pattern: [a-zA-Z0-9_.-]+")
        ),
    ),
    # Enumerations.
    (
        "CreateTable",
        table(BillingMode="FREE"),
        detected(enum("FREE", "billingMode", "[PROVISIONED, PAY_PER_REQUEST]")),
    ),
    (
        "CreateTable",
        table(AttributeDefinitions=attributes("pk:X")),
        detected(enum("X", "attributeDefinitions.1.member.attributeType", "[B, N, S]")),
    ),
    (
        "CreateTable",
        table(KeySchema=[{"AttributeName": "pk", "KeyType": "SORT"}]),
        detected(enum("SORT", "keySchema.1.member.keyType", "[HASH, RANGE]")),
    ),
    (
        "CreateTable",
        with_index(Projection={"ProjectionType": "SOME"}),
        detected(
            enum(
                "SOME",
                "globalSecondaryIndexes.1.member.projection.projectionType",
                "[ALL, INCLUDE, KEYS_ONLY]",
            )
        ),
    ),
    (
        "Query",
        {"TableName": "abc", "Select": "ALL"},
        detected(
            enum(
                "ALL",
                "select",
                "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]",
            )
        ),
    ),
    (
        "Query",
        {"TableName": "abc", "ConditionalOperator": "XOR"},
        detected(enum("XOR", "conditionalOperator", "[OR, AND]")),
    ),
    (
        "Query",
        {"TableName": "abc", "KeyConditions": {"a": {"ComparisonOperator": "IS"}}},
        detected(
            enum(
                "IS",
                "keyConditions.a.member.comparisonOperator",
                "[IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, LE, "
                "BEGINS_WITH, GE, CONTAINS]",
            )
        ),
    ),
    # Numbers.
    ("ListTables", {"Limit": 0}, detected(at_least(0, "limit", 1, "value"))),
    ("ListTables", {"Limit": 101}, detected(at_most(101, "limit", 100, "value"))),
    ("Scan", {"TableName": "abc", "Limit": 0}, detected(at_least(0, "limit", 1, "value"))),
    ("Query", {"TableName": "abc", "Limit": 0}, detected(at_least(0, "limit", 1, "value"))),
    (
        "Scan",
        {"TableName": "abc", "TotalSegments": 1000001, "Segment": 0},
        detected(at_most(1000001, "totalSegments", 1000000, "value")),
    ),
    (
        "CreateTable",
        table(BillingMode="PROVISIONED", ProvisionedThroughput=units(0, 1)),
        detected(at_least(0, "provisionedThroughput.readCapacityUnits", 1, "value")),
    ),
    # Lengths.
    (
        "ListTables",
        {"ExclusiveStartTableName": "ab"},
        detected(at_least("ab", "exclusiveStartTableName", 3)),
    ),
    (
        "CreateTable",
        with_index(IndexName="ab"),
        detected(at_least("ab", "globalSecondaryIndexes.1.member.indexName", 3)),
    ),
    ("CreateTable", table(KeySchema=[]), detected(at_least("[]", "keySchema", 1))),
    (
        "CreateTable",
        table(AttributeDefinitions=attributes(f"{LONG}:S"), KeySchema=key("pk")),
        detected(at_most(LONG, "attributeDefinitions.1.member.attributeName", 255)),
    ),
    (
        "CreateTable",
        with_index(Projection={"ProjectionType": "INCLUDE", "NonKeyAttributes": []}),
        detected(at_least("[]", "globalSecondaryIndexes.1.member.projection.nonKeyAttributes", 1)),
    ),
    ("TransactWriteItems", {"TransactItems": []}, detected(at_least("[]", "transactItems", 1))),
    ("TransactGetItems", {"TransactItems": []}, detected(at_least("[]", "transactItems", 1))),
    # Absent members.
    ("GetItem", {"TableName": "abc"}, detected(violation(None, "key", "not be null"))),
    ("PutItem", {"TableName": "abc"}, detected(violation(None, "item", "not be null"))),
    ("DeleteItem", {"TableName": "abc"}, detected(violation(None, "key", "not be null"))),
    (
        "CreateTable",
        table(KeySchema=[{"KeyType": "HASH"}]),
        detected(violation(None, "keySchema.1.member.attributeName", "not be null")),
    ),
    (
        "CreateTable",
        table(StreamSpecification={"StreamViewType": "NEW_IMAGE"}),
        detected(violation(None, "streamSpecification.streamEnabled", "not be null")),
    ),
    ("TagResource", {"Tags": []}, detected(violation(None, "resourceArn", "not be null"))),
    (
        "UpdateTimeToLive",
        {"TableName": "abc"},
        detected(violation(None, "timeToLiveSpecification", "not be null")),
    ),
]


@pytest.mark.parametrize("operation, request_, text", NON_ITEM)
def test_a_violation_is_named_with_its_path_and_value(wire, operation, request_, text):
    assert wire.refused(operation, request_) == (400, "ValidationException", text)


SEVERAL = [
    # PutItem checks its enumerations in this order, and the table name after them.
    (
        "PutItem",
        {
            "TableName": "",
            "Item": ITEM,
            "ReturnValues": "A",
            "ReturnConsumedCapacity": "B",
            "ReturnItemCollectionMetrics": "C",
        },
        [
            enum("A", "returnValues", RETURN_VALUES),
            enum("B", "returnConsumedCapacity", CAPACITY),
            enum("C", "returnItemCollectionMetrics", METRICS),
            at_least("", "tableName", 1),
        ],
    ),
    (
        "PutItem",
        {"TableName": "", "Item": ITEM, "ReturnValues": "A"},
        [enum("A", "returnValues", RETURN_VALUES), at_least("", "tableName", 1)],
    ),
    (
        "DeleteItem",
        {"TableName": "abc", "Key": ITEM, "ReturnValues": "A", "ReturnConsumedCapacity": "B"},
        [enum("A", "returnValues", RETURN_VALUES), enum("B", "returnConsumedCapacity", CAPACITY)],
    ),
    (
        "UpdateItem",
        {"TableName": "abc", "Key": ITEM, "ReturnValues": "A", "ReturnConsumedCapacity": "B"},
        [enum("B", "returnConsumedCapacity", CAPACITY), enum("A", "returnValues", RETURN_VALUES)],
    ),
    (
        "GetItem",
        {"TableName": "abc", "Key": ITEM, "ReturnConsumedCapacity": "B"},
        [enum("B", "returnConsumedCapacity", CAPACITY)],
    ),
]


@pytest.mark.parametrize("operation, request_, violations", SEVERAL)
def test_violations_are_reported_together_and_in_order(wire, operation, request_, violations):
    refusal = wire.refused(operation, request_)
    assert refusal == (400, "ValidationException", detected(*violations))


# Where structures are echoed, only the end of the text is fixed.
TAILS = [
    (
        "CreateTable",
        table(AttributeDefinitions=attributes("a:S", "b:S", "c:S"), KeySchema=key("a", ["b", "c"])),
        "at 'keySchema' failed to satisfy constraint: Member must have length less than or "
        "equal to 2",
    ),
    (
        "CreateTable",
        with_index(
            Projection={
                "ProjectionType": "INCLUDE",
                "NonKeyAttributes": [f"x{n}" for n in range(21)],
            }
        ),
        "at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' failed to satisfy "
        "constraint: Member must have length less than or equal to 20",
    ),
    (
        "TransactGetItems",
        {"TransactItems": [{"Get": {"TableName": "abc", "Key": ITEM}}] * 101},
        "at 'transactItems' failed to satisfy constraint: Member must have length less than or "
        "equal to 100",
    ),
    (
        "TransactWriteItems",
        {"TransactItems": [{"Put": {"TableName": "abc", "Item": ITEM}}] * 101},
        "at 'transactItems' failed to satisfy constraint: Member must have length less than or "
        "equal to 100",
    ),
    (
        "BatchWriteItem",
        {"RequestItems": {"abc": [{"PutRequest": {"Item": ITEM}}] * 26}},
        "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, Member must have length greater "
        "than or equal to 1]",
    ),
]


@pytest.mark.parametrize("operation, request_, tail", TAILS)
def test_too_many_elements_are_refused(wire, operation, request_, tail):
    status, kind, text = wire.refused(operation, request_)
    assert (status, kind) == (400, "ValidationException")
    assert text.startswith("1 validation error detected: Value '")
    assert text.endswith("' " + tail), text


def test_no_more_than_ten_violations_are_listed(wire):
    definitions = attributes(*(f"a{n}:X" for n in range(12)))
    status, kind, text = wire.refused("CreateTable", table(AttributeDefinitions=definitions))
    assert (status, kind) == (400, "ValidationException")
    assert text.startswith("10 validation errors detected: Value 'X' at ")
    assert text.count("; ") == 9


def test_null_members_count_as_absent(wire, make_table):
    made = make_table(on_demand(name(), StreamSpecification=None, Tags=None))
    answer = wire.call("PutItem", {"TableName": made, "Item": ITEM, "ReturnValues": None})
    assert answer == {}
    refusal = wire.refused("GetItem", {"TableName": None, "Key": ITEM})
    expected = detected(violation(None, "tableName", "not be null"))
    assert refusal == (400, "ValidationException", expected)


def test_members_that_nobody_knows_are_ignored(wire, make_table):
    made = make_table(on_demand(name(), Colour="green"))
    wire.call("PutItem", {"TableName": made, "Item": ITEM, "Colour": {"deep": [1, None]}})
    found = wire.call("GetItem", {"TableName": made, "Key": ITEM, "colour": 5})
    assert found == {"Item": ITEM}
