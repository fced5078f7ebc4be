"""Functions written for AWS Lambda run as they stand on the records of a stream."""

import json
import time
from decimal import Decimal

import boto3
import pytest

from conftest import CONFIG
from definitions import name
from items.programs import e_commerce
from server import until
from streams.lambda_events import Poller
from streams.programs import streams_processor
from streams.reading import Table, item, number, on, text
from users_tables import BOTO3

LINES = [
    {"product_id": "p1", "name": "Laptop Stand", "price": Decimal("49.50"), "quantity": 2},
    {"product_id": "p2", "name": "USB Hub", "price": Decimal("0.99"), "quantity": 1},
]


@pytest.fixture
def shop(client, streams, make_table):
    """The e-commerce table with a stream, and a function that gets its records."""
    definition = {**BOTO3["create"], "TableName": name("ecommerce"), "StreamSpecification": on()}
    return Table(client, streams, make_table(definition))


@pytest.fixture
def resource(server):
    return boto3.resource("dynamodb", endpoint_url=server.endpoint, config=CONFIG)


@pytest.fixture
def processor(shop):
    streams_processor.calls.clear()
    stream = shop.stream
    return Poller(stream.client, stream.arn, streams_processor.lambda_handler, batch_size=3)


def called(kind):
    return [given for name_, given in streams_processor.calls if name_ == kind]


def test_orders_are_confirmed_and_their_status_is_followed(
    server, shop, resource, processor, monkeypatch
):
    """The program that writes orders and the function that reads their stream, together."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.endpoint)
    program = e_commerce.SingleTableDesign(shop.name)
    program.create_user("u1", {"email": "ann@example.com", "name": "Ann"})
    program.create_order("o1", "u1", LINES)
    handled = processor.poll()
    assert {record["eventName"] for record in handled} == {"INSERT"}
    (order,) = called("confirmation")
    assert called("inventory") == called("fulfillment") == [order]
    assert order == program.get_order_with_items("o1")["metadata"]
    assert order["Total"] == Decimal("99.99")
    assert called("status") == []

    table, key = resource.Table(shop.name), {"PK": order["PK"], "SK": order["SK"]}
    for status in ("PAID", "PAID", "SHIPPED"):
        table.update_item(
            Key=key,
            UpdateExpression="SET #s = :s, Seen = :t",
            ExpressionAttributeNames={"#s": "Status"},
            ExpressionAttributeValues={":s": status, ":t": Decimal(str(time.time()))},
        )
    table.update_item(
        Key=key, UpdateExpression="SET Note = :n", ExpressionAttributeValues={":n": "x"}
    )
    table.delete_item(Key=key)
    events = [record["eventName"] for record in processor.poll()]
    assert events == ["MODIFY"] * 4 + ["REMOVE"]
    assert [item["Status"] for item in called("status")] == ["PAID", "SHIPPED"]
    (deleted,) = called("delete")
    assert (deleted["PK"], deleted["Status"], deleted["Note"]) == (order["PK"], "SHIPPED", "x")
    assert processor.poll() == [], "what was handled is not handed on again"


def test_a_poller_begins_behind_what_it_has_seen(shop, processor):
    key = {"PK": text("ORDER#1"), "SK": text("METADATA")}
    statuses = [f"S{n}" for n in range(10)]
    shop.put({**key, "Type": text("Order"), "Status": text("NEW")})
    for status in statuses:
        shop.put({**key, "Type": text("Order"), "Status": text(status)})
        processor.poll()
    assert len(called("confirmation")) == 1
    assert [item["Status"] for item in called("status")] == statuses


def test_the_service_is_told_from_people_by_its_principal(client, shop):
    """As the documents have it: type is Service, principalId is dynamodb.amazonaws.com."""
    cleaned, removed = [], []

    def cleanup(event, context):
        for record in event["Records"]:
            if record["eventName"] != "REMOVE":
                continue
            identity = record.get("userIdentity", {})
            by_service = (
                identity.get("type") == "Service"
                and identity.get("principalId") == "dynamodb.amazonaws.com"
            )
            (cleaned if by_service else removed).append(record["dynamodb"]["OldImage"])

    client.update_time_to_live(
        TableName=shop.name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "TTL"}
    )
    expired = int(time.time()) - 5
    sessions = [
        {"PK": text(f"SESSION#{n}"), "SK": text("META"), "TTL": number(expired)} for n in range(3)
    ]
    kept = {"PK": text("USER#1"), "SK": text("META"), "TTL": number(expired + 10_000)}
    shop.put(kept)
    shop.delete({"PK": kept["PK"], "SK": kept["SK"]})
    for session in sessions:
        shop.put(session)
    poller = Poller(shop.stream.client, shop.stream.arn, cleanup)

    def all_cleaned():
        poller.poll()
        return len(cleaned) >= 3

    until(all_cleaned, "the sessions are deleted")
    assert sorted(cleaned, key=str) == sorted(sessions, key=str)
    assert removed == [kept]


def test_an_event_has_the_shape_of_lambdas(table):
    every = {
        "b": {"B": b"\x00\xff"},
        "bs": {"BS": [b"\x01"]},
        "m": {"M": {"l": {"L": [{"B": b"\x02"}]}}},
        "n": number("1.5"),
    }
    table.put(item("k", **every))
    events = []
    poller = Poller(table.stream.client, table.stream.arn, lambda event, _: events.append(event))
    poller.poll()
    ((record,),) = (event["Records"] for event in events)
    body = record["dynamodb"]
    assert record["eventSourceARN"] == table.stream.arn
    assert body["NewImage"] == {
        "pk": {"S": "k"},
        "b": {"B": "AP8="},
        "bs": {"BS": ["AQ=="]},
        "m": {"M": {"l": {"L": [{"B": "Ag=="}]}}},
        "n": {"N": "1.5"},
    }
    assert isinstance(body["ApproximateCreationDateTime"], int)
    assert abs(body["ApproximateCreationDateTime"] - time.time()) < 60
    assert "userIdentity" not in record
    assert json.loads(json.dumps(events)) == events


def test_batches_are_no_larger_than_asked_for(table):
    for n in range(7):
        table.put(item(f"k{n}"))
    sizes = []
    Poller(
        table.stream.client,
        table.stream.arn,
        lambda event, _: sizes.append(len(event["Records"])),
        batch_size=3,
    ).poll()
    assert sizes == [3, 3, 1]
