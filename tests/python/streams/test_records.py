"""What a record holds besides its event and images."""

import re
import time

import pytest

from definitions import attributes, key, name
from sizes import NUMBERS, VALUES
from streams.reading import VIEWS, Table, events, item, number, numbers, on, text
from users_tables import ORDERS

EVERY_TYPE = {
    "s": text("text \u00e9\u20ac\U0001f600"),
    "empty": text(""),
    "n": number("-12345678901234567890.123456789012345678"),
    "b": {"B": b"\x00\x01\xfe\xff"},
    "no bytes": {"B": b""},
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "null": {"NULL": True},
    "ss": {"SS": ["a", "b"]},
    "ns": {"NS": ["1", "2.5"]},
    "bs": {"BS": [b"\x00", b"\xff\xfe"]},
    "l": {"L": [text("x"), {"B": b"\x80"}, {"L": []}, {"M": {"deep": {"B": b"\x81"}}}]},
    "m": {"M": {"a.b": number(1), "\u00e9": {"NULL": True}, "empty": {"M": {}}}},
}


def test_a_record_has_all_its_members(table):
    before = int(time.time())
    table.put(item("k", v=number(1)))
    (record,) = table.stream.records()
    body = record["dynamodb"]
    assert set(record) == {
        "eventID",
        "eventName",
        "eventVersion",
        "eventSource",
        "awsRegion",
        "dynamodb",
    }
    assert re.fullmatch("[0-9a-f]{32}", record["eventID"])
    assert record["eventVersion"] == "1.1"
    assert record["eventSource"] == "aws:dynamodb"
    assert record["awsRegion"] == "us-east-1"
    assert set(body) == {
        "ApproximateCreationDateTime",
        "Keys",
        "NewImage",
        "SequenceNumber",
        "SizeBytes",
        "StreamViewType",
    }
    assert re.fullmatch(r"\d{21,40}", body["SequenceNumber"])
    created = body["ApproximateCreationDateTime"].timestamp()
    assert before <= created <= time.time()


def test_the_time_of_a_record_is_in_whole_seconds(wire, table):
    """AWS gives no more than seconds, here and in events of Lambda."""
    table.put(item("k"))
    answer = wire.call("GetRecords", {"ShardIterator": table.stream.iterator()})
    created = answer["Records"][0]["dynamodb"]["ApproximateCreationDateTime"]
    assert created == int(created)
    assert abs(created - time.time()) < 60


def test_the_time_of_a_record_is_that_of_its_write(table):
    spans = []
    for n in range(4):
        before = int(time.time())
        table.put(item(f"k{n}"))
        spans.append((before, time.time()))
        time.sleep(0.4)
    for (before, after), record in zip(spans, table.stream.records(), strict=True):
        created = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
        assert before <= created <= after


def test_events_have_ids_of_their_own_that_stay(table):
    for n in range(50):
        table.put(item("k", v=number(n)))
    found = table.stream.records()
    assert len({record["eventID"] for record in found}) == 50
    assert table.stream.records() == found


def test_sequence_numbers_grow(table):
    for n in range(30):
        table.put(item(f"k{n % 3}", v=number(n)))
    table.client.batch_write_item(
        RequestItems={
            table.name: [{"DeleteRequest": {"Key": item(f"k{n}")}} for n in range(3)]
        }
    )
    found = numbers(table.stream.records())
    assert found == sorted(set(found))
    (shard,) = table.stream.shards()
    assert int(shard["SequenceNumberRange"]["StartingSequenceNumber"]) <= found[0]


@pytest.mark.parametrize("view", VIEWS)
def test_values_of_every_type_are_shown(make_streamed, view):
    table = make_streamed(view)
    new = item("k", **EVERY_TYPE)
    table.put(new)
    table.delete(item("k"))
    inserted, removed = (record["dynamodb"] for record in table.stream.records())
    if "NEW" in view:
        assert inserted["NewImage"] == new
    if "OLD" in view:
        assert removed["OldImage"] == new
    assert ("NewImage" in inserted, "OldImage" in removed) == ("NEW" in view, "OLD" in view)


