"""`monotable export` goes on where it was interrupted: nothing is lost and nothing is there twice."""

import csv
import gzip
import io
import json
import signal
import threading

import duckdb
import pytest

from server import until
from transfer.commands import (
    Command,
    beside,
    contents,
    done,
    lines,
    moment,
    numbered,
    put,
    record_of,
    recorded,
    run,
    served,
    table,
    tables,
)
from transfer.compressed import unzstd

COUNT = 20_000
# Slow enough to be met on its way.
RATE = ["--rate", "5000"]


@pytest.fixture(scope="module")
def many(server):
    made = table(server, "many", recovery=True)
    put(server, made, *numbered(COUNT, filling={"S": "x" * 60}))
    return made


def killed(server, made, file, *arguments, times=1):
    """Kills exports of a file that are on their way."""
    before = 0
    for _ in range(times):
        command = Command(server, "export", made, "-o", file, *RATE, *arguments)
        before = recorded(command, record_of(file), "items", before + 1000)["items"]
        command.kill()
        assert not file.exists()
    return before


def test_kills_in_the_middle(server, many, tmp_path):
    file = tmp_path / "many.dynamodb.json"
    before = killed(server, many, file, times=3)
    said = done(server, "export", many, "-o", file)
    assert f"going on with the export to {file} behind" in said
    assert before < COUNT
    assert lines(file.read_text()) == contents(server, many)
    assert beside(file) == []


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_kills_of_compressed_files(server, many, tmp_path, ending):
    file = tmp_path / f"many.dynamodb.json.{ending}"
    killed(server, many, file, times=2)
    done(server, "export", many, "-o", file, "--resume")
    content = file.read_bytes()
    text = gzip.decompress(content) if ending == "gz" else unzstd(content)
    assert lines(text.decode()) == contents(server, many)


@pytest.mark.parametrize("arguments", [[], ["--columns", "sk,n"]])
def test_kills_of_csv(server, many, tmp_path, arguments):
    file = tmp_path / "many.csv"
    killed(server, many, file, *arguments)
    done(server, "export", many, "-o", file, *arguments)
    numbers = [int(row["n"]) for row in csv.DictReader(io.StringIO(file.read_text()))]
    assert sorted(numbers) == list(range(COUNT))
    assert beside(file) == []


def test_kills_of_parquet(server, many, tmp_path):
    file = tmp_path / "many.parquet"
    killed(server, many, file)
    done(server, "export", many, "-o", file)
    found = duckdb.sql(f"SELECT count(*), count(DISTINCT n) FROM read_parquet('{file}')").fetchall()
    assert found == [(COUNT, COUNT)]
    assert beside(file) == []


@pytest.mark.parametrize("name", ["many.parquet", "many.csv.gz"])
def test_kills_while_the_table_is_made_of_the_items(server, many, tmp_path, name):
    """Reading is over: only the rest is done again."""
    file = tmp_path / name
    command = Command(server, "export", many, "-o", file)
    until(lambda: (tmp_path / f"{name}.part").exists(), "the file is being made")
    command.kill()
    if not file.exists():
        assert json.loads(record_of(file).read_text())["phase"] in ("Converting", "Whole")
    done(server, "export", many, "-o", file)
    kind = "parquet" if name.endswith("parquet") else "csv"
    found = duckdb.sql(f"SELECT count(*), count(DISTINCT n) FROM read_{kind}('{file}')").fetchall()
    assert found == [(COUNT, COUNT)]
    assert beside(file) == []


def test_what_is_behind_the_record_is_cut_off(server, many, tmp_path):
    """A crash may come between a write and its record."""
    file = tmp_path / "many.dynamodb.json"
    killed(server, many, file)
    with open(f"{file}.part", "a") as part:
        part.write('{"Item":{"pk":{"S":"half a li')
    done(server, "export", many, "-o", file)
    assert lines(file.read_text()) == contents(server, many)


def test_a_crash_before_the_last_step(server, many, tmp_path):
    """The file has its name, and the record is still there."""
    file = tmp_path / "many.dynamodb.json"
    killed(server, many, file)
    state = json.loads(record_of(file).read_text())
    done(server, "export", many, "-o", file)
    whole = file.read_bytes()
    state.update(phase="Whole", items=COUNT, bytes=len(whole))
    record_of(file).write_text(json.dumps(state))
    done(server, "export", many, "-o", file)
    assert file.read_bytes() == whole
    assert beside(file) == []


def test_interrupts_end_in_order(server, many, tmp_path):
    file = tmp_path / "many.jsonl"
    command = Command(server, "export", many, "-o", file, *RATE)
    recorded(command, record_of(file), "items", 1000)
    code, _, err = command.interrupt()
    assert code == 130
    state = json.loads(record_of(file).read_text())
    assert f"kept so far: {state['items']:,} items of '{many}' in {file}.part;" in err
    assert len((tmp_path / "many.jsonl.part").read_text().splitlines()) == state["items"]
    done(server, "export", many, "-o", file)
    assert len(file.read_text().splitlines()) == COUNT


