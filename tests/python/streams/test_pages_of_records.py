"""GetRecords, page by page."""

import pytest

from streams.reading import (
    OFF,
    Table,
    item,
    keys,
    number,
    numbers,
    streamed,
    streams_client,
    text,
)

MEGABYTE = 1 << 20


def pages(stream, iterator, **more):
    """The pages up to the first that is empty, or to the end."""
    found = []
    while iterator is not None:
        answer = stream.client.get_records(ShardIterator=iterator, **more)
        iterator = answer.get("NextShardIterator")
        if not answer["Records"]:
            break
        found.append(answer["Records"])
    return found


def write_many(table, count):
    for start in range(0, count, 25):
        puts = [{"PutRequest": {"Item": item(f"{n:05}")}} for n in range(start, start + 25)]
        table.client.batch_write_item(RequestItems={table.name: puts})


@pytest.mark.parametrize("limit", [1, 2, 7, 10, 11, 1000])
def test_a_page_holds_as_many_as_asked_for(table, limit):
    for n in range(10):
        table.put(item(f"k{n}"))
    found = pages(table.stream, table.stream.iterator(), Limit=limit)
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert keys(sum(found, [])) == [f"k{n}" for n in range(10)]


def test_a_page_holds_a_thousand_if_nobody_says(table):
    write_many(table, 1100)
    found = pages(table.stream, table.stream.iterator())
    assert [len(page) for page in found] == [1000, 100]
    everything = sum(found, [])
    assert sorted(keys(everything)) == [f"{n:05}" for n in range(1100)]
    assert numbers(everything) == sorted(set(numbers(everything)))


def test_a_page_ends_after_a_megabyte(make_streamed):
    """Records of 600 KB, of which each has two images of 300 KB."""
    table = make_streamed()
    for n in range(13):
        table.put(item("k", n=number(n), body=text("x" * 300_000)))
    found = pages(table.stream, table.stream.iterator())
    sizes = [[record["dynamodb"]["SizeBytes"] for record in page] for page in found]
    assert sum(map(len, sizes)) == 13
    for page in sizes:
        assert sum(page) <= MEGABYTE or len(page) == 1
    for page, after in zip(sizes, sizes[1:], strict=False):
        assert sum(page) + after[0] > MEGABYTE, "a page is not cut short"
    images = [record["dynamodb"]["NewImage"] for record in sum(found, [])]
    assert [int(image["n"]["N"]) for image in images] == list(range(13))
    assert all(len(image["body"]["S"]) == 300_000 for image in images)


def test_the_largest_items_are_shown_whole(make_streamed):
    table = make_streamed()
    body = "x" * (409_600 - len("pk") - len("k") - len("v") - len("1") - len("body"))
    for v in "12":
        table.put(item("k", v=text(v), body=text(body)))
    table.delete(item("k"))
    found = sum(pages(table.stream, table.stream.iterator()), [])
    assert [record["dynamodb"]["SizeBytes"] for record in found] == [
        3 + 409_600,
        3 + 2 * 409_600,
        3 + 409_600,
    ]
    assert found[1]["dynamodb"]["OldImage"]["body"] == text(body)
    assert found[1]["dynamodb"]["NewImage"]["v"] == text("2")


def test_many_records_and_many_bytes_in_one_stream(make_streamed):
    table = make_streamed("NEW_IMAGE")
    for n in range(300):
        table.put(item(f"{n:03}", body=text("x" * (n * 79 % 20_000))))
    found = pages(table.stream, table.stream.iterator(), Limit=90)
    assert len(found) > 3
    assert keys(sum(found, [])) == [f"{n:03}" for n in range(300)]


def test_an_open_shard_always_gives_the_next_iterator(table):
    iterator = table.stream.iterator()
    for n in range(5):
        answer = table.stream.client.get_records(ShardIterator=iterator)
        assert answer["Records"] == []
        assert answer["NextShardIterator"]
        iterator = answer["NextShardIterator"]
    table.put(item("k"))
    answer = table.stream.client.get_records(ShardIterator=iterator)
    assert keys(answer["Records"]) == ["k"]
    answer = table.stream.client.get_records(ShardIterator=answer["NextShardIterator"])
    assert answer["Records"] == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 1000])
def test_a_closed_shard_has_an_end(table, limit):
    for n in range(3):
        table.put(item(f"k{n}"))
    iterator = table.stream.iterator()
    latest = table.stream.iterator(kind="LATEST")
    table.set_stream(OFF)
    found = []
    while iterator is not None:
        answer = table.stream.client.get_records(ShardIterator=iterator, Limit=limit)
        found += answer["Records"]
        iterator = answer.get("NextShardIterator")
    assert keys(found) == ["k0", "k1", "k2"]
    for at_end in (latest, table.stream.iterator(kind="LATEST")):
        answer = table.stream.client.get_records(ShardIterator=at_end)
        assert answer["Records"] == []
        assert "NextShardIterator" not in answer
    end = found[-1]["dynamodb"]["SequenceNumber"]
    after = table.stream.iterator(kind="AFTER_SEQUENCE_NUMBER", SequenceNumber=end)
    answer = table.stream.client.get_records(ShardIterator=after)
    assert (answer["Records"], answer.get("NextShardIterator")) == ([], None)


def test_the_end_of_a_closed_shard_can_be_named(table):
    table.put(item("k"))
    table.set_stream(OFF)
    (shard,) = table.stream.shards()
    end = shard["SequenceNumberRange"]["EndingSequenceNumber"]
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        iterator = table.stream.iterator(kind=kind, SequenceNumber=end)
        assert [len(page) for page in pages(table.stream, iterator)] in ([], [1])


def test_an_iterator_of_a_shard_that_is_rolled_reads_it_to_its_end(fresh_server):
    server = fresh_server("--memory", "--shard-age", "300ms")
    client, streams = server.boto, streams_client(server.endpoint)
    answer = client.create_table(**streamed())["TableDescription"]
    table = Table(client, streams, answer["TableName"])
    first = table.stream.shards()[0]["ShardId"]
    iterator = table.stream.iterator(first)
    written = 0
    while len(table.stream.shards()) < 3:
        table.put(item(f"{written:05}"))
        written += 1
    found, rest = table.stream.read(iterator)
    assert rest is None
    assert keys(found) == [f"{n:05}" for n in range(len(found))]
    everything = keys(table.stream.records())
    assert everything[: len(found)] == keys(found)
    assert everything == [f"{n:05}" for n in range(written)]


def test_several_readers_do_not_disturb_one_another(table):
    for n in range(20):
        table.put(item(f"k{n:02}"))
    iterators = [table.stream.iterator() for _ in range(3)]
    seen = [[], [], []]
    for turn in range(60):
        reader = turn % 3
        answer = table.stream.client.get_records(
            ShardIterator=iterators[reader], Limit=reader + 1
        )
        seen[reader] += keys(answer["Records"])
        iterators[reader] = answer["NextShardIterator"]
    assert seen == [[f"k{n:02}" for n in range(20)]] * 3
