"""`monotable restore`: items become what they were, as docs/restore.md tells it."""

import datetime
import json
import re
import signal
import subprocess
import threading
import time

import pytest

import server as servers
import terminal
from definitions import attributes, key, name, on_demand
from server import PATIENCE, until
from terminal import settled

RECOVERY = {"PointInTimeRecoveryEnabled": True}
# Changes that take a restore long enough to be met on its way.
MANY = 8000


def create(server, table, definition=None):
    """A table with recovery on."""
    server.wire.call("CreateTable", definition or on_demand(table, "PK", "SK"))
    request = {"TableName": table, "PointInTimeRecoverySpecification": RECOVERY}
    server.wire.call("UpdateContinuousBackups", request)
    return table


@pytest.fixture
def table(server, make_table):
    made = make_table(on_demand(name("finance"), "PK", "SK"))
    request = {"TableName": made, "PointInTimeRecoverySpecification": RECOVERY}
    server.wire.call("UpdateContinuousBackups", request)
    return made


def put(server, table, pk, sk, amount):
    item = {"PK": {"S": pk}, "SK": {"S": sk}, "amount": {"N": str(amount)}}
    server.wire.call("PutItem", {"TableName": table, "Item": item})


def remove(server, table, pk, sk):
    server.wire.call("DeleteItem", {"TableName": table, "Key": {"PK": {"S": pk}, "SK": {"S": sk}}})


def fill(server, table, amount, count=MANY):
    for at in range(0, count, 25):
        puts = [
            {"PK": {"S": f"p{n:05}"}, "SK": {"S": "s"}, "amount": {"N": str(amount)}}
            for n in range(at, at + 25)
        ]
        requests = [{"PutRequest": {"Item": item}} for item in puts]
        server.wire.call("BatchWriteItem", {"RequestItems": {table: requests}})


def moment():
    """A moment with nothing around it, as the command line takes it."""
    time.sleep(0.02)
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
    time.sleep(0.02)
    return now.replace("+00:00", "Z").replace(".000Z", "Z")


def contents(server, table):
    """The amounts of all items by their keys."""
    found, start = {}, {}
    while True:
        page = server.wire.call("Scan", {"TableName": table, **start})
        for item in page["Items"]:
            found[item["PK"]["S"], item["SK"]["S"]] = int(item["amount"]["N"])
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def restores(server):
    """The restores that the server knows."""
    answer = server.wire.post("ListRestores", {}, X_Amz_Target="Monotable_1.ListRestores")
    assert answer.status == 200, answer
    return answer.json["Restores"]


def under_way(server, **expected):
    """The last restore, if it is on its way and has these members."""
    last = restores(server)[-1:]
    fits = last and all(last[0][name] == value for name, value in expected.items())
    if fits and last[0]["Status"] == "IN_PROGRESS" and last[0]["ChangesRead"] > 0:
        return last[0]["RestoreId"]
    assert not fits or last[0]["Status"] == "IN_PROGRESS", "too fast to be met"
    return None


class Restoring:
    """A restore that is waited for, without a terminal."""

    def __init__(self, server, *arguments):
        self.process = subprocess.Popen(
            [servers.BINARY, "restore", *map(str, arguments), "--endpoint", server.endpoint],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=servers.environment(),
            text=True,
        )

    def ended(self):
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


def on_terminal(server, *arguments, answer=None):
    return terminal.on_terminal(*arguments, "--endpoint", server.endpoint, answer=answer)


