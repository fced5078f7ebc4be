"""A server that keeps everything in memory leaves nothing behind."""

from definitions import on_demand

ITEM = {"pk": {"S": "1"}}


def test_nothing_is_left_on_disk(fresh_server, tmp_path):
    directories = {
        variable: tmp_path / variable.lower()
        for variable in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "TMPDIR")
    }
    work = tmp_path / "work"
    for directory in [work, *directories.values()]:
        directory.mkdir()
    variables = {variable: str(directory) for variable, directory in directories.items()}
    server = fresh_server("--memory", env=variables, cwd=work)
    server.wire.call("CreateTable", on_demand("gone"))
    server.wire.call("PutItem", {"TableName": "gone", "Item": ITEM})
    assert server.wire.call("GetItem", {"TableName": "gone", "Key": ITEM}) == {"Item": ITEM}
    assert server.stop() == 0
    assert [path for path in tmp_path.rglob("*") if not path.is_dir()] == []


def test_nothing_is_known_to_the_next_server(fresh_server):
    first = fresh_server("--memory")
    first.wire.call("CreateTable", on_demand("gone"))
    first.stop()
    assert fresh_server("--memory").wire.call("ListTables", {}) == {"TableNames": []}
