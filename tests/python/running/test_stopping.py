"""A server that is told to stop finishes what it has begun."""

import http.client
import json
import signal
import socket

import pytest

from definitions import on_demand
from server import until
from wire import headers

KEY = {"pk": {"S": "1"}}


def refuses_connections(server):
    try:
        socket.create_connection(("127.0.0.1", server.port), timeout=60).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        # It was still in the queue when the server stopped listening.
        return False
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_without_an_error(fresh_server, tmp_path, number):
    server = fresh_server("--data", tmp_path / "data")
    server.process.process.send_signal(number)
    code, _, _ = server.ended()
    assert code == 0


def test_idle_connections_do_not_keep_the_server(fresh_server):
    server = fresh_server("--memory")
    idle = [server.wire.socket() for _ in range(5)]
    used = server.wire.connect()
    used.request("POST", "/", b"{}", headers("ListTables"))
    used.getresponse().read()
    assert server.stop() == 0
    for connection in idle:
        connection.close()
    used.close()


def test_a_request_that_is_under_way_is_answered(fresh_server, tmp_path):
    server = fresh_server("--data", tmp_path / "data")
    server.wire.call("CreateTable", on_demand("kept"))
    body = json.dumps({"TableName": "kept", "Item": KEY}).encode()
    connection = server.wire.connect()
    connection.putrequest("POST", "/")
    sent = headers("PutItem", Content_Length=str(len(body)), Expect="100-continue")
    for name, value in sent.items():
        connection.putheader(name, value)
    connection.endheaders()
    # The server asks for the body, so the request is under way.
    assert connection.sock.recv(25, socket.MSG_WAITALL).startswith(b"HTTP/1.1 100")
    connection.send(body[:10])
    server.terminate()
    until(lambda: refuses_connections(server), "no more connections are taken")
    assert server.running
    connection.send(body[10:])
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())) == (200, {})
    connection.close()
    assert server.stop() == 0
    server = fresh_server("--data", tmp_path / "data")
    assert server.wire.call("GetItem", {"TableName": "kept", "Key": KEY}) == {"Item": KEY}


def test_what_is_carried_out_is_answered(fresh_server, tmp_path):
    """Requests that come just when the server stops are answered, or have not happened."""
    server = fresh_server("--data", tmp_path / "data")
    server.wire.call("CreateTable", on_demand("kept"))
    connections = [server.wire.connect() for _ in range(100)]
    for connection in connections:
        connection.request("GET", "/health")
        connection.getresponse().read()
    keys = [{"pk": {"S": str(number)}} for number in range(len(connections))]
    for number, (connection, key) in enumerate(zip(connections, keys)):
        if number == len(connections) // 2:
            server.terminate()
        try:
            body = json.dumps({"TableName": "kept", "Item": key}).encode()
            connection.request("POST", "/", body, headers("PutItem"))
        except OSError:
            pass
    unanswered = [key for key, connection in zip(keys, connections) if not answers(connection)]
    assert server.stop() == 0
    server = fresh_server("--data", tmp_path / "data")
    for key in unanswered:
        assert server.wire.call("GetItem", {"TableName": "kept", "Key": key}) == {}


def answers(connection):
    try:
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
