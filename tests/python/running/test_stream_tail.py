"""`monotable stream tail`: the changes of a table, printed as they happen."""

import datetime
import itertools
import json
import re
import signal
import subprocess
import threading
import time

import pytest

import server as servers
import terminal
from definitions import name, on_demand
from server import PATIENCE, until

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
# A time in UTC, an event, and the rest.
LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (INSERT|MODIFY|REMOVE) (.*)")


class Tail:
    """A tail that runs, and what it has printed."""

    def __init__(self, endpoint, *arguments, env=None):
        self.process = subprocess.Popen(
            [servers.BINARY, "stream", "tail", *map(str, arguments), "--endpoint", endpoint],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=servers.environment(env),
            text=True,
        )
        self.out, self.err = [], []
        self.readers = [
            threading.Thread(target=self.read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.out), (self.process.stderr, self.err))
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(stream, lines):
        try:
            for line in stream:
                lines.append(line.rstrip("\n"))
        except ValueError:
            pass  # closed by the test

    def until_printed(self, count):
        """The lines, once there are so many."""
        until(lambda: len(self.out) >= count or not self.running, f"{count} lines are printed")
        assert len(self.out) >= count, self.err
        return self.out

    @property
    def running(self):
        return self.process.poll() is None

    def ended(self):
        """The exit code and what was printed, once it has ended by itself."""
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join(PATIENCE)
        return code, self.out, self.err

    def stop(self):
        if self.running:
            self.process.kill()
            self.process.wait(PATIENCE)


@pytest.fixture
def tail():
    """Starts tails that live as long as the test, unless they end before."""
    tails = []

    def start(endpoint, *arguments, **options):
        tails.append(Tail(endpoint, *arguments, **options))
        return tails[-1]

    yield start
    for one in tails:
        one.stop()


@pytest.fixture
def table(make_table):
    """A table with a stream."""
    return make_table(on_demand(name("tailed"), "pk", "sk", StreamSpecification=STREAM))


def item(pk, sk="s", **attributes):
    return {"pk": {"S": pk}, "sk": {"S": sk}, **attributes}


def put(server, table, *given, **attributes):
    server.wire.call("PutItem", {"TableName": table, "Item": item(*given, **attributes)})


def remove(server, table, pk, sk="s"):
    server.wire.call("DeleteItem", {"TableName": table, "Key": item(pk, sk)})


def stream_of(server, table):
    return server.wire.call("DescribeTable", {"TableName": table})["Table"]["LatestStreamArn"]


def disable(server, table):
    specification = {"StreamEnabled": False}
    request = {"TableName": table, "StreamSpecification": specification}
    server.wire.call("UpdateTable", request)


def follow(tail, server, table, *arguments):
    """A tail that has begun: changes are made until it has printed one."""
    following = tail(server.endpoint, table, *arguments)
    for n in itertools.count():
        put(server, table, "begin", n={"N": str(n)})
        time.sleep(0.05)
        if following.out:
            break
        assert following.running and n < PATIENCE * 20, following.err
    # The changes that were made before it saw one are all there are.
    put(server, table, "begin", n={"S": "end"})
    until(lambda: any("end" in line for line in following.out), "it has caught up")
    following.out.clear()
    return following


def events(lines):
    """Event and the rest of each line, without the time."""
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), lines
    return [match.groups()[1:] for match in found]


def of_item(record):
    """The item and the number it was given, of a record in JSON."""
    record = record["dynamodb"]
    return record["Keys"]["pk"]["S"], int(record["NewImage"]["n"]["N"])


def test_changes_are_printed_as_they_happen(server, table, tail):
    following = follow(tail, server, table)
    put(server, table, "a", name={"S": "Ada"}, total={"N": "12.5"}, gone={"BOOL": True})
    following.until_printed(1)
    put(server, table, "a", name={"S": "Bob"}, total={"N": "12.5"}, tags={"SS": ["x", "y"]})
    following.until_printed(2)
    remove(server, table, "a")
    following.until_printed(3)
    assert events(following.out) == [
        ("INSERT", '"a" / "s"  gone: true, name: "Ada", total: 12.5'),
        ("MODIFY", '"a" / "s"  -gone: true, name: "Ada" -> "Bob", +tags: <"x", "y">'),
        ("REMOVE", '"a" / "s"  name: "Bob", tags: <"x", "y">, total: 12.5'),
    ]
    assert following.running
    assert following.err == []


def test_what_was_there_before_is_not_printed(server, table, tail):
    put(server, table, "before")
    following = follow(tail, server, table)
    put(server, table, "after")
    assert events(following.until_printed(1)) == [("INSERT", '"after" / "s"')]


