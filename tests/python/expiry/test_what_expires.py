"""Which items are deleted, and which are not."""

import time

import pytest

from definitions import attributes, index, name
from definitions import key as schema
from expiry.tables import YEAR, definition, item, key, names, now, put_all, scan, set_expiry
from server import until

# What the background job needs at most between two looks at a table, and some.
SETTLED = 1.5


def left_in_the_end(client, table, gone):
    """The names that are left once those that must go are gone, and some time has passed."""
    until(lambda: not names(client, table) & gone, "what has expired is deleted")
    time.sleep(SETTLED)
    return names(client, table)


def test_only_numbers_of_the_last_five_years_expire(client, table):
    moment = now()
    expired = {
        "now": moment,
        "a second ago": moment - 1,
        "a day ago": moment - 24 * 60 * 60,
        "four years ago": moment - 4 * YEAR,
        "less than five years ago": moment - 5 * YEAR + 24 * 60 * 60,
        "with a fraction": {"N": f"{moment - 10}.75"},
        "with an exponent": {"N": f"{(moment - 100) / 1e9:.9f}e9"},
        "with zeros": {"N": f"000{moment - 10}.000"},
    }
    kept = {
        "none": None,
        "in an hour": moment + 3600,
        "in milliseconds": moment * 1000,
        "in microseconds": moment * 1_000_000,
        "more than five years ago": moment - 5 * YEAR - 5 * 24 * 60 * 60,
        "zero": 0,
        "one": 1,
        "below zero": -moment,
        "huge": {"N": "9.9999999999999999999999999999999999999E+125"},
        "tiny": {"N": "1E-130"},
        "text": {"S": str(moment - 10)},
        "text of a date": {"S": "2020-01-01T00:00:00Z"},
        "binary": {"B": str(moment - 10).encode()},
        "truth": {"BOOL": True},
        "null": {"NULL": True},
        "list": {"L": [{"N": str(moment - 10)}]},
        "map": {"M": {"ttl": {"N": str(moment - 10)}}},
        "set of numbers": {"NS": [str(moment - 10)]},
        "set of texts": {"SS": [str(moment - 10)]},
    }
    put_all(client, table, [item(each, ttl) for each, ttl in {**expired, **kept}.items()])
    assert left_in_the_end(client, table, set(expired)) == set(kept)


def test_the_attribute_is_named_exactly_and_at_the_top(client, table):
    past = {"N": str(now() - 10)}
    put_all(
        client,
        table,
        [
            item("expires", past),
            item("other case", TTL=past, Ttl=past),
            item("deep", deep={"M": {"ttl": past}}),
            item("longer", ttl2=past, **{"ttl.x": past}),
        ],
    )
    assert left_in_the_end(client, table, {"expires"}) == {"other case", "deep", "longer"}


@pytest.mark.parametrize("attribute", ["a.b", "#ttl", "expires at", "\u00e9\u20ac", "x" * 255])
def test_the_attribute_may_have_any_name(client, make_table, attribute):
    table = make_table(definition())
    set_expiry(client, table, True, attribute)
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described["AttributeName"] == attribute
    put_all(
        client,
        table,
        [item("gone", **{attribute: {"N": str(now() - 5)}}), item("kept", ttl=now() - 5)],
    )
    until(lambda: names(client, table) == {"kept"}, "the item is deleted")


def test_items_are_deleted_within_seconds_of_their_time(client, table):
    moment = now()
    put_all(client, table, [item(f"in {n}", moment + n) for n in range(1, 5)])
    assert len(names(client, table)) == 4
    deleted = {}

    def watch():
        left = names(client, table)
        for n in range(1, 5):
            if f"in {n}" not in left:
                deleted.setdefault(n, time.time())
        return not left

    until(watch, "all are deleted")
    for n, at in deleted.items():
        assert moment + n <= at < moment + n + 10, f"in {n}"
    assert sorted(deleted) == [1, 2, 3, 4]


