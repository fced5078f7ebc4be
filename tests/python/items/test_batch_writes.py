"""BatchWriteItem: several tables, large requests, and refusals that leave nothing written."""

import contextlib
import json

import pytest

from definitions import attributes, index, key as key_schema, name, on_demand
from sizes import LARGEST_ITEM, padded
from wire import headers

VALIDATION = "ValidationException"
DUPLICATES = "Provided list of item keys contains duplicates"
TOO_LARGE = "Item size has exceeded the maximum allowed size"
NO_MATCH = "The provided key element does not match the schema"
MOST_BYTES = 16 * 1024 * 1024


def key(text):
    return {"pk": {"S": text}}


def put(item):
    return {"PutRequest": {"Item": item}}


def delete(item_key):
    return {"DeleteRequest": {"Key": item_key}}


@pytest.fixture
def tables(make_table):
    """Two tables with a global index."""
    gsi = {"GlobalSecondaryIndexes": [index("gsi", "g")]}
    return [make_table(on_demand(name("writes"), "pk", (), "g:S", **gsi)) for _ in range(2)]


@pytest.fixture
def collections(make_table):
    """A table with a local index."""
    lsi = {"LocalSecondaryIndexes": [index("lsi", "pk", "l")]}
    return make_table(on_demand(name("collections"), "pk", "sk", "l:S", **lsi))


def count(wire, *tables):
    """How many items there are, counted page by page."""
    total = 0
    for table in tables:
        request = {"TableName": table, "Select": "COUNT"}
        while True:
            page = wire.call("Scan", request)
            total += page["Count"]
            if "LastEvaluatedKey" not in page:
                break
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    return total


def write(wire, items, **more):
    return wire.call("BatchWriteItem", {"RequestItems": items, **more})


def refused(wire, items):
    return wire.refused("BatchWriteItem", {"RequestItems": items})


def test_puts_and_deletes_go_to_several_tables(wire, tables):
    one, two = tables
    assert write(wire, {one: [put(key("a")), put(key("b"))], two: [put(key("a"))]}) == {
        "UnprocessedItems": {}
    }
    write(wire, {one: [delete(key("a")), delete(key("none"))], two: [put(key("b"))]})
    wanted = {"Keys": [key("a"), key("b")]}
    answer = wire.call("BatchGetItem", {"RequestItems": {one: wanted, two: wanted}})
    found = [sorted(item["pk"]["S"] for item in answer["Responses"][table]) for table in tables]
    assert found == [["b"], ["a", "b"]]


def test_a_put_replaces_the_whole_item(wire, tables):
    write(wire, {tables[0]: [put({**key("a"), "g": {"S": "x"}, "v": {"N": "1"}})]})
    write(wire, {tables[0]: [put({**key("a"), "w": {"N": "2"}})]})
    answer = wire.call("GetItem", {"TableName": tables[0], "Key": key("a")})
    assert answer["Item"] == {**key("a"), "w": {"N": "2"}}
    scan = {"TableName": tables[0], "IndexName": "gsi", "Select": "COUNT"}
    assert wire.call("Scan", scan)["Count"] == 0


