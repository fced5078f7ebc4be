"""Capacity of several items at once: one entry a table, and transactions cost double."""

import pytest

from definitions import index, name, on_demand, projection


@pytest.fixture
def plain(make_table):
    return make_table(on_demand(name("plain")))


@pytest.fixture
def indexed(make_table):
    """A global index that includes `seen`, and a local one with everything."""
    return make_table(
        on_demand(
            name("indexed"),
            "pk",
            "sk",
            "g:S",
            "l:S",
            GlobalSecondaryIndexes=[
                index("gsi", "g", (), projection("INCLUDE", "seen")),
                index("other", "l"),
            ],
            LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        )
    )


def item(sk="1", **attributes):
    built = {"pk": "1", "sk": sk, **attributes}
    return {name: {"S": value} for name, value in built.items()}


def key(sk="1"):
    return item(sk)


def of_size(size):
    """An item of the plain table."""
    return {"pk": {"S": "k"}, "pad": {"S": "x" * (size - len("pk") - 1 - len("pad"))}}


def by_table(answer):
    """The entries by table; there is one for each."""
    entries = answer["ConsumedCapacity"]
    found = {entry["TableName"]: entry for entry in entries}
    assert len(found) == len(entries)
    return found


def parts(entry, member="CapacityUnits"):
    """Units of the table and of each index; they add up to the total."""
    found = {"table": entry["Table"][member]}
    for kind in ("Local", "Global"):
        for index_name, units in entry.get(f"{kind}SecondaryIndexes", {}).items():
            found[index_name] = units[member]
    assert entry[member] == sum(found.values())
    return found


def put(new):
    return {"PutRequest": {"Item": new}}


def delete(item_key):
    return {"DeleteRequest": {"Key": item_key}}


def batch(wire, items, returned="INDEXES"):
    return wire.call(
        "BatchWriteItem", {"RequestItems": items, "ReturnConsumedCapacity": returned}
    )


def transact(wire, *actions, returned="INDEXES", **more):
    items = {"TransactItems": list(actions), "ReturnConsumedCapacity": returned}
    return wire.call("TransactWriteItems", {**items, **more})


def test_a_batch_of_writes_adds_up_by_table_and_index(wire, plain, indexed):
    answer = batch(
        wire,
        {
            indexed: [
                put(item("1", g="g", l="l", seen="s")),
                put(item("2", g="g")),
                put(item("3", l="l")),
                delete(key("4")),
            ],
            plain: [put(of_size(1025))],
        },
    )
    found = by_table(answer)
    assert parts(found[indexed]) == {"table": 4, "lsi": 2, "gsi": 2, "other": 2}
    assert found[plain] == {
        "TableName": plain,
        "CapacityUnits": 2,
        "Table": {"CapacityUnits": 2},
    }
    assert answer["UnprocessedItems"] == {}


def test_a_batch_of_writes_pays_for_what_was_there(wire, plain, indexed):
    batch(
        wire,
        {
            indexed: [put(item("1", g="g", l="l")), put(item("2", g="g")), put(item("3"))],
            plain: [put(of_size(3000))],
        },
    )
    answer = batch(
        wire,
        {
            indexed: [put(item("1", g="h", l="l")), delete(key("2")), put(item("3"))],
            plain: [put(of_size(100))],
        },
    )
    found = by_table(answer)
    # The moved entry costs two, the one that is deleted one; the same item again nothing.
    assert parts(found[indexed]) == {"table": 3, "lsi": 1, "gsi": 3, "other": 1}
    assert parts(found[plain]) == {"table": 3}


def test_a_total_has_no_parts(wire, plain, indexed):
    items = {indexed: [put(item(g="g", l="l"))], plain: [put(of_size(10))]}
    assert by_table(batch(wire, items, "TOTAL")) == {
        indexed: {"TableName": indexed, "CapacityUnits": 4},
        plain: {"TableName": plain, "CapacityUnits": 1},
    }
    assert batch(wire, items, "NONE") == {"UnprocessedItems": {}}


def test_a_batch_of_reads_pays_for_each_item_on_its_own(wire, plain, indexed):
    for sk, size in [("1", 4000), ("2", 5000)]:
        wire.call("PutItem", {"TableName": indexed, "Item": item(sk, pad="x" * size)})
    wanted = {
        indexed: {"Keys": [key("1"), key("2"), key("3")], "ConsistentRead": True},
        plain: {"Keys": [{"pk": {"S": text}} for text in "abc"]},
    }
    request = {"RequestItems": wanted, "ReturnConsumedCapacity": "INDEXES"}
    found = by_table(wire.call("BatchGetItem", request))
    assert parts(found[indexed]) == {"table": 1 + 2 + 1}
    assert parts(found[plain]) == {"table": 1.5}
    wanted[indexed] = {"Keys": [key("1"), key("2")], "ProjectionExpression": "sk"}
    found = by_table(wire.call("BatchGetItem", request))
    assert parts(found[indexed]) == {"table": 0.5 + 1}


def in_table(table, **actions):
    """`in_table(t, Put={"Item": ...})`"""
    ((kind, action),) = actions.items()
    return {kind: {"TableName": table, **action}}


