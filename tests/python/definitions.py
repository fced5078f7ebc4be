"""Definitions of tables, and small words to write them with."""

import itertools

_numbers = itertools.count(1)


def name(stem="table"):
    """A table name that nobody else uses."""
    return f"{stem}-{next(_numbers)}"


def attributes(*definitions):
    """`attributes("pk:S", "n:N")`"""
    pairs = [definition.split(":") for definition in definitions]
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in pairs]


def key(hashes, ranges=()):
    """A key schema; each part is a name or a list of names."""
    hashes = [hashes] if isinstance(hashes, str) else hashes
    ranges = [ranges] if isinstance(ranges, str) else ranges
    return [{"AttributeName": name, "KeyType": "HASH"} for name in hashes] + [
        {"AttributeName": name, "KeyType": "RANGE"} for name in ranges
    ]


def projection(kind="ALL", *included):
    return {"ProjectionType": kind, **({"NonKeyAttributes": list(included)} if included else {})}


def index(index_name, hashes, ranges=(), projected=None, **more):
    schema = key(hashes, ranges)
    return {
        "IndexName": index_name,
        "KeySchema": schema,
        "Projection": projected or projection(),
        **more,
    }


def units(read, write):
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def on_demand(table_name, hashes="pk", ranges=(), *extra, **more):
    """An on-demand table with string keys; `extra` defines index key attributes."""
    names = [hashes, *([ranges] if isinstance(ranges, str) else ranges)]
    return {
        "TableName": table_name,
        "AttributeDefinitions": attributes(*(f"{name}:S" for name in names), *extra),
        "KeySchema": key(hashes, ranges),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }
