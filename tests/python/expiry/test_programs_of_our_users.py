"""Programs that let items expire, written for AWS, run as they stand."""

import datetime
import json
import time

import boto3
import pytest

from definitions import name
from expiry.programs import ttl_archival
from expiry.tables import now, set_expiry
from expressions.programs import e_commerce
from server import until
from users_tables import BOTO3

DAY = datetime.timedelta(days=1)


@pytest.fixture
def shop(server, client, make_table, monkeypatch):
    """The e-commerce table, which programs find without being told where."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.endpoint)
    table = make_table({**BOTO3["create"], "TableName": name("ecommerce")})
    set_expiry(client, table, True, BOTO3["time_to_live"])
    return boto3.resource("dynamodb").Table(table)


def clock(program, monkeypatch, moved):
    """Lets a program live at another time."""

    class Moved(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.now(tz) + moved

    monkeypatch.setattr(program, "datetime", Moved)


def test_metrics_are_kept_for_thirty_days(shop):
    program = e_commerce.TimeSeriesPattern(shop.name, shards=3)
    moment = datetime.datetime.now()
    for days, value in ((40, 0.1), (31, 0.2), (29, 0.3), (0, 0.4)):
        program.write_metric("cpu", value, moment - days * DAY)
    program.write_metric("cpu", 0.5, moment - 30 * DAY + datetime.timedelta(seconds=3))
    program.write_metric("cpu", 0.6)

    def values():
        return sorted(float(item["Value"]) for item in shop.scan()["Items"])

    assert 0.5 in values(), "not yet"
    until(lambda: values() == [0.3, 0.4, 0.6], "metrics of a month ago are deleted")


def test_sessions_expire_after_their_days(shop, monkeypatch):
    program = ttl_archival.TTLArchivalManager(shop.name, "archive")
    fresh = program.set_ttl({"PK": "SESSION#1", "SK": "META"}, 1)
    assert abs(fresh["TTL"] - time.time() - 24 * 60 * 60) < 60
    shop.put_item(Item=fresh)
    clock(ttl_archival, monkeypatch, -2 * DAY)
    shop.put_item(Item=program.set_ttl({"PK": "SESSION#2", "SK": "META"}, 1))
    until(lambda: shop.scan()["Items"] == [fresh], "the old session is deleted")


class Bucket:
    """Takes the place of S3."""

    def __init__(self):
        self.objects = {}

    def put_object(self, Bucket, Key, Body, StorageClass):
        self.objects[Bucket, Key] = json.loads(Body), StorageClass


@pytest.mark.parametrize("archived_before", [0, 6, 8])
def test_old_items_are_archived_and_expire_a_week_later(shop, monkeypatch, archived_before):
    program = ttl_archival.TTLArchivalManager(shop.name, "archive")
    program.s3 = Bucket()
    moment = datetime.datetime.now()
    for n, days in enumerate((200, 120, 10, 0)):
        shop.put_item(
            Item={
                "PK": f"ORDER#{n}",
                "SK": "METADATA",
                "Type": "Order",
                "CreatedAt": (moment - days * DAY).isoformat(),
                "Total": n,
            }
        )
    clock(ttl_archival, monkeypatch, -archived_before * DAY)
    program.archive_old_data()
    assert set(program.s3.objects) == {
        ("archive", f"archive/Order/ORDER#{n}/METADATA.json") for n in (0, 1)
    }
    body, storage = program.s3.objects["archive", "archive/Order/ORDER#1/METADATA.json"]
    assert (body["Total"], storage) == ("1", "GLACIER")
    archived = {"ORDER#0", "ORDER#1"}

    def left():
        return {item["PK"] for item in shop.scan()["Items"]}

    if archived_before > 7:
        until(lambda: not left() & archived, "what was archived is deleted")
        assert left() == {"ORDER#2", "ORDER#3"}
    else:
        time.sleep(1.2)
        assert left() == archived | {"ORDER#2", "ORDER#3"}
        expiry = shop.get_item(Key={"PK": "ORDER#0", "SK": "METADATA"})["Item"]["TTL"]
        assert abs(expiry - now() - (7 - archived_before) * 24 * 60 * 60) < 60