def test_everything_there_is(server, table, tail):
    for n in range(1500):
        put(server, table, f"i{n:04}", n={"N": str(n)})
    expected = [("INSERT", f'"i{n:04}" / "s"  n: {n}') for n in range(1500)]
    for arguments in (["--from-start", "--once"], ["--once"], ["--since", "1h", "--once"]):
        code, out, err = tail(server.endpoint, table, *arguments).ended()
        assert (code, err) == (0, [])
        assert events(out) == expected
    code, out, _ = tail(server.endpoint, table, "--from-start", "--limit", 1200).ended()
    assert (code, events(out)) == (0, expected[:1200])


def test_json_is_the_record_of_the_streams_api(server, table, tail):
    every = {
        "n": {"N": "12345678901234567890.123"},
        "b": {"B": "AAEC"},
        "l": {"L": [{"NULL": True}, {"M": {"x": {"NS": ["1", "2"]}}}]},
    }
    put(server, table, "a", **every)
    put(server, table, "a")
    remove(server, table, "a")
    code, out, err = tail(server.endpoint, table, "--json", "--once").ended()
    assert (code, err) == (0, [])
    arn = {"StreamArn": stream_of(server, table)}
    described = server.wire.call("DescribeStream", arn)["StreamDescription"]
    shard = {**arn, "ShardId": described["Shards"][0]["ShardId"]}
    request = {**shard, "ShardIteratorType": "TRIM_HORIZON"}
    iterator = server.wire.call("GetShardIterator", request)
    assert [json.loads(line) for line in out] == server.wire.call("GetRecords", iterator)["Records"]


def test_json_comes_at_once_through_a_pipe(server, table, tail):
    following = follow(tail, server, table, "--json")
    put(server, table, "a", n={"N": "1"})
    record = json.loads(following.until_printed(1)[0])
    assert (record["eventName"], of_item(record)) == ("INSERT", ("a", 1))


@pytest.mark.parametrize(
    "wanted, expected",
    [
        ("insert", ["INSERT", "INSERT"]),
        ("modify,remove", ["MODIFY", "REMOVE"]),
        ("insert,modify,remove", ["INSERT", "MODIFY", "REMOVE", "INSERT"]),
    ],
)
def test_events_can_be_chosen(server, table, tail, wanted, expected):
    put(server, table, "a")
    put(server, table, "a", n={"N": "1"})
    remove(server, table, "a")
    put(server, table, "b")
    code, out, _ = tail(server.endpoint, table, "--once", "--event", wanted).ended()
    assert (code, [event for event, _ in events(out)]) == (0, expected)
    # What is not wanted does not count.
    code, out, _ = tail(server.endpoint, table, "--limit", 2, "--once", "--event", wanted).ended()
    assert [event for event, _ in events(out)] == expected[:2]


def test_a_time_to_begin_with(server, table, tail):
    put(server, table, "old")
    time.sleep(1.1)
    moment = time.time()
    put(server, table, "young")
    since = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat()
    code, out, _ = tail(server.endpoint, table, "--once", "--since", since).ended()
    assert (code, events(out)) == (0, [("INSERT", '"young" / "s"')])
    for wrong, text in [("soon", "'soon' is no time"), ("2999-01-01T00:00:00Z", "not come yet")]:
        code, out, err = tail(server.endpoint, table, "--since", wrong).ended()
        assert (code, out) == (1, [])
        assert text in err[0]


