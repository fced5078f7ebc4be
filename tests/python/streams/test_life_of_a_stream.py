"""A stream is turned on and off, and outlives its table."""

import datetime

import boto3
import pytest

from conftest import CONFIG
from definitions import name, on_demand
from streams.reading import OFF, Stream, Table, events, item, keys, number, on, streamed


def arns(streams, table):
    listed = streams.list_streams(TableName=table)["Streams"]
    return [stream["StreamArn"] for stream in listed]


def test_a_stream_begins_with_its_enabling(client, streams, make_table):
    table = make_table(on_demand(name("late")))
    client.put_item(TableName=table, Item=item("before"))
    assert arns(streams, table) == []
    client.update_table(TableName=table, StreamSpecification=on())
    late = Table(client, streams, table)
    late.put(item("after"))
    late.put(item("before", v=number(1)))
    found = late.stream.records()
    assert list(zip(events(found), keys(found), strict=True)) == [
        ("INSERT", "after"),
        ("MODIFY", "before"),
    ]
    assert found[1]["dynamodb"]["OldImage"] == item("before")


def test_each_enabling_makes_a_stream_of_its_own(client, streams, table):
    """What is written while none is on is in none."""
    made = [table.stream]
    table.put(item("k", n=number(0)))
    for n, view in enumerate(["KEYS_ONLY", "OLD_IMAGE", "NEW_IMAGE"], 1):
        table.set_stream(OFF)
        table.put(item("k", unseen=number(n)))
        described = table.set_stream(on(view))
        stream = Stream(streams, described["LatestStreamArn"])
        assert stream.arn == f"{table.arn}/stream/{described['LatestStreamLabel']}"
        assert described["StreamSpecification"] == on(view)
        table.put(item("k", n=number(n)))
        made.append(stream)
    all_arns = [stream.arn for stream in made]
    assert len(set(all_arns)) == 4
    assert sorted(all_arns) == all_arns == arns(streams, table.name)
    shards = [stream.shards()[0]["ShardId"] for stream in made]
    assert len(set(shards)) == 4
    for stream, view in zip(made, ["NEW_AND_OLD_IMAGES", "KEYS_ONLY", "OLD_IMAGE", "NEW_IMAGE"]):
        (record,) = stream.records()
        assert record["dynamodb"]["StreamViewType"] == view
        assert stream.describe()["StreamViewType"] == view
    states = [stream.describe()["StreamStatus"] for stream in made]
    assert states == ["DISABLED"] * 3 + ["ENABLED"]
    assert all("ParentShardId" not in stream.shards()[0] for stream in made)
    ids = [stream.records()[0]["eventID"] for stream in made]
    assert len(set(ids)) == 4


def test_labels_are_different_even_within_a_millisecond(client, streams, make_table):
    table = make_table(streamed())
    for _ in range(10):
        client.update_table(TableName=table, StreamSpecification=OFF)
        client.update_table(TableName=table, StreamSpecification=on())
    found = arns(streams, table)
    assert len(set(found)) == 11
    latest = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    assert latest == max(found)


def test_a_disabled_stream_stays_readable(table):
    for n in range(3):
        table.put(item(f"k{n}"))
    iterator = table.stream.iterator()
    before = table.stream.records()
    table.set_stream(OFF)
    table.put(item("unseen"))
    described = table.stream.describe()
    assert described["StreamStatus"] == "DISABLED"
    (shard,) = described["Shards"]
    end = int(shard["SequenceNumberRange"]["EndingSequenceNumber"])
    assert end >= int(before[-1]["dynamodb"]["SequenceNumber"])
    assert table.stream.read(iterator) == (before, None)
    assert table.stream.records() == before
    found = table.client.describe_table(TableName=table.name)["Table"]
    assert "StreamSpecification" not in found
    assert found["LatestStreamArn"] == table.stream.arn


