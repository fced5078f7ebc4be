"""Which writes make a record, and which record they make."""

import contextlib

import pytest
from botocore.exceptions import ClientError

from streams.reading import VIEWS, item, number, text

ONE, TWO = number(1), number(2)
OLD, NEW = item("k", v=ONE), item("k", v=TWO)
KEY = item("k")
INSERT = ("INSERT", None, NEW)
MODIFY = ("MODIFY", OLD, NEW)
REMOVE = ("REMOVE", OLD, None)


def put(new, **more):
    return lambda table: table.put(new, **more)


def update(expression, values=None, **more):
    return lambda table: table.update(KEY, expression, values, **more)


def delete(**more):
    return lambda table: table.delete(KEY, **more)


def batch(*requests):
    return lambda table: table.client.batch_write_item(RequestItems={table.name: list(requests)})


def transact(*actions):
    """Each action is a kind and its members without the table's name."""

    def run(table):
        items = [{kind: {"TableName": table.name, **given}} for kind, given in actions]
        table.client.transact_write_items(TransactItems=items)

    return run


def statement(given, *parameters):
    def run(table):
        more = {"Parameters": list(parameters)} if parameters else {}
        table.client.execute_statement(Statement=given.format(t=f'"{table.name}"'), **more)

    return run


def statements(*given):
    def run(table):
        texts = [{"Statement": one.format(t=f'"{table.name}"')} for one in given]
        table.client.execute_transaction(TransactStatements=texts)

    return run


def batched_statements(*given):
    def run(table):
        texts = [{"Statement": one.format(t=f'"{table.name}"')} for one in given]
        table.client.batch_execute_statement(Statements=texts)

    return run


