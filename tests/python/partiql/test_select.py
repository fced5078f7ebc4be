"""SELECT: which items a condition finds, and what is given of them.

Items are named by their keys: `a1` is the one with pk 'a' and sk 1.
"""

import pytest

ALL = "a1 a2 a3 a4 a5 b1 b2 c1"


def labels(items):
    return [f"{item['pk']}{item['sk']}" for item in items]


# (condition, parameters, items)
CONDITIONS = [
    # Keys.
    ("pk = 'a' AND sk = 1", [], "a1"),
    ("pk = ? AND sk = ?", ["a", 1], "a1"),
    ("'a' = pk AND 1 = sk", [], "a1"),
    ("pk = 'a' AND sk = 1.0", [], "a1"),
    ("pk = 'a' AND sk = 1e0", [], "a1"),
    ('"pk" = \'a\' AND "sk" = 9', [], ""),
    ("pk = 'a'", [], "a1 a2 a3 a4 a5"),
    ("pk = 'nobody'", [], ""),
    ("pk = 'a' AND sk > 3", [], "a4 a5"),
    ("pk = 'a' AND sk >= 3", [], "a3 a4 a5"),
    ("pk = 'a' AND sk < 3", [], "a1 a2"),
    ("pk = 'a' AND sk <= 3", [], "a1 a2 a3"),
    ("pk = 'a' AND 3 < sk", [], "a4 a5"),
    ("pk = 'a' AND sk BETWEEN 2 AND 4", [], "a2 a3 a4"),
    ("pk = 'a' AND sk BETWEEN ? AND ?", [4, 9], "a4 a5"),
    ("pk = 'a' AND sk > 1 AND sk < 4", [], "a2 a3"),
    ("pk = 'a' AND sk <> 3", [], "a1 a2 a4 a5"),
    ("pk = 'a' AND sk IN (1, 3)", [], "a1 a3"),
    ("pk = 'a' AND NOT sk = 1", [], "a2 a3 a4 a5"),
    ("pk = 'a' AND (sk = 1 OR sk = 2)", [], "a1 a2"),
    ("pk IN ('b', 'a') AND sk = 1", [], "b1 a1"),
    ("pk IN ['a', 'b', 'a'] AND sk = 1", [], "a1 b1"),
    ("pk IN [?, ?]", ["b", "c"], "b1 b2 c1"),
    ("pk = 'b' OR pk = 'c'", [], "b1 b2 c1"),
    ("(pk = 'b' OR pk = 'c') AND sk = 1", [], "b1 c1"),
    ("pk = 'a' AND pk = 'b'", [], ""),
    ("pk = 'a' AND title = 't2'", [], "a2"),
    ("pk = 'a' and Title = 't2'", [], ""),
    # Scans.
    ("sk = 1", [], "a1 b1 c1"),
    ("pk > 'a'", [], "b1 b2 c1"),
    ("pk <> 'a'", [], "b1 b2 c1"),
    ("begins_with(pk, 'a') AND sk = 2", [], "a2"),
    ("pk = 'a' OR title = 't1'", [], "a1 a2 a3 a4 a5 b1"),
    ("NOT pk = 'a'", [], "b1 b2 c1"),
    # Comparisons.
    ("n = 5", [], "a1 a3 b1"),
    ("n = '5'", [], "a5"),
    ("n > 5", [], "a2"),
    ("n >= 5", [], "a1 a2 a3 b1"),
    ("n < 6", [], "a1 a3 b1"),
    ("n < 'a'", [], "a5"),
    ("n BETWEEN 5 AND 6", [], "a1 a3 b1"),
    ("n NOT BETWEEN 5 AND 6 AND n IS NOT MISSING", [], "a2 a5"),
    ("n IN (7, '5')", [], "a2 a5"),
    ("n NOT IN (7, '5') AND n IS NOT MISSING", [], "a1 a3 b1"),
    ("n <> 5 AND n IS NOT MISSING", [], "a2 a5"),
    ("n != 5 AND n IS NOT MISSING", [], "a2 a5"),
    ("n = -5", [], ""),
    ("title = 'it''s'", [], "c1"),
    ("title = ?", ["it's"], "c1"),
    ("text = 'hello'", [], "a3"),
    ("bin = ?", [b"\x00\x01"], "a3"),
    ("flag = TRUE", [], "a1"),
    ("flag = false", [], "a4"),
    ("flag <> TRUE AND flag IS NOT MISSING", [], "a4"),
    ("nothing = NULL", [], "a2"),
    ("nothing IS NULL", [], "a2"),
    ("nothing IS NOT NULL AND nothing IS NOT MISSING", [], ""),
    ("nothing = ?", [None], "a2"),
    ("tags = <<'y', 'x'>>", [], "a1"),
    ("tags = ?", [{"x", "y"}], "a1"),
    ("tags = <<'x'>>", [], ""),
    ("tags <> <<'x'>> AND tags IS NOT MISSING", [], "a1"),
    ("nums = <<2, 1.0>>", [], "a4"),
    ("l = [1, 2]", [], "a2"),
    ("l = [2, 1]", [], ""),
    ("l = ?", [[1, 2]], "a2"),
    ("l[0] = 1", [], "a2"),
    ("l[1] = ?", [2], "a2"),
    ("l[7] = 1", [], ""),
    ("m = {'l': [1, 'two', {'z': 3}], 'b': {'c': 'deep'}}", [], "a1"),
    ("m = {'b': {'c': ?}, 'l': [?, 'two', {'z': 3}]}", ["deep", 1], "a1"),
    ("m.b.c = 'deep'", [], "a1"),
    ("m.b = {'c': 'deep'}", [], "a1"),
    ("m.l[2].z = 3", [], "a1"),
    ("m['b']['c'] = 'deep'", [], "a1"),
    ('"m"."b"."c" = \'deep\'', [], "a1"),
    ("m.b.x = 1", [], ""),
    ('"odd name" = 1', [], "a5"),
    ('"dotted.name" = 2', [], "a5"),
    ('"select" = 3', [], "a5"),
    ("n = year", [], ""),
    ("rank < year", [], "a1 a2 a3 a4 a5"),
    # Presence.
    ("n IS MISSING", [], "a4 b2 c1"),
    ("n IS NOT MISSING", [], "a1 a2 a3 a5 b1"),
    ("n NOT MISSING", [], "a1 a2 a3 a5 b1"),
    ("NOT n IS MISSING", [], "a1 a2 a3 a5 b1"),
    ("m.b.c IS NOT MISSING", [], "a1"),
    # Functions.
    ("begins_with(title, 't')", [], "a1 a2 a3 a4 a5 b1 b2"),
    ("BEGINS_WITH(\"title\", ?)", ["it"], "c1"),
    ("begins_with(bin, ?)", [b"\x00"], "a3"),
    ("contains(title, 's')", [], "c1"),
    ("contains(tags, 'x')", [], "a1"),
    ("contains(l, 2)", [], "a2"),
    ("contains(nums, ?)", [2], "a4"),
    ("NOT contains(title, 't')", [], ""),
    ("attribute_type(n, 'N')", [], "a1 a2 a3 b1"),
    ("attribute_type(\"n\", ?)", ["S"], "a5"),
    ("attribute_type(nothing, 'NULL')", [], "a2"),
    ("size(title) = 4", [], "c1"),
    ("size(tags) >= 2", [], "a1"),
    ("2 = SIZE(l)", [], "a2"),
    ("size(m.l) = 3", [], "a1"),
    # Joints.
    ("n = 5 AND pk = 'a' AND sk < 3", [], "a1"),
    ("n = 7 OR n = '5'", [], "a2 a5"),
    ("n = 7 OR n = 5 AND pk = 'b'", [], "a2 b1"),
    ("(n = 7 OR n = 5) AND pk = 'b'", [], "b1"),
    ("((((n = 7))))", [], "a2"),
    ("NOT (n = 5 OR n IS MISSING)", [], "a2 a5"),
    ("NOT NOT n = 7", [], "a2"),
    ("n = 7 -- the only one\n", [], "a2"),
]


