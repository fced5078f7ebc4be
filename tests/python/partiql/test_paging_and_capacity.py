"""Pages of a SELECT, and what statements cost: a keyed SELECT reads no more than its page."""

import base64

import pytest

from statements import Statements, definition, plain_item

MISMATCH = "ValidationException: NextToken does not match request"
PAGED = "SELECT sk FROM {t} WHERE pk = 'p' AND sk > 2"


@pytest.fixture(scope="module")
def big(client):
    """100 items of about 4,000 bytes in one partition, and ten small ones in each of five."""
    request = definition()
    client.create_table(**request)
    statements = Statements(client, request["TableName"])
    for sk in range(100):
        item = {"pk": "p", "sk": sk, "rank": 100 - sk, "fill": "x" * 3900, "even": sk % 2 == 0}
        statements.put(item)
    for partition in "vwxyz":
        for sk in range(10):
            statements.put({"pk": partition, "sk": sk, "genre": "g", "year": sk})
    yield statements
    client.delete_table(TableName=request["TableName"])


def units(answer, kind="CapacityUnits"):
    return answer["ConsumedCapacity"][kind]


def pages(statements, statement, parameters=(), **more):
    """The items of each page."""
    found = []
    while True:
        answer = statements.execute(statement, parameters, **more)
        found.append([plain_item(item) for item in answer["Items"]])
        assert ("NextToken" in answer) == ("LastEvaluatedKey" in answer)
        if "NextToken" not in answer:
            return found
        more["NextToken"] = answer["NextToken"]


# (statement, parameters, limit, consistent, items, units)
COSTS = [
    # One item of a partition of 400 KB costs one item.
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk = 7", [], None, False, 1, 0.5),
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk = 7", [], None, True, 1, 1),
    ("SELECT sk FROM {t} WHERE pk = ? AND sk = ?", ["p", 7], None, True, 1, 1),
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk = 1000", [], None, False, 0, 0.5),
    ("SELECT * FROM {t} WHERE pk = 'nobody'", [], None, False, 0, 0.5),
    ("SELECT * FROM {t} WHERE pk = 'v'", [], None, False, 10, 0.5),
    # A range costs the range, and a limit its items.
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk >= 90", [], None, True, 10, 10),
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk BETWEEN 90 AND 91", [], None, True, 2, 2),
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk < 5 ORDER BY sk DESC", [], None, True, 5, 5),
    ("SELECT * FROM {t} WHERE pk = 'p'", [], 3, True, 3, 3),
    ("SELECT * FROM {t} WHERE pk = 'p' ORDER BY sk DESC", [], 3, True, 3, 3),
    # What a filter leaves out is paid for.
    ("SELECT * FROM {t} WHERE pk = 'p' AND sk < 10 AND even = TRUE", [], None, True, 5, 10),
    ("SELECT * FROM {t} WHERE pk = 'p' AND even = TRUE", [], 4, True, 2, 4),
    # A projection does not make it cheaper.
    ("SELECT sk FROM {t} WHERE pk = 'p' AND sk < 10", [], None, True, 10, 10),
    # Each partition counts for itself.
    ("SELECT * FROM {t} WHERE pk IN ('v', 'w') AND sk = 1", [], None, True, 2, 2),
    ("SELECT * FROM {t} WHERE pk = 'v' OR pk = 'w'", [], 5, True, 5, 1),
]


@pytest.mark.parametrize("statement, parameters, limit, consistent, count, cost", COSTS)
def test_a_keyed_select_costs_its_page(big, statement, parameters, limit, consistent, count, cost):
    more = {"Limit": limit} if limit else {}
    answer = big.execute(
        statement, parameters, ConsistentRead=consistent, ReturnConsumedCapacity="TOTAL", **more
    )
    assert (len(answer["Items"]), units(answer)) == (count, cost)
    assert answer["ConsumedCapacity"] == {"TableName": big.table, "CapacityUnits": cost}


def test_a_scan_costs_everything(big):
    answer = big.execute(
        "SELECT * FROM {t} WHERE sk = 7", ConsistentRead=True, ReturnConsumedCapacity="TOTAL"
    )
    assert units(answer) > 90
    assert len(answer["Items"]) == 6