def test_the_transactions_of_a_tenant_while_the_table_is_in_use(server, table, monotable):
    """Restore just the transactions, do not touch the reports."""
    mine, other = "TENANT#1#BRANCH#2", "TENANT#10#BRANCH#1"
    for n in range(40):
        put(server, table, mine, f"TXN#{n:03}", n)
        put(server, table, other, f"TXN#{n:03}", n)
        put(server, table, mine, f"REPORT#{n:03}", n)
    to = moment()
    for n in range(30):
        put(server, table, mine, f"TXN#{n:03}", 1000 + n)
        put(server, table, other, f"TXN#{n:03}", 1000 + n)
        put(server, table, mine, f"REPORT#{n:03}", 1000 + n)
    for n in range(30, 35):
        remove(server, table, mine, f"TXN#{n:03}")
        remove(server, table, mine, f"REPORT#{n:03}")
        put(server, table, mine, f"TXN#9{n}", 1)
    before = contents(server, table)

    arguments = [
        "restore", table, "--to", to, "--pk-prefix", "TENANT#1#",
        "--where", "begins_with(SK, 'TXN#')", "--in-place",
    ]  # fmt: skip
    code, out, err = monotable(server, *arguments, "--dry-run")
    assert (code, err) == (0, "")
    heading, *samples = out.splitlines()
    assert heading == (
        f"40 items of '{table}' would become what they were at {to}: "
        "35 would change or come back, 5 would be deleted."
    )
    assert f'  MODIFY "{mine}" / "TXN#000"  amount: 1000 -> 0' in samples
    assert samples[-2:] == ["... and 30 more.", "Nothing has been written."]
    assert contents(server, table) == before

    stop, written = threading.Event(), {}

    def write():
        for n in range(10**9):
            if stop.is_set():
                return
            for pk, sk in [(mine, f"REPORT#L{n % 9}"), (other, f"TXN#L{n % 9}")]:
                put(server, table, pk, sk, n)
                written[pk, sk] = n

    writer = threading.Thread(target=write)
    writer.start()
    try:
        until(lambda: len(written) == 18, "the table is in use")
        code, out, err = monotable(server, *arguments, "--yes")
        count = len(written)
    finally:
        stop.set()
        writer.join()
    assert (code, err, count) == (0, "", 18)
    assert out == f"Put back 40 items of '{table}' as of {to}, 5 of them by deleting.\n"
    transactions = {(mine, f"TXN#{n:03}"): n for n in range(40)}
    untouched = {
        (pk, sk): amount
        for (pk, sk), amount in before.items()
        if pk == other or sk.startswith("REPORT#")
    }
    assert contents(server, table) == {**transactions, **untouched, **written}
    code, out, _ = monotable(server, *arguments, "--yes")
    text = f"Nothing to put back: '{table}' is as it was at {to}, as far as is meant.\n"
    assert (code, out) == (0, text)


def test_a_preview_tells_what_would_happen(server, table, monotable):
    put(server, table, "a", "changed", 1)
    put(server, table, "a", "gone", 2)
    to = moment()
    put(server, table, "a", "changed", 5)
    remove(server, table, "a", "gone")
    put(server, table, "a", "added", 3)
    arguments = "restore", table, "--to", to, "--in-place", "--dry-run"
    code, out, _ = monotable(server, *arguments)
    assert code == 0
    heading, *samples, last = out.splitlines()
    assert heading.endswith(": 1 would change, 1 would come back, 1 would be deleted.")
    assert sorted(samples) == [
        '  INSERT "a" / "gone"  amount: 2',
        '  MODIFY "a" / "changed"  amount: 5 -> 1',
        '  REMOVE "a" / "added"  amount: 3',
    ]
    assert last == "Nothing has been written."
    code, out, err = monotable(server, *arguments, "--json")
    described = json.loads(out)
    assert (code, err, described["DryRun"], described["Status"]) == (0, "", True, "COMPLETED")
    assert (described["ItemsWritten"], len(described["Samples"])) == (3, 3)
    # Beside another table, and without a word on where to.
    code, out, _ = monotable(server, *arguments[:4], "--dry-run", "--into", "copy")
    assert (code, out.startswith("In 'copy' 3 items would be as of ")) == (0, True)
    code, again, _ = monotable(server, *arguments[:4], "--dry-run")
    assert (code, again.splitlines()[0]) == (0, heading)
    assert len(contents(server, table)) == 2


