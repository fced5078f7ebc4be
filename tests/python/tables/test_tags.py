"""TagResource, UntagResource and ListTagsOfResource."""

import pytest

from definitions import name, on_demand

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


@pytest.fixture
def arn(make_table):
    return ARN + make_table(on_demand(name(), Tags=[{"Key": "first", "Value": "1"}]))


def tag(key, value="v"):
    return {"Key": key, "Value": value}


def listed(wire, arn):
    tags = wire.call("ListTagsOfResource", {"ResourceArn": arn})["Tags"]
    return {entry["Key"]: entry["Value"] for entry in tags}


def test_tags_are_added_overwritten_and_removed(wire, arn):
    tags = [tag("first", "one"), tag("second", "")]
    wire.call("TagResource", {"ResourceArn": arn, "Tags": tags})
    assert listed(wire, arn) == {"first": "one", "second": ""}
    wire.call("UntagResource", {"ResourceArn": arn, "TagKeys": ["first", "absent"]})
    assert listed(wire, arn) == {"second": ""}


def test_tagging_and_untagging_answer_with_an_empty_body(wire, arn):
    for operation, request in [
        ("TagResource", {"Tags": [tag("a")]}),
        ("UntagResource", {"TagKeys": ["a"]}),
    ]:
        answer = wire.post(operation, {"ResourceArn": arn, **request})
        assert (answer.status, answer.body) == (200, b"")
        assert answer.headers["Content-Length"] == "0"


def test_boto3_understands_the_empty_answers(client, arn):
    client.tag_resource(ResourceArn=arn, Tags=[tag("k")])
    client.untag_resource(ResourceArn=arn, TagKeys=["k"])
    assert client.list_tags_of_resource(ResourceArn=arn)["Tags"] == [tag("first", "1")]


def test_fifty_tags_fit_and_no_more(wire, arn):
    wire.call("TagResource", {"ResourceArn": arn, "Tags": [tag(f"k{n}") for n in range(49)]})
    assert len(listed(wire, arn)) == 50
    wire.call("TagResource", {"ResourceArn": arn, "Tags": [tag("k7", "again")]})
    assert wire.refused("TagResource", {"ResourceArn": arn, "Tags": [tag("fifty-first")]}) == (
        400,
        "ValidationException",
        "Number of Tags exceed the current limit for the provided ResourceArn",
    )


BAD_TAGS = [
    ([tag("a"), tag("a")], "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"),
    ([tag("aws:x")], "Tag Key cannot be prefixed with aws:, Key: aws:x"),
    ([tag("a{b}")], "The Tag Key provided is invalid, Key: a{b}"),
    (
        [tag(f"k{n}") for n in range(51)],
        "Number of Tags exceed the current limit for the provided ResourceArn",
    ),
]


@pytest.mark.parametrize(
    "tags, text", [([], "Atleast one Tag needs to be provided as Input."), *BAD_TAGS]
)
def test_bad_tags_are_refused(wire, arn, tags, text):
    refusal = wire.refused("TagResource", {"ResourceArn": arn, "Tags": tags})
    assert refusal == (400, "ValidationException", text)
    assert listed(wire, arn) == {"first": "1"}


@pytest.mark.parametrize("tags, text", BAD_TAGS)
def test_bad_tags_of_a_new_table_are_refused(wire, tags, text):
    refusal = wire.refused("CreateTable", on_demand(name(), Tags=tags))
    assert refusal == (400, "ValidationException", text)


def test_untagging_nothing_is_refused(wire, arn):
    assert wire.refused("UntagResource", {"ResourceArn": arn, "TagKeys": []}) == (
        400,
        "ValidationException",
        "Atleast one Tag Key needs to be provided as Input.",
    )


@pytest.mark.parametrize(
    "tags, violation",
    [
        (
            [tag("k" * 129)],
            f"Value '{'k' * 129}' at 'tags.1.member.key' failed to satisfy constraint: "
            "Member must have length less than or equal to 128",
        ),
        (
            [tag("k", "v" * 257)],
            f"Value '{'v' * 257}' at 'tags.1.member.value' failed to satisfy constraint: "
            "Member must have length less than or equal to 256",
        ),
        (
            [{"Key": "k"}],
            "Value null at 'tags.1.member.value' failed to satisfy constraint: "
            "Member must not be null",
        ),
    ],
)
def test_tags_of_the_wrong_length_are_refused(wire, arn, tags, violation):
    refusal = wire.refused("TagResource", {"ResourceArn": arn, "Tags": tags})
    assert refusal == (400, "ValidationException", f"1 validation error detected: {violation}")


CALLS = [
    ("TagResource", {"Tags": [tag("a")]}),
    ("UntagResource", {"TagKeys": ["a"]}),
    ("ListTagsOfResource", {}),
]


@pytest.mark.parametrize("operation, request_", CALLS)
@pytest.mark.parametrize(
    "arn_, kind, text",
    [
        (
            ARN + "nowhere",
            "ResourceNotFoundException",
            f"Requested resource not found: ResourceArn: {ARN}nowhere not found",
        ),
        (
            "nowhere",
            "ValidationException",
            "One or more parameter values were invalid: ARNs must start with 'arn:': nowhere",
        ),
        (
            "arn:aws:dynamodb",
            "ValidationException",
            "Invalid TableArn: Invalid ResourceArn provided as input arn:aws:dynamodb",
        ),
    ],
)
def test_a_resource_that_is_not_there_is_refused(wire, operation, request_, arn_, kind, text):
    refusal = wire.refused(operation, {"ResourceArn": arn_, **request_})
    assert refusal == (400, kind, text)


@pytest.mark.parametrize("operation, request_", CALLS)
def test_a_resource_of_another_account_is_not_to_be_touched(wire, arn, operation, request_):
    foreign = arn.replace(":000000000000:", ":999999999999:")
    _, kind, _ = wire.refused(operation, {"ResourceArn": foreign, **request_})
    assert kind == "AccessDeniedException"
