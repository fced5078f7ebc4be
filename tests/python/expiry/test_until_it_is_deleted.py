"""An expired item is an item like any other until it is deleted."""

import concurrent.futures
import time

import pytest
from botocore.exceptions import ClientError

from conftest import boto
from expiry.tables import definition, item, key, names, now, put_all, scan, set_expiry
from server import until

SETTLED = 1.5


@pytest.fixture(scope="module")
def late(start_server):
    """A server that lets expired items stay for an hour, and a table with some."""
    with start_server("--memory", "--ttl-delay", "1h") as server:
        wanted = definition()
        server.boto.create_table(**wanted)
        set_expiry(server.boto, wanted["TableName"], True)
        yield server.boto, wanted["TableName"]


@pytest.fixture
def expired(late):
    client, table = late
    put_all(client, table, [item("expired", now() - 60), item("fresh", now() + 3600)])
    time.sleep(0.7)
    yield late
    for each in names(client, table):
        client.delete_item(TableName=table, Key=key(each))


def test_it_is_read_in_every_way(expired):
    client, table = expired
    both = {"expired", "fresh"}
    assert "Item" in client.get_item(TableName=table, Key=key("expired"))
    assert names(client, table) == names(client, table, IndexName="gsi") == both
    assert names(client, table, IndexName="lsi", ConsistentRead=True) == both
    query = {
        "TableName": table,
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": {":p": {"S": "p"}},
    }
    assert client.query(**query)["Count"] == 2
    batch = client.batch_get_item(RequestItems={table: {"Keys": [key("expired")]}})
    assert len(batch["Responses"][table]) == 1
    described = client.describe_table(TableName=table)["Table"]
    assert described["ItemCount"] == 2
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 2


def test_it_can_be_filtered_out(expired):
    client, table = expired
    found = client.query(
        TableName=table,
        KeyConditionExpression="pk = :p",
        FilterExpression="#t > :now",
        ExpressionAttributeNames={"#t": "ttl"},
        ExpressionAttributeValues={":p": {"S": "p"}, ":now": {"N": str(now())}},
    )
    assert [each["sk"]["S"] for each in found["Items"]] == ["fresh"]
    assert found["ScannedCount"] == 2


def test_it_can_be_written_to(expired):
    client, table = expired
    answer = client.update_item(
        TableName=table,
        Key=key("expired"),
        UpdateExpression="SET v = :v",
        ConditionExpression="attribute_exists(pk)",
        ExpressionAttributeValues={":v": {"S": "x"}},
        ReturnValues="ALL_NEW",
    )
    assert answer["Attributes"]["v"] == {"S": "x"}
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(
            TableName=table,
            Item=item("expired"),
            ConditionExpression="attribute_not_exists(pk)",
        )
    answer = client.delete_item(TableName=table, Key=key("expired"), ReturnValues="ALL_OLD")
    assert answer["Attributes"]["v"] == {"S": "x"}


def test_the_delay_is_as_long_as_told(fresh_server):
    server = fresh_server("--memory", "--ttl-delay", "3s")
    wanted = definition()
    client, table = server.boto, wanted["TableName"]
    client.create_table(**wanted)
    set_expiry(client, table, True)
    moment = now()
    put_all(client, table, [item("early", moment - 4), item("late", moment)])
    until(lambda: names(client, table) == {"late"}, "the first is deleted")
    assert time.time() < moment + 3
    until(lambda: not names(client, table), "the second is deleted")
    assert time.time() >= moment + 3


def update(client, table, name, expression, **values):
    return client.update_item(
        TableName=table,
        Key=key(name),
        UpdateExpression=expression,
        ConditionExpression="attribute_exists(pk)",
        ExpressionAttributeNames={"#t": "ttl"},
        **({"ExpressionAttributeValues": values} if values else {}),
    )


