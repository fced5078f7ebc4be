"""`monotable export`: every format, and what is said when it cannot be."""

import csv
import decimal
import gzip
import io
import json
import re
import resource
import subprocess
import threading
import time

import duckdb
import pytest

from transfer.commands import (
    EVERY_TYPE,
    beside,
    canonical,
    contents,
    done,
    lines,
    moment,
    numbered,
    on_terminal,
    put,
    run,
    table,
    tables,
)
from transfer.compressed import unzstd


@pytest.fixture(scope="module")
def filled(server):
    """A table with every type in one item, and some others."""
    made = table(server)
    put(server, made, {"pk": {"S": "every"}, "sk": {"S": "type"}, **EVERY_TYPE}, *numbered(300))
    return made


@pytest.fixture(scope="module")
def many(server):
    """A table with 20,000 items."""
    made = table(server, "many")
    put(server, made, *numbered(20_000, filling={"S": "x" * 60}))
    return made


def test_dynamodb_json_loses_nothing(server, filled, tmp_path):
    file = tmp_path / "all.dynamodb.json"
    said = done(server, "export", filled, "-o", file)
    assert lines(file.read_text()) == contents(server, filled)
    assert f"301 items of '{filled}' in {file}" in said
    assert beside(file) == []


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_files_are_compressed_by_their_names(server, filled, tmp_path, ending):
    file = tmp_path / f"all.ddb.jsonl.{ending}"
    done(server, "export", filled, "-o", file)
    text = gzip.decompress(file.read_bytes()) if ending == "gz" else unzstd(file.read_bytes())
    assert lines(text.decode()) == contents(server, filled)