@pytest.mark.parametrize(
    "types, keys",
    [
        (("h:S", "r:S"), [{"h": text("a"), "r": text("b")}, {"h": text("a"), "r": text("c")}]),
        (("h:N", "r:N"), [{"h": number("1.5"), "r": number("-7")}]),
        (("h:B", "r:B"), [{"h": {"B": b"\x00\xff"}, "r": {"B": b"\x80"}}]),
        (("h:B", "r:N"), [{"h": {"B": b"h"}, "r": number(n)} for n in (3, 1, 2)]),
        (("h:N",), [{"h": number("123456789012345678901234567890")}]),
        (("h:B",), [{"h": {"B": b"\xf0\x9f"}}]),
    ],
)
@pytest.mark.parametrize("view", VIEWS)
def test_keys_of_every_type_are_shown(client, streams, make_table, view, types, keys):
    definition = {
        "TableName": name("typed"),
        "AttributeDefinitions": attributes(*types),
        "KeySchema": key(*(one.split(":")[0] for one in types)),
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": on(view),
    }
    table = Table(client, streams, make_table(definition))
    for each in keys:
        table.put({**each, "other": text("x")})
        table.put({**each, "other": text("y")})
        table.delete(each)
    found = table.stream.records()
    assert events(found) == ["INSERT", "MODIFY", "REMOVE"] * len(keys)
    assert [record["dynamodb"]["Keys"] for record in found] == [
        each for each in keys for _ in range(3)
    ]


def test_the_spelling_of_a_number_is_dynamodbs(table):
    table.put(item("k", n=number("001.50"), e=number("1e3"), s={"NS": ["2.0", "1"]}))
    image = table.stream.records()[0]["dynamodb"]["NewImage"]
    assert image["n"] == number("1.5")
    assert image["e"] == number("1000")
    assert sorted(image["s"]["NS"]) == ["1", "2"]


KEY_SIZE = len("pk") + 1


@pytest.mark.parametrize(
    "value, size",
    [*VALUES, *(({"N": given}, size) for given, size in NUMBERS)],
    ids=str,
)
def test_the_size_counts_the_keys_and_the_images(wire, make_streamed, value, size):
    table = make_streamed()
    both = KEY_SIZE + len("v") + size
    wire.call("PutItem", {"TableName": table.name, "Item": {"pk": text("k"), "v": value}})
    table.update(item("k"), "SET w = :w", {":w": text("abc")})
    table.delete(item("k"))
    found = [record["dynamodb"]["SizeBytes"] for record in table.stream.records()]
    more = both + len("w") + 3
    assert found == [KEY_SIZE + both, KEY_SIZE + both + more, KEY_SIZE + more]


@pytest.mark.parametrize(
    "view, expected",
    [
        ("KEYS_ONLY", (4, 4, 4)),
        ("NEW_IMAGE", (4 + 7, 4 + 8, 4)),
        ("OLD_IMAGE", (4, 4 + 7, 4 + 8)),
        ("NEW_AND_OLD_IMAGES", (4 + 7, 4 + 7 + 8, 4 + 8)),
    ],
)
def test_the_size_counts_only_what_is_shown(make_streamed, view, expected):
    table = make_streamed(view)
    key_of = {"pk": text("kk")}
    table.put({**key_of, "v": text("12")})
    table.put({**key_of, "v": text("123")})
    table.delete(key_of)
    found = [record["dynamodb"]["SizeBytes"] for record in table.stream.records()]
    assert tuple(found) == expected


def test_indexes_do_not_show_in_a_stream(client, streams, make_table):
    table = Table(client, streams, make_table({**ORDERS["create"], "TableName": name("orders")}))
    new = {part: text("x") for part in ("pk", "sk", "gsi1pk", "gsi1sk")}
    table.put(new)
    table.update(
        {"pk": text("x"), "sk": text("x")}, "SET gsi1sk = :v", {":v": text("y")}
    )
    found = table.stream.records()
    assert events(found) == ["INSERT", "MODIFY"]
    assert [set(record["dynamodb"]["Keys"]) for record in found] == [{"pk", "sk"}] * 2
    assert found[1]["dynamodb"]["NewImage"] == {**new, "gsi1sk": text("y")}
