"""ExecuteTransaction: reads at one moment, writes all or none."""

import concurrent.futures

import pytest
from botocore.exceptions import ClientError

from statements import INVALID, MALFORMED, NO_KEY, plain_item, responses_items

WHERE = " WHERE pk = 'k' AND sk = 1"
NONE = {"Code": "None"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
DUPLICATE_ITEM = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}


def transact(statements, *given, **more):
    requests = []
    for entry in given:
        entry = (entry,) if isinstance(entry, str) else entry
        *arguments, options = entry if isinstance(entry[-1], dict) else (*entry, {})
        requests.append(statements.request(*arguments, **options))
    return statements.client.execute_transaction(TransactStatements=requests, **more)


def refusal(statements, *given, **more):
    with pytest.raises(ClientError) as raised:
        transact(statements, *given, **more)
    error = raised.value.response["Error"]
    return f"{error['Code']}: {error['Message']}"


def reasons(statements, *given, **more):
    with pytest.raises(ClientError) as raised:
        transact(statements, *given, **more)
    response = raised.value.response
    assert response["Error"]["Code"] == "TransactionCanceledException"
    codes = ", ".join(reason["Code"] for reason in response["CancellationReasons"])
    assert response["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{codes}]"
    )
    return response["CancellationReasons"]


def test_reads(reading):
    answer = transact(
        reading,
        "SELECT * FROM {t} WHERE pk = 'c' AND sk = 1",
        ("SELECT title FROM {t} WHERE pk = ? AND sk = ?", ["a", 1]),
        "SELECT * FROM {t} WHERE pk = 'c' AND sk = 9",
        "SELECT nope FROM {t} WHERE pk = 'a' AND sk = 2",
        "SELECT title FROM {t} WHERE pk = 'a' AND sk = 3 AND title = 't3'",
        "SELECT title FROM {t} WHERE pk = 'a' AND sk = 4 AND title = 'x'",
        ReturnConsumedCapacity="TOTAL",
    )
    assert responses_items(answer) == [
        {"pk": "c", "sk": 1, "title": "it's"},
        {"title": "t1"},
        None,
        {},
        {"title": "t3"},
        None,
    ]
    assert answer["ConsumedCapacity"] == [
        {"TableName": reading.table, "CapacityUnits": 12, "ReadCapacityUnits": 12}
    ]


def test_writes(writing):
    for sk in (2, 3, 4):
        writing.put({"pk": "k", "sk": sk, "a": sk})
    answer = transact(
        writing,
        "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1}",
        ("UPDATE {t} SET a = a + ? WHERE pk = 'k' AND sk = 2", [5]),
        "DELETE FROM {t} WHERE pk = 'k' AND sk = 3 AND a = 3",
        "EXISTS(SELECT * FROM {t} WHERE pk = 'k' AND sk = 4 AND a > 3 AND nope IS MISSING)",
        "DELETE FROM {t} WHERE pk = 'k' AND sk = 9 AND a = 3",
        ReturnConsumedCapacity="TOTAL",
    )
    assert answer["Responses"] == [{}] * 5
    assert answer["ConsumedCapacity"] == [
        {"TableName": writing.table, "CapacityUnits": 10, "WriteCapacityUnits": 10}
    ]
    found = sorted(writing.run("SELECT sk, a FROM {t}"), key=lambda item: item["sk"])
    assert found == [{"sk": 1}, {"sk": 2, "a": 7}, {"sk": 4, "a": 4}]


