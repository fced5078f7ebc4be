"""DescribeStream."""

import datetime
import re
import time

import pytest
from botocore.exceptions import ClientError

from definitions import attributes, key, name, on_demand
from server import until
from streams.reading import OFF, VIEWS, Stream, Table, on, streamed, streams_client

SHARD_ID = r"shardId-\d{20}-[0-9a-f]{8}"
SEQUENCE_NUMBER = r"\d{21,40}"


@pytest.mark.parametrize("view", VIEWS)
def test_a_stream_is_described_in_full(make_streamed, view):
    before = time.time()
    table = make_streamed(view, "sk")
    described = table.stream.describe()
    (shard,) = described.pop("Shards")
    created = described.pop("CreationRequestDateTime")
    label = table.stream.arn.rpartition("/")[2]
    assert described == {
        "StreamArn": table.stream.arn,
        "StreamLabel": label,
        "StreamStatus": "ENABLED",
        "StreamViewType": view,
        "TableName": table.name,
        "KeySchema": key("pk", "sk"),
    }
    assert table.stream.arn == f"{table.arn}/stream/{label}"
    moment = datetime.datetime.strptime(label, "%Y-%m-%dT%H:%M:%S.%f")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", label)
    assert moment.replace(tzinfo=datetime.timezone.utc) == created
    assert before - 0.001 <= created.timestamp() <= time.time()
    assert set(shard) == {"ShardId", "SequenceNumberRange"}
    assert re.fullmatch(SHARD_ID, shard["ShardId"])
    assert set(shard["SequenceNumberRange"]) == {"StartingSequenceNumber"}
    assert re.fullmatch(SEQUENCE_NUMBER, shard["SequenceNumberRange"]["StartingSequenceNumber"])


def test_the_key_of_a_table_with_other_types(client, streams, make_table):
    definition = {
        "TableName": name("typed"),
        "AttributeDefinitions": attributes("h:N", "r:B"),
        "KeySchema": key("h", "r"),
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": on(),
    }
    table = Table(client, streams, make_table(definition))
    assert table.stream.describe()["KeySchema"] == key("h", "r")


def test_a_stream_becomes_enabled_and_disabled_with_its_table(fresh_server):
    server = fresh_server("--memory", "--table-delay", "700ms")
    client, streams = server.boto, streams_client(server.endpoint)
    arn = client.create_table(**streamed())["TableDescription"]["LatestStreamArn"]
    stream = Stream(streams, arn)

    def status():
        return stream.describe()["StreamStatus"]

    table = stream.describe()["TableName"]
    assert status() == "ENABLING"
    until(lambda: status() == "ENABLED", "the stream is enabled")
    client.get_waiter("table_exists").wait(
        TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 30}
    )
    client.update_table(TableName=table, StreamSpecification=OFF)
    assert status() == "DISABLING"
    until(lambda: status() == "DISABLED", "the stream is disabled")


@pytest.fixture(scope="module")
def rolled(start_server):
    """A stream that has been rolled a few times, with three shards at a time."""
    with start_server("--memory", "--stream-shards", 3, "--shard-age", "100ms") as server:
        server.boto.create_table(**on_demand("rolled", StreamSpecification=on()))
        table = Table(server.boto, streams_client(server.endpoint), "rolled")
        until(lambda: len(table.stream.shards()) >= 12, "there are many shards")
        table.set_stream(OFF)
        yield table.stream


def test_closed_shards_have_an_end_and_their_children_begin_there(rolled):
    shards = rolled.shards()
    by_id = {shard["ShardId"]: shard for shard in shards}
    assert len(by_id) == len(shards)
    roots = [shard for shard in shards if "ParentShardId" not in shard]
    assert len(roots) == 3
    for shard in shards:
        numbers = shard["SequenceNumberRange"]
        start, end = (int(numbers[f"{part}SequenceNumber"]) for part in ("Starting", "Ending"))
        assert start < end
        if shard not in roots:
            parent = by_id[shard["ParentShardId"]]["SequenceNumberRange"]
            assert int(parent["EndingSequenceNumber"]) <= start
    children = [shard["ParentShardId"] for shard in shards if "ParentShardId" in shard]
    assert len(children) == len(set(children)), "one child follows each"


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_shards_are_described_page_by_page(rolled, limit):
    everything = rolled.shards()
    found, more = [], {}
    while True:
        described = rolled.describe(Limit=limit, **more)
        assert len(described["Shards"]) <= limit
        found += described["Shards"]
        if "LastEvaluatedShardId" not in described:
            break
        assert len(described["Shards"]) == limit
        assert described["LastEvaluatedShardId"] == described["Shards"][-1]["ShardId"]
        more = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}
    assert found == everything


def test_a_page_holds_a_hundred_shards_if_nobody_says(fresh_server):
    server = fresh_server("--memory", "--stream-shards", 120)
    server.boto.create_table(**on_demand("wide", StreamSpecification=on()))
    stream = Table(server.boto, streams_client(server.endpoint), "wide").stream
    described = stream.describe()
    assert len(described["Shards"]) == 100
    assert "LastEvaluatedShardId" in described
    rest = stream.describe(ExclusiveStartShardId=described["LastEvaluatedShardId"])
    assert len(rest["Shards"]) == 20
    assert "LastEvaluatedShardId" not in rest


def test_parents_are_described_before_their_children(rolled):
    known = set()
    for shard in rolled.shards():
        assert shard.get("ParentShardId") in known | {None}
        known.add(shard["ShardId"])


def test_only_the_children_of_a_shard(rolled):
    everything = rolled.shards()
    for shard in everything:
        child_filter = {"Type": "CHILD_SHARDS", "ShardId": shard["ShardId"]}
        children = [
            other for other in everything if other.get("ParentShardId") == shard["ShardId"]
        ]
        described = rolled.describe(ShardFilter=child_filter)
        assert described["Shards"] == children
        assert described["StreamArn"] == rolled.arn
        assert "LastEvaluatedShardId" not in described


def test_an_unknown_stream_or_shard_is_not_found(table):
    nobody = table.stream.arn.rpartition("/")[0] + "/2020-01-01T00:00:00.000"
    with pytest.raises(ClientError) as raised:
        Stream(table.stream.client, nobody).describe()
    assert raised.value.response["Error"] == {
        "Code": "ResourceNotFoundException",
        "Message": f"Requested resource not found: Stream: {nobody} not found",
    }
    with pytest.raises(table.stream.client.exceptions.ResourceNotFoundException):
        table.stream.describe(ExclusiveStartShardId="shardId-00000000000000000099-00000000")


@pytest.mark.parametrize(
    "arn",
    [
        "arn:aws:dynamodb:us-east-1:000000000000:table/abcdef",
        "arn:aws:s3:::table/abc/stream/2020-01-01T00:00:00.000",
        "arn:aws:dynamodb:us-east-1:000000000000:table/abc/index/def",
        "x" * 40,
    ],
)
def test_what_is_no_arn_of_a_stream_is_refused(wire, arn):
    status, kind, _ = wire.refused("DescribeStream", {"StreamArn": arn})
    assert (status, kind) == (400, "ValidationException")
    request = {
        "StreamArn": arn,
        "ShardId": "shardId-00000000000000000000-00000000",
        "ShardIteratorType": "LATEST",
    }
    status, kind, _ = wire.refused("GetShardIterator", request)
    assert (status, kind) == (400, "ValidationException")
