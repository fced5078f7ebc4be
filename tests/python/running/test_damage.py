"""A damaged data directory is refused by name; nothing that was acknowledged is lost in silence."""

import shutil

import pytest

from definitions import index, on_demand
from server import Server
from wire import Wire

COUNT = 30


def item(n):
    return {"pk": {"S": str(n)}, "g": {"S": "x"}, "text": {"S": f"text {n} " * 20}}


@pytest.fixture(scope="module")
def stopped(start_server, tmp_path_factory):
    """A data directory with items in it, of a server that was stopped."""
    data = tmp_path_factory.mktemp("stopped") / "data"
    with start_server("--data", data) as server:
        fill(server)
        assert server.stop() == 0
    return data


@pytest.fixture(scope="module")
def killed(start_server, tmp_path_factory):
    """The same of a server that was killed."""
    data = tmp_path_factory.mktemp("killed") / "data"
    with start_server("--data", data) as server:
        fill(server)
        server.kill()
    return data


def fill(server):
    table = on_demand("kept", "pk", (), "g:S", GlobalSecondaryIndexes=[index("gsi", "g")])
    server.wire.call("CreateTable", table)
    for n in range(COUNT):
        server.wire.call("PutItem", {"TableName": "kept", "Item": item(n)})


def files(data):
    return sorted(path.relative_to(data) for path in data.rglob("*") if path.is_file())


def journal(data):
    """The newest journal with something in it, and where its content ends."""
    journals = sorted(data.rglob("*.jnl"), key=lambda path: int(path.stem))
    for path in reversed(journals):
        content = path.read_bytes().rstrip(b"\0")
        if content:
            return path, len(content)
    raise AssertionError("there is no journal with anything in it")


def flip(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 0x40
    path.write_bytes(content)


def outcome(data):
    """Starts a server: the words of its refusal, or None if it runs and has all items."""
    server = Server("--port", 0, "--data", data, "--log", "error")
    try:
        server.wait_until_ready()
    except AssertionError:
        code, _, err = server.ended()
        assert code == 1, err
        return err
    try:
        wire = Wire(server.port)
        for n in range(COUNT):
            answer = wire.post("GetItem", {"TableName": "kept", "Key": {"pk": {"S": str(n)}}})
            if answer.status == 500:
                # A failure that is told is not a silent loss.
                return str(data)
            assert answer.json == {"Item": item(n)}, "an item is lost and nobody said so"
        return None
    finally:
        server.kill()


@pytest.fixture(params=["stopped", "killed"])
def data(request, tmp_path):
    """A copy to be damaged."""
    copy = tmp_path / "data"
    shutil.copytree(request.getfixturevalue(request.param), copy)
    return copy


def test_an_undamaged_copy_is_served(data):
    assert outcome(data) is None


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_flipped_bit_in_the_journal_is_refused_by_name(data, part):
    path, length = journal(data)
    flip(path, int(length * part))
    err = outcome(data)
    assert err is not None
    assert str(data) in err
    assert path.name in err


def test_a_journal_that_is_cut_short_after_a_clean_stop_is_refused_by_name(stopped, tmp_path):
    copy = tmp_path / "data"
    shutil.copytree(stopped, copy)
    path, length = journal(copy)
    path.write_bytes(path.read_bytes()[: length // 2])
    err = outcome(copy)
    assert err is not None
    assert str(path) in err


def test_a_batch_that_was_torn_by_a_crash_is_no_damage(killed, tmp_path):
    """Bytes of a commit that was never acknowledged follow the last one."""
    copy = tmp_path / "data"
    shutil.copytree(killed, copy)
    path, length = journal(copy)
    content = path.read_bytes()
    torn = content[: length // 3][-40:]
    path.write_bytes(content[:length] + torn)
    assert outcome(copy) is None


def test_no_file_can_be_deleted_in_silence(data, tmp_path):
    for name in files(data):
        copy = tmp_path / "copy"
        shutil.copytree(data, copy)
        (copy / name).unlink()
        err = outcome(copy)
        assert err is None or str(copy) in err, f"{name}: {err}"
        shutil.rmtree(copy)


def test_no_bit_in_the_middle_of_a_file_can_be_flipped_in_silence(data, tmp_path):
    for name in files(data):
        size = (data / name).stat().st_size
        if size == 0:
            continue
        copy = tmp_path / "copy"
        shutil.copytree(data, copy)
        flip(copy / name, size // 2)
        err = outcome(copy)
        assert err is None or str(copy) in err, f"{name}: {err}"
        shutil.rmtree(copy)


def test_a_table_file_that_is_missing_is_named(data):
    tables = sorted(data.rglob("tables/*"))
    assert tables, "the store has no table files"
    for path in tables:
        path.unlink()
    err = outcome(data)
    assert err is not None
    assert any(str(path) in err for path in tables)


def test_a_format_of_another_version_is_left_alone(data):
    (data / "FORMAT").write_text("monotable 999\n")
    before = {name: (data / name).read_bytes() for name in files(data)}
    err = outcome(data)
    assert "FORMAT" in err
    assert {name: (data / name).read_bytes() for name in files(data)} == before
