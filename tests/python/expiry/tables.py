"""Tables whose items expire, and short ways to look at them."""

import time

from definitions import index, name, on_demand

YEAR = 365 * 24 * 60 * 60


def now():
    return int(time.time())


def definition(**more):
    """A table with a sort key, a global and a local index."""
    return on_demand(
        name("expiring"),
        "pk",
        "sk",
        "g:S",
        "l:S",
        GlobalSecondaryIndexes=[index("gsi", "g")],
        LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        **more,
    )


def set_expiry(client, table, enabled, attribute="ttl"):
    client.update_time_to_live(
        TableName=table,
        TimeToLiveSpecification={"Enabled": enabled, "AttributeName": attribute},
    )


def status(client, table):
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    return described["TimeToLiveStatus"]


def item(key, ttl=None, **more):
    """An item that is in all indexes; `ttl` is a number, or a value in the form of the API."""
    built = {"pk": {"S": "p"}, "sk": {"S": key}, "g": {"S": "g"}, "l": {"S": key}, **more}
    if ttl is not None:
        built["ttl"] = ttl if isinstance(ttl, dict) else {"N": str(ttl)}
    return built


def key(name_):
    return {"pk": {"S": "p"}, "sk": {"S": name_}}


def scan(client, table, **more):
    pages = client.get_paginator("scan").paginate(TableName=table, **more)
    return [found for page in pages for found in page["Items"]]


def names(client, table, **more):
    """The sort keys of the items that are left."""
    return {found["sk"]["S"] for found in scan(client, table, **more)}


def put_all(client, table, items):
    for start in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": each}} for each in items[start : start + 25]]
        client.batch_write_item(RequestItems={table: puts})
