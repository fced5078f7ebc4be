"""UpdateItem as programs use it: counters, documents, lists, soft deletes."""

from decimal import Decimal

import pytest
from botocore.exceptions import ClientError

from definitions import index, name, on_demand

KEY = {"PK": "TENANT#t1#BRANCH#b1#REPORTING", "SK": "MONTHLY#2026-01"}


def stored(table):
    return table.get_item(Key=KEY, ConsistentRead=True).get("Item")


def count(table, income=0, expense=0, delta=1):
    """The report counters of the multi-tenant project."""
    return table.update_item(
        Key=KEY,
        UpdateExpression="""
            SET
            #totalIncome = if_not_exists(#totalIncome, :zero) + :incomeAmount,
            #totalExpense = if_not_exists(#totalExpense, :zero) + :expenseAmount,
            #transactionCount = if_not_exists(#transactionCount, :zero) + :countDelta
        """,
        ExpressionAttributeNames={
            "#totalIncome": "totalIncome",
            "#totalExpense": "totalExpense",
            "#transactionCount": "transactionCount",
        },
        ExpressionAttributeValues={
            ":zero": 0,
            ":incomeAmount": income,
            ":expenseAmount": expense,
            ":countDelta": delta,
        },
    )


def test_a_report_starts_with_its_first_transaction_and_counts_on(table):
    count(table, income=Decimal("99.99"))
    count(table, expense=Decimal("0.01"))
    count(table, income=Decimal("0.01"), delta=-1)
    assert stored(table) == {
        **KEY,
        "totalIncome": 100,
        "totalExpense": Decimal("0.01"),
        "transactionCount": 1,
    }


NAMES = {
    "#byCategory": "byCategory",
    "#entryKey": "food & drink",
    "#totalIncome": "totalIncome",
    "#totalExpense": "totalExpense",
    "#transactionCount": "transactionCount",
}


def add_to_category(table, income, expense):
    """First the entry with its defaults, then the increments."""
    table.update_item(
        Key=KEY,
        UpdateExpression="""
            SET #byCategory.#entryKey = if_not_exists(#byCategory.#entryKey, :defaultEntry)
        """,
        ExpressionAttributeNames={key: NAMES[key] for key in ("#byCategory", "#entryKey")},
        ExpressionAttributeValues={
            ":defaultEntry": {"totalIncome": 0, "totalExpense": 0, "transactionCount": 0}
        },
    )
    entry = "#byCategory.#entryKey"
    table.update_item(
        Key=KEY,
        UpdateExpression=f"""
            SET
            {entry}.#totalIncome = {entry}.#totalIncome + :incomeAmount,
            {entry}.#totalExpense = {entry}.#totalExpense + :expenseAmount,
            {entry}.#transactionCount = {entry}.#transactionCount + :countDelta
        """,
        ExpressionAttributeNames=NAMES,
        ExpressionAttributeValues={
            ":incomeAmount": income,
            ":expenseAmount": expense,
            ":countDelta": 1,
        },
    )


def test_a_breakdown_is_made_and_then_counted_in_two_steps(table):
    table.put_item(Item={**KEY, "byCategory": {"rent": {"transactionCount": 7}}})
    add_to_category(table, 5, 0)
    add_to_category(table, 0, Decimal("2.5"))
    assert stored(table)["byCategory"] == {
        "rent": {"transactionCount": 7},
        "food & drink": {
            "totalIncome": 5,
            "totalExpense": Decimal("2.5"),
            "transactionCount": 2,
        },
    }


def test_a_breakdown_needs_its_map(table):
    table.put_item(Item=KEY)
    with pytest.raises(ClientError) as caught:
        add_to_category(table, 5, 0)
    assert caught.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": "The document path provided in the update expression is invalid for update",
    }
    assert stored(table) == KEY


def test_a_soft_delete_marks_the_item_and_leaves_the_index(make_table, resource):
    table = resource.Table(
        make_table(
            on_demand(
                name(),
                "PK",
                "SK",
                "GSI1PK:S",
                "GSI1SK:S",
                GlobalSecondaryIndexes=[index("GSI1", "GSI1PK", "GSI1SK")],
            )
        )
    )
    table.put_item(Item={**KEY, "GSI1PK": "USER#1", "GSI1SK": "TASK#1", "title": "x"})
    answer = table.update_item(
        Key=KEY,
        UpdateExpression="SET deleted = :true, expiresAt = :ttl REMOVE GSI1PK, GSI1SK",
        ExpressionAttributeValues={":true": True, ":ttl": 1_800_000_000},
        ReturnConsumedCapacity="INDEXES",
    )
    assert stored(table) == {**KEY, "title": "x", "deleted": True, "expiresAt": 1_800_000_000}
    assert answer["ConsumedCapacity"] == {
        "TableName": table.name,
        "CapacityUnits": 2.0,
        "Table": {"CapacityUnits": 1.0},
        "GlobalSecondaryIndexes": {"GSI1": {"CapacityUnits": 1.0}},
    }


