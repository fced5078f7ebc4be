"""Many clients on one item: every write sees the one before it."""

import concurrent.futures
import threading

import boto3
import pytest

from expressions.conftest import SETTINGS

CLIENTS, ROUNDS = 8, 50
KEY = {"PK": "counter", "SK": "0"}


@pytest.fixture(scope="module")
def resources(server):
    """One resource a client, for they are not to be shared between threads."""
    sessions = [boto3.session.Session() for _ in range(CLIENTS)]
    return [
        session.resource("dynamodb", endpoint_url=server.endpoint, config=SETTINGS)
        for session in sessions
    ]


@pytest.fixture
def race(resources, table):
    """Runs a function in every client at once; gives what each returned."""

    def run(function):
        barrier = threading.Barrier(CLIENTS)

        def one(number):
            own = resources[number].Table(table.name)
            barrier.wait(60)
            return function(own, number)

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(one, range(CLIENTS)))

    return run


def stored(table):
    return table.get_item(Key=KEY, ConsistentRead=True)["Item"]


@pytest.mark.parametrize(
    "expression, values",
    [
        ("ADD hits :one", {":one": 1}),
        ("SET hits = if_not_exists(hits, :zero) + :one", {":zero": 0, ":one": 1}),
    ],
    ids=["ADD", "SET"],
)
def test_no_increment_is_lost_and_none_is_seen_twice(table, race, expression, values):
    def increment(own, _):
        return [
            own.update_item(
                Key=KEY,
                UpdateExpression=expression,
                ExpressionAttributeValues=values,
                ReturnValues="UPDATED_NEW",
            )["Attributes"]["hits"]
            for _ in range(ROUNDS)
        ]

    seen = race(increment)
    assert stored(table)["hits"] == CLIENTS * ROUNDS
    assert sorted(sum(seen, [])) == list(range(1, CLIENTS * ROUNDS + 1))
    assert all(own == sorted(own) for own in seen)


def create(own, number):
    try:
        own.put_item(
            Item={**KEY, "winner": number}, ConditionExpression="attribute_not_exists(PK)"
        )
    except own.meta.client.exceptions.ConditionalCheckFailedException:
        return False
    return True


def test_exactly_one_client_creates_an_item(table, race):
    for _ in range(20):
        won = race(create)
        assert won.count(True) == 1
        assert stored(table)["winner"] == won.index(True)
        table.delete_item(Key=KEY)


def test_a_lock_by_version_lets_every_client_through_once(table, race):
    table.put_item(Item={**KEY, "version": 0, "log": []})

    def write(own, number):
        failed = own.meta.client.exceptions.ConditionalCheckFailedException
        while True:
            version = stored(own)["version"]
            try:
                own.update_item(
                    Key=KEY,
                    UpdateExpression="SET version = :next, #l = list_append(#l, :entry)",
                    ConditionExpression="version = :seen",
                    ExpressionAttributeNames={"#l": "log"},
                    ExpressionAttributeValues={
                        ":next": version + 1,
                        ":seen": version,
                        ":entry": [number],
                    },
                )
                return
            except failed:
                continue

    race(write)
    item = stored(table)
    assert item["version"] == CLIENTS
    assert sorted(item["log"]) == list(range(CLIENTS))


def test_stock_never_goes_below_nothing(table, race):
    table.put_item(Item={**KEY, "stock": 30})

    def buy(own, _):
        failed = own.meta.client.exceptions.ConditionalCheckFailedException
        bought = 0
        for _ in range(10):
            try:
                own.update_item(
                    Key=KEY,
                    UpdateExpression="SET stock = stock - :one",
                    ConditionExpression="stock >= :one",
                    ExpressionAttributeValues={":one": 1},
                )
                bought += 1
            except failed:
                pass
        return bought

    assert sum(race(buy)) == 30
    assert stored(table)["stock"] == 0
