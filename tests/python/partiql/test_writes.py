"""INSERT, UPDATE and DELETE: what they leave behind, and what they give back."""

import concurrent.futures

import pytest

from statements import CONDITION_FAILED, DUPLICATE, INVALID

KEY = {"pk": "k", "sk": 1}
WHERE = " WHERE pk = 'k' AND sk = 1"

# (value, parameters, attributes besides the key)
INSERTS = [
    ("{'pk': 'k', 'sk': 1}", [], {}),
    ("{'pk': ?, 'sk': ?}", ["k", 1], {}),
    ("?", [{"pk": "k", "sk": 1, "a": 5}], {"a": 5}),
    ("{'pk': 'k', 'sk': 1, 'a': 'it''s'}", [], {"a": "it's"}),
    ("{'pk': 'k', 'sk': 1, 'a': ''}", [], {"a": ""}),
    ("{'pk': 'k', 'sk': 1, 'a': -1.5, 'b': 1e3}", [], {"a": -15 / 10, "b": 1000}),
    (
        "{'pk': 'k', 'sk': 1, 'a': TRUE, 'b': false, 'c': NULL}",
        [],
        {"a": True, "b": False, "c": None},
    ),
    ("{'pk': 'k', 'sk': 1, 'a': [1, 'two', [], [3]]}", [], {"a": [1, "two", [], [3]]}),
    (
        "{'pk': 'k', 'sk': 1, 'a': {'b': {'c': [1]}, 'd': {}}}",
        [],
        {"a": {"b": {"c": [1]}, "d": {}}},
    ),
    ("{'pk': 'k', 'sk': 1, 'a': <<1, 2>>, 'b': <<'x'>>}", [], {"a": {1, 2}, "b": {"x"}}),
    ("{'pk': 'k', 'sk': 1, 'a': ?}", [b"\x00"], {"a": b"\x00"}),
    ("{'pk': 'k', 'sk': 1, 'a': ?}", [{b"x", b"y"}], {"a": {b"x", b"y"}}),
    (
        "{'pk': 'k', 'sk': 1, 'a': [?, {'b': ?}], 'c': <<?, ?>>}",
        [1, [2], "x", "y"],
        {"a": [1, {"b": [2]}], "c": {"x", "y"}},
    ),
    ("{'pk': 'k', 'sk': 1, 'odd name.x': 1}", [], {"odd name.x": 1}),
    ("{'sk': 1, 'pk': 'k', 'a': 1, 'a': 2}", [], {"a": 2}),
]


@pytest.mark.parametrize("value, parameters, expected", INSERTS)
def test_an_insert_puts_an_item(writing, value, parameters, expected):
    assert writing.run(f"INSERT INTO {{t}} VALUE {value}", parameters) == []
    assert writing.get(**KEY) == {**KEY, **expected}


