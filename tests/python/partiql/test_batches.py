"""BatchExecuteStatement: an answer or an error for each statement."""

import pytest
from botocore.exceptions import ClientError

from statements import INVALID, MALFORMED, NO_KEY, plain_item, responses_items

WHERE = " WHERE pk = 'k' AND sk = 1"
MIXED = (
    "Both read and write statements found in {}. A request must be either all reads or all writes."
)
SELECT_KEY = (
    "Select statements within BatchExecuteStatement must specify the primary key in the where "
    "clause."
)


def batch(statements, *given, **more):
    """Runs statements; each is a text, or the arguments of `request`."""
    requests = []
    for entry in given:
        entry = (entry,) if isinstance(entry, str) else entry
        *arguments, options = entry if isinstance(entry[-1], dict) else (*entry, {})
        requests.append(statements.request(*arguments, **options))
    return statements.client.batch_execute_statement(Statements=requests, **more)


# (statement, parameters, item, or None for none)
READS = [
    ("SELECT * FROM {t} WHERE pk = 'c' AND sk = 1", [], {"pk": "c", "sk": 1, "title": "it's"}),
    ("SELECT * FROM {t} WHERE pk = ? AND sk = ?", ["c", 1], {"pk": "c", "sk": 1, "title": "it's"}),
    ("SELECT title FROM {t} WHERE pk = 'c' AND sk = 1", [], {"title": "it's"}),
    ("SELECT m.b.c FROM {t} WHERE pk = 'a' AND sk = 1", [], {"c": "deep"}),
    ("SELECT nope FROM {t} WHERE pk = 'c' AND sk = 1", [], {}),
    ("SELECT * FROM {t} WHERE pk = 'c' AND sk = 9", [], None),
    ("SELECT title FROM {t} WHERE pk = 'c' AND sk = 1 AND title = 'it''s'", [], {"title": "it's"}),
    ("SELECT title FROM {t} WHERE pk = 'c' AND sk = 1 AND title = 'x'", [], None),
]


def test_reads(reading):
    answer = batch(reading, *[(statement, parameters) for statement, parameters, _ in READS])
    assert len(answer["Responses"]) == len(READS)
    for response, (statement, _, expected) in zip(answer["Responses"], READS):
        assert response["TableName"] == reading.table
        assert "Error" not in response
        item = plain_item(response["Item"]) if "Item" in response else None
        assert item == expected, statement


# (statement, parameters, code, message)
FAILED_READS = [
    ("SELECT * FROM {t} WHERE pk = 'a'", [], "ValidationError", SELECT_KEY),
    ("SELECT * FROM {t}", [], "ValidationError", SELECT_KEY),
    ("SELECT * FROM {t} WHERE pk = 'a' AND sk > 1", [], "ValidationError", SELECT_KEY),
    ("SELECT * FROM {t} WHERE pk = 'a' AND sk IN (1, 2)", [], "ValidationError", SELECT_KEY),
    (
        "SELECT * FROM {t} WHERE pk = 'a' AND sk = 'x'",
        [],
        "ValidationError",
        "The provided key element does not match the schema",
    ),
    (
        "SELECT * FROM {t} WHERE pk = ? AND sk = 1",
        [],
        "ValidationError",
        "Number of parameters in request and statement don't match.",
    ),
    (
        "SELECT * FROM {t}.\"by-rank\" WHERE pk = 'a' AND sk = 1",
        [],
        "ValidationError",
        "Reads on indices are not supported within BatchExecuteStatement.",
    ),
    (
        "SELECT * FROM nowhere WHERE pk = 'a' AND sk = 1",
        [],
        "ResourceNotFound",
        "Requested resource not found",
    ),
    ("nonsense", [], "ValidationError", MALFORMED + "Expected data manipulation"),
]


def test_errors_of_reads_stay_with_their_statement(reading):
    good = READS[0][0]
    answer = batch(reading, *[(row[0], row[1]) for row in FAILED_READS], good)
    *failed, last = answer["Responses"]
    for response, (statement, _, code, message) in zip(failed, FAILED_READS):
        assert response["Error"] == {"Code": code, "Message": message}, statement
        assert "Item" not in response
        if statement == "nonsense":
            assert "TableName" not in response
        else:
            assert response["TableName"] == (reading.table if "{t}" in statement else "nowhere")
    assert plain_item(last["Item"])["pk"] == "c"


def test_writes_are_made_each_on_its_own(writing):
    writing.put({"pk": "k", "sk": 1, "a": 1})
    rows = [
        ("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 2}", None),
        (
            "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1}",
            ("DuplicateItem", "Duplicate primary key exists in table"),
        ),
        ("UPDATE {t} SET a = a + 1" + WHERE, None),
        (
            "UPDATE {t} SET a = 1 WHERE pk = 'k' AND sk = 9",
            ("ConditionalCheckFailed", "The conditional request failed"),
        ),
        ("UPDATE {t} SET a = 1 WHERE pk = 'k'", ("ValidationError", NO_KEY)),
        (
            "UPDATE {t} SET pk = 'x' WHERE pk = 'k' AND sk = 7",
            (
                "ValidationError",
                INVALID + "Cannot update attribute pk. This attribute is part of the key",
            ),
        ),
        (
            "INSERT INTO {t} VALUE {'pk': 'k'}",
            ("ValidationError", INVALID + "Missing the key sk in the item"),
        ),
        (
            "INSERT INTO nowhere VALUE {'pk': 'k'}",
            ("ResourceNotFound", "Requested resource not found"),
        ),
        ("DELETE FROM {t} WHERE pk = 'k' AND sk = 3", None),
        (
            "EXISTS(SELECT * FROM {t} WHERE pk = 'k' AND sk = 1)",
            ("ValidationError", "EXISTS is only supported in ExecuteTransaction"),
        ),
    ]
    answer = batch(writing, *[statement for statement, _ in rows])
    for response, (statement, error) in zip(answer["Responses"], rows, strict=True):
        if error is None:
            assert response == {"TableName": writing.table}, statement
        else:
            assert response["Error"] == dict(zip(("Code", "Message"), error)), statement
    assert writing.get(pk="k", sk=1)["a"] == 2
    assert writing.get(pk="k", sk=2) is not None


