"""Settings come from flags, then the environment, then a file, then the defaults."""

import socket

import pytest

from definitions import on_demand
from server import Server, refusal


def shown(server):
    """Where the data is, as the server says when it starts."""
    (line,) = [line for line in server.out if line.startswith("  data ")]
    return line.removeprefix("  data").strip()


@pytest.fixture
def config(tmp_path):
    """Writes a settings file and gives its path."""

    def write(text):
        path = tmp_path / "settings.toml"
        path.write_text(text)
        return path

    return write


def test_a_flag_wins_over_the_environment_and_that_over_the_file(fresh_server, tmp_path, config):
    flag, env, file = (tmp_path / source for source in ("flag", "env", "file"))
    path = config(f'data = "{file}"\n')
    for arguments, variables, expected in [
        (["--data", flag], {"MONOTABLE_DATA": str(env)}, flag),
        ([], {"MONOTABLE_DATA": str(env)}, env),
        ([], {}, file),
    ]:
        server = fresh_server("--config", path, *arguments, env=variables)
        assert shown(server) == str(expected)
        server.stop()
    assert flag.exists() and env.exists() and file.exists()


def test_the_file_may_be_named_in_the_environment(fresh_server, tmp_path, config):
    path = config(f'data = "{tmp_path / "here"}"\n')
    server = fresh_server(env={"MONOTABLE_CONFIG": str(path)})
    assert shown(server) == str(tmp_path / "here")


def test_every_setting_has_a_name_in_the_file(fresh_server, tmp_path, config):
    path = config(
        f'host = "127.0.0.1"\ndata = "{tmp_path / "data"}"\ndurability = "os"\n'
        'table-delay = "1h"\nlog = "debug"\nlog-format = "json"\nno-auth = true\n'
    )
    server = fresh_server("--config", path)
    server.wire.call("CreateTable", on_demand("slow"))
    found = server.wire.call("DescribeTable", {"TableName": "slow"})["Table"]
    assert found["TableStatus"] == "CREATING"
    assert "os" in shown(server)


def test_every_setting_has_a_name_in_the_environment(fresh_server, tmp_path):
    server = fresh_server(
        env={
            "MONOTABLE_HOST": "127.0.0.1",
            "MONOTABLE_MEMORY": "true",
            "MONOTABLE_TABLE_DELAY": "1h",
            "MONOTABLE_LOG": "debug",
            "MONOTABLE_LOG_FORMAT": "json",
            "MONOTABLE_NO_AUTH": "true",
        }
    )
    server.wire.call("CreateTable", on_demand("slow"))
    found = server.wire.call("DescribeTable", {"TableName": "slow"})["Table"]
    assert found["TableStatus"] == "CREATING"
    assert "memory" in shown(server)


def test_the_port_may_be_chosen_anywhere(tmp_path, config):
    for source in ("flag", "env", "file"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        arguments = {
            "flag": ["--port", port],
            "env": [],
            "file": ["--config", config(f"port = {port}\n")],
        }
        variables = {"MONOTABLE_PORT": str(port)} if source == "env" else {}
        server = Server("--memory", *arguments[source], env=variables).wait_until_ready()
        try:
            assert server.port == port
        finally:
            server.stop()


def test_the_default_directory_is_below_the_users_data(fresh_server, tmp_path):
    server = fresh_server(env={"HOME": str(tmp_path), "XDG_DATA_HOME": ""})
    assert shown(server) == str(tmp_path / ".local/share/monotable")
    server.stop()
    server = fresh_server(env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "xdg")})
    assert shown(server) == str(tmp_path / "xdg/monotable")


def test_flags_for_memory_and_data_replace_what_the_file_says(fresh_server, tmp_path, config):
    path = config(f'data = "{tmp_path / "file"}"\n')
    assert "memory" in shown(fresh_server("--config", path, "--memory"))
    path = config("memory = true\n")
    server = fresh_server("--config", path, "--data", tmp_path / "flag")
    assert shown(server) == str(tmp_path / "flag")


BAD = {
    "unknown flag": (["--colour"], {}, None, "--colour"),
    "port that is no number": (["--port", "http"], {}, None, "http"),
    "port that is too large": (["--port", "65536"], {}, None, "65536"),
    "host that is no address": (["--host", "nowhere"], {}, None, "nowhere"),
    "port of the environment": ([], {"MONOTABLE_PORT": "http"}, None, "http"),
    "delay that is no time": (["--memory", "--table-delay", "soon"], {}, None, "soon"),
    "durability that is not there": (["--durability", "maybe"], {}, None, "maybe"),
    "log format that is not there": (["--log-format", "xml"], {}, None, "xml"),
    "log filter that makes no sense": (["--memory", "--log", "a=b=c"], {}, None, "a=b=c"),
    "memory and data": (["--memory", "--data", "x"], {}, None, "--data"),
    "other machines without a word": (["--memory", "--host", "0.0.0.0"], {}, None, "--no-auth"),
    "unknown name in the file": ([], {}, "prot = 1\n", "prot"),
    "wrong kind in the file": ([], {}, 'port = "x"\n', "port"),
    "file that is no TOML": ([], {}, "= 1\n", "settings.toml"),
    "memory and data in the file": ([], {}, 'memory = true\ndata = "/x"\n', "--memory"),
}


@pytest.mark.parametrize("arguments, variables, text, word", BAD.values(), ids=BAD)
def test_bad_settings_are_refused_by_name(config, tmp_path, arguments, variables, text, word):
    named = [] if text is None else ["--config", config(text)]
    code, err = refusal(*arguments, *named, env=variables, cwd=tmp_path)
    assert code in (1, 2)
    assert word in err
    assert "panicked" not in err


def test_a_settings_file_that_is_not_there_is_named(tmp_path):
    code, err = refusal("--config", tmp_path / "absent.toml")
    assert code == 1
    assert str(tmp_path / "absent.toml") in err


def test_a_port_that_is_taken_is_named(fresh_server):
    server = fresh_server("--memory")
    code, err = refusal("--memory", "--port", server.port)
    assert code == 1
    assert str(server.port) in err
    assert server.wire.healthy()


def test_the_program_tells_its_version_and_its_use():
    for arguments, word in [
        (["--version"], "monotable"),
        (["--help"], "serve"),
        (["serve", "--help"], "--table-delay"),
    ]:
        server = Server(*arguments, serve=False)
        code, out, _ = server.ended()
        assert code == 0
        assert word in out


def test_other_machines_are_served_when_told_to(fresh_server):
    assert fresh_server("--memory", "--host", "0.0.0.0", "--no-auth").wire.healthy()
