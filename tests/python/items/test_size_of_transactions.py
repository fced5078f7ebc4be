"""The items of a transaction may have 4 MB together."""

import pytest

from definitions import on_demand

LARGE = 390_000
TOO_LARGE = "The aggregate size of the items in the transaction exceeds the limit of 4 MB"


@pytest.fixture
def table(make_table):
    return make_table(on_demand("large", "pk"))


def put(table, pk, size):
    item = {"pk": {"S": pk}, "text": {"S": "x" * size}}
    return {"Put": {"TableName": table, "Item": item}}


def of_key(action, table, pk):
    return {action: {"TableName": table, "Key": {"pk": {"S": pk}}}}


def filler(puts):
    """What is left to 4 MB after puts of LARGE with keys of two letters."""
    each = len("pk") + 2 + len("text") + LARGE
    return 4 * 1024 * 1024 - puts * each - len("pk") - 2 - len("text")


def test_writes(wire, table):
    puts = [put(table, f"{i:02}", LARGE) for i in range(10)]
    last = filler(10)
    wire.call("TransactWriteItems", {"TransactItems": [*puts, put(table, "zz", last)]})
    above = [*puts, put(table, "zz", last + 1)]
    status, kind, text = wire.refused("TransactWriteItems", {"TransactItems": above})
    assert (status, kind, text) == (400, "ValidationException", TOO_LARGE)


def test_reads_and_deletes_of_large_items(wire, table):
    items = [f"{i:02}" for i in range(12)]
    for pk in items:
        wire.call("PutItem", put(table, pk, LARGE)["Put"])
    gets = [of_key("Get", table, pk) for pk in items]
    found = wire.call("TransactGetItems", {"TransactItems": gets[:10]})
    assert [len(each["Item"]["text"]["S"]) for each in found["Responses"]] == [LARGE] * 10
    status, kind, text = wire.refused("TransactGetItems", {"TransactItems": gets})
    assert (status, kind, text) == (400, "ValidationException", TOO_LARGE)
    deletes = [of_key("Delete", table, pk) for pk in items]
    wire.call("TransactWriteItems", {"TransactItems": deletes})
    assert wire.call("TransactGetItems", {"TransactItems": gets})["Responses"] == [{}] * 12
