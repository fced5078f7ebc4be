"""The archive job of our users against an S3 server, as it stands."""

import datetime
import json

import boto3
import pytest

from definitions import name
from expiry.programs import ttl_archival
from recovery.tables import until_active
from transfer.site import BUCKET
from transfer.storage import ADMIN
from users_tables import BOTO3

DAY = datetime.timedelta(days=1)
WEEK = 7 * 24 * 60 * 60


@pytest.fixture
def program(s3_site, monkeypatch):
    """The job, which finds both servers without being told where."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", s3_site.server.endpoint)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", s3_site.store.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ADMIN[0])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", ADMIN[1])
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    table = name("ecommerce")
    s3_site.boto.create_table(**{**BOTO3["create"], "TableName": table})
    until_active(s3_site.boto, table)
    return ttl_archival.TTLArchivalManager(table, BUCKET)


def test_old_items_are_archived(program, s3_site):
    moment = datetime.datetime.now()
    for n, days in enumerate((200, 120, 10, 0)):
        program.table.put_item(
            Item={
                "PK": f"ORDER#{n}",
                "SK": "METADATA",
                "Type": "ArchivedOrder",
                "CreatedAt": (moment - days * DAY).isoformat(),
                "Total": n,
                "Tags": {"a", "b"},
            }
        )
    program.archive_old_data()
    place = "archive/ArchivedOrder/"
    assert s3_site.store.keys_of(BUCKET, place) == [
        f"{place}ORDER#{n}/METADATA.json" for n in (0, 1)
    ]
    for n in (0, 1):
        body = json.loads(s3_site.store.get(BUCKET, f"{place}ORDER#{n}/METADATA.json"))
        assert (body["PK"], body["Total"]) == (f"ORDER#{n}", str(n))
    left = {each["PK"]: each.get("TTL") for each in program.table.scan()["Items"]}
    assert set(left) == {f"ORDER#{n}" for n in range(4)}
    end = moment.timestamp() + WEEK
    assert all(abs(int(left[f"ORDER#{n}"]) - end) < 60 for n in (0, 1))
    assert left["ORDER#2"] is None and left["ORDER#3"] is None