def test_costs_by_index(big):
    def cost(statement, **more):
        answer = big.execute(statement, ReturnConsumedCapacity="INDEXES", **more)
        return {
            name: value
            for name, value in answer["ConsumedCapacity"].items()
            if name not in ("TableName", "CapacityUnits")
        }

    assert cost("SELECT * FROM {t} WHERE pk = 'v'") == {"Table": {"CapacityUnits": 0.5}}
    assert cost("SELECT * FROM {t}.\"by-genre\" WHERE genre = 'g' AND year = 1") == {
        "Table": {"CapacityUnits": 0},
        "GlobalSecondaryIndexes": {"by-genre": {"CapacityUnits": 0.5}},
    }
    assert cost("SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'p' AND rank < 3") == {
        "Table": {"CapacityUnits": 0},
        "LocalSecondaryIndexes": {"by-rank": {"CapacityUnits": 0.5}},
    }
    # What the local index does not hold is fetched.
    assert cost("SELECT even FROM {t}.\"by-rank\" WHERE pk = 'p' AND rank < 3") == {
        "Table": {"CapacityUnits": 1},
        "LocalSecondaryIndexes": {"by-rank": {"CapacityUnits": 0.5}},
    }


def test_costs_of_writes(writing):
    def cost(statement):
        return writing.execute(statement, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]

    where = " WHERE pk = 'k' AND sk = 1"
    assert cost("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1}")["CapacityUnits"] == 1
    assert cost("UPDATE {t} SET rank = 1" + where) == {
        "TableName": writing.table,
        "CapacityUnits": 2,
        "Table": {"CapacityUnits": 1},
        "LocalSecondaryIndexes": {"by-rank": {"CapacityUnits": 1}},
    }
    assert cost("UPDATE {t} SET a = '" + "x" * 2000 + "'" + where)["Table"]["CapacityUnits"] == 2
    assert cost("DELETE FROM {t}" + where)["CapacityUnits"] == 3
    assert cost("DELETE FROM {t}" + where)["CapacityUnits"] == 1
    assert "ConsumedCapacity" not in writing.execute("DELETE FROM {t}" + where)


@pytest.mark.parametrize("limit", [1, 7, 97, 98, 1000])
@pytest.mark.parametrize("order", ["", " ORDER BY sk DESC"])
def test_pages_by_count(big, limit, order):
    statement = "SELECT sk FROM {t} WHERE pk = 'p' AND sk > 1" + order
    found = pages(big, statement, Limit=limit)
    expected = list(range(2, 100))
    if order:
        expected.reverse()
    assert [item["sk"] for page in found for item in page] == expected
    assert all(len(page) == limit for page in found[:-1])


def test_pages_of_a_scan(big):
    found = pages(big, "SELECT pk, sk FROM {t} WHERE pk <> 'p'", Limit=20)
    keys = [(item["pk"], item["sk"]) for page in found for item in page]
    assert sorted(keys) == [(partition, sk) for partition in "vwxyz" for sk in range(10)]
    # 150 items are evaluated, 20 at a time, and the last page knows that it is the last.
    assert len(found) == 8


def test_pages_of_an_index(big):
    found = pages(big, "SELECT pk, year FROM {t}.\"by-genre\" WHERE genre = 'g'", Limit=8)
    items = [item for page in found for item in page]
    assert len(items) == 50
    assert [item["year"] for item in items] == sorted(item["year"] for item in items)


def test_a_page_ends_after_a_megabyte(client, make_table):
    request = definition()
    statements = Statements(client, make_table(request))
    for sk in range(8):
        statements.put({"pk": "p", "sk": sk, "fill": "x" * 300_000})
    found = pages(statements, "SELECT sk FROM {t} WHERE pk = 'p'")
    assert [[item["sk"] for item in page] for page in found] == [[0, 1, 2, 3], [4, 5, 6, 7], []]