def test_an_empty_table_is_an_empty_file(server, tmp_path):
    made = table(server)
    done(server, "export", made, "-o", tmp_path / "a.jsonl.gz")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b""
    done(server, "export", made, "-o", tmp_path / "a.jsonl.zst")
    assert unzstd((tmp_path / "a.jsonl.zst").read_bytes()) == b""
    done(server, "export", made, "-o", tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == b""
    done(server, "export", made, "-o", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "pk,sk\n"
    done(server, "export", made, "-o", tmp_path / "a.parquet")
    assert rows(tmp_path / "a.parquet") == []


def test_plain_json_is_for_people(server, filled, tmp_path):
    file = tmp_path / "all.jsonl"
    done(server, "export", filled, "-o", file)
    read = [json.loads(line, parse_float=str, parse_int=str) for line in file.read_text().splitlines()]
    every = next(item for item in read if item["pk"] == "every")
    assert every["number"] == EVERY_TYPE["number"]["N"]
    assert every["text"] == EVERY_TYPE["text"]["S"]
    assert (every["yes"], every["null"], every["binary"]) == (True, None, "AAEC/w==")
    assert every["texts"] == ["a", "b,c"]
    assert every["list"] == ["1", [], {"deep": ["3", "4"]}]
    assert len(read) == 301


def test_standard_output_is_plain_json(server, filled):
    code, out, err = run(server, "export", filled)
    assert code == 0
    assert len(out.splitlines()) == 301
    assert f"301 items of '{filled}' written" in err
    assert run(server, "export", filled, "--quiet")[2] == ""


def test_a_reader_that_has_seen_enough_is_no_failure(server, many):
    pipeline = subprocess.run(
        f"set -o pipefail; {binary()} export {many} --endpoint {server.endpoint} | head -n 1",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        timeout=60,
    )
    assert (pipeline.returncode, len(pipeline.stdout.splitlines())) == (0, 1), pipeline.stderr


def binary():
    import server as servers

    return servers.BINARY


def test_csv_has_all_columns_keys_first(server, filled, tmp_path):
    file = tmp_path / "all.csv"
    done(server, "export", filled, "-o", file)
    with open(file, newline="") as text:
        read = list(csv.DictReader(text))
    names = list(read[0])
    assert names[:2] == ["pk", "sk"]
    assert names[2:] == sorted({*EVERY_TYPE, "n"})
    every = next(row for row in read if row["pk"] == "every")
    assert every["number"] == EVERY_TYPE["number"]["N"]
    assert every["large"] == EVERY_TYPE["large"]["N"]
    assert every["text"] == EVERY_TYPE["text"]["S"]
    assert every["list"] == '[1,[],{"deep":[3,4]}]'
    assert (every["null"], every["yes"], every["n"]) == ("", "true", "")
    assert {row["n"] for row in read if row["n"]} == {str(n) for n in range(300)}
    assert beside(file) == []


def test_columns_can_be_chosen(server, filled, tmp_path):
    file = tmp_path / "some.csv.gz"
    done(server, "export", filled, "-o", file, "--columns", "sk,n,no such")
    read = list(csv.reader(io.StringIO(gzip.decompress(file.read_bytes()).decode())))
    assert read[0] == ["sk", "n", "no such"]
    assert sorted(read[1:])[0] == ["000000", "0", ""]
    code, out, _ = run(server, "export", filled, "--format", "csv", "--columns", "sk")
    assert code == 0 and out.splitlines()[0] == b"sk" and len(out.splitlines()) == 302
    done(server, "export", filled, "-o", tmp_path / "some.jsonl", "--columns", "n")
    items = [json.loads(line) for line in (tmp_path / "some.jsonl").read_text().splitlines()]
    assert all(set(item) <= {"n"} for item in items)
    done(server, "export", filled, "-o", tmp_path / "some.parquet", "--columns", "n,pk")
    assert names_of(tmp_path / "some.parquet") == ["n", "pk"]


def rows(file):
    """The rows of a file of Parquet, as another reader has them."""
    found = duckdb.sql(f"SELECT * FROM read_parquet('{file}')")
    return [dict(zip(found.columns, row)) for row in found.fetchall()]


def names_of(file):
    return duckdb.sql(f"SELECT * FROM read_parquet('{file}')").columns


def test_parquet_has_types_and_all_digits(server, filled, tmp_path):
    file = tmp_path / "all.parquet"
    done(server, "export", filled, "-o", file)
    found = duckdb.sql(f"SELECT * FROM read_parquet('{file}')")
    types = dict(zip(found.columns, map(str, found.types)))
    assert found.columns[:2] == ["pk", "sk"]
    assert types["n"] == types["negative"] == "BIGINT"
    assert types["number"] == "DECIMAL(38,18)"
    assert types["yes"] == "BOOLEAN"
    assert types["binary"] == "BLOB"
    assert types["large"] == types["small"] == types["list"] == types["null"] == "VARCHAR"
    every = next(row for row in rows(file) if row["pk"] == "every")
    assert every["number"] == decimal.Decimal(EVERY_TYPE["number"]["N"])
    assert every["small"] == EVERY_TYPE["small"]["N"]
    assert every["binary"] == bytes([0, 1, 2, 255])
    assert every["text"] == EVERY_TYPE["text"]["S"]
    assert every["map"] == '{"a b":"x","bytes":"/w==","e":{}}'
    assert (every["yes"], every["no"], every["null"], every["n"]) == (True, False, None, None)
    assert {row["n"] for row in rows(file)} == {None, *range(300)}
    assert beside(file) == []


def test_parquet_with_numbers_of_many_kinds(server, tmp_path):
    made = table(server, sort=None)
    numbers = {
        "cents": ["1.25", "-0.5", "1000", "0"],
        "whole": ["9223372036854775807", "-9223372036854775808", "0", "1"],
        "wide": ["9223372036854775808", "1", "-1", "99999999999999999999999999999999999999"],
        "mixed": ["1", "2", "3.50", "x"],
    }
    for n in range(4):
        values = {stem: {"N": all_of[n]} for stem, all_of in numbers.items() if all_of[n] != "x"}
        put(server, made, {"pk": {"S": str(n)}, "mixed": {"S": "x"}, **values})
    file = tmp_path / "numbers.parquet"
    done(server, "export", made, "-o", file)
    found = {row["pk"]: row for row in rows(file)}
    for n in range(4):
        for stem in ("cents", "whole", "wide"):
            assert found[str(n)][stem] == decimal.Decimal(numbers[stem][n])
    assert [found[str(n)]["mixed"] for n in range(4)] == ["1", "2", "3.5", "x"]


def test_many_items_in_every_format(server, many, tmp_path):
    expected = contents(server, many)
    assert len(expected) == 20_000
    file = tmp_path / "many.dynamodb.json"
    done(server, "export", many, "-o", file, "--segments", "7")
    assert lines(file.read_text()) == expected
    done(server, "export", many, "-o", tmp_path / "many.parquet")
    found = duckdb.sql(
        f"SELECT count(*), count(DISTINCT n), sum(n) FROM read_parquet('{tmp_path}/many.parquet')"
    )
    assert found.fetchall() == [(20_000, 20_000, sum(range(20_000)))]
    done(server, "export", many, "-o", tmp_path / "many.csv.zst")
    text = unzstd((tmp_path / "many.csv.zst").read_bytes()).decode()
    assert len({row["n"] for row in csv.DictReader(io.StringIO(text))}) == 20_000


def test_items_can_be_filtered(server, filled):
    digits = "150.00000000000000000000000000000000001"
    code, out, err = run(
        server, "export", filled, "--filter", "#n > :least AND begins_with(sk, :zeros)",
        "--names", '{"#n": "n"}', "--values", f'{{":least": {digits}, ":zeros": {{"S": "0"}}}}',
    )  # fmt: skip
    assert code == 0, err
    assert {json.loads(line)["n"] for line in out.splitlines()} == set(range(151, 300))


@pytest.mark.parametrize("file", ["moment.dynamodb.json", "-"])
def test_one_moment_under_writes(server, tmp_path, file):
    made = table(server, recovery=True)
    put(server, made, *numbered(2000))
    stop = threading.Event()

    def write():
        n = 0
        while not stop.is_set():
            put(server, made, *numbered(25, n={"N": str(-n)}))
            n += 1

    put(server, made, *numbered(50, n={"N": "-1"}))
    at, expected = moment(), contents(server, made)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        time.sleep(0.3)
        output = file if file == "-" else tmp_path / file
        code, out, err = run(
            server, "export", made, "-o", output, "--at", at, "--format", "dynamodb-json"
        )
    finally:
        stop.set()
        writer.join()
    assert code == 0, err
    assert f"'{made}' as it was at {at}" in err
    text = out.decode() if file == "-" else (tmp_path / file).read_text()
    assert lines(text) == expected != contents(server, made)
    assert [other for other in tables(server) if other.startswith(made)] == [made]


def test_items_of_a_table_that_is_written_are_there_once(server, tmp_path):
    made = table(server)
    put(server, made, *numbered(5000))
    stop = threading.Event()

    def write():
        n = 0
        while not stop.is_set():
            put(server, made, *numbered(100, n={"N": str(-n)}))
            n += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        file = tmp_path / "written.dynamodb.json"
        done(server, "export", made, "-o", file)
    finally:
        stop.set()
        writer.join()
    assert set(lines(file.read_text())) == set(contents(server, made))


def test_without_recovery_there_is_no_moment(server, filled, tmp_path):
    file = tmp_path / "a.jsonl"
    code, _, err = run(server, "export", filled, "-o", file, "--at", "0s")
    assert code == 1 and "point-in-time recovery is off" in err
    assert beside(file) == [] and not file.exists()
    code, _, err = run(server, "export", filled, "--at", "0s")
    assert code == 1 and "point-in-time recovery is off" in err


@pytest.mark.parametrize(
    "arguments, code, text",
    [
        (["-o", "a.txt"], 2, "does not say a format"),
        (["-o", "a.gz"], 2, "does not say a format"),
        (["--format", "parquet"], 2, "Parquet needs a file"),
        (["-o", "a.parquet.gz"], 2, "compressed within"),
        (["--format", "csv"], 2, "give --columns"),
        (["--resume"], 2, "only an export to a file"),
        (["-o", "a.jsonl", "--resume"], 1, "there is no export to a.jsonl to go on with"),
        (["-o", "a.jsonl", "--resume", "--restart"], 2, "cannot be used with"),
        (["--format", "xml"], 2, "invalid value 'xml'"),
        (["--segments", "0"], 2, "0 is not in 1..=64"),
        (["--at", "soon"], 1, "'soon' is no time"),
        (["--at", "2199-01-01T00:00:00Z"], 1, "has not come yet"),
        (["--filter", "a >"], 1, "ValidationException"),
        (["--filter", "a = :b", "--values", "x"], 2, "--values is no JSON object"),
        (["--filter", "a = :b", "--values", '{":b": {"N": "x"}'], 2, "--values is no JSON"),
        (["-o", "/dev/null", "--format", "jsonl"], 2, "/dev/null is no file"),
        (["-o", "no/such/a.jsonl"], 1, "cannot write no/such/a.jsonl.part"),
    ],
)
def test_what_cannot_be_is_said(server, filled, tmp_path, arguments, code, text):
    found, out, err = run(server, "export", filled, *arguments, cwd=tmp_path)
    assert (found, out) == (code, b""), err
    assert text in err
    assert list(tmp_path.iterdir()) == []


def test_a_table_or_server_that_is_not_there(server, tmp_path):
    code, _, err = run(server, "export", "nobody", "-o", tmp_path / "a.csv")
    assert code == 1 and "ResourceNotFoundException" in err and "nobody" in err
    code, _, err = run("http://127.0.0.1:1", "export", "nobody", "-o", tmp_path / "a.csv")
    assert code == 1 and "cannot reach 127.0.0.1:1" in err
    code, _, err = run("https://localhost", "export", "nobody")
    assert code == 1 and "is no endpoint" in err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_what_can_go_on(server, many, tmp_path):
    """A limit for the length of files stands for the disk."""
    file = tmp_path / "full.dynamodb.json"

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    code, _, err = run(
        server, "export", many, "-o", file, "--rate", "4000",
        preexec_fn=limit, restore_signals=False,
    )  # fmt: skip
    assert code == 1, err
    assert f"cannot write {file}.part: File too large" in err
    assert "the same command goes on" in err
    assert not file.exists()
    done(server, "export", many, "-o", file)
    assert lines(file.read_text()) == contents(server, many)


def test_a_full_standard_output_is_a_failure(server, many):
    with open("/dev/full", "wb") as full:
        code, _, err = run(server, "export", many, stdout=full)
    assert code == 1
    assert "cannot write standard output: No space left on device" in err


def test_the_table_of_another_key_type(server, tmp_path):
    made = table(server, partition="pk:N", sort="sk:B")
    item = {"pk": {"N": "1.5"}, "sk": {"B": "AQ=="}, "x": {"S": "y"}}
    put(server, made, item)
    file = tmp_path / "a.dynamodb.json"
    done(server, "export", made, "-o", file)
    assert list(lines(file.read_text()).values()) == [canonical(item)]


def test_a_bar_on_a_terminal(server, many, tmp_path):
    code, shown = on_terminal(
        server, "export", many, "-o", tmp_path / "a.parquet", "--rate", "20000", columns=72
    )
    assert code == 0
    bar = re.compile(r"[|/\\-] exporting 'many-\d+' \[=*>? *\] +\d+% [\d,]+ items?")
    assert any(bar.match(line) for line in shown), shown
    assert any("looking for columns [" in line for line in shown)
    assert all(len(line) <= 72 for line in shown[:-1]), "lines would break"
    assert "20,000 items of" in shown[-1] or "20,000 items of" in shown[-2]


def test_no_bar_among_the_items(server, many):
    code, shown = on_terminal(server, "export", many, "--columns", "n", "--rate", "40000", columns=200)
    assert code == 0
    assert sum(line.startswith('{"n":') for line in shown) == 20_000
    assert [line for line in shown if "exporting" in line and "monotable: " not in line] == []


def test_a_line_now_and_then_elsewhere(server, many, tmp_path):
    said = done(server, "export", many, "-o", tmp_path / "a.jsonl", "--rate", "3000")
    told = re.findall(rf"^monotable: exporting '{many}': \d+%, [\d,]+ items, [\d,]+/s$", said, re.M)
    assert 1 <= len(told) <= 10, said


def test_more_attributes_than_a_table_can_have(server, tmp_path):
    made = table(server, sort=None)
    for n in range(101):
        wide = {f"a{n * 100 + m}": {"N": "1"} for m in range(100)}
        put(server, made, {"pk": {"S": str(n)}, **wide})
    file = tmp_path / "wide.csv"
    code, _, err = run(server, "export", made, "-o", file)
    assert code == 1 and "more than 10000 attributes; choose some with --columns" in err
    done(server, "export", made, "-o", file, "--columns", "pk,a5", "--restart")
    assert sorted(file.read_text().splitlines())[:2] == ["0,1", "1,"]
    assert beside(file) == []


def test_a_moment_before_recovery_was_on(server, tmp_path):
    made = table(server, recovery=True)
    code, _, err = run(server, "export", made, "-o", tmp_path / "a.jsonl", "--at", "300d")
    assert code == 1 and "InvalidRestoreTimeException" in err
    assert list(tmp_path.iterdir()) == []