# (statement that cannot be made, its reason)
CANCELLED = [
    ("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1}", DUPLICATE_ITEM),
    ("UPDATE {t} SET a = 2" + WHERE + " AND a = 5", FAILED),
    ("UPDATE {t} SET a = 2 WHERE pk = 'k' AND sk = 9", FAILED),
    ("DELETE FROM {t}" + WHERE + " AND a = 5", FAILED),
    ("EXISTS(SELECT * FROM {t}" + WHERE + " AND a = 5)", FAILED),
    ("EXISTS(SELECT * FROM {t} WHERE pk = 'k' AND sk = 9)", FAILED),
    ("EXISTS(SELECT * FROM {t} WHERE pk = 'k' AND sk = 9 AND a IS MISSING)", FAILED),
    (
        "UPDATE {t} SET a = nope" + WHERE,
        {
            "Code": "ValidationError",
            "Message": "The provided expression refers to an attribute that does not exist in the "
            "item",
        },
    ),
    (
        "UPDATE {t} SET pk = 'x'" + WHERE,
        {
            "Code": "ValidationError",
            "Message": INVALID + "Cannot update attribute pk. This attribute is part of the key",
        },
    ),
    (
        "INSERT INTO {t} VALUE {'pk': 'k'}",
        {"Code": "ValidationError", "Message": INVALID + "Missing the key sk in the item"},
    ),
]


@pytest.mark.parametrize("statement, reason", CANCELLED)
def test_one_failure_cancels_all(writing, statement, reason):
    writing.put({"pk": "k", "sk": 1, "a": 1})
    first = "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 5}"
    last = "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 6}"
    assert reasons(writing, first, statement, last) == [NONE, reason, NONE]
    assert writing.run("SELECT * FROM {t}") == [{"pk": "k", "sk": 1, "a": 1}]


def test_the_item_that_fails_a_condition_is_shown_on_request(writing):
    writing.put({"pk": "k", "sk": 1, "a": 1})
    shown = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    found = reasons(writing, ("DELETE FROM {t}" + WHERE + " AND a = 5", (), shown))
    assert plain_item(found[0]["Item"]) == {"pk": "k", "sk": 1, "a": 1}


# (statements, error)
REFUSED = [
    (
        ["UPDATE {t} SET a = 1" + WHERE + " RETURNING ALL OLD *"],
        "Validation failed in TransactStatements[0]: RETURNING clause is not supported in "
        "ExecuteTransaction.",
    ),
    (
        [
            "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 2}",
            "DELETE FROM {t}" + WHERE + " RETURNING ALL OLD *",
        ],
        "Validation failed in TransactStatements[1]: RETURNING clause is not supported in "
        "ExecuteTransaction.",
    ),
    (
        ["SELECT * FROM {t}.\"by-rank\" WHERE pk = 'a' AND rank = 1"],
        "Validation failed in TransactStatements[0]: Reads on indices are not supported within "
        "transactions.",
    ),
    (
        ["SELECT * FROM {t} WHERE pk = 'a'"],
        "Select statements within ExecuteTransaction must specify the primary key in the where "
        "clause.",
    ),
    (
        ["SELECT * FROM {t}" + WHERE, "DELETE FROM {t}" + WHERE],
        "Both read and write statements found in ExecuteTransaction. A request must be either all "
        "reads or all writes.",
    ),
    (
        ["SELECT * FROM {t}" + WHERE, "EXISTS(SELECT * FROM {t}" + WHERE + ")"],
        "Both read and write statements found in ExecuteTransaction. A request must be either all "
        "reads or all writes.",
    ),
    (
        ["SELECT * FROM {t}" + WHERE, "SELECT pk FROM {t}" + WHERE],
        "Transaction request cannot include multiple operations on one item",
    ),
    (
        ["UPDATE {t} SET a = 1" + WHERE, "DELETE FROM {t}" + WHERE],
        "Transaction request cannot include multiple operations on one item",
    ),
    (["UPDATE {t} SET a = 1 WHERE pk = 'k'"], NO_KEY),
    (["EXISTS(SELECT * FROM {t} WHERE pk = 'k')"], NO_KEY),
    (["EXISTS(SELECT * FROM {t}.\"by-rank\"" + WHERE + ")"], "Writes on indices are not supported"),
    (["nonsense"], MALFORMED + "Expected data manipulation"),
    (
        ["DELETE FROM {t} WHERE pk = ?"],
        "Number of parameters in request and statement don't match.",
    ),
    (
        ["DELETE FROM {t}" + WHERE + " RETURNING ALL NEW *"],
        "Invalid returning clause: RETURNING ALL NEW *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements.",
    ),
]