def test_the_attribute_may_be_the_sort_key(client, make_table):
    table = make_table(
        {
            "TableName": name("expiring"),
            "AttributeDefinitions": attributes("pk:S", "at:N"),
            "KeySchema": schema("pk", "at"),
            "BillingMode": "PAY_PER_REQUEST",
        }
    )
    set_expiry(client, table, True, "at")
    moment = now()
    for at in (moment - 100, moment - 5, moment + 1000):
        client.put_item(TableName=table, Item={"pk": {"S": "p"}, "at": {"N": str(at)}})
    kept = [{"pk": {"S": "p"}, "at": {"N": str(moment + 1000)}}]
    until(lambda: scan(client, table) == kept, "the others are deleted")


def test_the_attribute_may_be_the_key_of_an_index(client, make_table):
    table = make_table(
        {
            "TableName": name("expiring"),
            "AttributeDefinitions": attributes("pk:S", "ttl:N"),
            "KeySchema": schema("pk"),
            "GlobalSecondaryIndexes": [index("gsi", "ttl")],
            "BillingMode": "PAY_PER_REQUEST",
        }
    )
    set_expiry(client, table, True)
    moment = now()
    for pk, at in (("gone", moment - 5), ("kept", moment + 1000)):
        client.put_item(TableName=table, Item={"pk": {"S": pk}, "ttl": {"N": str(at)}})
    kept = [{"pk": {"S": "kept"}, "ttl": {"N": str(moment + 1000)}}]
    until(lambda: scan(client, table) == kept, "the other is deleted")
    assert scan(client, table, IndexName="gsi") == kept


def test_every_way_to_write_an_expiry(client, table):
    past = str(now() - 5)
    client.put_item(TableName=table, Item=item("put", past))
    client.put_item(TableName=table, Item=item("updated"))
    client.update_item(
        TableName=table,
        Key=key("updated"),
        UpdateExpression="SET #t = :t",
        ExpressionAttributeNames={"#t": "ttl"},
        ExpressionAttributeValues={":t": {"N": past}},
    )
    client.update_item(
        TableName=table,
        Key=key("made by an update"),
        UpdateExpression="ADD #t :t",
        ExpressionAttributeNames={"#t": "ttl"},
        ExpressionAttributeValues={":t": {"N": past}},
    )
    client.transact_write_items(
        TransactItems=[{"Put": {"TableName": table, "Item": item("transacted", past)}}]
    )
    client.execute_statement(
        Statement=f"INSERT INTO \"{table}\" VALUE {{'pk': 'p', 'sk': 'stated', 'ttl': {past}}}"
    )
    put_all(client, table, [item("batched", past), item("kept")])
    until(lambda: names(client, table) == {"kept"}, "all the others are deleted")


def test_tables_expire_by_their_own_settings(client, make_table):
    tables = [make_table(definition()) for _ in range(3)]
    set_expiry(client, tables[0], True, "ttl")
    set_expiry(client, tables[1], True, "other")
    for each in tables:
        put_all(
            client,
            each,
            [item("ttl", now() - 5), item("other", other={"N": str(now() - 5)})],
        )
    until(lambda: names(client, tables[0]) == {"other"}, "the first table's item is deleted")
    until(lambda: names(client, tables[1]) == {"ttl"}, "the second table's item is deleted")
    assert names(client, tables[2]) == {"ttl", "other"}


def test_a_table_of_the_same_name_begins_anew(client, make_table):
    wanted = definition()
    table = make_table(wanted)
    set_expiry(client, table, True)
    put_all(client, table, [item(f"{n}", now() + 2) for n in range(10)])
    client.delete_table(TableName=table)
    client.create_table(**wanted)
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "DISABLED"}
    put_all(client, table, [item(f"{n}", now() + 2) for n in range(10)])
    time.sleep(2 + SETTLED)
    assert len(names(client, table)) == 10
