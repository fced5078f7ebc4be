"""Logs go to standard error, as text or as JSON."""

import json


def logged(fresh_server, *arguments):
    server = fresh_server("--memory", *arguments)
    server.wire.call("ListTables", {})
    server.wire.refused("GetItem", {})
    server.stop()
    return server.ended()


def test_json_logs_are_one_object_a_line(fresh_server):
    _, _, err = logged(fresh_server, "--log-format", "json", "--log", "debug")
    entries = [json.loads(line) for line in err.splitlines()]
    assert entries
    assert all({"timestamp", "level"} <= set(entry) for entry in entries)
    assert {"INFO", "DEBUG"} <= {entry["level"] for entry in entries}


def test_text_logs_are_for_people(fresh_server):
    _, _, err = logged(fresh_server, "--log-format", "text")
    assert "INFO" in err
    assert not err.startswith("{")


def test_a_filter_keeps_logs_quiet(fresh_server):
    _, _, err = logged(fresh_server, "--log", "error")
    assert err == ""


def test_standard_output_has_only_the_greeting(fresh_server):
    _, out, _ = logged(fresh_server, "--log-format", "json", "--log", "debug")
    assert out.splitlines()[0].startswith("Monotable ")
    assert "{" not in out
