"""Constraints of the service model: every violation is listed, in AWS's words."""

import pytest

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/abc/stream/2020-01-01T00:00:00.000"
SHARD = "shardId-00000000000000000000-00000000"
LONG = "x" * 1025
TYPES = "[TRIM_HORIZON, LATEST, AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, AT_TIMESTAMP]"


def violation(value, path, constraint):
    shown = "null" if value is None else f"'{value}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: Member must {constraint}"


def at_least(value, path, bound, of="length"):
    return violation(value, path, f"have {of} greater than or equal to {bound}")


def at_most(value, path, bound, of="length"):
    return violation(value, path, f"have {of} less than or equal to {bound}")


def missing(path):
    return violation(None, path, "not be null")


def iterate(**changes):
    request = {"StreamArn": ARN, "ShardId": SHARD, "ShardIteratorType": "LATEST", **changes}
    return {name: value for name, value in request.items() if value is not None}


NAME = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
CASES = [
    ("ListStreams", {"Limit": 0}, [at_least(0, "limit", 1, "value")]),
    ("ListStreams", {"Limit": -7}, [at_least(-7, "limit", 1, "value")]),
    ("ListStreams", {"TableName": "ab"}, [at_least("ab", "tableName", 3)]),
    ("ListStreams", {"TableName": "x" * 256}, [at_most("x" * 256, "tableName", 255)]),
    ("ListStreams", {"TableName": "a b"}, [violation("a b", "tableName", NAME)]),
    (
        "ListStreams",
        {"ExclusiveStartStreamArn": "x"},
        [at_least("x", "exclusiveStartStreamArn", 37)],
    ),
    (
        "ListStreams",
        {"ExclusiveStartStreamArn": LONG},
        [at_most(LONG, "exclusiveStartStreamArn", 1024)],
    ),
    (
        "ListStreams",
        {"Limit": 0, "TableName": "ab"},
        [at_least(0, "limit", 1, "value"), at_least("ab", "tableName", 3)],
    ),
    ("DescribeStream", {}, [missing("streamArn")]),
    ("DescribeStream", {"StreamArn": None}, [missing("streamArn")]),
    ("DescribeStream", {"StreamArn": ""}, [at_least("", "streamArn", 37)]),
    ("DescribeStream", {"StreamArn": LONG}, [at_most(LONG, "streamArn", 1024)]),
    ("DescribeStream", {"StreamArn": ARN, "Limit": 0}, [at_least(0, "limit", 1, "value")]),
    (
        "DescribeStream",
        {"StreamArn": ARN, "ExclusiveStartShardId": "x"},
        [at_least("x", "exclusiveStartShardId", 28)],
    ),
    (
        "DescribeStream",
        {"StreamArn": ARN, "ExclusiveStartShardId": "x" * 66},
        [at_most("x" * 66, "exclusiveStartShardId", 65)],
    ),
    (
        "DescribeStream",
        {"StreamArn": ARN, "ShardFilter": {"Type": "PARENTS", "ShardId": SHARD}},
        [violation("PARENTS", "shardFilter.type", "satisfy enum value set: [CHILD_SHARDS]")],
    ),
    (
        "DescribeStream",
        {"StreamArn": ARN, "ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "x"}},
        [at_least("x", "shardFilter.shardId", 28)],
    ),
    (
        "GetShardIterator",
        {},
        [missing("shardId"), missing("shardIteratorType"), missing("streamArn")],
    ),
    ("GetShardIterator", iterate(StreamArn="x"), [at_least("x", "streamArn", 37)]),
    ("GetShardIterator", iterate(ShardId="x"), [at_least("x", "shardId", 28)]),
    ("GetShardIterator", iterate(ShardId="x" * 66), [at_most("x" * 66, "shardId", 65)]),
    ("GetShardIterator", iterate(ShardIteratorType=None), [missing("shardIteratorType")]),
    (
        "GetShardIterator",
        iterate(ShardIteratorType="latest"),
        [violation("latest", "shardIteratorType", f"satisfy enum value set: {TYPES}")],
    ),
    (
        "GetShardIterator",
        iterate(ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber="1" * 20),
        [at_least("1" * 20, "sequenceNumber", 21)],
    ),
    (
        "GetShardIterator",
        iterate(ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber="1" * 41),
        [at_most("1" * 41, "sequenceNumber", 40)],
    ),
    ("GetRecords", {}, [missing("shardIterator")]),
    ("GetRecords", {"ShardIterator": ""}, [at_least("", "shardIterator", 1)]),
    (
        "GetRecords",
        {"ShardIterator": "x" * 2049},
        [at_most("x" * 2049, "shardIterator", 2048)],
    ),
    (
        "GetRecords",
        {"ShardIterator": "x", "Limit": 0},
        [at_least(0, "limit", 1, "value")],
    ),
]


@pytest.mark.parametrize("operation, request_, violations", CASES)
def test_a_violation_is_told(wire, operation, request_, violations):
    status, kind, text = wire.refused(operation, request_)
    assert (status, kind) == (400, "ValidationException")
    plural = "" if len(violations) == 1 else "s"
    head = f"{len(violations)} validation error{plural} detected: "
    assert text.startswith(head)
    assert sorted(text.removeprefix(head).split("; ")) == sorted(violations)


@pytest.mark.parametrize(
    "operation, request_",
    [
        ("ListStreams", {"Limit": "1"}),
        ("ListStreams", {"TableName": 5}),
        ("DescribeStream", {"StreamArn": ["x"]}),
        ("DescribeStream", {"StreamArn": ARN, "ShardFilter": "x"}),
        ("GetShardIterator", iterate(Timestamp="yesterday")),
        ("GetRecords", {"ShardIterator": {}}),
    ],
)
def test_a_wrong_kind_of_json_is_refused(wire, operation, request_):
    status, kind, _ = wire.refused(operation, request_)
    assert (status, kind) == (400, "SerializationException")


@pytest.mark.parametrize(
    "operation", ["ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"]
)
def test_the_calls_belong_to_the_target_of_streams(wire, operation):
    answer = wire.post(operation, {}, X_Amz_Target=f"DynamoDB_20120810.{operation}")
    assert (answer.status, answer.error[0]) == (400, "UnknownOperationException")
