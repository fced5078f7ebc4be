"""Programs written for AWS run as they stand."""

import time
from datetime import datetime
from decimal import Decimal

import pytest

from definitions import name
from expressions.programs import e_commerce
from users_tables import BOTO3


@pytest.fixture
def shop(endpoint, make_table, resource):
    """The e-commerce table with one order in it."""
    table = resource.Table(make_table({**BOTO3["create"], "TableName": name("ecommerce")}))
    table.put_item(
        Item={
            "PK": "ORDER#o1",
            "SK": "METADATA",
            "Status": "pending",
            "CreatedAt": "2026-04-05T10:30:00",
            "GSI2PK": "STATUS#pending",
            "GSI2SK": "ORDER#2026-04-05T10:30:00",
            "Total": Decimal("99.99"),
        }
    )
    return table


def stored(table, pk, sk):
    return table.get_item(Key={"PK": pk, "SK": sk}, ConsistentRead=True).get("Item")


def test_the_status_of_an_order_moves_with_its_index_keys(shop):
    e_commerce.AccessPatternOptimizer(shop.name).update_order_status("o1", "shipped", "pending")
    assert stored(shop, "ORDER#o1", "METADATA") == {
        "PK": "ORDER#o1",
        "SK": "METADATA",
        "Status": "shipped",
        "CreatedAt": "2026-04-05T10:30:00",
        "GSI2PK": "STATUS#shipped",
        "GSI2SK": "ORDER#2026-04-05T10:30:00",
        "Total": Decimal("99.99"),
    }


def test_an_order_that_is_not_there_has_no_status(shop):
    program = e_commerce.AccessPatternOptimizer(shop.name)
    with pytest.raises(ValueError, match="Order not found"):
        program.update_order_status("o2", "shipped", "pending")
    assert stored(shop, "ORDER#o2", "METADATA") is None


def test_a_place_in_a_hierarchy_is_stored(shop):
    e_commerce.HierarchicalDataPattern(shop.name).create_item(
        "t1", "/books/rust", {"shelf": 4, "tags": ["new", None]}
    )
    assert stored(shop, "TENANT#t1", "PATH#/books/rust") == {
        "PK": "TENANT#t1",
        "SK": "PATH#/books/rust",
        "Type": "HierarchicalItem",
        "Metadata": {"shelf": 4, "tags": ["new", None]},
        "Level": 2,
        "Parent": "/books",
    }


def test_a_metric_is_stored_in_one_of_its_shards(shop):
    moment = datetime(2026, 4, 5, 10, 30)
    e_commerce.TimeSeriesPattern(shop.name, shards=3).write_metric("cpu", 0.75, moment)
    found = [
        stored(shop, f"METRIC#cpu#SHARD#{shard}", f"TIMESTAMP#{moment.isoformat()}")
        for shard in range(3)
    ]
    (item,) = [item for item in found if item]
    assert item["Value"] == Decimal("0.75")
    assert item["TTL"] == int(moment.timestamp()) + 30 * 86_400


def test_an_archived_item_gets_an_expiry(shop):
    item = stored(shop, "ORDER#o1", "METADATA")
    e_commerce.Archive(shop.name).expire(item)
    after = stored(shop, "ORDER#o1", "METADATA")
    assert abs(int(after.pop("TTL")) - (time.time() + 7 * 86_400)) < 60
    assert after == item
