"""Statements that are refused, with their errors."""

import pytest

from statements import CONDITION_FAILED, INVALID, MALFORMED, NO_KEY

OPERAND = "Incorrect operand type for operator or function; operator or function: "
MISMATCH = "Number of parameters in request and statement don't match."
WRONG_TYPE = INVALID + "Condition parameter type does not match schema type"
DEEP = "[" * 40 + "]" * 40

# (statement, parameters, text of the ValidationException)
INVALID_STATEMENTS = [
    # Not well formed.
    ("hello", [], MALFORMED + "Expected data manipulation"),
    ("CREATE TABLE {t}", [], MALFORMED + "Expected data manipulation"),
    ("UPSERT INTO {t} VALUE {'pk': 'k'}", [], MALFORMED + "Expected data manipulation"),
    ("REPLACE INTO {t} VALUE {'pk': 'k'}", [], MALFORMED + "Expected data manipulation"),
    ("UPDATE {t} WHERE pk = 'k'", [], MALFORMED + "Expected data manipulation"),
    ("SELECT FROM {t}", [], MALFORMED + "Unexpected keyword"),
    ("SELECT * {t}", [], MALFORMED + "Expected FROM"),
    ("SELECT * FROM", [], MALFORMED + "Expected identifier for simple path"),
    ("SELECT * FROM {t} WHERE", [], MALFORMED + "Expected expression"),
    ("SELECT * FROM {t} WHERE pk == 'a'", [], MALFORMED + "Unexpected operator"),
    ("SELECT * FROM {t} WHERE pk = 'a", [], MALFORMED + "Unexpected term"),
    ("SELECT * FROM {t} WHERE (pk = 'a'", [], MALFORMED + "Expected right parenthesis"),
    ("SELECT * FROM {t} WHERE year - 1 = 2000", [], MALFORMED + "Unexpected operator"),
    ("SELECT * FROM {t} WHERE pk = 'a' LIMIT 1", [], MALFORMED + "Unsupported clause: LIMIT"),
    ("SELECT * FROM {t} GROUP BY pk", [], MALFORMED + "Unsupported clause: GROUP"),
    ("SELECT * FROM {t} AS x", [], MALFORMED + "Unsupported clause: AS"),
    ("SELECT COUNT(*) FROM {t}", [], MALFORMED + "Unsupported function in SELECT: COUNT"),
    ("SELECT SUM(n) FROM {t}", [], MALFORMED + "Unsupported function in SELECT: SUM"),
    ("SELECT * FROM {t} WHERE pk LIKE 'a'", [], MALFORMED + "Unsupported operator: LIKE"),
    (
        "SELECT * FROM {t}, {t}",
        [],
        MALFORMED + "Only select from a single table or index is supported",
    ),
    ("INSERT INTO {t} SELECT * FROM {t}", [], MALFORMED + "Expected VALUE"),
    ("INSERT INTO {t} VALUES ('a')", [], MALFORMED + "Expected VALUE"),
    (
        "INSERT INTO {t} VALUE {'pk': 'a',}",
        [],
        MALFORMED + "Expected string literal as the name of a field",
    ),
    ("DELETE {t} WHERE pk = 'a'", [], MALFORMED + "Expected FROM"),
    # FROM.
    ("SELECT * FROM {t}.a.b", [], "A path may contain at most 2 components in the FROM clause"),
    ('SELECT * FROM ""', [], "Path component cannot be an empty string"),
    ('SELECT * FROM "nowhere"."".x', [], "Path component cannot be an empty string"),
    ('SELECT * FROM {t}.""', [], "Path component cannot be an empty string"),
    ("SELECT * FROM {t}.nope WHERE pk = 'a'", [], "The table does not have the specified index"),
    ('INSERT INTO {t}."by-rank" VALUE {\'pk\': \'a\'}', [], "Writes on indices are not supported"),
    (
        "UPDATE {t}.\"by-rank\" SET n = 1 WHERE pk = 'a' AND sk = 1",
        [],
        "Writes on indices are not supported",
    ),
    (
        "DELETE FROM {t}.\"by-rank\" WHERE pk = 'a' AND sk = 1",
        [],
        "Writes on indices are not supported",
    ),
    # Parameters.
    ("SELECT * FROM {t} WHERE pk = ?", [], MISMATCH),
    ("SELECT * FROM {t} WHERE pk = ?", ["a", 1], MISMATCH),
    ("SELECT * FROM {t}", ["a"], MISMATCH),
    ("SELECT * FROM {t} WHERE pk = '?'", ["a"], MISMATCH),
    # Operands; the table is not looked up for these.
    ("SELECT * FROM {t} WHERE n < TRUE", [], OPERAND + "<, operand type: BOOL"),
    ("SELECT * FROM {t} WHERE n <= NULL", [], OPERAND + "<=, operand type: NULL"),
    ("SELECT * FROM {t} WHERE n > [1]", [], OPERAND + ">, operand type: L"),
    ("SELECT * FROM {t} WHERE n >= {'a': 1}", [], OPERAND + ">=, operand type: M"),
    ("SELECT * FROM {t} WHERE n < <<'a'>>", [], OPERAND + "<, operand type: SS"),
    ("SELECT * FROM {t} WHERE n < <<1>>", [], OPERAND + "<, operand type: NS"),
    ("SELECT * FROM {t} WHERE n < ?", [{b"a"}], OPERAND + "<, operand type: BS"),
    ("SELECT * FROM {t} WHERE n < ?", [True], OPERAND + "<, operand type: BOOL"),
    (
        "SELECT * FROM {t} WHERE n BETWEEN TRUE AND FALSE",
        [],
        OPERAND + "BETWEEN, operand type: BOOL",
    ),
    ("SELECT * FROM nowhere WHERE n < TRUE", [], OPERAND + "<, operand type: BOOL"),
    ("SELECT * FROM {t} WHERE begins_with(n, 1)", [], OPERAND + "begins_with, operand type: N"),
    ("SELECT * FROM {t} WHERE size(5) = 1", [], OPERAND + "size, operand type: N"),
    ("SELECT * FROM {t} WHERE nope(n)", [], "Invalid function name; function: nope"),
    (
        "SELECT * FROM {t} WHERE attribute_exists(n)",
        [],
        "Invalid function name; function: attribute_exists",
    ),
    (
        "SELECT * FROM {t} WHERE begins_with(n)",
        [],
        "Incorrect number of operands for operator or function; "
        "operator or function: begins_with, number of operands: 1",
    ),
    (
        "SELECT * FROM {t} WHERE attribute_type(n, 'X')",
        [],
        "Invalid attribute type name found; type: X, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
    ),
    # Keys.
    ("SELECT * FROM {t} WHERE pk = 1", [], WRONG_TYPE),
    ("SELECT * FROM {t} WHERE pk = 'a' AND sk = 'b'", [], WRONG_TYPE),
    ("SELECT * FROM {t} WHERE pk = 'a' AND sk > ?", ["b"], WRONG_TYPE),
    (
        "SELECT * FROM {t} WHERE pk = ''",
        [],
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk",
    ),
    (
        "SELECT * FROM {t} WHERE pk.x = 1",
        [],
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: Key: pk",
    ),
    (
        "SELECT genre.x FROM {t}",
        [],
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: IndexKey: genre",
    ),
    (
        "SELECT * FROM {t} WHERE pk IN (" + ",".join(f"'{n}'" for n in range(51)) + ")",
        [],
        "The IN operator is provided with too many operands; number of operands: 51",
    ),
    (
        "SELECT * FROM {t} WHERE n IN (" + ",".join(["1"] * 101) + ")",
        [],
        "The IN operator is provided with too many operands; number of operands: 101",
    ),
    # Order.
    (
        "SELECT * FROM {t} ORDER BY sk",
        [],
        "Must have WHERE clause in the statement when using ORDER BY clause.",
    ),
    (
        "SELECT * FROM {t} WHERE sk = 1 ORDER BY sk",
        [],
        "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
        "BY clause.",
    ),
    (
        "SELECT * FROM {t} WHERE pk IN ('a', 'b') ORDER BY sk",
        [],
        "Must have hash key in ORDER BY clause when more than one hash key condition specified "
        "in WHERE clause.",
    ),
    (
        "SELECT * FROM {t} WHERE pk = 'a' ORDER BY title",
        [],
        "Variable reference title in ORDER BY clause must be part of the primary key",
    ),
    (
        "SELECT * FROM {t}.\"by-rank\" WHERE pk = 'a' ORDER BY sk",
        [],
        "Variable reference sk in ORDER BY clause must be part of the primary key",
    ),
    # Indexes that do not hold what is asked for.
    (
        "SELECT sk FROM {t}.\"by-genre\" WHERE genre = 'rock' AND n = 5",
        [],
        INVALID + "Secondary index by-genre does not project one or more filter attributes: [n]",
    ),
    (
        "SELECT sk FROM {t}.\"by-genre\" WHERE n = 5 OR m.b = 1 OR n = 6",
        [],
        INVALID + "Secondary index by-genre does not project one or more filter attributes: [n, m]",
    ),
    (
        "SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'a' AND n = 5",
        [],
        INVALID + "Secondary index by-rank does not project one or more filter attributes: [n]",
    ),
    (
        "SELECT n FROM {t}.\"by-genre\" WHERE genre = 'rock'",
        [],
        INVALID + "Global secondary index by-genre does not project [n]",
    ),
    (
        "SELECT title FROM {t}.\"by-genre-keys\" WHERE genre = 'rock'",
        [],
        INVALID + "Global secondary index by-genre-keys does not project [title]",
    ),
    # Literals.
    (
        "SELECT * FROM {t} WHERE n = " + DEEP,
        [],
        "Nesting Levels have exceeded supported limits under root" + "[0]" * 32,
    ),
    (
        "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1, 'deep': {'er': " + DEEP + "}}",
        [],
        "Nesting Levels have exceeded supported limits under root.deep.er" + "[0]" * 30,
    ),
    ("INSERT INTO {t} VALUE 'text'", [], "The value of an INSERT statement must be a map"),
    ("INSERT INTO {t} VALUE ?", ["text"], "The value of an INSERT statement must be a map"),
    ("INSERT INTO {t} VALUE {'pk': <<>>}", [], INVALID + "An string set  may not be empty"),
    ("INSERT INTO {t} VALUE {'pk': <<1, 1>>}", [], "Input collection contains duplicates"),
    (
        "INSERT INTO {t} VALUE {'pk': <<'a', 'a'>>}",
        [],
        INVALID + "Input collection [a, a] contains duplicates.",
    ),
    (
        "INSERT INTO {t} VALUE {'pk': <<1, 'a'>>}",
        [],
        "The elements of a set must all be strings, all be numbers or all be binaries",
    ),
    # RETURNING.
    (
        "DELETE FROM {t} WHERE pk = 'a' AND sk = 1 RETURNING MODIFIED OLD *",
        [],
        "Invalid returning clause: RETURNING MODIFIED OLD *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements.",
    ),
    (
        "DELETE FROM {t} WHERE pk = 'a' AND sk = 1 RETURNING ALL NEW *",
        [],
        "Invalid returning clause: RETURNING ALL NEW *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements.",
    ),
    (
        "DELETE FROM {t} WHERE pk = 'a' AND sk = 1 RETURNING MODIFIED NEW *",
        [],
        "Invalid returning clause: RETURNING MODIFIED NEW *. "
        "Only RETURNING ALL OLD * is allowed in DELETE statements.",
    ),
    # The key of a write.
    ("UPDATE {t} SET n = 1", [], NO_KEY),
    ("UPDATE {t} SET n = 1 WHERE pk = 'a'", [], NO_KEY),
    ("UPDATE {t} SET n = 1 WHERE sk = 1", [], NO_KEY),
    ("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk > 1", [], NO_KEY),
    ("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk = 1 OR n = 5", [], NO_KEY),
    ("UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk IN (1, 2)", [], NO_KEY),
    ("DELETE FROM {t}", [], NO_KEY),
    ("DELETE FROM {t} WHERE pk = 'a'", [], NO_KEY),
    ("DELETE FROM {t} WHERE NOT (pk = 'a' AND sk = 1)", [], NO_KEY),
    (
        "UPDATE {t} SET n = 1 WHERE pk = 'a' AND sk = 'b'",
        [],
        "The provided key element does not match the schema",
    ),
    (
        "DELETE FROM {t} WHERE pk = 5 AND sk = 1",
        [],
        "The provided key element does not match the schema",
    ),
    # EXISTS stands in transactions.
    (
        "EXISTS(SELECT * FROM {t} WHERE pk = 'a' AND sk = 1)",
        [],
        "EXISTS is only supported in ExecuteTransaction",
    ),
]


