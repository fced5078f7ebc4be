"""Data directories of every released format are opened and read, for ever.

`tests/fixtures/format-N.tar.gz` is a directory as a server of that time left it.
"""

import tarfile

import pytest

from server import REPOSITORY

ITEM = {
    "s": {"S": "text \u00e9"},
    "n": {"N": "-12345678901234567890123456789012345678"},
    "b": {"B": "AP8="},
    "t": {"BOOL": True},
    "f": {"BOOL": False},
    "z": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["-2.5", "1"]},
    "bs": {"BS": ["", "eA=="]},
    "l": {"L": [{"N": "1"}, {"M": {"k": {"S": ""}}}]},
    "m": {"M": {"a": {"L": []}}},
}


@pytest.fixture
def opened(tmp_path, fresh_server):
    def open_format(name):
        with tarfile.open(REPOSITORY / f"tests/fixtures/{name}.tar.gz") as archive:
            archive.extractall(tmp_path, filter="data")
        return fresh_server("--data", tmp_path / name).wire

    return open_format


def test_format_1_is_read(opened):
    wire = opened("format-1")
    assert wire.call("ListTables", {})["TableNames"] == ["everything", "provisioned"]
    table = wire.call("DescribeTable", {"TableName": "everything"})["Table"]
    assert table["ItemCount"] == 10
    assert table["GlobalSecondaryIndexes"][0]["ItemCount"] == 10
    assert table["DeletionProtectionEnabled"] is True
    assert table["TableArn"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/everything"
    ttl = wire.call("DescribeTimeToLive", {"TableName": "everything"})["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}

    found = wire.call(
        "Query",
        {
            "TableName": "everything",
            "KeyConditionExpression": "PK = :p",
            "ExpressionAttributeValues": {":p": {"S": "USER#1\0x"}},
        },
    )["Items"]
    numbers = ["-7.5", "-6", "-4.5", "-3", "-1.5", "0", "1.5", "3", "4.5", "6"]
    assert [item["SK"]["N"] for item in found] == numbers
    assert all({name: item[name] for name in ITEM} == ITEM for item in found)
    for index, expected in (("gsi", 10), ("lsi", 10)):
        request = {"TableName": "everything", "IndexName": index, "Select": "COUNT"}
        assert wire.call("Scan", request)["Count"] == expected

    key = {"id": {"B": "AAE="}}
    item = wire.call("GetItem", {"TableName": "provisioned", "Key": key})["Item"]
    assert item == {**key, "v": {"N": "0." + "0" * 99 + "1"}}
    wire.call("PutItem", {"TableName": "provisioned", "Item": {**key, "v": {"S": "new"}}})