def test_a_terminal_is_asked(server, table):
    put(server, table, "a", "s", 1)
    to = moment()
    put(server, table, "a", "s", 2)
    arguments = "restore", table, "--to", to, "--in-place"
    for answer in ["n\n", "\n", "\x04"]:
        code, shown = on_terminal(server, *arguments, answer=answer)
        assert code == 1
        shown = settled(shown)
        assert "\n  MODIFY \"a\" / \"s\"  amount: 2 -> 1\nPut back 1 item? [y/N] " in shown
        assert shown.endswith("monotable: nothing has been changed\n")
        assert contents(server, table) == {("a", "s"): 2}
    code, shown = on_terminal(server, *arguments, answer="y\n")
    assert (code, contents(server, table)) == (0, {("a", "s"): 1})
    assert settled(shown).endswith(f"? [y/N] y\nPut back 1 item of '{table}' as of {to}.\n")
    # There is nothing to ask about.
    code, shown = on_terminal(server, *arguments)
    assert code == 0
    assert settled(shown) == f"No item that is meant has changed since {to}: '{table}' is as it was.\n"
    put(server, table, "a", "s", 3)
    code, shown = on_terminal(server, *arguments, "--yes")
    assert (code, settled(shown)) == (0, f"Put back 1 item of '{table}' as of {to}.\n")


def test_without_a_terminal_a_word_is_needed(server, table, monotable):
    put(server, table, "a", "s", 1)
    to = moment()
    put(server, table, "a", "s", 2)
    known = len(restores(server))
    for extra in [[], ["--json"]]:
        code, out, err = monotable(server, "restore", table, "--to", to, "--in-place", *extra)
        assert (code, out) == (1, "")
        assert "--yes is needed" in err
    assert on_terminal(server, "restore", table, "--to", to, "--in-place", "--json")[0] == 1
    assert len(restores(server)) == known
    assert contents(server, table) == {("a", "s"): 2}


def test_into_a_table_of_its_own(server, table, make_table, monotable):
    for n in range(5):
        put(server, table, "a", f"TXN#{n}", n)
        put(server, table, "a", f"REPORT#{n}", n)
    to = moment()
    put(server, table, "a", "TXN#0", 100)
    remove(server, table, "a", "TXN#1")
    put(server, table, "a", "TXN#9", 9)
    before = contents(server, table)
    target = name("at-nine")
    arguments = [
        "restore", table, "--to", to, "--where", "begins_with(SK, 'TXN#')", "--into", target,
    ]  # fmt: skip
    try:
        code, out, err = monotable(server, *arguments)
        assert (code, err) == (0, "")
        assert out == f"The table '{target}' is there with 5 items, from '{table}' as of {to}.\n"
        assert contents(server, target) == {("a", f"TXN#{n}"): n for n in range(5)}
        assert contents(server, table) == before
        code, out, err = monotable(server, *arguments)
        assert (code, out) == (1, "")
        assert f"Table already exists: {target}" in err
    finally:
        server.wire.call("DeleteTable", {"TableName": target})