THERE = {"ConditionExpression": "attribute_exists(pk)"}
NOT_THERE = {"ConditionExpression": "attribute_not_exists(pk)"}
CASES = {
    "put": ([], put(NEW), [INSERT]),
    "put over another": ([OLD], put(NEW), [MODIFY]),
    "put over the same": ([NEW], put(NEW), []),
    "put that takes attributes away": ([OLD], put(KEY), [("MODIFY", OLD, KEY)]),
    "put whose condition holds": ([OLD], put(NEW, **THERE), [MODIFY]),
    "put whose condition fails": ([OLD], put(NEW, **NOT_THERE), []),
    "update of a missing item": ([], update("SET v = :v", {":v": TWO}), [INSERT]),
    "update of a missing item without attributes": (
        [],
        lambda table: table.client.update_item(TableName=table.name, Key=KEY),
        [("INSERT", None, KEY)],
    ),
    "update that only removes, of a missing item": ([], update("REMOVE v"), []),
    "update that only takes elements away, of a missing item": (
        [],
        update("DELETE v :v", {":v": {"SS": ["a"]}}),
        [],
    ),
    "update": ([OLD], update("SET v = :v", {":v": TWO}), [MODIFY]),
    "update by arithmetic": ([OLD], update("ADD v :v", {":v": ONE}), [MODIFY]),
    "update that sets what is there": ([OLD], update("SET v = :v", {":v": ONE}), []),
    "update that adds nothing": ([OLD], update("ADD v :v", {":v": number(0)}), []),
    "update that sets itself": ([OLD], update("SET v = v"), []),
    "update that removes what is not there": ([OLD], update("REMOVE other"), []),
    "update without attributes": (
        [OLD],
        lambda table: table.client.update_item(TableName=table.name, Key=KEY),
        [],
    ),
    "update that removes": ([OLD], update("REMOVE v"), [("MODIFY", OLD, KEY)]),
    "update whose condition fails": (
        [OLD],
        update("SET v = :v", {":v": TWO}, **NOT_THERE),
        [],
    ),
    "update that is refused": ([OLD], update("ADD v :v", {":v": {"SS": ["a"]}}), []),
    "delete": ([OLD], delete(), [REMOVE]),
    "delete of a missing item": ([], delete(), []),
    "delete whose condition holds": ([OLD], delete(**THERE), [REMOVE]),
    "delete whose condition fails": ([OLD], delete(**NOT_THERE), []),
    "batch": (
        [OLD],
        batch({"PutRequest": {"Item": NEW}}, {"PutRequest": {"Item": item("other")}}),
        [MODIFY, ("INSERT", None, item("other"))],
    ),
    "batch that deletes": (
        [OLD],
        batch({"DeleteRequest": {"Key": KEY}}, {"DeleteRequest": {"Key": item("nobody")}}),
        [REMOVE],
    ),
    "batch that changes nothing": ([OLD], batch({"PutRequest": {"Item": OLD}}), []),
    "transaction": (
        [OLD, item("gone")],
        transact(
            ("Put", {"Item": NEW}),
            ("Delete", {"Key": item("gone")}),
            ("Delete", {"Key": item("nobody")}),
            (
                "Update",
                {
                    "Key": item("new"),
                    "UpdateExpression": "SET v = :v",
                    "ExpressionAttributeValues": {":v": ONE},
                },
            ),
            (
                "ConditionCheck",
                {"Key": item("absent"), "ConditionExpression": "attribute_not_exists(pk)"},
            ),
        ),
        [MODIFY, ("REMOVE", item("gone"), None), ("INSERT", None, item("new", v=ONE))],
    ),
    "transaction that is cancelled": (
        [OLD],
        transact(
            ("Put", {"Item": item("new")}),
            ("Delete", {"Key": KEY}),
            ("ConditionCheck", {"Key": item("absent"), **THERE}),
        ),
        [],
    ),
    "transaction that changes nothing": ([OLD], transact(("Put", {"Item": OLD})), []),
    "INSERT statement": (
        [],
        statement("INSERT INTO {t} VALUE {{'pk': 'k', 'v': ?}}", TWO),
        [INSERT],
    ),
    "INSERT statement of what is there": (
        [OLD],
        statement("INSERT INTO {t} VALUE {{'pk': 'k', 'v': ?}}", TWO),
        [],
    ),
    "UPDATE statement": ([OLD], statement("UPDATE {t} SET v = 2 WHERE pk = 'k'"), [MODIFY]),
    "UPDATE statement that changes nothing": (
        [OLD],
        statement("UPDATE {t} SET v = 1 WHERE pk = 'k'"),
        [],
    ),
    "UPDATE statement of a missing item": (
        [],
        statement("UPDATE {t} SET v = 2 WHERE pk = 'k'"),
        [],
    ),
    "DELETE statement": ([OLD], statement("DELETE FROM {t} WHERE pk = 'k'"), [REMOVE]),
    "DELETE statement of a missing item": (
        [],
        statement("DELETE FROM {t} WHERE pk = 'k'"),
        [],
    ),
    "transaction of statements": (
        [OLD],
        statements(
            "UPDATE {t} SET v = 2 WHERE pk = 'k'", "INSERT INTO {t} VALUE {{'pk': 'other'}}"
        ),
        [MODIFY, ("INSERT", None, item("other"))],
    ),
    "transaction of statements that is cancelled": (
        [OLD],
        statements(
            "UPDATE {t} SET v = 2 WHERE pk = 'k'",
            "UPDATE {t} SET v = 2 WHERE pk = 'other'",
        ),
        [],
    ),
    "batch of statements": (
        [OLD],
        batched_statements(
            "UPDATE {t} SET v = 2 WHERE pk = 'k'",
            "INSERT INTO {t} VALUE {{'pk': 'k'}}",
            "INSERT INTO {t} VALUE {{'pk': 'other'}}",
        ),
        [MODIFY, ("INSERT", None, item("other"))],
    ),
    "read": (
        [OLD],
        lambda table: (table.scan(), table.client.get_item(TableName=table.name, Key=KEY)),
        [],
    ),
}


def shown(record):
    body = record["dynamodb"]
    image = body.get("NewImage", body.get("OldImage"))
    assert body["Keys"] == {"pk": image["pk"]}
    return record["eventName"], body.get("OldImage"), body.get("NewImage")


@pytest.mark.parametrize("case", CASES)
def test_a_write_is_recorded(table, case):
    before, write, expected = CASES[case]
    for each in before:
        table.put(each)
    iterator = table.stream.iterator(kind="LATEST")
    with contextlib.suppress(ClientError):
        write(table)
    found = [shown(record) for record in table.stream.read(iterator)[0]]
    # The records of different items have no order among them.
    assert sorted(found, key=str) == sorted(expected, key=str)


