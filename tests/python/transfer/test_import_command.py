"""`monotable import`: every format, and bad lines by file and line."""

import gzip
import json

import pytest

from transfer.commands import (
    EVERY_TYPE,
    canonical,
    contents,
    done,
    numbered,
    on_terminal,
    put,
    run,
    table,
)


def typed(*items):
    return "".join(json.dumps({"Item": item}) + "\n" for item in items)


@pytest.fixture
def made(server):
    return table(server)


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_every_type_comes_back(server, made, tmp_path, ending):
    put(server, made, {"pk": {"S": "every"}, "sk": {"S": "type"}, **EVERY_TYPE}, *numbered(60))
    file = tmp_path / f"all.dynamodb.json{ending}"
    done(server, "export", made, "-o", file)
    other = table(server)
    said = done(server, "import", other, file)
    assert contents(server, other) == contents(server, made)
    assert f"61 items into '{other}'" in said
    assert [found.name for found in tmp_path.iterdir()] == [file.name]


def test_twenty_thousand_items(server, tmp_path):
    items = numbered(20_000, filling={"S": "x" * 60})
    file = tmp_path / "many.jsonl.gz"
    file.write_bytes(gzip.compress(typed(*items).encode()))
    other = table(server)
    done(server, "import", other, file)
    assert contents(server, other) == {
        identity: text for identity, text in map(lambda item: (key_of(item), canonical(item)), items)
    }


def key_of(item):
    return json.dumps({"pk": item["pk"], "sk": item["sk"]}, sort_keys=True)


def test_plain_json_has_its_own_types(server, made, tmp_path):
    digits = "0.1234567890123456789012345678901234567"
    file = tmp_path / "plain.jsonl"
    file.write_text(
        f'\ufeff{{"pk": "a", "sk": "b", "n": {digits}, "t": true, "z": null, "l": [1, {{"m": "x"}}]}}\r\n\n'
    )
    done(server, "import", made, file)
    expected = {
        "pk": {"S": "a"},
        "sk": {"S": "b"},
        "n": {"N": digits},
        "t": {"BOOL": True},
        "z": {"NULL": True},
        "l": {"L": [{"N": "1"}, {"M": {"m": {"S": "x"}}}]},
    }
    assert list(contents(server, made).values()) == [canonical(expected)]


def test_plain_json_of_a_table_with_binary_keys(server, tmp_path):
    made = table(server, partition="pk:B", sort="sk:N")
    item = {"pk": {"B": "AAE="}, "sk": {"N": "-1.5"}}
    put(server, made, item)
    done(server, "export", made, "-o", tmp_path / "a.jsonl")
    other = table(server, partition="pk:B", sort="sk:N")
    done(server, "import", other, tmp_path / "a.jsonl")
    assert contents(server, other) == contents(server, made)


def test_csv_comes_back_with_types(server, tmp_path):
    made = table(server, partition="pk:S", sort="sk:N")
    item = {
        "pk": {"S": 'a "b",\nc'},
        "sk": {"N": "1.5"},
        "total": {"N": "12345678901234567890123456789012345678"},
        "paid": {"BOOL": False},
        "tags": {"SS": ["a", "b"]},
        "numbers": {"NS": ["1", "2"]},
        "list": {"L": [{"S": "x"}, {"NULL": True}]},
        "map": {"M": {"a": {"N": "1"}}},
        "bytes": {"B": "AQ=="},
        "blobs": {"BS": ["AQ=="]},
        "digits": {"S": "007"},
    }
    put(server, made, item, {"pk": {"S": "b"}, "sk": {"N": "2"}})
    file = tmp_path / "a.csv"
    done(server, "export", made, "-o", file)
    other = table(server, partition="pk:S", sort="sk:N")
    types = "total:N,paid:BOOL,tags:SS,numbers:NS,list:L,map:JSON,bytes:B,blobs:BS"
    done(server, "import", other, file, "--columns", types)
    assert contents(server, other) == contents(server, made)


def test_standard_input(server, made):
    done(server, "import", made, "-", given=typed(*numbered(30)).encode())
    assert len(contents(server, made)) == 30
    plain = b'{"pk": "x", "sk": "y"}\n'
    done(server, "import", made, "-", given=plain)
    assert len(contents(server, made)) == 31
    done(server, "import", made, "-", "--format", "csv", given=b"pk,sk\nx,z\n")
    assert len(contents(server, made)) == 32


def test_several_files(server, made, tmp_path):
    (tmp_path / "a.jsonl").write_text(typed(*numbered(10)))
    (tmp_path / "b.csv").write_text("pk,sk\nx,y\n")
    done(server, "import", made, tmp_path / "a.jsonl", tmp_path / "b.csv")
    assert len(contents(server, made)) == 11