def test_a_file_of_keys(server, table, monotable, tmp_path):
    for sk in "abcd":
        put(server, table, "p", sk, 1)
    to = moment()
    for sk in "abcd":
        put(server, table, "p", sk, 2)
    file = tmp_path / "keys"
    file.write_text('{"PK": "p", "SK": "a"}\n\n{"SK": {"S": "c"}, "PK": {"S": "p"}}\n')
    arguments = "restore", table, "--to", to, "--in-place", "--yes", "--keys", file
    code, out, err = monotable(server, *arguments)
    assert (code, err, out.startswith("Put back 2 items of ")) == (0, "", True)
    expected = {("p", "a"): 1, ("p", "b"): 2, ("p", "c"): 1, ("p", "d"): 2}
    assert contents(server, table) == expected
    known = len(restores(server))
    many = "".join(f'{{"PK": "p", "SK": "{n}"}}\n' for n in range(2001))
    for content, text in [
        ('{"PK": "p", "SK": "a"}\n{"PK": "p"}\n', f"{file}, line 2: SK is missing"),
        ("PK,SK\n", f"{file}, line 1: not a key as JSON"),
        ('{"PK": 1, "SK": "a"}', f'{file}, line 1: PK is a string, which "1" is not'),
        (many, f"{file}, line 2001: a restore takes at most 2000 keys"),
        ("\n", f"{file} has no keys"),
    ]:
        file.write_text(content)
        code, out, err = monotable(server, *arguments)
        assert (code, out) == (1, "")
        assert err.startswith(f"monotable: {text}"), err
    file.unlink()
    code, out, err = monotable(server, *arguments)
    assert (code, err.startswith(f"monotable: cannot read {file}: ")) == (1, True)
    assert (len(restores(server)), contents(server, table)) == (known, expected)
    file.write_text("".join(many.splitlines(keepends=True)[:2000]))
    assert monotable(server, *arguments)[0] == 0


def test_keys_that_are_numbers(server, make_table, monotable, tmp_path):
    digits = "12345678901234567890123456789012345678"
    definition = {
        "AttributeDefinitions": attributes("id:N"),
        "KeySchema": key("id"),
        "BillingMode": "PAY_PER_REQUEST",
    }
    table = make_table({"TableName": name("numbers"), **definition})
    request = {"TableName": table, "PointInTimeRecoverySpecification": RECOVERY}
    server.wire.call("UpdateContinuousBackups", request)
    ids = ["-1.5", digits, "7"]

    def write(amount):
        for one in ids:
            item = {"id": {"N": one}, "amount": {"N": amount}}
            server.wire.call("PutItem", {"TableName": table, "Item": item})

    write("1")
    to = moment()
    write("2")
    file = tmp_path / "keys"
    file.write_text(f'{{"id": -15e-1}}\n{{"id": {digits}}}\n')
    arguments = "restore", table, "--to", to, "--in-place", "--yes"
    code, out, _ = monotable(server, *arguments, "--keys", file)
    assert (code, out.startswith("Put back 2 items of ")) == (0, True)
    items = server.wire.call("Scan", {"TableName": table})["Items"]
    found = {item["id"]["N"]: item["amount"]["N"] for item in items}
    assert found == {"-1.5": "1", digits: "1", "7": "2"}
    code, out, err = monotable(server, *arguments, "--pk-prefix", "1")
    assert (code, out) == (1, "")
    assert f"the partition key id of '{table}' is a number" in err


@pytest.mark.parametrize(
    "condition, text",
    [
        ("begins_with(SK", "--where cannot be understood: "),
        ("SK = 'a' ORDER BY PK", "--where cannot be understood: "),
        ("SK = ?", "--where cannot be understood: "),
    ],
)
def test_conditions_that_are_none(server, table, monotable, condition, text):
    arguments = "restore", table, "--to", "0s", "--dry-run", "--where", condition
    code, out, err = monotable(server, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"monotable: {text}"), err


def test_what_cannot_be_restored(server, table, make_table, monotable):
    plain = make_table(on_demand(name("plain"), "PK", "SK"))
    code, out, err = monotable(server, "restore", plain, "--to", "0s", "--in-place", "--yes")
    assert (code, out) == (1, "")
    assert err.startswith(f"monotable: point-in-time recovery is off for '{plain}'")
    assert "PointInTimeRecoveryEnabled=true" in err
    for arguments, text in [
        ((table, "--to", "2d"), "The restore time must be between "),
        ((table, "--to", "soon"), "'soon' is no time"),
        ((table, "--to", "2999-01-01T00:00:00Z"), "has not come yet"),
        (("nowhere", "--to", "1m"), "Table: nowhere not found"),
    ]:
        code, out, err = monotable(server, "restore", *arguments, "--in-place", "--yes")
        assert (code, out) == (1, "")
        assert text in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["t", "--to", "1h"],
        ["t", "--in-place"],
        ["--to", "1h", "--in-place"],
        ["t", "--to", "1h", "--in-place", "--into", "u"],
        ["t", "--list"],
        ["--list", "--watch", "1"],
        ["--watch", "1", "--in-place"],
        [],
    ],
)
def test_arguments_that_do_not_fit(server, monotable, arguments):
    code, out, err = monotable(server, "restore", *arguments)
    assert (code, out) == (2, "")
    assert "Usage: monotable restore" in err