@pytest.mark.parametrize("statements, expected", REFUSED)
def test_a_transaction_is_refused(writing, statements, expected):
    writing.put({"pk": "k", "sk": 1, "a": 1})
    assert refusal(writing, *statements) == f"ValidationException: {expected}"
    assert writing.run("SELECT * FROM {t}") == [{"pk": "k", "sk": 1, "a": 1}]


def test_a_table_that_is_not_there(writing):
    expected = "ResourceNotFoundException: Requested resource not found"
    for verb in ("SELECT *", "DELETE"):
        assert refusal(writing, f"{verb} FROM nowhere WHERE pk = 'a'") == expected


def test_a_token_makes_a_transaction_once(writing):
    writing.put({"pk": "k", "sk": 1, "a": 0})
    statement = ("UPDATE {t} SET a = a + ?" + WHERE, [1])
    once = {"ClientRequestToken": "partiql-once", "ReturnConsumedCapacity": "TOTAL"}
    first = transact(writing, statement, **once)
    again = transact(writing, statement, **once)
    assert writing.get(pk="k", sk=1)["a"] == 1
    assert first["ConsumedCapacity"][0]["WriteCapacityUnits"] == 2
    assert again["ConsumedCapacity"][0]["ReadCapacityUnits"] == 2
    assert again["Responses"] == first["Responses"]
    # Another transaction under the token is refused, also if only a parameter differs.
    for other in (("UPDATE {t} SET a = a + ?" + WHERE, [2]), "DELETE FROM {t}" + WHERE):
        found = refusal(writing, other, ClientRequestToken="partiql-once")
        assert found.startswith("IdempotentParameterMismatchException: ")
    transact(writing, statement, ClientRequestToken="partiql-twice")
    assert writing.get(pk="k", sk=1)["a"] == 2


def test_a_token_is_not_spent_on_a_failure(writing):
    statement = "UPDATE {t} SET a = 1" + WHERE
    assert reasons(writing, statement, ClientRequestToken="partiql-failed") == [FAILED]
    writing.put({"pk": "k", "sk": 1})
    transact(writing, statement, ClientRequestToken="partiql-failed")
    assert writing.get(pk="k", sk=1)["a"] == 1


def test_transfers_from_several_threads_keep_the_sum(writing):
    for sk in (1, 2):
        writing.put({"pk": "k", "sk": sk, "n": 100})

    def transfer(number):
        source, target = (1, 2) if number % 2 else (2, 1)
        transact(
            writing,
            f"UPDATE {{t}} SET n = n - 1 WHERE pk = 'k' AND sk = {source} AND n > 0",
            f"UPDATE {{t}} SET n = n + 1 WHERE pk = 'k' AND sk = {target}",
        )
        reads = [f"SELECT n FROM {{t}} WHERE pk = 'k' AND sk = {sk}" for sk in (1, 2)]
        return sum(item["n"] for item in responses_items(transact(writing, *reads)))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert set(pool.map(transfer, range(60))) == {200}


def test_a_hundred_statements(writing):
    statements = [f"INSERT INTO {{t}} VALUE {{'pk': 'k', 'sk': {n}}}" for n in range(100)]
    assert len(transact(writing, *statements)["Responses"]) == 100
    assert len(writing.run("SELECT * FROM {t}")) == 100


def test_constraints_of_the_model(wire):
    assert wire.refused("ExecuteTransaction", {"TransactStatements": []}) == (
        400,
        "ValidationException",
        "1 validation error detected: Value '[]' at 'transactStatements' failed to satisfy "
        "constraint: Member must have length greater than or equal to 1",
    )
    many = {"TransactStatements": [{"Statement": "SELECT * FROM abc"}] * 101}
    status, name, text = wire.refused("ExecuteTransaction", many)
    assert name == "ValidationException"
    assert "Member must have length less than or equal to 100" in text