def test_another_wish_does_not_go_on(server, many, tmp_path):
    file = tmp_path / "many.jsonl"
    killed(server, many, file)
    other = table(server)
    for name, arguments, text in [
        (other, [], f"its table is {many}, not {other}"),
        (many, ["--format", "dynamodb-json"], "its --format is jsonl, not dynamodb-json"),
        (many, ["--columns", "n"], "its --columns is all, not n"),
        (many, ["--filter", "n > n"], "its --filter is none, not n > n"),
        (many, ["--at", "0s"], "its --at is none, not 0s"),
    ]:
        code, _, err = run(server, "export", name, "-o", file, *arguments)
        assert code == 2 and text in err and "--restart" in err, err
    said = done(server, "export", many, "-o", file, "--columns", "n", "--restart")
    assert "going on" not in said
    assert len(file.read_text().splitlines()) == COUNT


def test_a_table_that_was_made_again_does_not_go_on(server, tmp_path):
    made = table(server)
    put(server, made, *numbered(5000))
    file = tmp_path / "a.jsonl"
    command = Command(server, "export", made, "-o", file, "--rate", "1500")
    recorded(command, record_of(file), "items", 100)
    command.kill()
    server.wire.call("DeleteTable", {"TableName": made})
    definition = {
        "TableName": made,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    server.wire.call("CreateTable", definition)
    code, _, err = run(server, "export", made, "-o", file)
    assert code == 1 and "its table is not" in err
    done(server, "export", made, "-o", file, "--restart")
    assert file.read_text() == ""


def test_two_exports_do_not_share_a_file(server, many, tmp_path):
    file = tmp_path / "many.jsonl"
    command = Command(server, "export", many, "-o", file, *RATE)
    recorded(command, record_of(file), "items", 1000)
    code, _, err = run(server, "export", many, "-o", file)
    assert code == 1 and "is being written already" in err
    assert command.ended()[0] == 0
    assert len(file.read_text().splitlines()) == COUNT


def test_a_record_that_is_none(server, many, tmp_path):
    file = tmp_path / "many.jsonl"
    record_of(file).write_text("{")
    code, _, err = run(server, "export", many, "-o", file)
    assert code == 1 and "is no record" in err
    done(server, "export", many, "-o", file, "--restart")
    assert beside(file) == []


def test_a_moment_goes_on_after_kills_and_writes(server, tmp_path):
    made = table(server, recovery=True)
    put(server, made, *numbered(6000))
    at, expected = moment(), contents(server, made)
    file = tmp_path / "moment.dynamodb.json"
    arguments = ["--at", at, "--rate", "2000"]
    command = Command(server, "export", made, "-o", file, *arguments)
    state = recorded(command, record_of(file), "items", 500)
    command.kill()
    copy = state["copy"]["table"]
    assert copy in tables(server)
    put(server, made, *numbered(6000, n={"N": "-1"}))
    done(server, "export", made, "-o", file, "--at", at)
    assert lines(file.read_text()) == expected
    assert copy not in tables(server)


def test_a_moment_whose_copy_is_gone_is_restored_again(server, tmp_path):
    made = table(server, recovery=True)
    put(server, made, *numbered(6000))
    at, expected = moment(), contents(server, made)
    file = tmp_path / "moment.dynamodb.json"
    command = Command(server, "export", made, "-o", file, "--at", at, "--rate", "2000")
    state = recorded(command, record_of(file), "items", 500)
    command.kill()
    put(server, made, *numbered(100, n={"N": "-1"}))
    server.wire.call("DeleteTable", {"TableName": state["copy"]["table"]})
    done(server, "export", made, "-o", file, "--at", at)
    assert lines(file.read_text()) == expected


def test_what_is_left_can_be_thrown_away(server, many, tmp_path):
    file = tmp_path / "many.jsonl"
    command = Command(server, "export", many, "-o", file, "--at", "0s", *RATE)
    state = recorded(command, record_of(file), "items", 1000)
    code, _, err = command.interrupt()
    assert code == 130 and f"with the table '{state['copy']['table']}'" in err
    assert state["copy"]["table"] in tables(server)
    done(server, "export", many, "-o", file, "--discard")
    assert state["copy"]["table"] not in tables(server)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_moment_on_standard_output_leaves_no_copy(server, many):
    command = Command(server, "export", many, "--at", "0s", "--rate", "1000")
    first = command.process.stdout.readline()
    assert json.loads(first)["pk"].startswith("p")
    reader = threading.Thread(target=command.process.stdout.read)
    command.process.send_signal(signal.SIGINT)
    reader.start()
    assert command.process.wait(60) == 130
    reader.join()
    assert [name for name in tables(server) if name.startswith(f"{many}.export")] == []


def test_a_server_that_restarts_meanwhile(fresh_server, tmp_path):
    data = tmp_path / "data"
    server = fresh_server("--data", data)
    made = table(server)
    put(server, made, *numbered(6000))
    file = tmp_path / "a.dynamodb.json"
    command = Command(server, "export", made, "-o", file, "--rate", "2000")
    recorded(command, record_of(file), "items", 500)
    server.kill()
    with served(server.port, data) as again:
        code, _, err = command.ended()
        assert code == 0, err
        assert lines(file.read_text()) == contents(again, made)
