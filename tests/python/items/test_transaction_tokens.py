"""A ClientRequestToken makes a transaction happen once, however often it is sent."""

import concurrent.futures
import json
import threading

import pytest

from definitions import name, on_demand

CLIENTS = 16
MISMATCH = "IdempotentParameterMismatchException"


def key(text):
    return {"pk": {"S": text}}


def add(table, number=1, text="a"):
    values = {":n": {"N": str(number)}}
    update = {"TableName": table, "Key": key(text), "UpdateExpression": "ADD n :n"}
    return {"Update": {**update, "ExpressionAttributeValues": values}}


def request(token, *actions, **more):
    return {"TransactItems": list(actions), "ClientRequestToken": token, **more}


def number(wire, table, text="a"):
    read = {"TableName": table, "Key": key(text), "ConsistentRead": True}
    item = wire.call("GetItem", read).get("Item", {})
    return int(item.get("n", {"N": "0"})["N"])


@pytest.fixture
def table(make_table):
    return make_table(on_demand(name("tokens")))


def test_a_repeated_request_changes_nothing_and_is_paid_as_a_read(wire, table):
    sent = request("repeated", add(table), ReturnConsumedCapacity="TOTAL")
    first = wire.call("TransactWriteItems", sent)
    assert first == {
        "ConsumedCapacity": [{"TableName": table, "CapacityUnits": 2, "WriteCapacityUnits": 2}]
    }
    for _ in range(3):
        assert wire.call("TransactWriteItems", sent) == {
            "ConsumedCapacity": [{"TableName": table, "CapacityUnits": 2, "ReadCapacityUnits": 2}]
        }
    assert number(wire, table) == 1


def test_the_read_is_paid_by_the_size_of_the_items(wire, table):
    large = {**key("b"), "v": {"S": "x" * 5000}}
    put = {"Put": {"TableName": table, "Item": large}}
    sent = request("sizes", put, add(table), ReturnConsumedCapacity="INDEXES")
    (first,) = wire.call("TransactWriteItems", sent)["ConsumedCapacity"]
    assert first["WriteCapacityUnits"] == 2 * (5 + 1)
    assert wire.call("TransactWriteItems", sent)["ConsumedCapacity"] == [
        {
            "TableName": table,
            "CapacityUnits": 6,
            "ReadCapacityUnits": 6,
            "Table": {"CapacityUnits": 6, "ReadCapacityUnits": 6},
        }
    ]


def test_a_repeated_request_succeeds_even_where_its_condition_would_not(wire, table):
    put = {"TableName": table, "Item": key("a"), "ConditionExpression": "attribute_not_exists(pk)"}
    sent = request("conditions", {"Put": put})
    wire.call("TransactWriteItems", sent)
    assert wire.call("TransactWriteItems", sent) == {}
    assert wire.refused("TransactWriteItems", request("other", {"Put": put}))[1] == (
        "TransactionCanceledException"
    )


def test_another_request_with_the_token_is_refused(wire, table):
    wire.call("TransactWriteItems", request("taken", add(table)))
    for actions in [
        [add(table, 2)],
        [add(table, text="b")],
        [add(table), add(table, text="b")],
        [{"Delete": {"TableName": table, "Key": key("a")}}],
    ]:
        status, error, _ = wire.refused("TransactWriteItems", request("taken", *actions))
        assert (status, error) == (400, MISMATCH)
    assert (number(wire, table), number(wire, table, "b")) == (1, 0)


def test_the_order_in_which_members_are_written_makes_no_difference(wire, table):
    sent = json.dumps(request("ordered", add(table)))
    turned = json.dumps(dict(reversed(json.loads(sent).items())), indent=2)
    assert sent != turned
    for body in (sent, turned):
        assert wire.post("TransactWriteItems", body.encode()).status == 200
    assert number(wire, table) == 1


def test_a_cancelled_transaction_leaves_its_token_free(wire, table):
    failing = {"TableName": table, "Key": key("z"), "ConditionExpression": "attribute_exists(pk)"}
    refused = wire.refused("TransactWriteItems", request("free", {"ConditionCheck": failing}))
    assert refused[1] == "TransactionCanceledException"
    wire.call("TransactWriteItems", request("free", add(table)))
    assert number(wire, table) == 1


@pytest.mark.parametrize("length, fits", [(1, True), (36, True), (0, False), (37, False)])
def test_a_token_has_1_to_36_characters(wire, table, length, fits):
    token = "t" * length
    answer = wire.post("TransactWriteItems", request(token, add(table)))
    if fits:
        assert answer.status == 200
    else:
        bound = "greater than or equal to 1" if length == 0 else "less than or equal to 36"
        assert answer.error == (
            "ValidationException",
            f"1 validation error detected: Value '{token}' at 'clientRequestToken' failed to "
            f"satisfy constraint: Member must have length {bound}",
        )


def test_boto3_sends_a_token_of_its_own_each_time(client, wire, table):
    for _ in range(2):
        client.transact_write_items(TransactItems=[add(table)])
    assert number(wire, table) == 2


def test_the_mismatch_is_an_exception_of_boto3(client, wire, table):
    client.transact_write_items(TransactItems=[add(table)], ClientRequestToken="boto")
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(TransactItems=[add(table, 2)], ClientRequestToken="boto")


def test_one_token_sent_by_many_at_once_counts_once(connect, wire, table):
    """Whoever is late may be told that it is running or that it is done, but it is made once."""
    clients = [connect() for _ in range(CLIENTS)]
    barrier = threading.Barrier(CLIENTS)

    def send(own):
        barrier.wait(60)
        for round_ in range(20):
            try:
                own.transact_write_items(
                    TransactItems=[add(table), add(table, 10, "b")],
                    ClientRequestToken=f"at once {round_}",
                )
            except own.exceptions.TransactionInProgressException:
                pass

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(send, clients))
    assert (number(wire, table), number(wire, table, "b")) == (20, 200)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_token_is_known_after_a_restart(tmp_path, fresh_server, end):
    server = fresh_server("--data", tmp_path / "data")
    server.wire.call("CreateTable", on_demand("counters"))
    server.wire.call("TransactWriteItems", request("kept", add("counters")))
    getattr(server, end)()
    wire = fresh_server("--data", tmp_path / "data").wire
    again = request("kept", add("counters"), ReturnConsumedCapacity="TOTAL")
    (consumed,) = wire.call("TransactWriteItems", again)["ConsumedCapacity"]
    assert consumed["ReadCapacityUnits"] == 2
    assert wire.refused("TransactWriteItems", request("kept", add("counters", 2)))[1] == MISMATCH
    assert number(wire, "counters") == 1
    wire.call("TransactWriteItems", request("fresh", add("counters")))
    assert number(wire, "counters") == 2