def test_a_transaction_costs_double_in_the_table_and_each_index(wire, plain, indexed):
    answer = transact(
        wire,
        in_table(indexed, Put={"Item": item("1", g="g", l="l", seen="s")}),
        in_table(indexed, Delete={"Key": key("2")}),
        in_table(plain, Put={"Item": of_size(1025)}),
    )
    found = by_table(answer)
    assert parts(found[indexed]) == {"table": 4, "lsi": 2, "gsi": 2, "other": 2}
    assert parts(found[indexed], "WriteCapacityUnits") == parts(found[indexed])
    units = {"CapacityUnits": 4, "WriteCapacityUnits": 4}
    assert found[plain] == {"TableName": plain, **units, "Table": units}


SIZES = [(10, 1), (1024, 1), (1025, 2), (5000, 5), (409_600, 400)]


@pytest.mark.parametrize("size, units", SIZES)
def test_every_action_costs_double_by_the_size_of_its_item(wire, plain, size, units):
    def cost(**action):
        (entry,) = transact(wire, in_table(plain, **action), returned="TOTAL")["ConsumedCapacity"]
        assert entry.keys() == {"TableName", "CapacityUnits", "WriteCapacityUnits"}
        assert entry["CapacityUnits"] == entry["WriteCapacityUnits"]
        return entry["CapacityUnits"]

    where = {"Key": {"pk": {"S": "k"}}}
    assert cost(Put={"Item": of_size(size)}) == 2 * units
    assert cost(ConditionCheck={**where, "ConditionExpression": "attribute_exists(pk)"}) == (
        2 * units
    )
    assert cost(Update={**where, "UpdateExpression": "REMOVE nothing"}) == 2 * units
    assert cost(Put={"Item": of_size(10)}) == 2 * units
    assert cost(Put={"Item": of_size(size)}) == 2 * units
    assert cost(Delete=where) == 2 * units
    assert cost(Delete=where) == 2
    assert cost(ConditionCheck={**where, "ConditionExpression": "attribute_not_exists(pk)"}) == 2


def test_an_update_in_a_transaction_moves_an_index_entry_for_double(wire, indexed):
    transact(wire, in_table(indexed, Put={"Item": item(g="g", l="l", seen="s", unseen="u")}))
    for expression, expected in [
        ("SET unseen = :v", {"table": 2, "lsi": 2, "other": 2}),
        ("SET seen = :v", {"table": 2, "lsi": 2, "gsi": 2, "other": 2}),
        ("SET g = :v", {"table": 2, "lsi": 2, "gsi": 4, "other": 2}),
        ("REMOVE g", {"table": 2, "lsi": 2, "gsi": 2, "other": 2}),
    ]:
        values = {"ExpressionAttributeValues": {":v": {"S": "v"}}} if ":v" in expression else {}
        update = {"Key": key(), "UpdateExpression": expression, **values}
        (entry,) = transact(wire, in_table(indexed, Update=update))["ConsumedCapacity"]
        assert parts(entry, "WriteCapacityUnits") == expected


def test_a_check_touches_no_index(wire, indexed):
    wire.call("PutItem", {"TableName": indexed, "Item": item(g="g", l="l")})
    check = {"Key": key(), "ConditionExpression": "attribute_exists(g)"}
    (entry,) = transact(wire, in_table(indexed, ConditionCheck=check))["ConsumedCapacity"]
    assert parts(entry) == {"table": 2}


def test_nothing_is_told_unless_asked_for(wire, plain):
    action = in_table(plain, Put={"Item": of_size(10)})
    assert wire.call("TransactWriteItems", {"TransactItems": [action]}) == {}
    assert transact(wire, action, returned="NONE") == {}


def test_a_cancelled_transaction_tells_no_capacity(wire, plain):
    check = {"Key": {"pk": {"S": "k"}}, "ConditionExpression": "attribute_exists(pk)"}
    items = [in_table(plain, ConditionCheck=check)]
    request = {"TransactItems": items, "ReturnConsumedCapacity": "INDEXES"}
    answer = wire.post("TransactWriteItems", request)
    assert answer.json.keys() == {"__type", "Message", "CancellationReasons"}


def test_metrics_of_collections_are_told_by_table(wire, plain, indexed):
    changes = [
        in_table(indexed, Put={"Item": item("1", l="l")}),
        in_table(indexed, Delete={"Key": {"pk": {"S": "2"}, "sk": {"S": "1"}}}),
        in_table(
            indexed,
            Update={"Key": {"pk": {"S": "3"}, "sk": {"S": "1"}}, "UpdateExpression": "REMOVE l"},
        ),
        in_table(plain, Put={"Item": of_size(10)}),
    ]
    metrics = {"ReturnItemCollectionMetrics": "SIZE"}
    answer = transact(wire, *changes, returned="NONE", **metrics)
    assert answer == {
        "ItemCollectionMetrics": {
            indexed: [
                {"ItemCollectionKey": {"pk": {"S": pk}}, "SizeEstimateRangeGB": [0, 1]}
                for pk in "123"
            ]
        }
    }
    assert transact(wire, changes[-1], returned="NONE", **metrics) == {}


def test_a_table_named_by_its_arn_is_told_by_its_arn(wire, plain):
    arn = wire.call("DescribeTable", {"TableName": plain})["Table"]["TableArn"]
    (entry,) = transact(wire, in_table(arn, Put={"Item": of_size(10)}))["ConsumedCapacity"]
    assert entry["TableName"] == arn
    get = {"TransactItems": [in_table(arn, Get={"Key": {"pk": {"S": "k"}}})]}
    answer = wire.call("TransactGetItems", {**get, "ReturnConsumedCapacity": "TOTAL"})
    assert answer["ConsumedCapacity"] == [
        {"TableName": arn, "CapacityUnits": 2, "ReadCapacityUnits": 2}
    ]