@pytest.mark.parametrize("condition, parameters, expected", CONDITIONS)
def test_a_condition_finds_items(reading, condition, parameters, expected):
    items = reading.run(f"SELECT * FROM {{t}} WHERE {condition}", parameters)
    found = labels(items)
    # A scan has no order to speak of.
    if not condition.replace('"', "").startswith(("pk = ", "pk IN", "'a' = pk", "(pk")):
        found.sort()
    elif " OR title" in condition:
        found.sort()
    assert found == expected.split()


# (statement, parameters, items in order)
SELECTIONS = [
    ("SELECT * FROM {t} WHERE pk = 'c'", [], [{"pk": "c", "sk": 1, "title": "it's"}]),
    ("select * from {t} where pk = 'c';", [], [{"pk": "c", "sk": 1, "title": "it's"}]),
    ("SELECT title FROM {t} WHERE pk = 'c'", [], [{"title": "it's"}]),
    ("SELECT pk, title FROM {t} WHERE pk = 'c'", [], [{"pk": "c", "title": "it's"}]),
    ("SELECT nope FROM {t} WHERE pk = 'c'", [], [{}]),
    ("SELECT m.b FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"b": {"c": "deep"}}]),
    ("SELECT m.b.c FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"c": "deep"}]),
    ("SELECT m.l[1] FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"_1": "two"}]),
    ("SELECT n, m.l[1] FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"n": 5, "_2": "two"}]),
    ("SELECT m.l[2].z FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"z": 3}]),
    ("SELECT \"m\"['b'] FROM {t} WHERE pk = 'a' AND sk = 1", [], [{"b": {"c": "deep"}}]),
    (
        'SELECT "odd name", "select" FROM {t} WHERE pk = \'a\' AND sk = 5',
        [],
        [{"odd name": 1, "select": 3}],
    ),
    ("SELECT sk FROM {t} WHERE pk = 'a' ORDER BY sk", [], [{"sk": n} for n in (1, 2, 3, 4, 5)]),
    ("SELECT sk FROM {t} WHERE pk = 'a' ORDER BY sk ASC", [], [{"sk": n} for n in (1, 2, 3, 4, 5)]),
    (
        "SELECT sk FROM {t} WHERE pk = 'a' ORDER BY sk DESC",
        [],
        [{"sk": n} for n in (5, 4, 3, 2, 1)],
    ),
    (
        "SELECT sk FROM {t} WHERE pk = ? AND sk > ? ORDER BY sk DESC",
        ["a", 3],
        [{"sk": 5}, {"sk": 4}],
    ),
    (
        "SELECT pk, sk FROM {t} WHERE pk IN ('c', 'b') ORDER BY pk, sk DESC",
        [],
        [{"pk": "b", "sk": 2}, {"pk": "b", "sk": 1}, {"pk": "c", "sk": 1}],
    ),
    (
        "SELECT pk, sk FROM {t} WHERE pk IN ('b', 'c') ORDER BY pk DESC",
        [],
        [{"pk": "c", "sk": 1}, {"pk": "b", "sk": 1}, {"pk": "b", "sk": 2}],
    ),
    # Indexes.
    ("SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'a'", [], [{"sk": n} for n in (5, 4, 3, 2, 1)]),
    ("SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'a' AND rank > 7", [], [{"sk": 2}, {"sk": 1}]),
    (
        "SELECT sk FROM {t}.\"by-rank\" WHERE pk = 'a' ORDER BY rank DESC",
        [],
        [{"sk": n} for n in (1, 2, 3, 4, 5)],
    ),
    (
        "SELECT * FROM {t}.\"by-rank\" WHERE pk = 'a' AND rank = 9",
        [],
        [{"pk": "a", "sk": 1, "rank": 9, "title": "t1"}],
    ),
    ("SELECT n, rank FROM {t}.\"by-rank\" WHERE pk = 'a' AND rank = 9", [], [{"n": 5, "rank": 9}]),
    (
        "SELECT * FROM {t}.\"by-genre\" WHERE genre = 'jazz'",
        [],
        [
            {"pk": "a", "sk": 2, "genre": "jazz", "year": 2002, "title": "t2"},
            {"pk": "a", "sk": 4, "genre": "jazz", "year": 2004, "title": "t4"},
        ],
    ),
    (
        "SELECT pk, sk FROM {t}.\"by-genre\" WHERE genre = 'rock' AND year = 2002",
        [],
        [{"pk": "b", "sk": 2}],
    ),
    (
        "SELECT title FROM {t}.\"by-genre\" WHERE genre = 'jazz' ORDER BY year DESC",
        [],
        [{"title": "t4"}, {"title": "t2"}],
    ),
    ("SELECT sk FROM {t}.\"by-genre\" WHERE genre = 'jazz' AND title = 't4'", [], [{"sk": 4}]),
    ("SELECT sk FROM {t}.\"by-genre-all\" WHERE genre = 'jazz' AND n = 7", [], [{"sk": 2}]),
    (
        "SELECT sk, genre FROM {t}.\"by-genre-keys\" WHERE genre IN ('jazz', 'none')",
        [],
        [{"sk": 2, "genre": "jazz"}, {"sk": 4, "genre": "jazz"}],
    ),
]


@pytest.mark.parametrize("statement, parameters, expected", SELECTIONS)
def test_a_selection_gives_items(reading, statement, parameters, expected):
    found = reading.run(statement, parameters)
    if "by-genre-keys" in statement:
        found.sort(key=lambda item: item["sk"])
    assert found == expected


def test_everything(reading):
    assert sorted(labels(reading.run("SELECT * FROM {t}"))) == ALL.split()


def test_all_of_an_index(reading):
    found = reading.run('SELECT * FROM {t}."by-genre"')
    assert sorted(labels(found)) == "a1 a2 a3 a4 a5 b1 b2".split()


def test_a_table_by_its_arn(reading, client):
    arn = client.describe_table(TableName=reading.table)["Table"]["TableArn"]
    assert labels(reading.run(f"SELECT * FROM \"{arn}\" WHERE pk = 'c'")) == ["c1"]
    statement = f"SELECT * FROM \"{arn}\".\"by-rank\" WHERE pk = 'a' AND rank = 9"
    assert labels(reading.run(statement)) == ["a1"]


def test_a_bare_table_name(client, make_table):
    from definitions import on_demand

    table = make_table(on_demand("Bare_Table1"))
    client.put_item(TableName=table, Item={"pk": {"S": "x"}})
    answer = client.execute_statement(Statement="SELECT * FROM Bare_Table1")
    assert answer["Items"] == [{"pk": {"S": "x"}}]


def test_an_answer_without_items_has_an_empty_list(reading, wire):
    statement = reading.text("SELECT * FROM {t} WHERE pk = 'nobody'")
    assert wire.call("ExecuteStatement", {"Statement": statement}) == {"Items": []}
