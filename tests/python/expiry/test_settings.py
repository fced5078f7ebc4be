"""Time to live is turned on for a table in use, and off again."""

import time

from expiry.tables import definition, item, names, now, put_all, set_expiry, status
from server import until

SETTLED = 1.5


def test_it_becomes_enabled(client, make_table):
    table = make_table(definition())
    assert status(client, table) == "DISABLED"
    set_expiry(client, table, True)
    assert status(client, table) in ("ENABLING", "ENABLED")
    until(lambda: status(client, table) == "ENABLED", "it is enabled")
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    set_expiry(client, table, False)
    until(lambda: status(client, table) == "DISABLED", "it is disabled")


def test_items_from_before_expire_too(client, make_table):
    table = make_table(definition())
    moment = now()
    put_all(client, table, [item(f"gone {n}", moment - 5) for n in range(700)])
    put_all(client, table, [item(f"soon {n}", moment + 4) for n in range(100)])
    put_all(client, table, [item(f"kept {n}", moment + 3600) for n in range(100)])
    put_all(client, table, [item(f"none {n}") for n in range(100)])
    assert len(names(client, table)) == 1000
    set_expiry(client, table, True)
    kept = {f"{kind} {n}" for kind in ("kept", "none") for n in range(100)}
    until(lambda: names(client, table) == kept, "what has expired is deleted")
    assert status(client, table) == "ENABLED"
    assert names(client, table, IndexName="gsi") == kept


def test_items_written_while_it_is_being_enabled(client, make_table):
    """Some are written over, moved and deleted while the others are taken in."""
    table = make_table(definition())
    put_all(client, table, [item(f"{n:04}", now() - 5) for n in range(1500)])
    set_expiry(client, table, True)
    saved, moved = set(), 0
    while status(client, table) == "ENABLING" or moved < 200:
        name = f"{(moved * 37) % 1500:04}"
        client.put_item(TableName=table, Item=item(name, now() + 3600))
        saved.add(name)
        moved += 1
    until(lambda: names(client, table) == saved, "all that was not saved is deleted")
    time.sleep(SETTLED)
    assert names(client, table) == saved
    described = client.describe_table(TableName=table)["Table"]
    assert described["ItemCount"] == len(saved)


def test_it_stops_when_it_is_disabled(client, table):
    put_all(client, table, [item("before", now() - 5)])
    until(lambda: not names(client, table), "it works")
    put_all(client, table, [item(f"due {n}", now() + 3) for n in range(30)])
    set_expiry(client, table, False)
    put_all(client, table, [item("after", now() - 5)])
    time.sleep(3 + SETTLED)
    assert names(client, table) == {"after", *(f"due {n}" for n in range(30))}
    set_expiry(client, table, True)
    until(lambda: not names(client, table), "it works again")


def test_another_attribute_takes_its_place(client, table):
    past = {"N": str(now() - 5)}
    set_expiry(client, table, False)
    put_all(client, table, [item("ttl", past), item("other", other=past), item("none")])
    set_expiry(client, table, True, "other")
    until(lambda: names(client, table) == {"ttl", "none"}, "the other attribute counts")
    time.sleep(SETTLED)
    assert names(client, table) == {"ttl", "none"}
    set_expiry(client, table, False, "other")
    set_expiry(client, table, True, "ttl")
    until(lambda: names(client, table) == {"none"}, "the first counts again")


def test_it_is_turned_on_and_off_many_times(client, table):
    put_all(client, table, [item(f"kept {n}", now() + 3600) for n in range(60)])
    for turn in range(8):
        set_expiry(client, table, False)
        put_all(client, table, [item(f"gone {turn}-{n}", now() - 5) for n in range(60)])
        set_expiry(client, table, True)
    kept = {f"kept {n}" for n in range(60)}
    until(lambda: names(client, table) == kept, "what has expired is deleted")
    assert client.describe_table(TableName=table)["Table"]["ItemCount"] == 60
