"""`monotable import` goes on where it was interrupted, throttled or left alone."""

import http.server
import json
import pathlib
import threading

import pytest

from transfer.commands import (
    Command,
    canonical,
    contents,
    done,
    numbered,
    recorded,
    run,
    served,
    table,
)

COUNT = 20_000


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    file = tmp_path_factory.mktemp("many") / "many.jsonl"
    with open(file, "w") as text:
        for n, item in enumerate(numbered(COUNT)):
            text.write(json.dumps({"Item": item}) + "\n")
            if n % 1000 == 500:
                text.write("bad\n")
    return file


def record_of(file, made):
    return pathlib.Path(f"{file}.{made}.import")


def whole():
    return {
        json.dumps({"pk": item["pk"], "sk": item["sk"]}, sort_keys=True): canonical(item)
        for item in numbered(COUNT)
    }


def test_kills_in_the_middle(server, many, tmp_path):
    made, errors = table(server), tmp_path / "errors"
    arguments = ["import", made, many, "--on-error", "skip", "--errors", errors]
    before = 0
    for _ in range(3):
        command = Command(server, *arguments, "--rate", "6000")
        before = recorded(command, record_of(many, made), "rows", before + 1500)["rows"]
        command.kill()
    said = done(server, *arguments, "--resume")
    assert "going on behind" in said
    assert f"20,000 items into '{made}', 20 lines skipped" in said
    assert contents(server, made) == whole()
    told = [json.loads(line)["line"] for line in errors.read_text().splitlines()]
    assert told == [502 + 1001 * n for n in range(20)]
    assert not record_of(many, made).exists()


def test_rows_that_are_done_are_not_written_again(server, many):
    """What others have written meanwhile over rows from before the record stays."""
    made = table(server)
    command = Command(server, "import", made, many, "--on-error", "skip", "--rate", "6000")
    recorded(command, record_of(many, made), "rows", 2000)
    command.kill()
    first = {**numbered(1)[0], "mine": {"S": "yes"}}
    server.wire.call("PutItem", {"TableName": made, "Item": first})
    done(server, "import", made, many, "--on-error", "skip")
    assert contents(server, made) == {
        **whole(),
        json.dumps({"pk": first["pk"], "sk": first["sk"]}, sort_keys=True): canonical(first),
    }


def test_interrupts_end_in_order(server, many):
    made = table(server)
    command = Command(server, "import", made, many, "--on-error", "skip", "--rate", "6000")
    recorded(command, record_of(many, made), "rows", 1500)
    code, _, err = command.interrupt()
    assert code == 130
    rows = json.loads(record_of(many, made).read_text())["rows"]
    assert f"done so far: {rows:,} rows; the same command goes on" in err
    found = contents(server, made)
    done(server, "import", made, many, "--on-error", "skip")
    assert set(found.items()) <= set(contents(server, made).items())
    assert len(contents(server, made)) == COUNT


def test_a_bad_line_stops_and_may_be_skipped_later(server, many):
    made = table(server)
    code, _, err = run(server, "import", made, many)
    assert code == 1
    assert f"{many}, line 502: " in err
    assert "done so far: 501 rows" in err
    assert len(contents(server, made)) >= 501
    done(server, "import", made, many, "--on-error", "skip")
    assert contents(server, made) == whole()


def test_other_files_do_not_go_on(server, tmp_path):
    made, other = table(server), table(server)
    file = tmp_path / "a.jsonl"
    file.write_text('{"pk":"a","sk":"b"}\nbad\n')
    assert run(server, "import", made, file)[0] == 1
    code, _, err = run(server, "import", made, file, file)
    assert code == 2 and "it has other files" in err
    code, _, err = run(server, "import", made, file, "--columns", "x:N")
    assert code == 2 and "--columns or --format differ" in err
    code, _, err = run(server, "import", other, file, "--state", record_of(file, made))
    assert code == 2 and f"its table is '{made}'" in err
    file.write_text('{"pk":"a","sk":"b"}\n{"pk":"a","sk":"c"}\n')
    code, _, err = run(server, "import", made, file)
    assert code == 2 and f"{file} has been changed since" in err and "--restart" in err
    done(server, "import", made, file, "--restart")
    assert len(contents(server, made)) == 2
    assert list(tmp_path.iterdir()) == [file]


def test_standard_input_goes_on_with_a_state(server, many, tmp_path):
    made, state = table(server), tmp_path / "state"
    arguments = ["import", made, "-", "--state", state, "--on-error", "skip"]
    with open(many, "rb") as text:
        command = Command(server, *arguments, "--rate", "6000", stdin=text)
        recorded(command, state, "rows", 1500)
        command.kill()
    with open(many, "rb") as text:
        assert "going on behind" in done(server, *arguments, stdin=text)
    assert contents(server, made) == whole()
    assert not state.exists()


def test_a_directory_that_takes_no_record(server, tmp_path):
    made = table(server)
    file = tmp_path / "a.jsonl"
    file.write_text('{"pk":"a","sk":"b"}\n')
    said = done(server, "import", made, file, "--state", "/proc/none")
    assert "cannot be gone on with" in said
    assert len(contents(server, made)) == 1


def test_a_server_that_restarts_meanwhile(fresh_server, many, tmp_path):
    data = tmp_path / "data"
    server = fresh_server("--data", data)
    made = table(server)
    command = Command(server, "import", made, many, "--on-error", "skip", "--rate", "8000")
    recorded(command, record_of(many, made), "rows", 1500)
    server.kill()
    with served(server.port, data) as again:
        code, _, err = command.ended()
        assert code == 0, err
        assert contents(again, made) == whole()


class Throttling(http.server.BaseHTTPRequestHandler):
    """Takes few items of each batch, and now and then no request."""

    protocol_version = "HTTP/1.1"
    items, requests, lock = {}, 0, threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        operation = self.headers["X-Amz-Target"].split(".")[1]
        with self.lock:
            status, answer = getattr(self, operation)(body)
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def DescribeTable(self, _):
        definition = {"AttributeName": "pk", "AttributeType": "S"}
        schema = {"AttributeName": "pk", "KeyType": "HASH"}
        described = {"AttributeDefinitions": [definition], "KeySchema": [schema], "TableStatus": "ACTIVE"}
        return 200, {"Table": described}

    def BatchWriteItem(self, body):
        cls = type(self)
        cls.requests += 1
        if cls.requests % 5 == 1:
            error = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"
            return 400, {"__type": error, "message": "slower"}
        (name, puts), = body["RequestItems"].items()
        assert len(puts) <= 25
        for put in puts[:10]:
            item = put["PutRequest"]["Item"]
            cls.items[item["pk"]["S"]] = item["n"]["N"]
        return 200, {"UnprocessedItems": {name: puts[10:]} if puts[10:] else {}}


def test_a_server_that_throttles(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(f'{{"pk":"{n % 500}","n":{n}}}\n' for n in range(1000)))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Throttling)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        done(f"http://127.0.0.1:{server.server_port}", "import", "t", file)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert Throttling.items == {str(n): str(n + 500) for n in range(500)}
    assert Throttling.requests > 80
