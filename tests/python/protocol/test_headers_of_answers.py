"""The headers of every answer."""

import re
import zlib

import pytest

from wire import headers

GOOD = ("ListTables", b"{}", 200)
REFUSED = ("DescribeTable", b'{"TableName": "nowhere"}', 400)
NO_JSON = ("ListTables", b"{", 400)
ALL = pytest.mark.parametrize("operation, body, status", [GOOD, REFUSED, NO_JSON])


@ALL
def test_an_answer_has_the_headers_of_aws(wire, operation, body, status):
    answer = wire.post(operation, body)
    assert answer.status == status
    assert re.fullmatch(r"[A-Z0-9]{52}", answer.headers["x-amzn-RequestId"])
    assert answer.headers["x-amz-crc32"] == str(zlib.crc32(answer.body))
    assert answer.headers["Content-Type"] == "application/x-amz-json-1.0"
    assert answer.headers["Content-Length"] == str(len(answer.body))
    assert answer.headers["Date"].endswith(" GMT")
    assert answer.headers["Server"]


@ALL
@pytest.mark.parametrize(
    "sent, expected",
    [
        ("application/json", "application/json"),
        ("application/x-amz-json-1.0", "application/x-amz-json-1.0"),
        ("application/x-amz-json-1.0; charset=utf-8", "application/x-amz-json-1.0"),
    ],
)
def test_the_type_of_the_request_is_that_of_the_answer(
    wire, operation, body, status, sent, expected
):
    answer = wire.post(operation, body, Content_Type=sent)
    assert answer.status == status
    assert answer.headers["Content-Type"] == expected


@pytest.mark.parametrize(
    "sent",
    [None, "text/plain", "application/x-www-form-urlencoded", "application/x-amz-json-1.1", "x"],
)
def test_a_type_that_nobody_knows_is_not_found(wire, sent):
    answer = wire.post("ListTables", b"{}", Content_Type=sent)
    assert (answer.status, answer.body) == (404, b"<UnknownOperationException/>\n")


def test_no_two_requests_have_the_same_id(wire):
    ids = {wire.post("ListTables", b"{}").headers["x-amzn-RequestId"] for _ in range(50)}
    assert len(ids) == 50


@pytest.mark.parametrize(
    "target",
    [
        None,
        "",
        "ListTables",
        "DynamoDB_20120810.",
        "DynamoDB_20120810.Nothing",
        "DynamoDB_20111205.ListTables",
        "dynamodb_20120810.ListTables",
        "DynamoDB_20120810.listtables",
        "DynamoDBStreams_20120810.ListTables",
        "DynamoDB_20120810.ListStreams",
        "DynamoDB_20120810.ListTables.x",
    ],
)
def test_a_target_that_nobody_knows_is_an_unknown_operation(wire, target):
    answer = wire.send(body=b"{}", headers=headers(X_Amz_Target=target))
    assert answer.status == 400
    assert answer.json["__type"] == "com.amazon.coral.service#UnknownOperationException"


@pytest.mark.parametrize(
    "operation, request_, expected",
    [
        (
            "DescribeTable",
            {"TableName": "nowhere"},
            "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
        ),
        ("DescribeTable", {}, "com.amazon.coral.validate#ValidationException"),
        ("DescribeTable", {"TableName": 5}, "com.amazon.coral.service#SerializationException"),
        ("ListGlobalTables", {}, "com.amazon.coral.service#UnknownOperationException"),
    ],
)
def test_errors_carry_their_namespace(wire, operation, request_, expected):
    answer = wire.post(operation, request_)
    assert (answer.status, answer.json["__type"]) == (400, expected)
