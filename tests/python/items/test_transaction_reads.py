"""TransactGetItems: reads at one moment, in the order they are asked for."""

import concurrent.futures
import contextlib
import threading

import pytest

from definitions import name, on_demand
from sizes import padded

VALIDATION = "ValidationException"
EMPTY_KEY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an empty string value. Key: pk"
)


def key(text):
    return {"pk": {"S": text}}


def get(table, text, **more):
    return {"Get": {"TableName": table, "Key": key(text), **more}}


@pytest.fixture
def tables(wire, make_table):
    made = [make_table(on_demand(name("moment"))) for _ in range(2)]
    for table in made:
        item = {**key("a"), "t": {"S": table}, "m": {"M": {"x": {"L": [{"N": "1"}, {"N": "2"}]}}}}
        wire.call("PutItem", {"TableName": table, "Item": item})
    return made


def read(wire, *gets, **more):
    return wire.call("TransactGetItems", {"TransactItems": list(gets), **more})


def test_answers_keep_the_order_and_the_places_of_what_is_missing(wire, tables):
    one, two = tables
    projected = {"ProjectionExpression": "t"}
    gets = get(two, "a", **projected), get(one, "x"), get(one, "a", **projected), get(two, "x")
    assert read(wire, *gets) == {
        "Responses": [{"Item": {"t": {"S": two}}}, {}, {"Item": {"t": {"S": one}}}, {}]
    }


def test_a_hundred_items_are_read_in_order(wire, tables):
    one, _ = tables
    for first in range(0, 100, 25):
        writes = [
            {"PutRequest": {"Item": {**key(str(n)), "n": {"N": str(n)}}}}
            for n in range(first, first + 25)
        ]
        wire.call("BatchWriteItem", {"RequestItems": {one: writes}})
    order = [(n * 37) % 100 for n in range(100)]
    answer = read(wire, *(get(one, str(n)) for n in order), ReturnConsumedCapacity="TOTAL")
    assert [int(entry["Item"]["n"]["N"]) for entry in answer["Responses"]] == order
    assert answer["ConsumedCapacity"] == [
        {"TableName": one, "CapacityUnits": 200, "ReadCapacityUnits": 200}
    ]


PROJECTIONS = {
    "a path": ({"ProjectionExpression": "m.x[1]"}, {"m": {"M": {"x": {"L": [{"N": "2"}]}}}}),
    "names": (
        {"ProjectionExpression": "#p", "ExpressionAttributeNames": {"#p": "pk"}},
        key("a"),
    ),
    "nothing that is there": ({"ProjectionExpression": "nowhere"}, {}),
}


@pytest.mark.parametrize("attributes, expected", PROJECTIONS.values(), ids=PROJECTIONS)
def test_an_item_is_projected(wire, tables, attributes, expected):
    answer = read(wire, get(tables[0], "a", **attributes))
    assert answer == {"Responses": [{"Item": expected}]}


