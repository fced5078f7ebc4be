"""`monotable partiql`: statements from the command line."""

import json
import subprocess
from decimal import Decimal

import pytest

import server as servers
from statements import MALFORMED


@pytest.fixture
def monotable(server):
    """Runs the program against the server: exit code, standard output, standard error."""

    def run(*arguments, endpoint=server.endpoint, env=None):
        command = [servers.BINARY, "partiql", *map(str, arguments)]
        if endpoint:
            command += ["--endpoint", endpoint]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env=servers.environment(env)
        )
        return done.returncode, done.stdout, done.stderr

    return run


def lines(text):
    return text.splitlines()


def test_a_table_is_printed(reading, monotable):
    statement = reading.text("SELECT pk, sk, title, m.b FROM {t} WHERE pk = 'a' AND sk < 3")
    code, out, err = monotable(statement)
    assert (code, err) == (0, "")
    assert lines(out) == [
        "b             pk  sk  title",
        "------------  --  --  -----",
        '{"c":"deep"}  a   1   t1',
        "              a   2   t2",
        "(2 items)",
    ]


def test_json_is_printed_an_item_a_line(reading, monotable):
    statement = reading.text("SELECT sk, tags FROM {t} WHERE pk = 'a' AND sk < 3")
    code, out, err = monotable("--json", statement)
    assert (code, err) == (0, "")
    found = [json.loads(line) for line in lines(out)]
    assert found == [{"sk": {"N": "1"}, "tags": {"SS": ["x", "y"]}}, {"sk": {"N": "2"}}]


@pytest.mark.parametrize(
    "param, count",
    [('"a"', 5), ('{"S": "b"}', 2), ('"nobody"', 0)],
)
def test_parameters(reading, monotable, param, count):
    code, out, _ = monotable(reading.text("SELECT pk FROM {t} WHERE pk = ?"), "--param", param)
    assert code == 0
    assert lines(out)[-1] == ("(1 item)" if count == 1 else f"({count} items)")


def test_parameters_of_several_kinds(writing, monotable):
    statement = writing.text("INSERT INTO {t} VALUE {'pk': ?, 'sk': ?, 'v': ?, 's': ?}")
    params = ['"k"', "1.5", '{"a": [true, null]}', '{"NS": ["1", "2"]}']
    arguments = [word for param in params for word in ("--param", param)]
    code, out, err = monotable(statement, *arguments)
    assert (code, out, err) == (0, "(0 items)\n", "")
    assert writing.run("SELECT v, s FROM {t}") == [{"v": {"a": [True, None]}, "s": {1, 2}}]


def test_all_pages_are_followed(writing, monotable):
    for sk in range(25):
        writing.put({"pk": "k", "sk": sk, "fill": "x" * 100_000})
    statement = writing.text("SELECT sk FROM {t} WHERE pk = 'k'")
    code, out, _ = monotable(statement)
    assert (code, lines(out)[-1]) == (0, "(25 items)")
    code, out, _ = monotable(statement, "--json", "--consistent")
    assert [int(json.loads(line)["sk"]["N"]) for line in lines(out)] == list(range(25))


def test_digits_of_a_parameter_are_kept(writing, monotable):
    digits = "12345678901234567890.123456789"
    statement = writing.text("INSERT INTO {t} VALUE {'pk': ?, 'sk': 1, 'n': ?}")
    assert monotable(statement, "--param", '"digits"', "--param", digits)[0] == 0
    assert writing.run("SELECT n FROM {t}") == [{"n": Decimal(digits)}]


@pytest.mark.parametrize("limit", [1, 3, 24, 25, 1000])
def test_a_limit_counts_items(writing, monotable, limit):
    for sk in range(25):
        writing.put({"pk": "k", "sk": sk, "odd": sk % 2})
    statement = writing.text("SELECT sk FROM {t} WHERE pk = 'k'")
    code, out, _ = monotable(statement, "--json", "--limit", limit)
    assert (code, len(lines(out))) == (0, min(limit, 25))
    code, out, _ = monotable(statement + " AND odd = 1", "--json", "--limit", limit)
    assert (code, len(lines(out))) == (0, min(limit, 12))


def test_errors_go_to_standard_error(reading, monotable):
    for statement, expected in [
        ("nonsense", f"monotable: ValidationException: {MALFORMED}Expected data manipulation\n"),
        (
            "SELECT * FROM nowhere",
            "monotable: ResourceNotFoundException: Requested resource not found\n",
        ),
    ]:
        assert monotable(statement) == (1, "", expected)


def test_a_parameter_that_is_no_json(monotable):
    code, out, err = monotable("SELECT * FROM t WHERE pk = ?", "--param", "text")
    assert (code, out) == (1, "")
    assert "text is not JSON" in err


def test_a_server_that_is_not_there(monotable):
    code, out, err = monotable("SELECT * FROM t", endpoint="http://127.0.0.1:9")
    assert (code, out) == (1, "")
    assert "cannot reach 127.0.0.1:9" in err
    code, _, err = monotable("SELECT * FROM t", endpoint="https://127.0.0.1:9")
    assert code == 1
    assert "is no endpoint" in err


def test_the_endpoint_may_come_from_the_environment(reading, server, monotable):
    statement = reading.text("SELECT pk FROM {t} WHERE pk = 'c'")
    code, out, _ = monotable(statement, endpoint=None, env={"MONOTABLE_ENDPOINT": server.endpoint})
    assert (code, lines(out)[-1]) == (0, "(1 item)")


def test_help_names_the_options(monotable):
    code, out, _ = monotable("--help", endpoint=None)
    assert code == 0
    for option in ("--param", "--json", "--limit", "--consistent", "--endpoint"):
        assert option in out
