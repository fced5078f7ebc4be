"""Batches and transactions written for AWS run as they stand, also when many run at once."""

import concurrent.futures
import random
import threading
from decimal import Decimal

import boto3
import pytest
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from definitions import name
from items.programs import e_commerce
from users_tables import BOTO3

CLIENTS = 16
ACCOUNTS = [str(number) for number in range(4)]


@pytest.fixture
def shop(endpoint, make_table):
    """The e-commerce table, which programs find without being told where."""
    table = make_table({**BOTO3["create"], "TableName": name("ecommerce")})
    return boto3.resource("dynamodb").Table(table)


@pytest.fixture
def race(shop):
    """Runs a function with many copies of a program at once; gives what each returned."""

    def run(program, function):
        # boto3 makes clients in one thread only.
        programs = [program(shop.name) for _ in range(CLIENTS)]
        barrier = threading.Barrier(CLIENTS)

        def one(number):
            barrier.wait(60)
            return function(programs[number], number)

        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            return list(pool.map(one, range(CLIENTS)))

    return run


def everything(table, **query):
    """All items of the table, or of a query, read page by page."""
    found, start = [], {}
    while True:
        page = (table.query if query else table.scan)(ConsistentRead=True, **query, **start)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


# Money.


@pytest.fixture
def accounts(shop):
    for account in ACCOUNTS:
        shop.put_item(Item={"PK": f"ACCOUNT#{account}", "SK": "BALANCE", "Balance": 100})
    return shop


def balances(client, table):
    """All balances at one moment."""
    keys = [{"PK": {"S": f"ACCOUNT#{account}"}, "SK": {"S": "BALANCE"}} for account in ACCOUNTS]
    gets = [{"Get": {"TableName": table.name, "Key": key}} for key in keys]
    answer = client.transact_get_items(TransactItems=gets)
    return [Decimal(response["Item"]["Balance"]["N"]) for response in answer["Responses"]]


def records(table):
    return [item for item in everything(table) if item["PK"].startswith("TRANSACTION#")]


def test_funds_are_transferred_with_a_record(client, accounts):
    program = e_commerce.TransactionManager(accounts.name)
    done = program.transfer_funds("0", "1", "30.25")
    assert done["success"] is True
    assert len(done["transaction_id"]) == 52
    assert balances(client, accounts) == [Decimal("69.75"), Decimal("130.25"), 100, 100]
    (record,) = records(accounts)
    assert record["SK"].startswith("TIMESTAMP#")
    assert {key: value for key, value in record.items() if key not in ("PK", "SK")} == {
        "FromAccount": "0",
        "ToAccount": "1",
        "Amount": Decimal("30.25"),
        "Status": "COMPLETED",
    }


@pytest.mark.parametrize(
    "source, target, amount",
    [("0", "1", "100.01"), ("nobody", "1", "1"), ("0", "nobody", "1")],
    ids=["more than there is", "from nobody", "to nobody"],
)
def test_funds_stay_where_they_are_if_they_cannot_be_transferred(
    client, accounts, source, target, amount
):
    program = e_commerce.TransactionManager(accounts.name)
    assert program.transfer_funds(source, target, amount) == {
        "success": False,
        "error": "Insufficient funds or account not found",
    }
    assert balances(client, accounts) == [100] * 4
    assert records(accounts) == []


def test_a_transfer_to_oneself_is_no_cancellation(client, accounts):
    program = e_commerce.TransactionManager(accounts.name)
    with pytest.raises(ClientError, match="multiple operations on one item"):
        program.transfer_funds("0", "0", "1")
    assert balances(client, accounts) == [100] * 4


def test_many_transfers_at_once_keep_the_money_together(client, accounts, race):
    wrong = []

    def transfer(program, number):
        choices, done = random.Random(number), []
        for _ in range(15):
            source, target = choices.sample(ACCOUNTS, 2)
            amount = choices.randint(1, 80)
            if program.transfer_funds(source, target, amount)["success"]:
                done.append((source, target, amount))
            seen = balances(program.dynamodb, accounts)
            if sum(seen) != 400 or min(seen) < 0:
                wrong.append(seen)
        return done

    done = sum(race(e_commerce.TransactionManager, transfer), [])
    assert wrong == []
    assert 0 < len(done) < CLIENTS * 15
    recorded = [
        (item["FromAccount"], item["ToAccount"], int(item["Amount"])) for item in records(accounts)
    ]
    assert sorted(recorded) == sorted(done)
    expected = dict.fromkeys(ACCOUNTS, 100)
    for source, target, amount in done:
        expected[source] -= amount
        expected[target] += amount
    assert balances(client, accounts) == list(expected.values())


# Orders.

LINES = [
    {"product_id": "p1", "name": "Laptop Stand", "price": Decimal("49.50"), "quantity": 2},
    {"product_id": "p2", "name": "USB Hub", "price": Decimal("0.99"), "quantity": 1},
]


def test_an_order_is_written_with_its_items(shop):
    program = e_commerce.SingleTableDesign(shop.name)
    program.create_user("u1", {"email": "ann@example.com", "name": "Ann"})
    program.create_order("o1", "u1", LINES)
    order = program.get_order_with_items("o1")
    assert order["metadata"]["Total"] == Decimal("99.99")
    assert order["metadata"]["Status"] == "PENDING"
    assert [(item["ProductId"], item["Quantity"]) for item in order["items"]] == [
        ("p1", 2),
        ("p2", 1),
    ]
    (listed,) = program.get_user_orders("u1")
    assert (listed["OrderId"], listed["Total"]) == ("o1", Decimal("99.99"))
    (user,) = shop.query(
        IndexName="GSI1", KeyConditionExpression=Key("GSI1PK").eq("EMAIL#ann@example.com")
    )["Items"]
    assert (user["Name"], user["GSI1SK"]) == ("Ann", "USER#u1")