def test_the_table_can_be_created(server, tmp_path):
    from definitions import name

    file = tmp_path / "a.csv"
    file.write_text("id,at,x\n7,AQ==,y\n")
    made = name("created")
    code, _, err = run(server, "import", made, file)
    assert code == 1 and "--create" in err
    done(server, "import", made, file, "--create", "id:N,at:B")
    described = server.wire.call("DescribeTable", {"TableName": made})["Table"]
    assert [part["AttributeName"] for part in described["KeySchema"]] == ["id", "at"]
    items = server.wire.call("Scan", {"TableName": made})["Items"]
    assert items == [{"id": {"N": "7"}, "at": {"B": "AQ=="}, "x": {"S": "y"}}]
    done(server, "import", made, file, "--create", "id:N,at:B")
    code, _, err = run(server, "import", made, file, "--create", "id:S")
    assert code == 1 and "its key is id:N,at:B, not id:S" in err


def test_the_last_row_of_a_key_stays(server, made, tmp_path):
    file = tmp_path / "twice.jsonl"
    items = [
        {"pk": {"S": f"p{n % 7}"}, "sk": {"S": "s"}, "n": {"N": str(n)}} for n in range(3000)
    ]
    file.write_text(typed(*items))
    done(server, "import", made, file, "--connections", "8")
    numbers = sorted(int(json.loads(text)["n"]["N"]) for text in contents(server, made).values())
    assert numbers == list(range(2993, 3000))


def test_large_items(server, made, tmp_path):
    items = [
        {"pk": {"S": str(n)}, "sk": {"S": "s"}, "x": {"S": "\u0001" * 390_000}} for n in range(12)
    ]
    file = tmp_path / "large.jsonl"
    file.write_text(typed(*items))
    done(server, "import", made, file)
    assert len(contents(server, made)) == 12


GOOD = '{"Item":{"pk":{"S":"good"},"sk":{"S":"1"}}}'


@pytest.mark.parametrize(
    "name, line, reason",
    [
        ("a.dynamodb.json", "{", "EOF while parsing"),
        ("a.dynamodb.json", '{"pk":{"S":"a"}}', "the line has no member Item"),
        ("a.dynamodb.json", '{"Item":{"pk":{"S":"a"}}}', "the key attribute sk is missing"),
        (
            "a.dynamodb.json",
            '{"Item":{"pk":{"N":"1"},"sk":{"S":"a"}}}',
            "the key attribute pk is N, and the table's is S",
        ),
        (
            "a.dynamodb.json",
            '{"Item":{"pk":{"S":""},"sk":{"S":"a"}}}',
            "ValidationException: ",
        ),
        ("a.dynamodb.json", '{"Item":{"pk":{"X":"1"}}}', "X is no type of a value"),
        ("a.dynamodb.json", '{"Item":{"pk":{"N":"x"}}}', "cannot be converted to a numeric value"),
        (
            "a.dynamodb.json",
            '{"Item":{"pk":{"S":"a"},"sk":{"S":"%s"}}}' % ("x" * 1025),
            "ValidationException: ",
        ),
        (
            "a.dynamodb.json",
            '{"Item":{"pk":{"S":"a"},"sk":{"S":"a"},"x":{"S":"%s"}}}' % ("x" * 409_600),
            "and the most is 409600",
        ),
        ("a.jsonl", '{"pk":"a","sk":5}', "the key attribute sk is N, and the table's is S"),
        ("a.jsonl", "[1]", "the line is no JSON object"),
        ("a.jsonl", '{"pk":"a","sk":"b","n":1e999}', "Number overflow"),
        ("a.jsonl", '{"pk":"a","sk":"b","sk":"c"}', "sk is there twice"),
        ("a.csv", "a,b,1,2", "more columns than the header"),
        ("a.csv", ",b", "the key attribute pk is missing"),
        ("a.csv", "a,b,one", "column n: "),
    ],
)
def test_bad_lines_are_named(server, made, tmp_path, name, line, reason):
    good = {
        "a.dynamodb.json": [GOOD, GOOD.replace('"1"', '"2"')],
        "a.jsonl": ['{"pk":"good","sk":"1"}', '{"pk":"good","sk":"2"}'],
        "a.csv": ["pk,sk,n\ngood,1,1", "good,2,2"],
    }[name]
    file = tmp_path / name
    file.write_text("\n".join([good[0], line, good[1], ""]))
    number = 3 if name == "a.csv" else 2
    types = ["--columns", "n:N"] if name == "a.csv" else []
    code, _, err = run(server, "import", made, file, *types)
    assert code == 1
    assert f"{file}, line {number}: " in err and reason in err, err
    errors = tmp_path / "errors"
    said = done(
        server, "import", made, file, *types, "--on-error", "skip", "--errors", errors, "--restart"
    )
    assert "2 items into" in said and "1 line skipped" in said
    assert f"{file}, line {number}: " in said
    told = [json.loads(text) for text in errors.read_text().splitlines()]
    assert [(one["file"], one["line"]) for one in told] == [(str(file), number)]
    assert reason in told[0]["reason"]
    assert len(contents(server, made)) == 2


