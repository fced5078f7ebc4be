"""PutResourcePolicy, GetResourcePolicy and DeleteResourcePolicy."""

import json

import pytest

from definitions import name, on_demand

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


@pytest.fixture
def arn(make_table):
    return ARN + make_table(on_demand(name()))


def policy(text="allow"):
    return json.dumps({"Version": "2012-10-17", "Id": text, "Statement": []})


def put(wire, arn, text="allow", **more):
    request = {"ResourceArn": arn, "Policy": policy(text), **more}
    return wire.call("PutResourcePolicy", request)["RevisionId"]


def test_a_policy_is_kept_and_given_back(wire, arn):
    revision = put(wire, arn)
    found = wire.call("GetResourcePolicy", {"ResourceArn": arn})
    assert found == {"Policy": policy(), "RevisionId": revision}


def test_another_policy_has_another_revision(wire, arn):
    first = put(wire, arn, "one")
    second = put(wire, arn, "two")
    assert first != second
    assert wire.call("GetResourcePolicy", {"ResourceArn": arn})["Policy"] == policy("two")


def test_deleting_a_policy_takes_it_away_and_may_be_repeated(wire, arn):
    revision = put(wire, arn)
    answer = wire.call("DeleteResourcePolicy", {"ResourceArn": arn})
    assert answer["RevisionId"] == revision
    status, kind, _ = wire.refused("GetResourcePolicy", {"ResourceArn": arn})
    assert (status, kind) == (400, "PolicyNotFoundException")
    wire.call("DeleteResourcePolicy", {"ResourceArn": arn})


def test_an_expected_revision_must_be_the_current_one(wire, arn):
    revision = put(wire, arn, "one", ExpectedRevisionId="NO_POLICY")
    for operation, more in [
        ("PutResourcePolicy", {"Policy": policy("x")}),
        ("DeleteResourcePolicy", {}),
    ]:
        request = {"ResourceArn": arn, "ExpectedRevisionId": "other", **more}
        status, kind, _ = wire.refused(operation, request)
        assert (status, kind) == (400, "PolicyNotFoundException")
    assert wire.call("GetResourcePolicy", {"ResourceArn": arn})["RevisionId"] == revision
    second = put(wire, arn, "two", ExpectedRevisionId=revision)
    wire.call("DeleteResourcePolicy", {"ResourceArn": arn, "ExpectedRevisionId": second})


def test_a_policy_of_20_kb_fits_and_no_more(wire, arn):
    empty = len(policy(""))
    put(wire, arn, "x" * (20 * 1024 - empty))
    request = {"ResourceArn": arn, "Policy": policy("x" * (20 * 1024 - empty + 1))}
    status, kind, _ = wire.refused("PutResourcePolicy", request)
    assert (status, kind) == (400, "ValidationException")


@pytest.mark.parametrize("text", ["", "no json", "[]", '"text"', "{"])
def test_a_policy_that_is_no_json_object_is_refused(wire, arn, text):
    status, kind, _ = wire.refused("PutResourcePolicy", {"ResourceArn": arn, "Policy": text})
    assert (status, kind) == (400, "ValidationException")


@pytest.mark.parametrize(
    "operation, request_",
    [
        ("PutResourcePolicy", {"Policy": policy()}),
        ("GetResourcePolicy", {}),
        ("DeleteResourcePolicy", {}),
    ],
)
def test_the_policy_of_an_unknown_table_is_not_found(wire, operation, request_):
    status, kind, _ = wire.refused(operation, {"ResourceArn": ARN + "nowhere", **request_})
    assert (status, kind) == (400, "ResourceNotFoundException")