def test_an_order_of_more_items_than_a_batch_holds(shop):
    program = e_commerce.SingleTableDesign(shop.name)
    lines = [
        {"product_id": f"p{n:02}", "name": "x", "price": Decimal(n), "quantity": 1}
        for n in range(60)
    ]
    program.create_order("o1", "u1", lines)
    order = program.get_order_with_items("o1")
    assert [item["ProductId"] for item in order["items"]] == [f"p{n:02}" for n in range(60)]
    assert order["metadata"]["Total"] == sum(range(60))


def test_an_order_with_one_product_twice_is_refused(shop):
    program = e_commerce.SingleTableDesign(shop.name)
    with pytest.raises(ClientError, match="Provided list of item keys contains duplicates"):
        program.create_order("o1", "u1", [LINES[0], LINES[0]])
    assert everything(shop) == []


def test_many_orders_at_once_are_each_there_once(shop, race):
    # A user each: the program tells one user's orders apart by the time alone.
    def order(program, number):
        for step in range(8):
            program.create_order(f"{number}-{step}", f"u{number}", LINES)
        return [item["OrderId"] for item in program.get_user_orders(f"u{number}")]

    listed = race(e_commerce.SingleTableDesign, order)
    assert listed == [[f"{number}-{7 - step}" for step in range(8)] for number in range(CLIENTS)]
    wanted = sorted(sum(listed, []))
    kinds = {"Order": [], "OrderItem": [], "UserOrder": []}
    for item in everything(shop):
        kinds[item["Type"]].append(item)
    assert sorted(item["PK"] for item in kinds["Order"]) == [f"ORDER#{order}" for order in wanted]
    assert sorted((item["PK"], item["SK"]) for item in kinds["OrderItem"]) == sorted(
        (f"ORDER#{order}", f"ITEM#{line['product_id']}") for order in wanted for line in LINES
    )
    assert sorted(item["OrderId"] for item in kinds["UserOrder"]) == wanted
    indexed = shop.scan(IndexName="GSI1")["Items"]
    assert sorted(item["PK"] for item in indexed) == [f"ORDER#{order}" for order in wanted]


def test_one_order_written_by_many_is_one_order(shop, race):
    """Every client writes the whole order; whichever is last, none of it is there twice."""
    race(
        e_commerce.SingleTableDesign,
        lambda program, number: program.create_order("o1", f"u{number}", LINES),
    )
    order = e_commerce.SingleTableDesign(shop.name).get_order_with_items("o1")
    assert [item["ProductId"] for item in order["items"]] == ["p1", "p2"]
    assert order["metadata"]["UserId"] in {f"u{number}" for number in range(CLIENTS)}
    # The index follows the item from user to user and holds it once.
    indexed = shop.scan(IndexName="GSI1")["Items"]
    assert [item["GSI1PK"] for item in indexed] == [f"USER#{order['metadata']['UserId']}"]


# Categories and many items.


def test_the_ancestors_of_a_place_are_read_in_one_batch(shop):
    program = e_commerce.HierarchicalDataPattern(shop.name)
    for path in ["/books", "/books/rust", "/books/rust/async", "/films"]:
        program.create_item("t1", path, {"path": path})
    program.create_item("t2", "/books", {"path": "another tenant's"})
    found = program.get_ancestors("t1", "/books/rust/async/tokio")
    assert sorted(item["SK"] for item in found) == [
        "PATH#/books",
        "PATH#/books/rust",
        "PATH#/books/rust/async",
    ]
    assert {item["PK"] for item in found} == {"TENANT#t1"}
    assert program.get_ancestors("t1", "books") == []
    assert program.get_ancestors("t3", "/books/rust") == []
    assert [item["SK"] for item in program.get_children("t1", "/books")] == ["PATH#/books/rust"]


def test_items_are_written_in_batches_of_25(shop):
    items = [{"PK": f"P{n % 3}", "SK": f"{n:03}", "n": n} for n in range(130)]
    program = e_commerce.BatchOperationManager(shop.name)
    assert program.batch_write_with_retry(items) == {"processed": 130, "unprocessed": []}
    assert sorted(everything(shop), key=lambda item: item["n"]) == items


def test_a_bad_item_stops_the_batches_at_its_own(shop):
    items = [{"PK": "P", "SK": f"{n:03}"} for n in range(60)]
    items[30] = {"PK": "P", "nothing": "else"}
    program = e_commerce.BatchOperationManager(shop.name)
    with pytest.raises(ClientError, match="Missing the key SK in the item"):
        program.batch_write_with_retry(items)
    assert everything(shop) == items[:25]


def test_many_writers_of_batches_at_once_lose_nothing(shop, race):
    def write(program, number):
        items = [{"PK": f"P{number % 4}", "SK": f"{number:02}-{n:03}"} for n in range(60)]
        return program.batch_write_with_retry(items)

    answers = race(e_commerce.BatchOperationManager, write)
    assert answers == [{"processed": 60, "unprocessed": []}] * CLIENTS
    found = [
        item
        for partition in range(4)
        for item in everything(shop, KeyConditionExpression=Key("PK").eq(f"P{partition}"))
    ]
    assert sorted((item["PK"], item["SK"]) for item in found) == sorted(
        (f"P{number % 4}", f"{number:02}-{n:03}") for number in range(CLIENTS) for n in range(60)
    )
