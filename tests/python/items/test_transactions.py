"""Transactions through boto3: the money transfer of the guides, raced and restarted."""

import random
import threading

import pytest

from definitions import on_demand

ACCOUNTS = 5


def transfer(client, table, source, target, amount, record):
    client.transact_write_items(
        TransactItems=[
            {
                "Update": {
                    "TableName": table,
                    "Key": {"pk": {"S": source}},
                    "UpdateExpression": "SET balance = balance - :amount",
                    "ConditionExpression": "balance >= :amount",
                    "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
                    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                }
            },
            {
                "Update": {
                    "TableName": table,
                    "Key": {"pk": {"S": target}},
                    "UpdateExpression": "SET balance = balance + :amount",
                    "ExpressionAttributeValues": {":amount": {"N": str(amount)}},
                }
            },
            {"Put": {"TableName": table, "Item": {"pk": {"S": record}}}},
        ]
    )


def balances(client, table):
    gets = [{"Get": {"TableName": table, "Key": {"pk": {"S": str(i)}}}} for i in range(ACCOUNTS)]
    answer = client.transact_get_items(TransactItems=gets)
    return [int(response["Item"]["balance"]["N"]) for response in answer["Responses"]]


@pytest.fixture
def accounts(client, make_table):
    table = make_table(on_demand("accounts", "pk"))
    for i in range(ACCOUNTS):
        client.put_item(
            TableName=table, Item={"pk": {"S": str(i)}, "balance": {"N": "100"}}
        )
    return table


def test_the_sum_of_balances_never_changes(client, accounts):
    done, refused, wrong = [], [], []

    def race(seed):
        choices = random.Random(seed)
        for step in range(40):
            source, target = choices.sample(range(ACCOUNTS), 2)
            record = f"{seed}-{step}"
            try:
                transfer(client, accounts, str(source), str(target), choices.randint(1, 90), record)
                done.append(record)
            except client.exceptions.TransactionCanceledException as error:
                codes = [reason["Code"] for reason in error.response["CancellationReasons"]]
                refused.append(codes)
            seen = balances(client, accounts)
            if sum(seen) != 100 * ACCOUNTS or min(seen) < 0:
                wrong.append(seen)

    threads = [threading.Thread(target=race, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert done and refused
    assert all(codes == ["ConditionalCheckFailed", "None", "None"] for codes in refused)
    count = client.scan(TableName=accounts, Select="COUNT")["Count"]
    assert count == ACCOUNTS + len(done)


def test_a_failed_condition_shows_the_item_if_asked_for(client, accounts):
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        transfer(client, accounts, "0", "1", 1000, "x")
    assert caught.value.response["CancellationReasons"] == [
        {
            "Code": "ConditionalCheckFailed",
            "Message": "The conditional request failed",
            "Item": {"pk": {"S": "0"}, "balance": {"N": "100"}},
        },
        {"Code": "None"},
        {"Code": "None"},
    ]


def test_a_token_is_known_after_a_crash(tmp_path, fresh_server):
    request = {
        "TransactItems": [
            {
                "Update": {
                    "TableName": "counters",
                    "Key": {"pk": {"S": "a"}},
                    "UpdateExpression": "ADD n :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}},
                }
            }
        ],
        "ClientRequestToken": "once",
    }
    server = fresh_server("--data", tmp_path / "data")
    server.wire.call("CreateTable", {"TableName": "counters", **on_demand("counters", "pk")})
    server.wire.call("TransactWriteItems", request)
    server.kill()
    wire = fresh_server("--data", tmp_path / "data").wire
    wire.call("TransactWriteItems", request)
    item = wire.call("GetItem", {"TableName": "counters", "Key": {"pk": {"S": "a"}}})["Item"]
    assert item["n"] == {"N": "1"}