MAP = {"M": {"a": ONE, "b": {"M": {"x": text("1"), "y": text("2")}}}}
SAME = {
    "order of attributes": (
        item("k", a=ONE, b=TWO),
        {"b": TWO, "a": ONE, "pk": text("k")},
    ),
    "order of the keys of maps": (
        item("k", m=MAP),
        item("k", m={"M": {"b": {"M": {"y": text("2"), "x": text("1")}}, "a": ONE}}),
    ),
    "order of a string set": (
        item("k", s={"SS": ["a", "b", "c"]}),
        item("k", s={"SS": ["c", "a", "b"]}),
    ),
    "order of a number set": (
        item("k", s={"NS": ["1", "2", "10"]}),
        item("k", s={"NS": ["10", "2.0", "1"]}),
    ),
    "order of a binary set": (
        item("k", s={"BS": [b"a", b"b"]}),
        item("k", s={"BS": [b"b", b"a"]}),
    ),
    "order of a set in a list in a map": (
        item("k", m={"M": {"l": {"L": [{"SS": ["x", "y"]}]}}}),
        item("k", m={"M": {"l": {"L": [{"SS": ["y", "x"]}]}}}),
    ),
    "trailing zeros": (item("k", n=number("1")), item("k", n=number("1.0"))),
    "leading zeros": (item("k", n=number("1")), item("k", n=number("001"))),
    "exponent": (item("k", n=number("1500")), item("k", n=number("1.5e3"))),
    "zero below zero": (item("k", n=number("0")), item("k", n=number("-0.0"))),
    "number in a map": (
        item("k", m={"M": {"n": number("1")}}),
        item("k", m={"M": {"n": number("1.00")}}),
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_another_spelling_is_no_change(table, case):
    old, new = SAME[case]
    table.put(old)
    (first,) = table.stream.records()
    table.put(new)
    for attribute, value in new.items():
        if attribute != "pk":
            table.update(KEY, f"SET {attribute} = :v", {":v": value})
    assert table.stream.records() == [first]


DIFFERENT = {
    "order of a list": (
        item("k", l={"L": [ONE, TWO]}),
        item("k", l={"L": [TWO, ONE]}),
    ),
    "type": (item("k", v=text("1")), item("k", v=number("1"))),
    "string and binary": (item("k", v=text("a")), item("k", v={"B": b"a"})),
    "element of a set": (item("k", v={"SS": ["a"]}), item("k", v={"SS": ["a", "b"]})),
    "set and list": (item("k", v={"SS": ["a"]}), item("k", v={"L": [text("a")]})),
    "name": (item("k", v=ONE), item("k", V=ONE)),
    "empty string": (item("k", v=text("")), item("k")),
    "null": (item("k", v={"NULL": True}), item("k")),
    "truth": (item("k", v={"BOOL": True}), item("k", v={"BOOL": False})),
    "last digit": (
        item("k", v=number("1.0000000000000000000000000000000000001")),
        item("k", v=number("1.0000000000000000000000000000000000002")),
    ),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_a_small_difference_is_a_change(table, case):
    old, new = DIFFERENT[case]
    table.put(old)
    table.put(new)
    assert [shown(record) for record in table.stream.records()] == [
        ("INSERT", None, old),
        ("MODIFY", old, new),
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_shows_its_images(make_streamed, view):
    table = make_streamed(view)
    table.put(OLD)
    table.put(NEW)
    table.delete(KEY)
    found = table.stream.records()
    images = [
        (record["eventName"], body.get("OldImage"), body.get("NewImage"))
        for record in found
        for body in [record["dynamodb"]]
    ]
    old = view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES")
    new = view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")
    assert images == [
        ("INSERT", None, OLD if new else None),
        ("MODIFY", OLD if old else None, NEW if new else None),
        ("REMOVE", NEW if old else None, None),
    ]
    for record in found:
        assert record["dynamodb"]["Keys"] == KEY
        assert record["dynamodb"]["StreamViewType"] == view
    if view == "KEYS_ONLY":
        table.put(OLD)
        table.put(OLD)
        assert len(table.stream.records()) == 4, "what changes nothing is told from the whole item"
