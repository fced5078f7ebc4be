"""`monotable verify` finds what is wrong with a data directory, names it, and changes nothing."""

import json
import shutil
import subprocess

import pytest

import server as servers
from definitions import index, on_demand
from server import PATIENCE

COUNT = 40


def verify(data, *options):
    """Looks at a directory: exit code, standard output, standard error."""
    done = subprocess.run(
        [servers.BINARY, "verify", str(data), *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=servers.environment(),
    )
    return done.returncode, done.stdout, done.stderr


def item(n, version=0):
    return {
        "pk": {"S": str(n)},
        "g": {"S": f"group {n % 3}"},
        "expires": {"N": str(4_000_000_000 + n)},
        "text": {"S": f"text {version} " * (n % 5 + 1)},
    }


def fill(server):
    table = on_demand("kept", "pk", (), "g:S", GlobalSecondaryIndexes=[index("gsi", "g")])
    table["StreamSpecification"] = {
        "StreamEnabled": True,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    }
    server.wire.call("CreateTable", table)
    ttl = {"Enabled": True, "AttributeName": "expires"}
    server.wire.call("UpdateTimeToLive", {"TableName": "kept", "TimeToLiveSpecification": ttl})
    for version in range(2):
        for n in range(COUNT):
            server.wire.call("PutItem", {"TableName": "kept", "Item": item(n, version)})


@pytest.fixture(scope="module")
def originals(start_server, tmp_path_factory):
    """Directories of a server that was stopped and of one that was killed."""
    made = {}
    for end in ["stopped", "killed"]:
        made[end] = tmp_path_factory.mktemp(end) / "data"
        with start_server("--data", made[end]) as server:
            fill(server)
            if end == "stopped":
                assert server.stop() == 0
            else:
                server.kill()
    return made


@pytest.fixture
def killed(originals, tmp_path):
    copy = tmp_path / "killed"
    shutil.copytree(originals["killed"], copy)
    return copy


@pytest.fixture(params=["stopped", "killed"])
def data(request, originals, tmp_path):
    """A copy of either."""
    copy = tmp_path / "data"
    shutil.copytree(originals[request.param], copy)
    return copy


def contents(data):
    return {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}


def test_a_healthy_directory_is_healthy_and_stays_as_it_is(data):
    before = contents(data)
    code, out, _ = verify(data)
    assert code == 0
    assert out.startswith(f"healthy; looked at 1 tables, {COUNT} items, {COUNT} index entries")
    assert contents(data) == before


def test_findings_come_as_json_too(data):
    code, out, _ = verify(data, "--json")
    end = json.loads(out)
    assert (code, end["findings"], end["read"]["items"]) == (0, 0, COUNT)
    (data / "FORMAT").write_text("monotable 999\n")
    code, out, _ = verify(data, "--json")
    finding, end = map(json.loads, out.splitlines())
    assert (code, end["findings"]) == (1, 1)
    assert finding["place"] == str(data / "FORMAT")
    assert "monotable 999" in finding["problem"]


def test_a_damaged_table_is_named_with_the_place(data):
    path = min(data.glob("store/keyspaces/*/tables/*"))
    content = bytearray(path.read_bytes())
    content[50] ^= 1
    path.write_bytes(content)
    for options in [(), ("--files-only",)]:
        code, out, _ = verify(data, *options)
        assert code == 1
        assert str(path) in out
        assert "at byte" in out


def test_a_torn_batch_is_no_damage(killed):
    path = max(killed.glob("store/*.jnl"), key=lambda path: int(path.stem))
    content = path.read_bytes().rstrip(b"\0")
    path.write_bytes(content + content[:40])
    code, out, err = verify(killed)
    assert (code, out.startswith("healthy")) == (0, True)
    assert str(path) in err


def test_a_directory_in_use_is_left_alone(start_server, tmp_path):
    data = tmp_path / "data"
    with start_server("--data", data):
        code, out, err = verify(data)
        assert (code, out) == (2, "")
        assert "in use by another running server" in err


@pytest.mark.parametrize("made", [None, "file", "other"])
def test_what_is_no_data_directory_is_not_looked_at(made, tmp_path):
    path = tmp_path / "it"
    if made == "file":
        path.write_text("")
    elif made == "other":
        path.mkdir()
        (path / "notes").write_text("")
    code, out, err = verify(path)
    assert (code, out) == (2, "")
    assert str(path) in err


def test_an_empty_directory_is_healthy(tmp_path):
    assert verify(tmp_path)[0] == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        ("lose-index-entries", "table kept, index gsi: "),
        ("lose-counts", "its counter says "),
        ("lose-changes", "its last change"),
        ("lose-expiries", "its expiry is not noted"),
    ],
)
def test_a_planted_fault_of_the_server_is_found(fault, finding, start_server, tmp_path):
    data = tmp_path / "data"
    with start_server("--data", data, env={"MONOTABLE_PLANTED": fault}) as server:
        fill(server)
        server.kill()
    code, out, _ = verify(data)
    assert code == 1
    assert finding in out


def test_a_directory_of_an_earlier_version_is_healthy(tmp_path):
    archives = sorted((servers.REPOSITORY / "tests/fixtures").glob("format-*.tar.gz"))
    assert archives
    for archive in archives:
        shutil.unpack_archive(archive, tmp_path)
        code, out, _ = verify(tmp_path / archive.name.removesuffix(".tar.gz"))
        assert code == 0, out