# (value, error)
REFUSED_INSERTS = [
    ("{'pk': 'k'}", INVALID + "Missing the key sk in the item"),
    ("{'sk': 1}", INVALID + "Missing the key pk in the item"),
    ("{'pk': 1, 'sk': 1}", INVALID + "Type mismatch for key pk expected: S actual: N"),
    (
        "{'pk': '', 'sk': 1}",
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk",
    ),
    (
        "{'pk': 'k', 'sk': 1, 'genre': 5}",
        INVALID
        + "Type mismatch for Index Key genre Expected: S Actual: N IndexName: by-genre",
    ),
    ("{'pk': 'k', 'sk': 1, '': 1}", INVALID + "Empty attribute name"),
    (
        "{'pk': 'k', 'sk': 1" + "0" * 130 + "}",
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
    (
        "{'pk': 'k', 'sk': 0." + "1" * 39 + "}",
        "Attempting to store more than 38 significant digits in a Number",
    ),
    (
        "{'pk': '" + "x" * 2049 + "', 'sk': 1}",
        INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes",
    ),
]


@pytest.mark.parametrize("value, expected", REFUSED_INSERTS)
def test_an_insert_is_refused_as_a_put_is(writing, value, expected):
    refusal = writing.refusal(f"INSERT INTO {{t}} VALUE {value}")
    assert refusal == f"ValidationException: {expected}"
    assert writing.run("SELECT * FROM {t}") == []


def test_an_insert_does_not_replace(writing):
    writing.put({**KEY, "a": 1})
    assert writing.refusal("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1, 'a': 2}") == DUPLICATE
    assert writing.get(**KEY)["a"] == 1


def test_an_item_may_have_400_kb(writing):
    room = 400 * 1024 - len("pk") - len("k") - len("sk") - 2 - len("a")
    statement = "INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1, 'a': ?}"
    assert writing.refusal(statement, ["x" * (room + 1)]) == (
        "ValidationException: Item size has exceeded the maximum allowed size"
    )
    assert writing.run(statement, ["x" * room]) == []
    # Only the finished item counts in an update.
    update = "UPDATE {t} SET a = ?" + WHERE
    assert writing.run(update, ["y" * room]) == []
    assert writing.refusal(update, ["y" * (room + 1)]) == (
        "ValidationException: Item size to update has exceeded the maximum allowed size"
    )


# (clauses, parameters, item before, item after)
UPDATES = [
    ("SET a = 1", [], {}, {"a": 1}),
    ("set a = 1", [], {"a": 5}, {"a": 1}),
    ("SET a = ?", ["x"], {"a": 5}, {"a": "x"}),
    ("SET a = 1, b = 'x'", [], {}, {"a": 1, "b": "x"}),
    ("SET a = 1 SET b = 'x'", [], {}, {"a": 1, "b": "x"}),
    ("SET a = NULL", [], {}, {"a": None}),
    ("SET a = TRUE", [], {}, {"a": True}),
    ("SET a = [1, {'b': <<1, 2>>}]", [], {}, {"a": [1, {"b": {1, 2}}]}),
    ("SET a = {'b': ?}", [[1]], {}, {"a": {"b": [1]}}),
    ("SET a = b", [], {"b": [1]}, {"a": [1], "b": [1]}),
    ("SET a = b SET b = a", [], {"a": 1, "b": 2}, {"a": 2, "b": 1}),
    ("SET n = n + 1", [], {"n": 1}, {"n": 2}),
    ("SET n = n - 1", [], {"n": 1}, {"n": 0}),
    ("SET n = n+?", [5], {"n": 1}, {"n": 6}),
    ("SET n = n -1", [], {"n": 1}, {"n": 0}),
    ("SET n = 10 - n", [], {"n": 1}, {"n": 9}),
    ("SET n = n + m", [], {"n": 1, "m": 2}, {"n": 3, "m": 2}),
    ("SET n = n + 1 - m", [], {"n": 1, "m": 2}, {"n": 0, "m": 2}),
    ("SET a.b = 1", [], {"a": {}}, {"a": {"b": 1}}),
    ("SET a.b.c = 1", [], {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
    ("SET a[0] = 1", [], {"a": [5, 6]}, {"a": [1, 6]}),
    ("SET a[9] = 1", [], {"a": [5, 6]}, {"a": [5, 6, 1]}),
    ("SET a[1].b = a[0]", [], {"a": [5, {}]}, {"a": [5, {"b": 5}]}),
    ('SET "odd name" = 1', [], {}, {"odd name": 1}),
    ('SET "a"."b c"[0] = 1', [], {"a": {"b c": [0]}}, {"a": {"b c": [1]}}),
    ("SET a = list_append(a, [3])", [], {"a": [1]}, {"a": [1, 3]}),
    ("SET a = list_append([3], a)", [], {"a": [1]}, {"a": [3, 1]}),
    ("SET a = LIST_APPEND(a, ?)", [[2, "x"]], {"a": [1]}, {"a": [1, 2, "x"]}),
    ("SET b = list_append(a, a)", [], {"a": [1]}, {"a": [1], "b": [1, 1]}),
    ("SET a = set_add(a, <<2, 3>>)", [], {"a": {1, 2}}, {"a": {1, 2, 3}}),
    ("SET a = set_add(a, <<'y'>>)", [], {"a": {"x"}}, {"a": {"x", "y"}}),
    ("SET a = set_add(a, ?)", [{b"y"}], {"a": {b"x"}}, {"a": {b"x", b"y"}}),
    ("SET a = set_add(a, <<1>>)", [], {}, {"a": {1}}),
    ("SET a.b = set_add(a.b, <<1>>)", [], {"a": {"b": {2}}}, {"a": {"b": {1, 2}}}),
    ("SET a = set_delete(a, <<2, 3>>)", [], {"a": {1, 2}}, {"a": {1}}),
    ("SET a = SET_DELETE(a, ?)", [{"x"}], {"a": {"x", "y"}}, {"a": {"y"}}),
    ("SET a = set_delete(a, <<1, 2>>)", [], {"a": {1, 2}}, {}),
    ("SET a = set_delete(a, <<1>>)", [], {"b": 1}, {"b": 1}),
    ("REMOVE a", [], {"a": 1, "b": 2}, {"b": 2}),
    ("REMOVE a", [], {"b": 2}, {"b": 2}),
    ("REMOVE a REMOVE b", [], {"a": 1, "b": 2}, {}),
    ("REMOVE a[0]", [], {"a": [1, 2, 3]}, {"a": [2, 3]}),
    ("REMOVE a[0] REMOVE a[2]", [], {"a": [1, 2, 3]}, {"a": [2]}),
    ("REMOVE a.b", [], {"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}),
    ("SET a = 1 REMOVE b SET c = 2", [], {"b": 5}, {"a": 1, "c": 2}),
]


@pytest.mark.parametrize("clauses, parameters, before, after", UPDATES)
def test_an_update_changes_an_item(writing, clauses, parameters, before, after):
    writing.put({**KEY, **before})
    assert writing.run(f"UPDATE {{t}} {clauses}{WHERE}", parameters) == []
    assert writing.get(**KEY) == {**KEY, **after}


BEFORE = {**KEY, "n": 1, "s": "x", "l": [1], "ss": {"x"}, "m": {"a": 1}}
TYPES = "Incorrect operand type for operator or function; operator or function: "

# (clauses, parameters, error)
REFUSED_UPDATES = [
    ("SET pk = 'x'", [], INVALID + "Cannot update attribute pk. This attribute is part of the key"),
    ("REMOVE sk", [], INVALID + "Cannot update attribute sk. This attribute is part of the key"),
    (
        "SET n = nope",
        [],
        "The provided expression refers to an attribute that does not exist in the item",
    ),
    (
        "SET n = nope + 1",
        [],
        "The provided expression refers to an attribute that does not exist in the item",
    ),
    ("SET n = s + 1", [], "An operand in the update expression has an incorrect data type"),
    ("SET n = n + 'x'", [], TYPES + "+, operand type: S"),
    ("SET n = n - ?", [None], TYPES + "-, operand type: NULL"),
    (
        "SET l = list_append(n, [1])",
        [],
        "An operand in the update expression has an incorrect data type",
    ),
    ("SET l = list_append(l, 1)", [], TYPES + "list_append, operand type: N"),
    (
        "SET ss = set_add(ss, <<1>>)",
        [],
        "An operand in the update expression has an incorrect data type",
    ),
    ("SET n = set_add(n, 1)", [], TYPES + "set_add, operand type: N"),
    ("SET ss = set_delete(ss, 'x')", [], TYPES + "set_delete, operand type: S"),
    (
        "SET ss = set_add(n, <<'x'>>)",
        [],
        "The function set_add takes the path that is set and a set",
    ),
    ("SET n = if_not_exists(n, 1)", [], "Invalid function name; function: if_not_exists"),
    (
        "SET x.y = 1",
        [],
        "The document path provided in the update expression is invalid for update",
    ),
    (
        "SET m[0] = 1",
        [],
        "The document path provided in the update expression is invalid for update",
    ),
    (
        "SET n = 1 REMOVE n",
        [],
        "Two document paths overlap with each other; must remove or rewrite one of these paths; "
        "path one: [n], path two: [n]",
    ),
    (
        "SET m.a = 1 SET m[0] = 1",
        [],
        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
        "path one: [m, a], path two: [m, [0]]",
    ),
    (
        "SET genre = 5",
        [],
        "The update expression attempted to update the secondary index key to unsupported type",
    ),
    (
        "SET n = n + 9.9999999999999999999999999999999999999E125 + "
        "9.9999999999999999999999999999999999999E125",
        [],
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
]


@pytest.mark.parametrize("clauses, parameters, expected", REFUSED_UPDATES)
def test_an_update_that_cannot_be_made(writing, clauses, parameters, expected):
    writing.put(BEFORE)
    refusal = writing.refusal(f"UPDATE {{t}} {clauses}{WHERE}", parameters)
    assert refusal == f"ValidationException: {expected}"
    assert writing.get(**KEY) == BEFORE


# (condition besides the key, whether it holds)
CONDITIONS = [
    ("n = 1", True),
    ("n = 2", False),
    ("n > 0 AND s = 'x'", True),
    ("(n = 2 OR s = 'x')", True),
    ("nope IS MISSING", True),
    ("n IS MISSING", False),
    ("contains(ss, 'x')", True),
    ("m.a BETWEEN 1 AND 2", True),
    ("NOT begins_with(s, 'y')", True),
    ("pk = 'k'", True),
    ("sk = 2", False),
]


@pytest.mark.parametrize("condition, holds", CONDITIONS)
@pytest.mark.parametrize("verb", ["UPDATE {t} SET z = 1", "DELETE FROM {t}"])
def test_a_write_with_a_condition(writing, verb, condition, holds):
    writing.put(BEFORE)
    statement = f"{verb}{WHERE} AND {condition}"
    if not holds:
        assert writing.refusal(statement) == CONDITION_FAILED
        assert writing.get(**KEY) == BEFORE
        return
    assert writing.run(statement) == []
    assert writing.get(**KEY) == ({**BEFORE, "z": 1} if verb.startswith("UPDATE") else None)


def test_an_update_does_not_create(writing):
    assert writing.refusal("UPDATE {t} SET a = 1" + WHERE) == CONDITION_FAILED
    assert writing.refusal("UPDATE {t} SET a = 1" + WHERE + " AND a IS MISSING") == CONDITION_FAILED
    assert writing.get(**KEY) is None


def test_a_deletion_of_nothing_succeeds(writing):
    for more in ("", " AND a = 1", " RETURNING ALL OLD *"):
        assert writing.run("DELETE FROM {t}" + WHERE + more) == []


OLD = {**KEY, "a": 1, "b": {"c": 2, "d": 3}}

# (statement, items given back)
RETURNING = [
    ("UPDATE {t} SET a = 5" + WHERE, []),
    ("UPDATE {t} SET a = 5" + WHERE + " RETURNING ALL OLD *", [OLD]),
    ("UPDATE {t} SET a = 5" + WHERE + " RETURNING ALL NEW *", [{**OLD, "a": 5}]),
    ("UPDATE {t} SET a = 5" + WHERE + " RETURNING MODIFIED OLD *", [{"a": 1}]),
    ("UPDATE {t} SET a = 5" + WHERE + " RETURNING MODIFIED NEW *", [{"a": 5}]),
    ("update {t} set a = 5" + WHERE + " returning modified new *", [{"a": 5}]),
    ("UPDATE {t} SET b.c = 5" + WHERE + " RETURNING MODIFIED OLD *", [{"b": {"c": 2}}]),
    (
        "UPDATE {t} SET b.c = 5, z = 1" + WHERE + " RETURNING MODIFIED NEW *",
        [{"b": {"c": 5}, "z": 1}],
    ),
    ("UPDATE {t} SET z = 1" + WHERE + " RETURNING MODIFIED OLD *", []),
    ("UPDATE {t} REMOVE a" + WHERE + " RETURNING MODIFIED OLD *", [{"a": 1}]),
    ("UPDATE {t} REMOVE a" + WHERE + " RETURNING MODIFIED NEW *", []),
    ("DELETE FROM {t}" + WHERE, []),
    ("DELETE FROM {t}" + WHERE + " RETURNING ALL OLD *", [OLD]),
    ("DELETE FROM {t}" + WHERE + " AND a = 1 RETURNING ALL OLD *", [OLD]),
]


@pytest.mark.parametrize("statement, expected", RETURNING)
def test_what_a_write_gives_back(writing, statement, expected):
    writing.put(OLD)
    assert writing.run(statement) == expected


def test_counting_from_several_threads_loses_nothing(writing):
    writing.put({**KEY, "n": 0})
    statement = "UPDATE {t} SET n = n + 1" + WHERE
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: writing.run(statement), range(80)))
    assert writing.get(**KEY)["n"] == 80


def test_writes_reach_the_indexes(writing):
    writing.run("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1, 'genre': 'pop', 'year': 1}")
    find = "SELECT sk FROM {t}.\"by-genre\" WHERE genre = ?"
    assert writing.run(find, ["pop"]) == [{"sk": 1}]
    writing.run("UPDATE {t} SET genre = 'folk'" + WHERE)
    assert (writing.run(find, ["pop"]), writing.run(find, ["folk"])) == ([], [{"sk": 1}])
    writing.run("DELETE FROM {t}" + WHERE)
    assert writing.run(find, ["folk"]) == []


def test_nesting_of_a_parameter_inside_a_literal(writing):
    deepest = [1]
    for _ in range(15):
        deepest = [deepest]
    levels = "[" * 15 + "?" + "]" * 15

    def insert(sk):
        return f"INSERT INTO {{t}} VALUE {{'pk': 'k', 'sk': {sk}, 'a': {levels}}}"

    assert writing.run(insert(1), [deepest]) == []
    levels = "[" + levels + "]"
    expected = (
        "ValidationException: Nesting Levels have exceeded supported limits: "
        "Attributes in the item have nested levels beyond supported limit"
    )
    assert writing.refusal(insert(2), [deepest]) == expected
    assert writing.refusal("UPDATE {t} SET a = " + levels + WHERE, [deepest]) == expected


def test_a_write_has_no_next_page(writing):
    for statement in ("INSERT INTO {t} VALUE {'pk': 'k', 'sk': 1}", "DELETE FROM {t}" + WHERE):
        assert writing.refusal(statement, NextToken="AAAA") == (
            "ValidationException: NextToken does not match request"
        )
    assert writing.get(**KEY) is None