@pytest.mark.parametrize("statement, parameters, expected", INVALID_STATEMENTS)
def test_a_statement_is_refused(reading, statement, parameters, expected):
    assert reading.refusal(statement, parameters) == f"ValidationException: {expected}"


MISSING = "ResourceNotFoundException: Requested resource not found"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM nowhere",
        "SELECT * FROM nowhere.nothing WHERE pk = 'a'",
        "INSERT INTO nowhere VALUE {'pk': 'a'}",
        "UPDATE nowhere SET n = 1 WHERE pk = 'a'",
        "DELETE FROM nowhere WHERE pk = 'a'",
        'SELECT * FROM "arn:aws:dynamodb:us-east-1:000000000000:table/nowhere"',
    ],
)
def test_a_table_that_is_not_there(reading, statement):
    assert reading.refusal(statement) == MISSING


def test_strong_reads_of_a_global_index(reading):
    statement = "SELECT * FROM {t}.\"by-genre\" WHERE genre = 'rock'"
    assert reading.refusal(statement, ConsistentRead=True) == (
        "ValidationException: Strongly consistent read is not supported on Global Secondary Indexes"
    )
    statement = "SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'a'"
    assert len(reading.run(statement, ConsistentRead=True)) == 5


CONSTRAINED = [
    (
        {"Statement": ""},
        "Value '' at 'statement'",
        "Member must have length greater than or equal to 1",
    ),
    (
        {"Statement": "SELECT * FROM abc", "Limit": 0},
        "Value '0' at 'limit'",
        "Member must have value greater than or equal to 1",
    ),
    (
        {"Statement": "SELECT * FROM abc", "Parameters": []},
        "Value '[]' at 'parameters'",
        "Member must have length greater than or equal to 1",
    ),
    (
        {"Statement": "SELECT * FROM abc", "NextToken": ""},
        "Value '' at 'nextToken'",
        "Member must have length greater than or equal to 1",
    ),
]