REFUSED = {
    "an item twice": (
        [("a", {}), ("b", {}), ("a", {"ProjectionExpression": "t"})],
        "Transaction request cannot include multiple operations on one item",
    ),
    "an empty key": ([("a", {}), ("", {})], EMPTY_KEY),
    "an empty projection": (
        [("a", {"ProjectionExpression": ""})],
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    "paths that overlap": (
        [("b", {}), ("a", {"ProjectionExpression": "m.x, m"})],
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
        "or rewrite one of these paths; path one: [m, x], path two: [m]",
    ),
    "a name that is not used": (
        [("a", {"ProjectionExpression": "t", "ExpressionAttributeNames": {"#x": "x"}})],
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
    ),
    "names without an expression": (
        [("a", {"ExpressionAttributeNames": {"#x": "x"}})],
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
}


@pytest.mark.parametrize("gets, text", REFUSED.values(), ids=REFUSED)
def test_one_bad_read_refuses_all(wire, tables, gets, text):
    items = [get(tables[0], at, **attributes) for at, attributes in gets]
    refused = wire.refused("TransactGetItems", {"TransactItems": items})
    assert refused == (400, VALIDATION, text)


def test_one_key_may_be_read_in_each_table(wire, tables):
    answer = read(wire, *(get(table, "a") for table in tables))
    assert [entry["Item"]["t"]["S"] for entry in answer["Responses"]] == tables


def test_a_table_that_is_not_there(wire, tables):
    request = {"TransactItems": [get(tables[0], "a"), get("nowhere", "a")]}
    unknown = (400, "ResourceNotFoundException", "Requested resource not found")
    assert wire.refused("TransactGetItems", request) == unknown


@contextlib.contextmanager
def working(work, number):
    """Runs `work` in threads until the block ends; gives the list of what went wrong in them."""
    over, failures = threading.Event(), []

    def run(own):
        try:
            while not over.is_set():
                work(own)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(own,)) for own in range(number)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        over.set()
        for thread in threads:
            thread.join()


@pytest.fixture
def crowd(wire, tables):
    """Items to read between two others, so that there is time for a write to come between."""
    texts = [f"crowd {n}" for n in range(49)]
    for table in tables:
        for first in range(0, len(texts), 25):
            writes = [
                {"PutRequest": {"Item": {**key(text), "filler": {"S": "x" * 20_000}}}}
                for text in texts[first : first + 25]
            ]
            wire.call("BatchWriteItem", {"RequestItems": {table: writes}})
    return texts


def ends(client, tables, text, crowd):
    """The item of the first table, read first, and that of the second, read last."""
    one, two = tables
    places = [(one, text), *((one, t) for t in crowd), *((two, t) for t in crowd), (two, text)]
    gets = [get(table, text, ProjectionExpression="n") for table, text in places]
    answer = client.transact_get_items(TransactItems=gets)["Responses"]
    return answer[0].get("Item"), answer[-1].get("Item")


def writer(client, tables, text):
    """Counts one item of each table up together, in one transaction."""
    updates = [
        {
            "Update": {
                "TableName": table,
                "Key": key(text),
                "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            }
        }
        for table in tables
    ]
    client.transact_write_items(TransactItems=updates)


def counts(items):
    return [int(item["n"]["N"]) for item in items]


def test_a_read_never_sees_half_of_a_transaction(connect, tables, crowd):
    clients = [connect() for _ in range(8)]
    own = connect()
    writer(own, tables, "pair")
    seen = []
    with working(lambda n: writer(clients[n], tables, "pair"), 8) as failures:
        while len(seen) < 200:
            first, second = counts(ends(own, tables, "pair", crowd))
            assert first == second
            seen.append(first)
    assert failures == []
    assert seen == sorted(seen)
    assert seen[-1] > seen[0]


def test_a_batch_of_reads_sees_each_item_as_it_was_at_some_time(connect, tables, crowd):
    """A batch is not one moment: its items may differ, but no count goes back."""
    clients = [connect() for _ in range(4)]
    own = connect()
    writer(own, tables, "pair")
    keys = [key(text) for text in ["pair", *crowd]]
    wanted = {
        table: {"Keys": order, "ConsistentRead": True, "ProjectionExpression": "n"}
        for table, order in zip(tables, [keys, keys[::-1]])
    }
    seen = []
    with working(lambda n: writer(clients[n], tables, "pair"), 4) as failures:
        while len(seen) < 100:
            answer = own.batch_get_item(RequestItems=wanted)["Responses"]
            seen.append(counts(item for table in tables for item in answer[table] if item))
    assert failures == []
    for counted in zip(*seen):
        assert list(counted) == sorted(counted)
    first, second = counts(ends(own, tables, "pair", []))
    assert first == second >= max(seen[-1])


def test_an_item_moves_between_tables_and_is_always_in_one(connect, tables, crowd):
    """Deletes and puts of a transaction are seen together."""
    clients = [connect() for _ in range(4)]
    own = connect()
    one, two = tables
    own.put_item(TableName=one, Item={**key("moving"), "n": {"N": "1"}})

    def move(n):
        source, target = (one, two) if n % 2 else (two, one)
        there = {"ConditionExpression": "attribute_exists(pk)"}
        try:
            clients[n].transact_write_items(
                TransactItems=[
                    {"Delete": {"TableName": source, "Key": key("moving"), **there}},
                    {"Put": {"TableName": target, "Item": {**key("moving"), "n": {"N": "1"}}}},
                ]
            )
        except clients[n].exceptions.TransactionCanceledException as error:
            codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
            assert codes == ["ConditionalCheckFailed", "None"]

    places = set()
    with working(move, 4) as failures:
        for _ in range(150):
            found = tuple(item is not None for item in ends(own, tables, "moving", crowd))
            assert sum(found) == 1
            places.add(found)
    assert failures == []
    assert len(places) == 2


def test_writes_outside_of_transactions_are_in_order_with_them(connect, tables):
    """Single writes and transactions of the same items: no increment is lost."""
    clients = [connect() for _ in range(8)]
    own = connect()
    one, two = tables
    rounds = 25

    def count(number):
        for _ in range(rounds):
            if number % 2:
                writer(clients[number], tables, "shared")
            else:
                for table in tables:
                    clients[number].update_item(
                        TableName=table,
                        Key=key("shared"),
                        UpdateExpression="ADD n :one",
                        ExpressionAttributeValues={":one": {"N": "1"}},
                    )

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(count, range(8)))
    answer = own.transact_get_items(TransactItems=[get(one, "shared"), get(two, "shared")])
    assert counts(entry["Item"] for entry in answer["Responses"]) == [8 * rounds] * 2


def test_the_units_of_a_read_follow_the_size_of_the_whole_item(wire, tables):
    one, two = tables
    for text, size in [("4096", 4096), ("4097", 4097)]:
        wire.call("PutItem", {"TableName": one, "Item": {**padded(size - 3), **key(text)}})
    answer = read(
        wire,
        get(one, "4096", ProjectionExpression="pk"),
        get(one, "4097", ProjectionExpression="pk"),
        get(one, "missing"),
        get(two, "a"),
        ReturnConsumedCapacity="INDEXES",
    )

    def expected(table, units):
        part = {"CapacityUnits": units, "ReadCapacityUnits": units}
        return {"TableName": table, **part, "Table": part}

    consumed = sorted(answer["ConsumedCapacity"], key=lambda part: -part["CapacityUnits"])
    assert consumed == [expected(one, 2 + 4 + 2), expected(two, 2)]


def test_a_key_that_does_not_fit_cancels_the_read(wire, tables):
    wrong = {"Get": {"TableName": tables[0], "Key": {"pk": {"N": "1"}}}}
    answer = wire.post("TransactGetItems", {"TransactItems": [get(tables[0], "a"), wrong]})
    assert answer.status == 400
    assert answer.error[0] == "TransactionCanceledException"
    text = "The provided key element does not match the schema"
    assert answer.json["CancellationReasons"] == [
        {"Code": "None"},
        {"Code": "ValidationError", "Message": text},
    ]
