"""Clients that are slow, stop half-way or do not listen: the server lets go of them, and others feel nothing."""

import json
import socket
import time

import pytest

import server as servers
from definitions import name, on_demand
from wire import headers

PATIENCE = 1
# What a busy machine may take beyond that.
GRACE = 20


@pytest.fixture(scope="module")
def impatient(start_server):
    with start_server("--memory", "--client-patience", f"{PATIENCE}s") as server:
        yield server


def head(operation, length, **changes):
    lines = [f"{name}: {value}" for name, value in headers(operation, **changes).items()]
    lines = ["POST / HTTP/1.1", "Host: localhost", *lines]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def read_to_the_end(connection):
    """What the server says before it closes, and how long that takes."""
    started = time.monotonic()
    connection.settimeout(PATIENCE + GRACE)
    found = b""
    try:
        while piece := connection.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found, time.monotonic() - started


def test_half_a_head_is_not_waited_for(impatient):
    with impatient.wire.socket() as connection:
        connection.sendall(head("ListTables", 2)[:50])
        found, _ = read_to_the_end(connection)
        assert b"200" not in found


def test_half_a_body_is_not_waited_for(impatient):
    with impatient.wire.socket() as connection:
        connection.sendall(head("ListTables", 100) + b"{")
        found, taken = read_to_the_end(connection)
        assert found.startswith(b"HTTP/1.1 408 ")
        assert b"connection: close" in found.lower()
        assert taken >= PATIENCE / 2


def test_a_byte_now_and_then_is_not_enough(impatient):
    with impatient.wire.socket() as connection:
        connection.sendall(head("ListTables", 1000))
        end = time.monotonic() + PATIENCE + GRACE
        connection.settimeout(PATIENCE / 5)
        found = b""
        while not found and time.monotonic() < end:
            try:
                connection.sendall(b" ")
                found = connection.recv(65536)
            except TimeoutError:
                pass
            except ConnectionError:
                break
        assert time.monotonic() < end, "a slow client is served for ever"


def test_a_client_that_says_nothing_is_let_go(impatient):
    with impatient.wire.socket() as connection:
        assert read_to_the_end(connection)[0] == b""


def test_an_answer_that_is_not_taken_is_not_kept(impatient):
    table = name()
    impatient.wire.call("CreateTable", on_demand(table))
    keys = [{"pk": {"S": str(number)}} for number in range(40)]
    for key in keys:
        item = {**key, "text": {"S": "x" * 390_000}}
        impatient.wire.call("PutItem", {"TableName": table, "Item": item})
    body = json.dumps({"RequestItems": {table: {"Keys": keys}}}).encode()
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(("127.0.0.1", impatient.wire.port))
    with deaf:
        deaf.sendall(head("BatchGetItem", len(body)) + body)
        end = time.monotonic() + PATIENCE + GRACE
        with pytest.raises(ConnectionError):
            while time.monotonic() < end:
                time.sleep(PATIENCE / 5)
                deaf.sendall(b" ")
    # Whoever listens gets all of it.
    answer = impatient.wire.post("BatchGetItem", body)
    assert answer.status == 200
    assert len(answer.json["Responses"][table]) == 40


def test_a_body_of_pieces_without_end_is_refused(impatient):
    with impatient.wire.socket() as connection:
        connection.sendall(head("PutItem", None, Transfer_Encoding="chunked"))
        piece = b"40000\r\n" + b" " * 0x40000 + b"\r\n"
        sent = 0
        try:
            while sent < 256 * 1024 * 1024:
                connection.sendall(piece)
                sent += len(piece)
        except ConnectionError:
            pass
        assert sent < 128 * 1024 * 1024


def test_a_request_that_is_sent_at_ease_is_read(impatient):
    # Slower than patience as a whole, but never silent for so long.
    body = json.dumps({"Limit": 1}).encode() + b" " * 200_000
    with impatient.wire.socket() as connection:
        connection.sendall(head("ListTables", len(body)))
        for start in range(0, len(body), 40_000):
            connection.sendall(body[start : start + 40_000])
            time.sleep(PATIENCE / 4)
        connection.settimeout(PATIENCE + GRACE)
        assert connection.recv(12) == b"HTTP/1.1 200"


def test_more_idle_connections_than_there_is_place_for(start_server, tmp_path, monkeypatch):
    limited = tmp_path / "limited.sh"
    limited.write_text(f"#!/bin/sh\nulimit -n 128\nexec '{servers.BINARY}' \"$@\"\n")
    limited.chmod(0o700)
    monkeypatch.setattr(servers, "BINARY", str(limited))
    with start_server("--memory") as server:
        idle = []
        for _ in range(300):
            connection = server.wire.socket()
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            idle.append(connection)
        assert server.wire.healthy()
        # The oldest had to go, the last is still there.
        idle[0].settimeout(GRACE)
        assert read_to_the_end(idle[0])[1] < GRACE
        idle[-1].sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert idle[-1].recv(65536).startswith(b"HTTP/1.1 200")
        for connection in idle:
            connection.close()