def test_a_list_and_a_look_at_a_restore(fresh_server, monotable):
    server = fresh_server("--memory")
    code, out, err = monotable(server, "restore", "--list")
    assert (code, out) == (0, "")
    assert "there are no restores" in err
    create(server, "first")
    put(server, "first", "a", "s", 1)
    to = moment()
    put(server, "first", "a", "s", 2)
    code, out, _ = monotable(server, "restore", "first", "--to", to, "--dry-run")
    preview = out
    code, out, _ = monotable(server, "restore", "first", "--to", to, "--into", "second", "--no-wait")
    watch = f"monotable restore --watch 2 --endpoint {server.endpoint}"
    assert (code, out) == (0, f"The restore 2 has begun; {watch} waits for its end.\n")
    code, out, _ = monotable(server, "restore", "--watch", 2)
    assert (code, out) == (0, f"The table 'second' is there with 1 item, from 'first' as of {to}.\n")
    arguments = "restore", "first", "--to", to, "--in-place", "--yes", "--no-wait", "--json"
    code, out, _ = monotable(server, *arguments)
    assert (code, json.loads(out)["RestoreId"]) == (0, "3")
    code, out, _ = monotable(server, "restore", "--watch", 3)
    assert (code, out) == (0, f"Put back 1 item of 'first' as of {to}.\n")
    code, out, _ = monotable(server, "restore", "--watch", 1)
    assert (code, out) == (0, preview)
    code, out, _ = monotable(server, "restore", "--watch", 3, "--json")
    assert json.loads(out)["ItemsWritten"] == 1
    code, out, err = monotable(server, "restore", "--list")
    heading, *rows = [re.split(r"  +", line) for line in out.splitlines()]
    assert heading[:2] == ["ID", "STARTED"]
    assert [(row[0], *row[2:]) for row in rows] == [
        ("1", "first", to, "dry run", "completed", "1", "0", "0"),
        ("2", "first", to, "into second", "completed", "1", "0", "0"),
        ("3", "first", to, "in place", "completed", "1", "0", "0"),
    ]
    code, out, _ = monotable(server, "restore", "--list", "--json")
    assert [json.loads(line) for line in out.splitlines()] == restores(server)
    code, out, err = monotable(server, "restore", "--watch", 9)
    assert (code, out) == (1, "")
    assert "Restore: 9 not found" in err


@pytest.fixture
def many(fresh_server, tmp_path):
    """A server with a table of many items that have changed, and the moment before."""
    options = "--data", tmp_path / "data", "--durability", "os"
    server = fresh_server(*options)
    server.options = options
    create(server, "many")
    fill(server, "many", 1)
    server.to = moment()
    fill(server, "many", 2)
    return server


ALL_BACK = {(f"p{n:05}", "s"): 1 for n in range(MANY)}


def test_a_server_that_is_killed_meanwhile(many, server_at):
    restoring = Restoring(many, "many", "--to", many.to, "--in-place", "--yes")
    until(lambda: under_way(many, TableName="many"), "the restore is on its way")
    many.kill()
    time.sleep(0.7)
    again = server_at(many.port, *many.options)
    code, out, err = restoring.ended()
    assert (code, out) == (0, f"Put back {MANY} items of 'many' as of {many.to}.\n"), err
    away, back = [line for line in err.splitlines() if ": restore " not in line]
    assert away.startswith(f"monotable: cannot reach 127.0.0.1:{many.port}: ")
    assert away.endswith("; trying until it answers")
    assert back == "monotable: the server answers again"
    assert contents(again, "many") == ALL_BACK