def test_the_stream_of_a_deleted_table_stays_readable(client, streams, make_table):
    table = Table(client, streams, make_table(streamed(ranges="sk")))
    key = {"pk": {"S": "k"}, "sk": {"S": "s"}}
    table.put({**key, "v": number(1)})
    table.delete(key)
    table.put(key)
    iterator = table.stream.iterator()
    before = table.stream.records()
    described = table.stream.describe()
    client.delete_table(TableName=table.name)
    assert table.stream.read(iterator) == (before, None)
    assert events(before) == ["INSERT", "REMOVE", "INSERT"], "a deleted table removes no items"
    after = table.stream.describe()
    assert after.pop("StreamStatus") == "DISABLED"
    assert "EndingSequenceNumber" in after.pop("Shards")[0]["SequenceNumberRange"]
    assert after == {part: described[part] for part in after}
    assert arns(streams, table.name) == [table.stream.arn]


def test_a_table_of_the_same_name_has_a_stream_of_its_own(client, streams, make_table):
    definition = streamed()
    first = Table(client, streams, make_table(definition))
    first.put(item("k", n=number(1)))
    client.delete_table(TableName=first.name)
    second = Table(client, streams, make_table(definition))
    second.put(item("k", n=number(2)))
    assert first.stream.arn != second.stream.arn
    assert arns(streams, first.name) == [first.stream.arn, second.stream.arn]
    assert first.stream.shards()[0]["ShardId"] != second.stream.shards()[0]["ShardId"]
    for table, n in ((first, 1), (second, 2)):
        (record,) = table.stream.records()
        assert record["eventName"] == "INSERT"
        assert record["dynamodb"]["NewImage"] == item("k", n=number(n))


def test_streams_of_different_tables_are_apart(make_streamed):
    one, other = make_streamed(), make_streamed()
    one.put(item("k", t=number(1)))
    other.put(item("k", t=number(2)))
    transaction = [{"Put": {"TableName": table.name, "Item": item("t")}} for table in (one, other)]
    one.client.transact_write_items(TransactItems=transaction)
    for table, t in ((one, 1), (other, 2)):
        found = table.stream.records()
        assert keys(found) == ["k", "t"]
        assert found[0]["dynamodb"]["NewImage"]["t"] == number(t)
    ids = [record["eventID"] for table in (one, other) for record in table.stream.records()]
    assert len(set(ids)) == 4


def test_other_changes_of_a_table_do_not_disturb_its_stream(client, table):
    iterator = table.stream.iterator()
    table.put(item("before"))
    client.update_table(TableName=table.name, DeletionProtectionEnabled=True)
    client.update_table(
        TableName=table.name,
        AttributeDefinitions=[
            {"AttributeName": "g", "AttributeType": "S"},
            {"AttributeName": "pk", "AttributeType": "S"},
        ],
        GlobalSecondaryIndexUpdates=[
            {
                "Create": {
                    "IndexName": "gsi",
                    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                }
            }
        ],
    )
    client.update_time_to_live(
        TableName=table.name,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"},
    )
    table.put(item("after", g={"S": "x"}))
    found, rest = table.stream.read(iterator)
    assert keys(found) == ["before", "after"]
    assert rest is not None, "the shard is still open"
    assert len(table.stream.shards()) == 1
    latest = client.describe_table(TableName=table.name)["Table"]["LatestStreamArn"]
    assert latest == table.stream.arn


@pytest.mark.parametrize("region", ["eu-central-1", "us-west-2"])
def test_the_region_of_a_record_is_that_of_its_table(server, region):
    session = boto3.session.Session(region_name=region)
    client, streams = (
        session.client(service, endpoint_url=server.endpoint, config=CONFIG)
        for service in ("dynamodb", "dynamodbstreams")
    )
    definition = streamed()
    client.create_table(**definition)
    table = Table(client, streams, definition["TableName"])
    table.put(item("k"))
    (record,) = table.stream.records()
    assert record["awsRegion"] == region
    assert table.stream.arn.split(":")[3] == region
    created = table.stream.describe()["CreationRequestDateTime"]
    assert created <= datetime.datetime.now(datetime.timezone.utc)
    client.delete_table(TableName=table.name)
