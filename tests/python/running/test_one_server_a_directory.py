"""A data directory belongs to one server at a time."""

from server import refusal


def test_a_second_server_on_a_directory_is_refused(fresh_server, tmp_path):
    data = tmp_path / "data"
    first = fresh_server("--data", data)
    code, err = refusal("--port", 0, "--data", data)
    assert code == 1
    assert str(data) in err
    assert first.wire.healthy()


def test_the_directory_is_free_again_once_the_server_has_ended(fresh_server, tmp_path):
    data = tmp_path / "data"
    first = fresh_server("--data", data)
    assert first.stop() == 0
    second = fresh_server("--data", data)
    second.kill()
    assert fresh_server("--data", data).wire.healthy()


def test_servers_on_different_directories_do_not_meet(fresh_server, tmp_path):
    from definitions import on_demand

    one, two = (fresh_server("--data", tmp_path / n) for n in ("one", "two"))
    one.wire.call("CreateTable", on_demand("only-here"))
    assert two.wire.call("ListTables", {}) == {"TableNames": []}


def test_a_directory_that_is_a_file_is_refused(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    code, err = refusal("--port", 0, "--data", file)
    assert code == 1
    assert str(file) in err
    assert file.read_text() == "mine"


def test_a_directory_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "letters").write_text("mine")
    code, err = refusal("--port", 0, "--data", tmp_path)
    assert code == 1
    assert str(tmp_path) in err
    assert (tmp_path / "letters").read_text() == "mine"


def test_a_directory_is_made_with_those_above_it(fresh_server, tmp_path):
    assert fresh_server("--data", tmp_path / "a/b/c").wire.healthy()