def test_several_partitions_come_ten_at_a_time(big):
    statement = "SELECT pk, sk FROM {t} WHERE pk IN ('x', 'v', 'y') AND sk < 7"
    found = pages(big, statement)
    keys = [(item["pk"], item["sk"]) for page in found for item in page]
    assert keys == [(partition, sk) for partition in "xvy" for sk in range(7)]
    assert [len(page) for page in found] == [10, 10, 1]
    found = pages(big, statement + " ORDER BY pk DESC, sk DESC", Limit=4)
    keys = [(item["pk"], item["sk"]) for page in found for item in page]
    assert keys == [(partition, sk) for partition in "yxv" for sk in reversed(range(7))]
    assert all(len(page) <= 4 for page in found)


def test_the_last_evaluated_key_is_shown(big):
    answer = big.execute("SELECT even FROM {t} WHERE pk = 'p'", Limit=2)
    assert answer["LastEvaluatedKey"] == {"pk": {"S": "p"}, "sk": {"N": "1"}}
    answer = big.execute("SELECT pk FROM {t}.\"by-genre\" WHERE genre = 'g'", Limit=2)
    assert set(answer["LastEvaluatedKey"]) == {"pk", "sk", "genre", "year"}


def test_the_one_item_of_a_key_is_the_last(big):
    answer = big.execute("SELECT sk FROM {t} WHERE pk = 'p' AND sk = 1", Limit=1)
    assert len(answer["Items"]) == 1
    assert "NextToken" not in answer and "LastEvaluatedKey" not in answer


def test_a_token_belongs_to_its_statement(big, reading):
    token = big.execute(PAGED, Limit=2)["NextToken"]
    assert big.execute(PAGED, Limit=3, NextToken=token)["Items"][0] == {"sk": {"N": "5"}}
    for other in (PAGED.replace("2", "3"), PAGED.replace("sk FROM", "pk FROM"), PAGED + " "):
        assert big.refusal(other, NextToken=token) == MISMATCH
    assert reading.refusal(PAGED, NextToken=token) == MISMATCH


def test_a_token_belongs_to_its_parameters(big):
    statement = "SELECT sk FROM {t} WHERE pk = ? AND sk > ?"
    token = big.execute(statement, ["p", 2], Limit=2)["NextToken"]
    assert big.execute(statement, ["p", 2], NextToken=token)["Items"][0] == {"sk": {"N": "5"}}
    for parameters in (["p", 3], ["v", 2], ["p", 1]):
        assert big.refusal(statement, parameters, NextToken=token) == MISMATCH


def test_a_forged_token_is_refused(big):
    token = big.execute(PAGED, Limit=2)["NextToken"]
    raw = base64.b64decode(token)
    forged = ["x", "AAAA", "!", token[:-4], token + "AAAA", base64.b64encode(bytes(200)).decode()]
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 0x41
        forged.append(base64.b64encode(bytes(changed)).decode())
    for attempt in forged:
        assert big.refusal(PAGED, NextToken=attempt) == MISMATCH


def test_a_token_outlives_the_server(fresh_server, tmp_path):
    request = definition()
    statement = f"SELECT sk FROM \"{request['TableName']}\" WHERE pk = 'p'"
    with_server = fresh_server("--data", tmp_path / "data")
    with_server.boto.create_table(**request)
    statements = Statements(with_server.boto, request["TableName"])
    for sk in range(6):
        statements.put({"pk": "p", "sk": sk})
    token = with_server.boto.execute_statement(Statement=statement, Limit=4)["NextToken"]
    assert with_server.process.stop() == 0
    again = fresh_server("--data", tmp_path / "data")
    answer = again.boto.execute_statement(Statement=statement, NextToken=token)
    assert answer["Items"] == [{"sk": {"N": "4"}}, {"sk": {"N": "5"}}]


def test_a_token_of_a_table_that_was_made_again_is_refused(client, make_table):
    request = {**definition(), "TableName": "made-again"}
    statements = Statements(client, make_table(request))
    for sk in range(3):
        statements.put({"pk": "p", "sk": sk})
    token = statements.execute(PAGED.replace("sk > 2", "sk >= 0"), Limit=1)["NextToken"]
    client.delete_table(TableName="made-again")
    client.create_table(**request)
    assert statements.refusal(PAGED.replace("sk > 2", "sk >= 0"), NextToken=token) == MISMATCH