def test_reserved_words_go_by_aliases(table):
    request = {
        "Key": KEY,
        "UpdateExpression": "SET status = :s",
        "ExpressionAttributeValues": {":s": "shipped"},
    }
    with pytest.raises(ClientError) as caught:
        table.update_item(**request)
    assert caught.value.response["Error"]["Message"] == (
        "Invalid UpdateExpression: Attribute name is a reserved keyword; reserved keyword: status"
    )
    assert stored(table) is None
    request.update(
        UpdateExpression="SET #s = :s, #n.#t = :s",
        ExpressionAttributeNames={"#s": "status", "#n": "name", "#t": "type"},
    )
    table.put_item(Item={**KEY, "name": {}})
    table.update_item(**request)
    assert stored(table) == {**KEY, "status": "shipped", "name": {"type": "shipped"}}


def test_a_list_grows_from_nothing_at_either_end(table):
    def push(expression, *values):
        table.update_item(
            Key=KEY,
            UpdateExpression=f"SET events = {expression}",
            ExpressionAttributeValues={":none": [], ":new": list(values)},
        )

    push("list_append(if_not_exists(events, :none), :new)", "b")
    push("list_append(if_not_exists(events, :none), :new)", "c", {"d": Decimal("1")})
    push("list_append(:new, if_not_exists(events, :none))", "a")
    assert stored(table)["events"] == ["a", "b", "c", {"d": 1}]


def test_sets_gain_and_lose_members(table):
    def change(section, values):
        table.update_item(
            Key=KEY,
            UpdateExpression=f"{section} labels :values",
            ExpressionAttributeValues={":values": values},
        )

    change("ADD", {"a", "b"})
    change("ADD", {"b", "c"})
    change("DELETE", {"a", "z"})
    assert stored(table)["labels"] == {"b", "c"}
    change("DELETE", {"b", "c"})
    assert stored(table) == KEY


def test_every_type_is_stored_by_an_update(table):
    values = {
        "text": "t",
        "none": None,
        "yes": True,
        "number": Decimal("-1.50"),
        "binary": b"\x00\xff",
        "items": [1, "two", [None]],
        "document": {"a": {"b": {}}},
        "strings": {"x", "y"},
        "numbers": {Decimal(1), Decimal("2.5")},
        "binaries": {b"1", b"2"},
    }
    table.update_item(
        Key=KEY,
        UpdateExpression="SET " + ", ".join(f"#{key} = :{key}" for key in values),
        ExpressionAttributeNames={f"#{key}": key for key in values},
        ExpressionAttributeValues={f":{key}": value for key, value in values.items()},
    )
    assert stored(table) == {**KEY, **values}


def test_an_update_of_nothing_makes_the_bare_item(table):
    table.update_item(Key=KEY)
    assert stored(table) == KEY


def test_a_removal_makes_nothing(table):
    table.update_item(Key=KEY, UpdateExpression="REMOVE a, b")
    assert stored(table) is None


def test_what_was_updated_survives_a_restart(start_server, tmp_path):
    request = {
        "TableName": "kept",
        "Key": {"pk": {"S": "1"}},
        "UpdateExpression": "SET a = if_not_exists(a, :zero) + :one",
        "ExpressionAttributeValues": {":zero": {"N": "0"}, ":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW",
    }
    with start_server("--data", tmp_path / "data") as server:
        server.wire.call("CreateTable", on_demand("kept"))
        assert server.wire.call("UpdateItem", request) == {"Attributes": {"a": {"N": "1"}}}
        server.process.kill()
    with start_server("--data", tmp_path / "data") as server:
        assert server.wire.call("UpdateItem", request) == {"Attributes": {"a": {"N": "2"}}}


def test_a_projection_returns_the_parts_asked_for(table):
    table.put_item(
        Item={**KEY, "status": "open", "owner": {"name": "A", "age": 5}, "lines": [10, 20, 30]}
    )
    found = table.get_item(
        Key=KEY,
        ProjectionExpression="#s, #o.#n, #l[2], #l[0], nowhere",
        ExpressionAttributeNames={"#s": "status", "#o": "owner", "#n": "name", "#l": "lines"},
    )
    assert found["Item"] == {"status": "open", "owner": {"name": "A"}, "lines": [10, 30]}


def test_a_projection_of_what_is_not_there_is_an_empty_item(table):
    table.put_item(Item=KEY)
    assert table.get_item(Key=KEY, ProjectionExpression="nowhere")["Item"] == {}
    assert "Item" not in table.get_item(
        Key={**KEY, "SK": "other"}, ProjectionExpression="nowhere"
    )
