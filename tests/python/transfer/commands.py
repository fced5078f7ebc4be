"""Runs `monotable export` and `monotable import`, and makes tables for them."""

import contextlib
import datetime
import json
import pathlib
import signal
import subprocess
import time

import server as servers
import terminal
from definitions import attributes, key, name
from server import PATIENCE, until
from wire import Wire

# One of every type, and what is easily lost on the way.
EVERY_TYPE = {
    "text": {"S": 'a "quoted", \n line \u00e9\U0001f600\u0000'},
    "empty": {"S": ""},
    "number": {"N": "12345678901234567890.123456789012345678"},
    "small": {"N": "0." + "0" * 129 + "1"},
    "large": {"N": "9" * 38 + "0" * 88},
    "negative": {"N": "-7"},
    "binary": {"B": "AAEC/w=="},
    "nothing": {"B": ""},
    "yes": {"BOOL": True},
    "no": {"BOOL": False},
    "null": {"NULL": True},
    "list": {"L": [{"N": "1"}, {"L": []}, {"M": {"deep": {"NS": ["3", "4"]}}}]},
    "map": {"M": {"a b": {"S": "x"}, "e": {"M": {}}, "bytes": {"B": "/w=="}}},
    "texts": {"SS": ["a", "b,c"]},
    "numbers": {"NS": ["-1", "2.5"]},
    "binaries": {"BS": ["AA==", "AQ=="]},
}


class Command:
    """A command that runs; its standard error and output are kept."""

    def __init__(self, server, *arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **options}
        endpoint = server if isinstance(server, str) else server.endpoint
        self.process = subprocess.Popen(
            [servers.BINARY, *map(str, arguments), "--endpoint", endpoint],
            stderr=subprocess.PIPE,
            env=servers.environment(),
            **options,
        )

    def ended(self, given=None):
        """The exit code, what was printed, and what was said."""
        try:
            out, err = self.process.communicate(given, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, out, err.decode()

    def kill(self):
        self.process.kill()
        self.ended()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    @property
    def running(self):
        return self.process.poll() is None


def run(server, *arguments, given=None, **options):
    """Runs a command to its end."""
    if given is not None:
        options["stdin"] = subprocess.PIPE
    return Command(server, *arguments, **options).ended(given)


def done(server, *arguments, **options):
    """Runs a command that succeeds; gives what it said."""
    code, out, err = run(server, *arguments, **options)
    assert code == 0, (out, err)
    return err


def on_terminal(server, *arguments, columns=80):
    """Exit code, and the lines that a terminal shows one after the other."""
    code, shown = terminal.on_terminal(*arguments, "--endpoint", server.endpoint, columns=columns)
    text = shown.replace("\x1b[2K", "").replace("\x1b[1A", "").replace("\r", "\n")
    return code, [line.rstrip() for line in text.split("\n") if line.strip()]


@contextlib.contextmanager
def served(port, data):
    """A server at a port that is given."""
    process = servers.Server("--port", port, "--data", data)
    try:
        process.wait_until_ready()
        process.wire = Wire(process.port)
        yield process
    finally:
        if process.running:
            process.kill()


def table(server, stem="people", partition="pk:S", sort="sk:S", recovery=False):
    """A new table."""
    made = name(stem)
    parts = [part for part in (partition, sort) if part]
    names = [part.split(":")[0] for part in parts]
    server.wire.call(
        "CreateTable",
        {
            "TableName": made,
            "AttributeDefinitions": attributes(*parts),
            "KeySchema": key(*names),
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    if recovery:
        enabled = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": made, "PointInTimeRecoverySpecification": enabled}
        server.wire.call("UpdateContinuousBackups", request)
    return made


def put(server, table, *items):
    for at in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[at : at + 25]]
        answer = server.wire.call("BatchWriteItem", {"RequestItems": {table: requests}})
        assert not answer["UnprocessedItems"]


def numbered(count, **more):
    """Items with keys of their own."""
    return [
        {"pk": {"S": f"p{n % 97}"}, "sk": {"S": f"{n:06}"}, "n": {"N": str(n)}, **more}
        for n in range(count)
    ]


def contents(server, table):
    """The items of a table by their keys, as text; sets in any order are one."""
    found, start = {}, {}
    while True:
        page = server.wire.call("Scan", {"TableName": table, "ConsistentRead": True, **start})
        for item in page["Items"]:
            found[identity(item)] = canonical(item)
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def identity(item):
    return json.dumps({part: item[part] for part in ("pk", "sk") if part in item}, sort_keys=True)


def canonical(item):
    return json.dumps(item, sort_keys=True)


def lines(text):
    """The items of DynamoDB JSON by their keys; none of them twice."""
    found = {}
    for line in text.splitlines():
        item = json.loads(line)["Item"]
        assert identity(item) not in found, "an item is there twice"
        found[identity(item)] = canonical(item)
    return found


def tables(server):
    return server.wire.call("ListTables", {})["TableNames"]


def moment():
    """A moment with nothing around it, as the command line takes it."""
    time.sleep(0.02)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    time.sleep(0.02)
    return now.replace("+00:00", "Z")


def record_of(file):
    return pathlib.Path(f"{file}.part.state")


def recorded(command, file, member, least):
    """Waits until the record says that something has come so far."""

    def far_enough():
        assert command.running, command.ended()
        try:
            state = json.loads(pathlib.Path(file).read_text())
        except FileNotFoundError:
            return None
        return state if state[member] >= least else None

    return until(far_enough, f"{member} is {least}")


def beside(file):
    """What lies beside a file and begins with its name."""
    return sorted(
        other.name for other in file.parent.iterdir() if other.name.startswith(file.name) and other != file
    )