def test_twenty_five_of_the_largest_items_fit_in_one_request(wire, tables):
    one, two = tables
    letters = "abcdefghijklmnopqrstuvwxy"
    items = [{**padded(LARGEST_ITEM), "pk": {"S": letter}} for letter in letters]
    answer = write(
        wire,
        {one: [put(item) for item in items[:20]], two: [put(item) for item in items[20:]]},
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["UnprocessedItems"] == {}
    units = {part["TableName"]: part["CapacityUnits"] for part in answer["ConsumedCapacity"]}
    assert units == {one: 20 * 400, two: 5 * 400}
    stored = wire.call("GetItem", {"TableName": two, "Key": key("y")})["Item"]
    assert stored == items[24]


def test_an_item_counts_by_its_own_size_and_not_by_that_of_its_json(wire, tables):
    """Written with escapes the items are six times as long, but still below 16 MB."""
    items = [put({**padded(LARGEST_ITEM), "pk": {"S": letter}}) for letter in "abcdef"]
    body = json.dumps({"RequestItems": {tables[0]: items}})
    body = body.replace("x", "\\u0078").encode()
    assert 14_000_000 < len(body) < MOST_BYTES
    assert wire.post("BatchWriteItem", body).status == 200
    assert count(wire, tables[0]) == 6


def test_a_request_above_16_mb_is_refused_whole(wire, tables):
    items = [put({**padded(LARGEST_ITEM), "pk": {"S": letter}}) for letter in "abcdefg"]
    body = json.dumps({"RequestItems": {tables[0]: items}})
    body = body.replace("x", "\\u0078").encode()
    assert len(body) > MOST_BYTES
    connection = wire.connect()
    with contextlib.closing(connection):
        # The server may answer and close before it has read all of it.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/", body, headers("BatchWriteItem"))
        assert connection.getresponse().status == 413
    assert count(wire, tables[0]) == 0


def test_an_item_above_400_kb_refuses_the_batch(wire, tables):
    one, two = tables
    write(wire, {one: [put(padded(LARGEST_ITEM))]})
    large = {**padded(LARGEST_ITEM + 1), "pk": {"S": "z"}}
    assert refused(wire, {one: [put(key("a"))], two: [put(key("a")), put(large)]}) == (
        400,
        VALIDATION,
        TOO_LARGE,
    )
    assert count(wire, *tables) == 1


def test_an_item_counts_with_its_local_index_entries(wire, collections):
    item = {"pk": {"S": "a"}, "sk": {"S": "a"}, "l": {"S": "l"}, "v": {"S": "x" * 204_800}}
    assert refused(wire, {collections: [put(item)]}) == (400, VALIDATION, TOO_LARGE)
    without = {**item}
    del without["l"]
    write(wire, {collections: [put(without)]})


REFUSED = {
    "two puts of one item": ([put(key("a")), put({**key("a"), "v": {"S": "x"}})], DUPLICATES),
    "a put and a delete of one item": ([put(key("a")), delete(key("a"))], DUPLICATES),
    "two deletes of one item": ([delete(key("a")), put(key("b")), delete(key("a"))], DUPLICATES),
    "no key": (
        [put(key("a")), put({"v": {"S": "x"}})],
        "One or more parameter values were invalid: Missing the key pk in the item",
    ),
    "a key of a wrong type": (
        [put(key("a")), put({"pk": {"N": "1"}})],
        "One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N",
    ),
    "an empty key": (
        [put(key("a")), put(key(""))],
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk",
    ),
    "a delete by an empty key": (
        [put(key("a")), delete(key(""))],
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk",
    ),
    "a long key": (
        [put(key("x" * 2049))],
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
        "size limit of2048 bytes",
    ),
    "a delete by a long key": (
        [delete(key("x" * 2049))],
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
        "size limit of2048 bytes",
    ),
    "a delete by a wrong type": ([delete({"pk": {"N": "1"}})], NO_MATCH),
    "a delete by more than the key": ([delete({**key("a"), "v": {"S": "x"}})], NO_MATCH),
    "a delete by no key": ([delete({})], NO_MATCH),
    "an index key of a wrong type": (
        [put(key("a")), put({**key("b"), "g": {"N": "1"}})],
        "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S "
        "Actual: N IndexName: gsi",
    ),
    "an empty index key": (
        [put({**key("b"), "g": {"S": ""}})],
        "One or more parameter values are not valid. A value specified for a secondary index "
        "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
        "string value. IndexName: gsi, IndexKey: g",
    ),
    "an empty set": (
        [put({**key("b"), "v": {"SS": []}})],
        "One or more parameter values were invalid: An string set  may not be empty",
    ),
    "a set with a value twice": (
        [put({**key("b"), "v": {"SS": ["a", "a"]}})],
        "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
    ),
    "a value of no type": (
        [put({**key("b"), "v": {}})],
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    "a number that is too large": (
        [put({**key("b"), "v": {"N": "1E126"}})],
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
}


@pytest.mark.parametrize("writes, text", REFUSED.values(), ids=REFUSED)
def test_one_bad_write_refuses_the_batch(wire, tables, writes, text):
    one, two = tables
    assert refused(wire, {one: [put(key("x"))], two: writes}) == (400, VALIDATION, text)
    assert count(wire, *tables) == 0


def test_one_key_may_be_written_in_each_table(wire, tables):
    write(wire, {table: [put(key("a"))] for table in tables})
    assert count(wire, *tables) == 2


def test_numbers_are_compared_by_what_they_are(wire, make_table):
    request = {"AttributeDefinitions": attributes("n:N"), "KeySchema": key_schema("n")}
    table = make_table({**on_demand(name("numbers")), **request})
    for first, second in [("1", "1.0"), ("100", "1E2"), ("-0", "0"), ("007", "7")]:
        writes = [put({"n": {"N": first}}), delete({"n": {"N": second}})]
        assert refused(wire, {table: writes}) == (400, VALIDATION, DUPLICATES)
    write(wire, {table: [put({"n": {"N": "1"}}), put({"n": {"N": "-1"}})]})
    assert count(wire, table) == 2


def test_items_of_one_partition_differ_by_their_sort_key(wire, collections):
    def item(sk):
        return {"pk": {"S": "a"}, "sk": {"S": sk}}

    write(wire, {collections: [put(item("1")), put(item("2")), delete(item("3"))]})
    assert refused(wire, {collections: [delete(item("1")), put(item("1"))]})[2] == DUPLICATES
    long = put(item("x" * 1025))
    assert refused(wire, {collections: [long]}) == (
        400,
        VALIDATION,
        "One or more parameter values were invalid: Aggregated size of all range keys has "
        "exceeded the size limit of 1024 bytes",
    )
    assert count(wire, collections) == 2


def test_twenty_six_writes_are_too_many_however_they_are_spread(wire, tables):
    one, two = tables
    many = [put(key(str(n))) for n in range(26)]
    assert refused(wire, {one: many[:13], two: many[13:]}) == (
        400,
        VALIDATION,
        "Too many items requested for the BatchWriteItem call",
    )
    status, error, text = refused(wire, {one: many})
    assert (status, error) == (400, VALIDATION)
    assert text.endswith(
        "at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, Member must have length greater than "
        "or equal to 1]"
    )
    assert count(wire, *tables) == 0
    write(wire, {one: many[:12], two: many[12:25]})
    assert count(wire, *tables) == 25


UNKNOWN = (400, "ResourceNotFoundException", "Requested resource not found")


def test_a_table_that_is_not_there_refuses_the_batch(wire, tables):
    one, _ = tables
    assert refused(wire, {one: [put(key("a"))], "nowhere": [put(key("a"))]}) == UNKNOWN
    assert count(wire, one) == 0


def test_tables_are_looked_up_before_keys_and_duplicates(wire, tables):
    one, _ = tables
    for writes in [[put({"v": {"S": "x"}})], [put(key("a")), put(key("a"))]]:
        assert refused(wire, {one: writes, "nowhere": [put(key("a"))]}) == UNKNOWN


def test_values_and_sizes_are_checked_before_tables(wire, tables):
    large = {**padded(LARGEST_ITEM + 1), "pk": {"S": "z"}}
    assert refused(wire, {"nowhere": [put(large)]}) == (400, VALIDATION, TOO_LARGE)
    empty = put({**key("a"), "v": {"NS": []}})
    assert refused(wire, {"nowhere": [empty]}) == (
        400,
        VALIDATION,
        "One or more parameter values were invalid: An number set  may not be empty",
    )


def test_metrics_of_collections_are_told_by_table(wire, tables, collections):
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}, "l": {"S": "l"}}
    other = {"pk": {"S": "b"}, "sk": {"S": "1"}}
    request = {collections: [put(item), delete(other)], tables[0]: [put(key("a"))]}
    answer = write(wire, request, ReturnItemCollectionMetrics="SIZE")
    assert answer["UnprocessedItems"] == {}
    metrics = answer["ItemCollectionMetrics"]
    assert list(metrics) == [collections]
    assert sorted(metrics[collections], key=str) == [
        {"ItemCollectionKey": key("a"), "SizeEstimateRangeGB": [0, 1]},
        {"ItemCollectionKey": key("b"), "SizeEstimateRangeGB": [0, 1]},
    ]
    for more in [{}, {"ReturnItemCollectionMetrics": "NONE"}]:
        assert write(wire, request, **more) == {"UnprocessedItems": {}}
    none = write(wire, {tables[0]: [put(key("a"))]}, ReturnItemCollectionMetrics="SIZE")
    assert none == {"UnprocessedItems": {}}


def test_tables_can_be_named_by_their_arn(wire, tables):
    arn = wire.call("DescribeTable", {"TableName": tables[0]})["Table"]["TableArn"]
    answer = write(wire, {arn: [put(key("a"))]}, ReturnConsumedCapacity="TOTAL")
    assert answer == {
        "UnprocessedItems": {},
        "ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 1}],
    }
    assert count(wire, tables[0]) == 1
