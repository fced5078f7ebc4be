"""`monotable history`: the versions of an item."""

import json
import re
import time

import pytest

from definitions import attributes, key, name, on_demand
from server import until

# A time in UTC, to the millisecond if there is a fraction.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z ")


def recorded(server, table):
    """Turns recovery on."""
    specification = {"PointInTimeRecoveryEnabled": True}
    request = {"TableName": table, "PointInTimeRecoverySpecification": specification}
    server.wire.call("UpdateContinuousBackups", request)
    return table


@pytest.fixture
def table(server, make_table):
    return recorded(server, make_table(on_demand(name("history"), "PK", "SK")))


def put(server, table, pk, sk, **others):
    item = {"PK": {"S": pk}, "SK": {"S": sk}, **others}
    server.wire.call("PutItem", {"TableName": table, "Item": item})


def remove(server, table, pk, sk):
    server.wire.call("DeleteItem", {"TableName": table, "Key": {"PK": {"S": pk}, "SK": {"S": sk}}})


def without_times(out):
    lines = out.splitlines()
    assert all(TIME.match(line) or line.startswith("before that") for line in lines), lines
    return [TIME.sub("", line) for line in lines]


def test_versions_newest_first(server, table, monotable):
    put(server, table, "a", "s", amount={"N": "5"}, note={"S": "x"})
    put(server, table, "b", "s", amount={"N": "1"})
    put(server, table, "a", "s", amount={"N": "7"}, tags={"SS": ["t"]})
    remove(server, table, "a", "s")
    put(server, table, "a", "s", amount={"N": "9"})
    arguments = "history", table, "--pk", "a", "--sk", "s"
    code, out, err = monotable(server, *arguments)
    lines = [
        "INSERT by request  amount: 9",
        'REMOVE by request  amount: 7, tags: <"t">',
        'MODIFY by request  amount: 5 -> 7, -note: "x", +tags: <"t">',
        'INSERT by request  amount: 5, note: "x"',
    ]
    assert (code, without_times(out), err) == (0, lines, "")
    code, out, err = monotable(server, *arguments, "--limit", 3)
    before = 'before that  amount: 5, note: "x"'
    assert (code, without_times(out)) == (0, [*lines[:3], before])
    assert err == "monotable: there are older ones than these 3 versions; --limit shows more\n"
    code, out, _ = monotable(server, *arguments, "--json")
    versions = [json.loads(line) for line in out.splitlines()]
    assert [version["EventName"] for version in versions] == ["INSERT", "REMOVE", "MODIFY", "INSERT"]
    assert versions[0]["Item"] == {"PK": {"S": "a"}, "SK": {"S": "s"}, "amount": {"N": "9"}}
    assert "Item" not in versions[1]


def test_an_item_from_before_the_records(server, make_table, monotable):
    table = make_table(on_demand(name("history"), "PK", "SK"))
    put(server, table, "a", "s", amount={"N": "5"})
    recorded(server, table)
    arguments = "history", table, "--pk", "a", "--sk", "s"
    code, out, err = monotable(server, *arguments)
    assert (code, out) == (0, "unchanged  amount: 5\n")
    assert err == "monotable: the item has not changed as far back as is recorded\n"
    put(server, table, "a", "s", amount={"N": "6"})
    code, out, err = monotable(server, *arguments)
    lines = ["MODIFY by request  amount: 5 -> 6", "before that  amount: 5"]
    assert (code, without_times(out), err) == (0, lines, "")


def test_a_deletion_by_time_to_live(server, table, monotable):
    specification = {"Enabled": True, "AttributeName": "until"}
    request = {"TableName": table, "TimeToLiveSpecification": specification}
    server.wire.call("UpdateTimeToLive", request)
    past = str(int(time.time()) - 10)
    put(server, table, "a", "s", until={"N": past})

    def lines():
        code, out, err = monotable(server, "history", table, "--pk", "a", "--sk", "s")
        assert (code, err) == (0, "")
        return without_times(out)

    until(lambda: len(lines()) == 2, "the item has expired")
    assert lines() == [
        f"REMOVE by time to live  until: {past}",
        f"INSERT by request  until: {past}",
    ]


@pytest.mark.parametrize(
    "kind, stored, given",
    [
        ("N", "-1.5", "-1.5"),
        ("N", "-1.5", "-15e-1"),
        ("N", "12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
        ("B", "AP8=", "AP8="),
        ("S", "-5", "-5"),
    ],
)
def test_keys_have_the_types_of_the_table(server, make_table, monotable, kind, stored, given):
    definition = {
        "TableName": name("history"),
        "AttributeDefinitions": attributes(f"id:{kind}"),
        "KeySchema": key("id"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    table = recorded(server, make_table(definition))
    item = {"id": {kind: stored}, "n": {"N": "1"}}
    server.wire.call("PutItem", {"TableName": table, "Item": item})
    code, out, err = monotable(server, "history", table, "--pk", given)
    assert (code, without_times(out), err) == (0, ["INSERT by request  n: 1"], "")
    code, out, err = monotable(server, "history", table, "--pk", given, "--sk", "s")
    assert (code, out) == (1, "")
    assert err == f"monotable: '{table}' has no sort key; leave --sk away\n"
    if kind != "S":
        code, out, err = monotable(server, "history", table, "--pk", "no!")
        word = {"N": "a number", "B": "binary (Base64)"}[kind]
        assert (code, out, err) == (1, "", f'monotable: id is {word}, which "no!" is not\n')


def test_what_is_missing_is_named(server, table, make_table, monotable):
    code, out, err = monotable(server, "history", table, "--pk", "a")
    assert (code, out) == (1, "")
    assert err == f"monotable: '{table}' has a sort key, SK; give its value with --sk\n"
    code, out, err = monotable(server, "history", table, "--pk", "nobody", "--sk", "s")
    assert (code, out) == (0, "")
    assert "there is no such item, and there was none" in err
    code, out, err = monotable(server, "history", "nowhere", "--pk", "a")
    assert (code, out) == (1, "")
    assert "Table: nowhere not found" in err
    plain = make_table(on_demand(name("history"), "PK", "SK"))
    code, out, err = monotable(server, "history", plain, "--pk", "a", "--sk", "s")
    assert (code, out) == (1, "")
    assert err.startswith(f"monotable: point-in-time recovery is off for '{plain}'")
    assert f"update-continuous-backups --table-name {plain} --endpoint-url {server.endpoint}" in err