@pytest.mark.parametrize("view", ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE"])
def test_streams_that_show_less(server, make_table, tail, view):
    specification = {**STREAM, "StreamViewType": view}
    table = make_table(on_demand(name("tailed"), "pk", "sk", StreamSpecification=specification))
    put(server, table, "a", n={"N": "1"})
    put(server, table, "a", n={"N": "2"})
    remove(server, table, "a")
    code, out, _ = tail(server.endpoint, table, "--once").ended()
    rest = {
        "KEYS_ONLY": ["", "", ""],
        "NEW_IMAGE": ["  n: 1", "  n: 2", ""],
        "OLD_IMAGE": ["", "  was n: 1", "  n: 2"],
    }[view]
    names = ["INSERT", "MODIFY", "REMOVE"]
    assert events(out) == [(event, f'"a" / "s"{text}') for event, text in zip(names, rest)]


def in_order(lines):
    """The numbers of each item, in the order they were printed."""
    found = {}
    for line in lines:
        pk, n = of_item(json.loads(line))
        found.setdefault(pk, []).append(n)
    return found


def test_shards_that_follow_one_another(start_server, tail):
    """Shards are rolled every second while items are changed: nothing is missed or twice."""
    with start_server("--memory", "--shard-age", "1s", "--stream-shards", 2) as server:
        server.wire.call("CreateTable", on_demand("rolled", "pk", "sk", StreamSpecification=STREAM))
        following = follow(tail, server, "rolled", "--json")
        end = time.monotonic() + 4.5
        numbers = itertools.count()
        while time.monotonic() < end:
            n = next(numbers)
            put(server, "rolled", f"i{n % 7}", n={"N": str(n)})
        count = next(numbers)
        put(server, "rolled", "last", n={"N": str(count)})
        until(lambda: any('"last"' in line for line in following.out), "the last is printed")
        expected = {f"i{i}": list(range(i, count, 7)) for i in range(7)}
        expected["last"] = [count]
        found = following.until_printed(count + 1)
        assert in_order(found) == expected
        arn = {"StreamArn": stream_of(server, "rolled")}
        shards = server.wire.call("DescribeStream", arn)["StreamDescription"]["Shards"]
        assert len(shards) >= 8
        # Everything again, in one order.
        code, out, err = tail(server.endpoint, "rolled", "--json", "--once").ended()
        assert (code, err) == (0, [])
        records = [json.loads(line) for line in out]
        numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
        assert numbers == sorted(numbers)
        again = in_order(line for line in out if '"begin"' not in line)
        assert again == expected


def test_items_stay_in_order_where_shards_become_fewer(fresh_server, tmp_path, tail):
    """A shard that follows three names one of them as its parent."""
    options = "--data", tmp_path / "data", "--shard-age", "1s", "--durability", "os"
    server = fresh_server(*options, "--stream-shards", 3)
    server.wire.call("CreateTable", on_demand("fewer", "pk", "sk", StreamSpecification=STREAM))
    numbers = itertools.count()
    for _ in range(2):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            n = next(numbers)
            put(server, "fewer", f"i{n % 11}", n={"N": str(n)})
        server.stop()
        server = fresh_server(*options)
    count = next(numbers)
    code, out, _ = tail(server.endpoint, "fewer", "--json", "--once").ended()
    assert code == 0
    assert in_order(out) == {f"i{i}": list(range(i, count, 11)) for i in range(11)}


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_server_that_is_started_again(fresh_server, server_at, tmp_path, tail, end):
    data = "--data", tmp_path / "data"
    server = fresh_server(*data)
    server.wire.call("CreateTable", on_demand("again", "pk", "sk", StreamSpecification=STREAM))
    following = follow(tail, server, "again")
    put(server, "again", "a")
    following.until_printed(1)
    put(server, "again", "b")
    getattr(server, end)()
    until(lambda: following.err, "it says that the server is away")
    address = server.endpoint.removeprefix("http://")
    assert following.err[0].startswith(f"monotable: cannot reach {address}: ")
    server = server_at(server.port, *data)
    put(server, "again", "c")
    following.until_printed(3)
    put(server, "again", "d")
    following.until_printed(4)
    assert events(following.out) == [("INSERT", f'"{pk}" / "s"') for pk in "abcd"]
    assert len(following.err) == 2, following.err
    assert following.err[1] == "monotable: the server answers again"


def test_another_server_at_the_same_address(fresh_server, server_at, tail):
    """Its stream is not the one that was followed."""
    definition = on_demand("other", "pk", "sk", StreamSpecification=STREAM)
    server = fresh_server("--memory")
    server.wire.call("CreateTable", definition)
    following = follow(tail, server, "other")
    server.kill()
    server = server_at(server.port, "--memory")
    server.wire.call("CreateTable", definition)
    put(server, "other", "a")
    code, out, err = following.ended()
    assert (code, out) == (1, [])
    assert "ResourceNotFoundException" in err[-1]


def test_a_server_that_is_not_there(tail):
    code, out, err = tail("http://127.0.0.1:9", "table").ended()
    assert (code, out) == (1, [])
    assert "cannot reach 127.0.0.1:9" in err[0]


def test_a_table_that_is_not_there(server, tail):
    code, out, err = tail(server.endpoint, "nobody").ended()
    assert (code, out) == (1, [])
    text = "ResourceNotFoundException: Requested resource not found: Table: nobody not found"
    assert err == [f"monotable: {text}"]


def test_a_table_without_a_stream(server, make_table, tail):
    table = make_table(on_demand(name("plain"), "pk", "sk"))
    code, out, err = tail(server.endpoint, table).ended()
    assert (code, out) == (1, [])
    assert err[0].startswith(f"monotable: the table '{table}' has no stream")
    assert "StreamEnabled=true" in "\n".join(err)


def test_a_stream_that_is_disabled(server, table, tail):
    following = follow(tail, server, table)
    put(server, table, "a")
    disable(server, table)
    put(server, table, "b")
    code, out, err = following.ended()
    assert (code, events(out)) == (0, [("INSERT", '"a" / "s"')])
    assert len(err) == 1 and "is disabled: all of it has been printed" in err[0]
    # Later there is only what it has.
    code, out, err = tail(server.endpoint, table).ended()
    assert (code, out) == (0, [])
    assert "--from-start" in err[0]
    code, out, _ = tail(server.endpoint, table, "--from-start").ended()
    assert (code, events(out)[-1]) == (0, ("INSERT", '"a" / "s"'))


def test_a_certain_stream(server, table, tail):
    put(server, table, "first")
    arn = stream_of(server, table)
    disable(server, table)
    server.wire.call("UpdateTable", {"TableName": table, "StreamSpecification": STREAM})
    put(server, table, "second")
    for arguments, pk in [
        ([table], "second"),
        ([table, "--stream", arn], "first"),
        (["--stream", arn], "first"),
    ]:
        code, out, _ = tail(server.endpoint, *arguments, "--once").ended()
        assert (code, events(out)) == (0, [("INSERT", f'"{pk}" / "s"')])
    code, _, err = tail(server.endpoint, "elsewhere", "--stream", arn, "--once").ended()
    assert (code, f"a stream of the table '{table}'" in err[0]) == (1, True)
    code, _, err = tail(server.endpoint).ended()
    assert code == 2


def test_a_deletion_by_time_to_live(server, table, tail):
    specification = {"Enabled": True, "AttributeName": "until"}
    request = {"TableName": table, "TimeToLiveSpecification": specification}
    server.wire.call("UpdateTimeToLive", request)
    past = str(int(time.time()) - 10)
    following = follow(tail, server, table, "--event", "remove,modify")
    put(server, table, "a", until={"N": past})
    put(server, table, "b")
    remove(server, table, "b")
    expected = {
        ("REMOVE", f'"a" / "s" by time to live  until: {past}'),
        ("REMOVE", '"b" / "s"'),
    }
    assert set(events(following.until_printed(2))) == expected


def test_a_pipe_that_is_closed(server, table):
    """It ends by itself, though nothing happens that it could write."""
    put(server, table, "a")
    command = [servers.BINARY, "stream", "tail", table, "--endpoint", server.endpoint]
    following = subprocess.Popen(
        [*command, "--from-start"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=servers.environment(),
    )
    assert b"INSERT" in following.stdout.readline()
    following.stdout.close()
    assert following.wait(PATIENCE) == 0
    assert following.stderr.read() == b""
    following.stderr.close()


def test_a_pipe_that_is_closed_under_many_records(server, table):
    for n in range(2000):
        put(server, table, f"i{n}", fill={"S": "x" * 200})
    command = f"{servers.BINARY} stream tail {table} --endpoint {server.endpoint} --from-start"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -n 3"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=servers.environment(),
    )
    assert (done.returncode, done.stderr, len(done.stdout.splitlines())) == (0, "", 3)


def test_ctrl_c_ends_quietly(server, table, tail):
    following = follow(tail, server, table)
    following.process.send_signal(signal.SIGINT)
    code, out, err = following.ended()
    assert (code, out, err) == (-signal.SIGINT, [], [])


def on_terminal(*arguments, columns=80, env=None):
    """What a terminal shows of a command that ends by itself."""
    code, shown = terminal.on_terminal(
        "stream", "tail", *arguments, columns=columns, env={"NO_COLOR": "", **(env or {})}
    )
    assert code == 0, shown
    return shown.splitlines()


def test_terminals_get_colours_and_lines_that_fit(server, table):
    put(server, table, "a", text={"S": "x" * 500}, n={"N": "1"}, evil={"S": "\x1b[2J"})
    put(server, table, "a", n={"N": "2"}, evil={"S": "\x1b[2J"})
    remove(server, table, "a")
    arguments = table, "--endpoint", server.endpoint, "--once"
    lines = on_terminal(*arguments)
    for line, colour, event in zip(lines, ("32", "33", "31"), ("INSERT", "MODIFY", "REMOVE")):
        assert f"\x1b[{colour}m{event}\x1b[0m" in line
    assert "\x1b[2J" not in "".join(lines)
    for plain in (
        on_terminal(*arguments, "--no-color"),
        on_terminal(*arguments, env={"NO_COLOR": "1"}),
        on_terminal(*arguments, env={"TERM": "dumb"}),
    ):
        assert "\x1b" not in "".join(plain)
        assert [len(line) <= 80 for line in plain] == [True] * 3
        assert plain[1].endswith('MODIFY "a" / "s"  n: 1 -> 2, -text: "' + "x" * 16 + "...")
    wide = on_terminal(*arguments, "--no-color", columns=200)
    assert 80 < len(wide[0]) <= 200
    full = on_terminal(*arguments, "--no-color", "--full")
    assert "x" * 500 in full[0]


def test_the_endpoint_may_come_from_the_environment(server, table):
    put(server, table, "a")
    done = subprocess.run(
        [servers.BINARY, "stream", "tail", table, "--once"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=servers.environment({"MONOTABLE_ENDPOINT": server.endpoint}),
    )
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