def test_writes_of_one_item_keep_their_order(writing):
    answer = batch(
        writing,
        "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1, 'a': [1]}",
        *[f"UPDATE {{t}} SET a = list_append(a, [{n}]){WHERE}" for n in range(2, 24)],
        "UPDATE {t} SET a = list_append(a, [24])" + WHERE + " RETURNING ALL OLD *",
    )
    assert not any("Error" in response for response in answer["Responses"])
    assert plain_item(answer["Responses"][-1]["Item"])["a"] == list(range(1, 24))
    assert writing.get(pk="k", sk=1)["a"] == list(range(1, 25))


def test_returning(writing):
    for sk in (1, 2, 3):
        writing.put({"pk": "k", "sk": sk, "a": sk})
    answer = batch(
        writing,
        "UPDATE {t} SET a = 9 WHERE pk = 'k' AND sk = 1 RETURNING MODIFIED NEW *",
        "DELETE FROM {t} WHERE pk = 'k' AND sk = 2 RETURNING ALL OLD *",
        "UPDATE {t} SET a = 9 WHERE pk = 'k' AND sk = 3",
    )
    assert responses_items(answer) == [{"a": 9}, {"pk": "k", "sk": 2, "a": 2}, None]


def test_the_item_that_fails_a_condition_is_shown_on_request(writing):
    writing.put({"pk": "k", "sk": 1, "a": 1})
    statement = "UPDATE {t} SET a = 2" + WHERE + " AND a = 5"
    answer = batch(
        writing,
        (statement, (), {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}),
        statement,
    )
    first, second = (response["Error"] for response in answer["Responses"])
    assert plain_item(first["Item"]) == {"pk": "k", "sk": 1, "a": 1}
    assert "Item" not in second


@pytest.mark.parametrize(
    "statements",
    [
        ("SELECT * FROM {t}" + WHERE, "DELETE FROM {t}" + WHERE),
        ("DELETE FROM {t}" + WHERE, "SELECT * FROM {t}" + WHERE),
        ("SELECT * FROM {t}" + WHERE, "UPDATE {t} SET a = ?" + WHERE),
        ("SELECT * FROM {t}" + WHERE, "EXISTS(SELECT * FROM {t}" + WHERE + ")"),
    ],
)
def test_reads_and_writes_do_not_mix(writing, statements):
    with pytest.raises(ClientError) as raised:
        batch(writing, *statements)
    assert raised.value.response["Error"] == {
        "Code": "ValidationException",
        "Message": MIXED.format("BatchExecuteStatement"),
    }


def test_capacity(writing):
    statements = [f"INSERT INTO {{t}} VALUE {{'pk': 'k', 'sk': {n}}}" for n in range(3)]
    answer = batch(writing, *statements, statements[0], ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"] == [{"TableName": writing.table, "CapacityUnits": 3}]
    reads = [f"SELECT * FROM {{t}} WHERE pk = 'k' AND sk = {n}" for n in range(4)]
    strong = (reads[0], (), {"ConsistentRead": True})
    answer = batch(writing, *reads, strong, ReturnConsumedCapacity="INDEXES")
    assert answer["ConsumedCapacity"] == [
        {"TableName": writing.table, "CapacityUnits": 3, "Table": {"CapacityUnits": 3}}
    ]
    assert "ConsumedCapacity" not in batch(writing, *reads)


def test_several_tables(reading, writing):
    writing.put({"pk": "k", "sk": 1})
    requests = [
        writing.request("SELECT pk FROM {t}" + WHERE),
        reading.request("SELECT pk FROM {t} WHERE pk = 'c' AND sk = 1"),
    ]
    answer = reading.client.batch_execute_statement(
        Statements=requests, ReturnConsumedCapacity="TOTAL"
    )
    tables = [writing.table, reading.table]
    assert [response["TableName"] for response in answer["Responses"]] == tables
    assert {entry["TableName"] for entry in answer["ConsumedCapacity"]} == set(tables)


def test_a_table_by_its_arn_is_named(reading, client):
    arn = client.describe_table(TableName=reading.table)["Table"]["TableArn"]
    answer = batch(reading, f"SELECT pk FROM \"{arn}\" WHERE pk = 'c' AND sk = 1")
    assert answer["Responses"] == [{"TableName": reading.table, "Item": {"pk": {"S": "c"}}}]


def test_constraints_of_the_model(wire):
    statement = {"Statement": "SELECT * FROM abc"}
    for request, place, constraint in [
        ({"Statements": []}, "Value '[]' at 'statements'", "greater than or equal to 1"),
        (
            {"Statements": [{"Statement": ""}]},
            "Value '' at 'statements.1.member.statement'",
            "greater than or equal to 1",
        ),
    ]:
        assert wire.refused("BatchExecuteStatement", request) == (
            400,
            "ValidationException",
            f"1 validation error detected: {place} failed to satisfy constraint: "
            f"Member must have length {constraint}",
        )
    status, name, text = wire.refused("BatchExecuteStatement", {"Statements": [statement] * 26})
    assert name == "ValidationException"
    assert "at 'statements' failed to satisfy constraint: " in text
    assert "Member must have length less than or equal to 25" in text