def test_another_server_at_the_same_address(many, server_at, monotable):
    """It has a restore of the same number, which is not the one that is waited for."""
    restoring = Restoring(many, "many", "--to", many.to, "--in-place", "--yes")
    until(lambda: under_way(many), "the restore is on its way")
    many.kill()
    other = server_at(many.port, "--memory")
    create(other, "other")
    assert monotable(other, "restore", "other", "--to", "0s", "--dry-run")[0] == 0
    code, out, err = restoring.ended()
    assert (code, out) == (1, "")
    assert "does not know the restore 1: it is another one" in err


def test_ctrl_c_ends_the_waiting_only(many, monotable):
    restoring = Restoring(many, "many", "--to", many.to, "--in-place", "--yes")
    number = until(lambda: under_way(many), "the restore is on its way")
    restoring.process.send_signal(signal.SIGINT)
    code, out, err = restoring.ended()
    assert (code, out) == (130, "")
    assert f"the restore {number} goes on in the server" in err
    assert f"monotable restore --list --endpoint {many.endpoint}" in err
    assert f"monotable restore --watch {number} --endpoint {many.endpoint}" in err
    code, out, err = monotable(many, "restore", "--watch", number)
    assert (code, out) == (0, f"Put back {MANY} items of 'many' as of {many.to}.\n")
    assert contents(many, "many") == ALL_BACK


def test_a_bar_on_a_terminal(many):
    code, shown = on_terminal(many, "restore", "many", "--to", many.to, "--into", "copy")
    assert code == 0
    assert re.search(rf"copying, \d+ of {MANY} items \[=*>? *\] \d+%", shown)
    assert re.search(r"going back in time, \d+ changes", shown)
    end = f"The table 'copy' is there with {MANY} items, from 'many' as of {many.to}.\n"
    assert shown.endswith(end)
    # The bar is taken away before the end is told.
    assert shown.removesuffix(end).endswith("\x1b[2K")


def test_an_item_that_others_change_meanwhile_is_left_alone(many, monotable):
    put(many, "many", "hot", "s", 0)
    stop, last = threading.Event(), []

    def write():
        # The restore reads the newest changes first, and writes after it has read all.
        until(lambda: stop.is_set() or under_way(many), "the restore is on its way")
        while not stop.is_set():
            last.append(len(last) + 1)
            put(many, "many", "hot", "s", last[-1])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        arguments = "restore", "many", "--to", many.to, "--in-place", "--yes"
        code, out, _ = monotable(many, *arguments)
    finally:
        stop.set()
        writer.join()
    assert (code, out) == (
        0,
        f"Put back {MANY} items of 'many' as of {many.to}.\n"
        "1 item was changed by others meanwhile and left alone; to put it back, too, restore "
        f"again with --to {many.to}\n",
    )
    assert contents(many, "many") == {**ALL_BACK, ("hot", "s"): last[-1]}
    code, out, _ = monotable(many, *arguments)
    assert (code, out) == (
        0,
        f"Put back 1 item of 'many' as of {many.to}, by deleting it.\n",
    )
    assert contents(many, "many") == ALL_BACK


def test_a_table_that_is_deleted_meanwhile(many):
    restoring = Restoring(many, "many", "--to", many.to, "--in-place", "--yes")
    number = until(lambda: under_way(many), "the restore is on its way")
    many.wire.call("DeleteTable", {"TableName": "many"})
    code, out, err = restoring.ended()
    assert (code, out) == (1, "")
    assert f"monotable: the restore {number} has failed: the table is not in use any more" in err