@pytest.mark.parametrize("request_, place, constraint", CONSTRAINED)
def test_constraints_of_the_model(wire, request_, place, constraint):
    assert wire.refused("ExecuteStatement", request_) == (
        400,
        "ValidationException",
        f"1 validation error detected: {place} failed to satisfy constraint: {constraint}",
    )


def test_a_statement_may_have_8192_characters(reading, wire):
    statement = reading.text("SELECT * FROM {t} WHERE pk = 'c'")
    longest = statement + " " * (8192 - len(statement))
    assert len(reading.run(longest)) == 1
    status, name, text = wire.refused("ExecuteStatement", {"Statement": longest + " "})
    assert name == "ValidationException"
    assert "Member must have length less than or equal to 8192" in text


def test_a_parameter_that_is_no_value(reading, wire):
    statement = reading.text("SELECT * FROM {t} WHERE n = ?")
    for parameter, expected in [
        (
            {},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        ({"N": "x"}, "The parameter cannot be converted to a numeric value: x"),
        ({"SS": []}, INVALID + "An string set  may not be empty"),
    ]:
        request = {"Statement": statement, "Parameters": [parameter]}
        assert wire.refused("ExecuteStatement", request) == (400, "ValidationException", expected)


def test_deep_statements_do_no_harm(reading, server):
    where = "SELECT * FROM {t} WHERE "
    for opening in ("(", "NOT ", "NOT (", "(n = 1 AND ", "a.", "[", "{'a':", "<<", "size("):
        for start in (where, where + "n = ", "UPDATE {t} SET n = "):
            statement = reading.text(start)
            statement += opening * ((8192 - len(statement)) // len(opening))
            assert reading.refusal(statement).startswith("ValidationException: ")
    assert server.wire.healthy()


def test_the_item_that_fails_a_condition_is_shown_on_request(reading, client):
    statement = reading.text("UPDATE {t} SET n = 1 WHERE pk = 'c' AND sk = 1 AND title = 'x'")
    assert reading.refusal(statement) == CONDITION_FAILED
    for wanted, shown in (("ALL_OLD", True), ("NONE", False)):
        with pytest.raises(client.exceptions.ConditionalCheckFailedException) as raised:
            client.execute_statement(
                Statement=statement, ReturnValuesOnConditionCheckFailure=wanted
            )
        item = {"pk": {"S": "c"}, "sk": {"N": "1"}, "title": {"S": "it's"}}
        assert raised.value.response.get("Item") == (item if shown else None)
