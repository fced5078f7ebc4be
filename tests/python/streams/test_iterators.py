"""GetShardIterator, and where reading begins."""

import datetime
import time

import pytest
from botocore.exceptions import ClientError

from streams.reading import item, keys, number, numbers

HOUR = datetime.timedelta(hours=1)


def fill(table, count=5, first=0):
    for n in range(first, first + count):
        table.put(item(f"k{n}"))


def read(table, kind, **more):
    found, _ = table.stream.read(table.stream.iterator(kind=kind, **more))
    return keys(found)


def refusal(table, kind, **more):
    with pytest.raises(ClientError) as raised:
        table.stream.iterator(kind=kind, **more)
    return raised.value.response["Error"]["Code"]


def test_the_trim_horizon_is_the_oldest_record(table):
    fill(table)
    assert read(table, "TRIM_HORIZON") == ["k0", "k1", "k2", "k3", "k4"]


def test_latest_is_behind_every_record_there_is(table):
    fill(table)
    iterator = table.stream.iterator(kind="LATEST")
    assert table.stream.read(iterator)[0] == []
    fill(table, 2, first=5)
    for _ in range(2):
        assert keys(table.stream.read(iterator)[0]) == ["k5", "k6"]
    assert read(table, "LATEST") == []


def test_latest_of_an_empty_stream_sees_the_first_record(table):
    iterator = table.stream.iterator(kind="LATEST")
    fill(table, 1)
    assert keys(table.stream.read(iterator)[0]) == ["k0"]


def test_at_and_after_a_sequence_number(table):
    fill(table)
    records = table.stream.records()
    for place, record in enumerate(records):
        given = {"SequenceNumber": record["dynamodb"]["SequenceNumber"]}
        assert read(table, "AT_SEQUENCE_NUMBER", **given) == keys(records[place:])
        assert read(table, "AFTER_SEQUENCE_NUMBER", **given) == keys(records[place + 1 :])


def test_the_start_of_a_shard_is_a_sequence_number_to_begin_with(table):
    fill(table)
    (shard,) = table.stream.shards()
    start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    assert len(read(table, "AT_SEQUENCE_NUMBER", SequenceNumber=start)) == 5


def test_after_the_last_record_comes_what_is_written_later(table):
    fill(table)
    last = table.stream.records()[-1]["dynamodb"]["SequenceNumber"]
    iterator = table.stream.iterator(kind="AFTER_SEQUENCE_NUMBER", SequenceNumber=last)
    assert table.stream.read(iterator)[0] == []
    fill(table, 1, first=5)
    assert keys(table.stream.read(iterator)[0]) == ["k5"]


def test_places_within_a_transaction(table):
    puts = [{"Put": {"TableName": table.name, "Item": item(f"k{n}")}} for n in range(4)]
    table.client.transact_write_items(TransactItems=puts)
    records = table.stream.records()
    assert numbers(records) == sorted(set(numbers(records)))
    for place, record in enumerate(records):
        given = {"SequenceNumber": record["dynamodb"]["SequenceNumber"]}
        assert read(table, "AFTER_SEQUENCE_NUMBER", **given) == keys(records[place + 1 :])


def test_a_time_to_begin_with(table):
    now = datetime.datetime.now(datetime.timezone.utc)
    fill(table, 2)
    time.sleep(0.05)
    middle = datetime.datetime.now(datetime.timezone.utc)
    time.sleep(0.05)
    fill(table, 2, first=2)
    assert read(table, "AT_TIMESTAMP", Timestamp=now - 48 * HOUR) == ["k0", "k1", "k2", "k3"]
    assert read(table, "AT_TIMESTAMP", Timestamp=now - HOUR) == ["k0", "k1", "k2", "k3"]
    assert read(table, "AT_TIMESTAMP", Timestamp=0) == ["k0", "k1", "k2", "k3"]
    assert read(table, "AT_TIMESTAMP", Timestamp=middle) == ["k2", "k3"]
    assert refusal(table, "AT_TIMESTAMP", Timestamp=now + HOUR) == "ValidationException"


def test_sequence_numbers_and_times_only_with_their_types(table):
    fill(table, 1)
    given = table.stream.records()[0]["dynamodb"]["SequenceNumber"]
    now = datetime.datetime.now(datetime.timezone.utc) - HOUR
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        assert refusal(table, kind) == "ValidationException"
        assert refusal(table, kind, Timestamp=now) == "ValidationException"
    for kind in ("LATEST", "TRIM_HORIZON"):
        assert refusal(table, kind, SequenceNumber=given) == "ValidationException"
    assert refusal(table, "AT_TIMESTAMP") == "ValidationException"


def test_a_sequence_number_that_is_not_of_the_shard_is_refused(table):
    fill(table, 1)
    for given in ("9" * 30, "0" * 26, "1" + "0" * 25, "x" * 26):
        assert refusal(table, "AT_SEQUENCE_NUMBER", SequenceNumber=given) == "ValidationException"


def test_an_unknown_stream_or_shard_is_not_found(table, make_streamed):
    missing = table.stream.client.exceptions.ResourceNotFoundException
    with pytest.raises(missing):
        table.stream.iterator("shardId-00000000000000000099-00000000")
    other = make_streamed().stream.shards()[0]["ShardId"]
    with pytest.raises(missing):
        table.stream.iterator(other)
    (shard,) = table.stream.shards()
    table.stream.arn = table.stream.arn.rpartition("/")[0] + "/2020-01-01T00:00:00.000"
    with pytest.raises(missing) as raised:
        table.stream.iterator(shard["ShardId"])
    assert raised.value.response["Error"]["Message"] == (
        f"Requested resource not found: Stream: {table.stream.arn} not found"
    )


def test_what_is_no_iterator_is_refused(table):
    iterator = table.stream.iterator()
    wrong = ("x", iterator[:-1], iterator[:-8] + "AAAAAAA=", iterator + "A", iterator[9:-2])
    for given in wrong:
        with pytest.raises(ClientError) as raised:
            table.stream.client.get_records(ShardIterator=given)
        assert raised.value.response["Error"]["Code"] == "ValidationException"


def test_an_iterator_can_be_used_more_than_once(table):
    fill(table)
    iterator = table.stream.iterator()
    first = table.stream.client.get_records(ShardIterator=iterator)
    again = table.stream.client.get_records(ShardIterator=iterator)
    assert first["Records"] == again["Records"]
    assert len(first["Records"]) == 5


def test_an_iterator_has_the_form_of_awss(table):
    arn, _, place = table.stream.iterator().partition("|1|")
    assert arn == table.stream.arn
    assert place


def test_an_update_between_two_reads_is_seen_once(table):
    """Every iterator goes on exactly where the read before it ended."""
    iterator = table.stream.iterator()
    seen = []
    for n in range(30):
        table.update({"pk": {"S": "k"}}, "SET n = :n", {":n": number(n)})
        if n % 3 == 0:
            answer = table.stream.client.get_records(ShardIterator=iterator)
            seen += answer["Records"]
            iterator = answer["NextShardIterator"]
    seen += table.stream.read(iterator)[0]
    assert [int(record["dynamodb"]["NewImage"]["n"]["N"]) for record in seen] == list(range(30))