def test_an_expiry_can_be_moved_and_removed(client, table):
    moment = now()
    every = ["moved", "removed", "changed type", "replaced", "overwritten", "stays", "touched"]
    put_all(client, table, [item(each, moment + 3) for each in every])
    put_all(client, table, [item("brought forward", moment + 3600), item("added")])
    update(client, table, "moved", "SET #t = :t", **{":t": {"N": str(moment + 3600)}})
    update(client, table, "removed", "REMOVE #t")
    update(client, table, "changed type", "SET #t = :t", **{":t": {"S": "never"}})
    client.put_item(TableName=table, Item=item("replaced"))
    client.put_item(TableName=table, Item=item("overwritten", moment + 3600))
    update(client, table, "brought forward", "SET #t = :t", **{":t": {"N": str(moment - 1)}})
    update(client, table, "added", "SET #t = :t", **{":t": {"N": str(moment - 1)}})
    client.update_item(
        TableName=table,
        Key=key("touched"),
        UpdateExpression="SET v = :v",
        ExpressionAttributeValues={":v": {"S": "x"}},
    )
    gone = {"stays", "touched", "brought forward", "added"}
    until(lambda: not names(client, table) & gone, "what expires is deleted")
    time.sleep(SETTLED)
    kept = {"moved", "removed", "changed type", "replaced", "overwritten"}
    assert names(client, table) == names(client, table, IndexName="gsi") == kept
    # Their turn comes with their own time.
    update(client, table, "moved", "SET #t = :t", **{":t": {"N": str(now())}})
    until(lambda: names(client, table) == kept - {"moved"}, "the moved one is deleted")


def test_an_item_that_is_deleted_and_put_again_has_its_own_time(client, table):
    moment = now()
    client.put_item(TableName=table, Item=item("k", moment + 2))
    client.delete_item(TableName=table, Key=key("k"))
    client.put_item(TableName=table, Item=item("k", moment + 3600))
    client.put_item(TableName=table, Item=item("canary", moment + 2))
    until(lambda: "canary" not in names(client, table), "the other is deleted")
    time.sleep(SETTLED)
    assert names(client, table) == {"k"}


def test_whoever_is_in_time_saves_an_item(server, client, table):
    """Many items come due while clients move their expiry. Whoever was told that it worked has
    kept the item; whoever was told that it is gone finds it gone."""
    clients = [boto(server.endpoint) for _ in range(4)]
    for wave in range(2):
        due = now() + 3
        every = [f"{wave}-{n:03}" for n in range(400)]
        put_all(client, table, [item(each, due) for each in every])
        time.sleep(max(0, due - 0.1 - time.time()))

        def save(number, due=due, every=every):
            saved = set()
            for each in every[number::4]:
                try:
                    later = {":t": {"N": str(due + 3600)}}
                    update(clients[number], table, each, "SET #t = :t", **later)
                    saved.add(each)
                except ClientError as error:
                    assert error.response["Error"]["Code"] == "ConditionalCheckFailedException"
            return saved

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            saved = set().union(*pool.map(save, range(4)))
        left = {each for each in names(client, table) if each.startswith(f"{wave}-")}
        assert left == saved
        time.sleep(SETTLED)
        assert {each for each in names(client, table) if each.startswith(f"{wave}-")} == saved
    found = scan(client, table, IndexName="gsi")
    assert {each["sk"]["S"] for each in found} == names(client, table)
    described = client.describe_table(TableName=table)["Table"]
    assert described["ItemCount"] == len(found)


def test_a_write_costs_what_it_costs_elsewhere(client, make_table, table):
    """Deletions by the service cost nobody anything; expiries make no write dearer."""
    plain = make_table(definition())
    moment = now()
    costs = []
    for each in (plain, table):
        found = []
        for given in (item("k", moment + 3600), item("k", moment + 7200), item("k")):
            answer = client.put_item(
                TableName=each, Item=given, ReturnConsumedCapacity="INDEXES"
            )
            found.append(answer["ConsumedCapacity"])
        client.put_item(TableName=each, Item=item("k", moment + 3600))
        answer = client.delete_item(
            TableName=each, Key=key("k"), ReturnConsumedCapacity="INDEXES"
        )
        found.append(answer["ConsumedCapacity"])
        for cost in found:
            cost.pop("TableName")
        costs.append(found)
    assert costs[0] == costs[1]
    assert [cost["CapacityUnits"] for cost in costs[0]] == [3.0] * 4
