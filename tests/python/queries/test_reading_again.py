"""What is read again and again is still what is there: after every kind of write, at once, for everybody."""

import threading

import pytest

from definitions import index, name, on_demand

# After so many times the same, an answer comes from memory.
OFTEN = 4


@pytest.fixture
def table(client):
    table = name("again")
    client.create_table(**definition(table))
    yield table
    client.delete_table(TableName=table)


def definition(table):
    by_owner = index("by-owner", "owner", "sk")
    return on_demand(table, "pk", "sk", "owner:S", GlobalSecondaryIndexes=[by_owner])


def key(sort):
    return {"pk": {"S": "one"}, "sk": {"S": sort}}


def item(sort, value):
    return {**key(sort), "owner": {"S": "us"}, "value": {"N": str(value)}}


def queried(client, table, attribute="pk", value="one", **more):
    answer = client.query(
        TableName=table,
        KeyConditionExpression="#a = :a",
        ExpressionAttributeNames={"#a": attribute},
        ExpressionAttributeValues={":a": {"S": value}},
        **more,
    )
    return {found["sk"]["S"]: int(found["value"]["N"]) for found in answer["Items"]}


def seen(client, table):
    """What each way of reading shows: the partition, both its ends, the index, item by item."""
    got = (
        client.get_item(TableName=table, Key=key(sort), ConsistentRead=True).get("Item")
        for sort in "abc"
    )
    return [
        queried(client, table),
        queried(client, table, Limit=1),
        queried(client, table, Limit=1, ScanIndexForward=False),
        queried(client, table, "owner", "us", IndexName="by-owner"),
        {found["sk"]["S"]: int(found["value"]["N"]) for found in got if found},
    ]


def expected(items):
    first, last = (dict([end(items.items())]) if items else {} for end in (min, max))
    return [items, first, last, items, items]


def put(client, table):
    client.put_item(TableName=table, Item=item("b", 2))


def update(client, table):
    client.update_item(
        TableName=table,
        Key=key("a"),
        UpdateExpression="ADD #v :one",
        ExpressionAttributeNames={"#v": "value"},
        ExpressionAttributeValues={":one": {"N": "10"}},
    )


def batch(client, table):
    requests = [
        {"PutRequest": {"Item": item("c", 3)}},
        {"DeleteRequest": {"Key": key("b")}},
    ]
    client.batch_write_item(RequestItems={table: requests})


def transaction(client, table):
    client.transact_write_items(
        TransactItems=[
            {"Put": {"TableName": table, "Item": item("b", 5)}},
            {"Delete": {"TableName": table, "Key": key("c")}},
        ]
    )


def delete(client, table):
    client.delete_item(TableName=table, Key=key("a"))


def test_every_write_is_seen_at_once(client, table):
    client.put_item(TableName=table, Item=item("a", 1))
    steps = [
        (put, {"a": 1, "b": 2}),
        (update, {"a": 11, "b": 2}),
        (batch, {"a": 11, "c": 3}),
        (transaction, {"a": 11, "b": 5}),
        (delete, {"b": 5}),
    ]
    now = {"a": 1}
    for write, then in steps:
        for _ in range(OFTEN):
            assert seen(client, table) == expected(now)
        write(client, table)
        assert seen(client, table) == expected(then), write
        now = then


def test_a_partition_that_was_empty_is_seen_when_it_is_not(client, table):
    for _ in range(OFTEN):
        assert seen(client, table) == expected({})
    put(client, table)
    assert seen(client, table) == expected({"b": 2})


def test_a_table_of_the_same_name_has_nothing_of_the_one_before(client, table):
    put(client, table)
    for _ in range(OFTEN):
        assert seen(client, table) == expected({"b": 2})
    client.delete_table(TableName=table)
    client.create_table(**definition(table))
    assert seen(client, table) == expected({})


def test_nobody_reads_what_is_older_than_a_write_that_was_answered(client, table):
    """Two items are always written together; readers ask for the same all the time."""
    reached, done, wrong = [0], threading.Event(), []

    def read():
        while not done.is_set():
            at_least = reached[0]
            page = queried(client, table, ConsistentRead=True)
            if len(set(page.values())) != 1 or min(page.values()) < at_least:
                wrong.append((at_least, page))

    def write(number):
        puts = [{"Put": {"TableName": table, "Item": item(sort, number)}} for sort in "ab"]
        client.transact_write_items(TransactItems=puts)
        reached[0] = number

    write(0)
    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, 150):
            write(number)
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert wrong == []


def test_after_a_kill_the_last_writes_are_read(fresh_server, tmp_path):
    options = "--data", tmp_path / "data"
    server = fresh_server(*options)
    server.boto.create_table(**definition("again"))
    for number in range(OFTEN):
        server.boto.put_item(TableName="again", Item=item("a", number))
        for _ in range(OFTEN):
            assert seen(server.boto, "again") == expected({"a": number})
    server.kill()
    server = fresh_server(*options)
    assert seen(server.boto, "again") == expected({"a": number})