def test_many_bad_lines_are_not_all_shown(server, made, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("x\n" * 500 + '{"pk":"a","sk":"b"}\n')
    said = done(server, "import", made, file, "--on-error", "skip", "--errors", tmp_path / "e")
    assert said.count("skipped") == 11 and "500 lines skipped" in said
    assert len((tmp_path / "e").read_text().splitlines()) == 500
    assert len(contents(server, made)) == 1


@pytest.mark.parametrize(
    "name, content, text",
    [
        ("cut.jsonl.gz", gzip.compress(b'{"pk":"a","sk":"b"}\n' * 99)[:-10], "the rest cannot be read"),
        ("plain.jsonl.gz", b'{"pk":"a","sk":"b"}\n', "invalid gzip header"),
        ("plain.jsonl.zst", b'{"pk":"a","sk":"b"}\n', "cannot"),
        ("open.csv", b'pk,sk\na,"b\n' + b"c\n" * 9_000_000, "a quote may be open"),
        ("twice.csv", b"pk,pk\na,b\n", "two columns have the same name"),
        ("bytes.jsonl", b'{"pk":"\xff","sk":"b"}\n', "no UTF-8"),
    ],
)  # fmt: skip
def test_damaged_files(server, made, tmp_path, name, content, text):
    (tmp_path / name).write_bytes(content)
    code, _, err = run(server, "import", made, tmp_path / name)
    assert code == 1 and text in err, err
    assert name in err


@pytest.mark.parametrize(
    "arguments, code, text",
    [
        (["a.txt"], 2, "the name of a.txt does not say a format"),
        (["a.parquet"], 2, "Parquet can be written, but not be read"),
        (["none.jsonl"], 1, "cannot read none.jsonl"),
        (["."], 2, "the name of . does not say a format"),
        ([".", "--format", "jsonl"], 1, "cannot read ."),
        (["a.jsonl", "--create", "pk"], 2, "'pk' is no key"),
        (["a.jsonl", "--create", "pk:S,a:S,b:S"], 2, "is no key"),
        (["a.jsonl", "--columns", "n"], 2, "'n' in --columns"),
        (["a.jsonl", "--columns", "n:X"], 2, "the types are S, N, B"),
        (["a.jsonl", "--on-error", "cry"], 2, "invalid value 'cry'"),
        (["a.jsonl", "--resume"], 1, "there is no import into"),
        (["-", "--resume"], 2, "--state"),
        (["a.jsonl", "--rate", "0"], 2, "0 is not in"),
        ([], 2, "required"),
    ],
)
def test_what_cannot_be_is_said(server, made, tmp_path, arguments, code, text):
    for name in ("a.jsonl", "a.txt", "a.parquet"):
        (tmp_path / name).write_text("")
    found, _, err = run(server, "import", made, *arguments, cwd=tmp_path)
    assert found == code, err
    assert text in err
    assert len(list(tmp_path.iterdir())) == 3


def test_a_table_or_server_that_is_not_there(server, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"pk":"a"}\n')
    code, _, err = run(server, "import", "nobody", file)
    assert code == 1 and "ResourceNotFoundException" in err
    code, _, err = run("http://127.0.0.1:1", "import", "nobody", file)
    assert code == 1 and "cannot reach 127.0.0.1:1" in err
    assert list(tmp_path.iterdir()) == [file]


def test_an_empty_file(server, made, tmp_path):
    (tmp_path / "a.jsonl").write_text("\n \n")
    assert "0 items into" in done(server, "import", made, tmp_path / "a.jsonl")


def test_a_rate(server, made, tmp_path):
    import time

    (tmp_path / "a.jsonl").write_text(typed(*numbered(200)))
    begun = time.monotonic()
    done(server, "import", made, tmp_path / "a.jsonl", "--rate", "200")
    assert time.monotonic() - begun > 0.9


def test_quiet(server, made, tmp_path):
    (tmp_path / "a.jsonl").write_text(typed(*numbered(200)))
    assert done(server, "import", made, tmp_path / "a.jsonl", "--quiet") == ""


def test_a_bar_on_a_terminal(server, made, tmp_path):
    (tmp_path / "a.jsonl").write_text(typed(*numbered(2000)) + "bad\n")
    code, shown = on_terminal(
        server, "import", made, tmp_path / "a.jsonl", "--rate", "2000", "--on-error", "skip",
        columns=200,
    )  # fmt: skip
    assert code == 0
    assert any(f"importing into '{made}' [" in line and "% " in line for line in shown), shown
    assert f"2,000 items into '{made}', 1 line skipped" in shown[-1]
    assert any(f"{tmp_path}/a.jsonl, line 2001: " in line for line in shown)
