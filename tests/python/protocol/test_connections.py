"""Connections: kept, closed when asked, and used for several requests at once."""

import http.client
import json
import socket as sockets
import time

import pytest

from definitions import name, on_demand
from wire import headers


def request_bytes(operation, body, **changes):
    lines = [f"{name}: {value}" for name, value in headers(operation, **changes).items()]
    head = ["POST / HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def read_answer(stream):
    """Reads one answer off a stream and leaves what follows."""
    status = int(stream.readline().split()[1])
    found = http.client.parse_headers(stream)
    return status, found, stream.read(int(found["Content-Length"]))


def test_a_connection_is_kept_for_further_requests(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        for _ in range(5):
            socket.sendall(request_bytes("ListTables", b"{}"))
            status, found, _ = read_answer(stream)
            assert status == 200
            assert found.get("Connection", "keep-alive").lower() != "close"


def test_a_connection_is_kept_after_an_error(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        for body, expected in [(b"{", 400), (b'{"Limit": 0}', 400), (b"{}", 200)]:
            socket.sendall(request_bytes("ListTables", body))
            assert read_answer(stream)[0] == expected


def test_a_connection_is_closed_when_asked(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(request_bytes("ListTables", b"{}", Connection="close"))
        status, found, _ = read_answer(stream)
        assert status == 200
        assert found["Connection"].lower() == "close"
        assert stream.read() == b""


def test_requests_sent_together_are_answered_in_order(wire, make_table):
    table = make_table(on_demand(name()))
    key = {"pk": {"S": "1"}}
    put = json.dumps({"TableName": table, "Item": key}).encode()
    get = json.dumps({"TableName": table, "Key": key}).encode()
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(
            request_bytes("PutItem", put)
            + request_bytes("GetItem", get)
            + request_bytes("ListTables", b"{")
        )
        assert json.loads(read_answer(stream)[2]) == {}
        assert json.loads(read_answer(stream)[2]) == {"Item": key}
        assert read_answer(stream)[0] == 400


def test_many_requests_sent_together_happen_in_order(wire, make_table):
    """As HTTP/1 has it: the next is not begun before the last is answered."""
    update = json.dumps(
        {
            "TableName": make_table(on_demand(name())),
            "Key": {"pk": {"S": "1"}},
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
            "ReturnValues": "UPDATED_NEW",
        }
    ).encode()
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(300 * request_bytes("UpdateItem", update))
        for expected in range(1, 301):
            status, _, body = read_answer(stream)
            assert (status, json.loads(body)) == (200, {"Attributes": {"n": {"N": str(expected)}}})


def test_an_old_client_gets_one_answer(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(request_bytes("ListTables", b"{}").replace(b"HTTP/1.1", b"HTTP/1.0"))
        assert read_answer(stream)[0] == 200
        assert stream.read() == b""


def test_an_old_client_keeps_its_connection_if_it_likes(wire):
    request = request_bytes("ListTables", b"{}", Connection="Keep-Alive")
    with wire.socket() as socket, socket.makefile("rb") as stream:
        for _ in range(2):
            socket.sendall(request.replace(b"HTTP/1.1", b"HTTP/1.0"))
            status, found, _ = read_answer(stream)
            assert (status, found["Connection"].lower()) == (200, "keep-alive")


def test_a_client_that_sends_nothing_more_is_still_answered(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(2 * request_bytes("ListTables", b"{}"))
        socket.shutdown(sockets.SHUT_WR)
        assert [read_answer(stream)[0] for _ in range(2)] == [200, 200]
        assert stream.read() == b""


def test_an_answer_to_head_has_no_body(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + request_bytes("ListTables", b"{}"))
        assert stream.readline().split()[1] == b"404"
        http.client.parse_headers(stream)
        assert read_answer(stream)[0] == 200


def test_a_body_that_nobody_reads_is_not_taken_for_a_request(wire):
    unread = request_bytes("ListTables", b"GET /health HTTP/1.1\r\n\r\n").replace(b"POST", b"PUT", 1)
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(unread + request_bytes("ListTables", b"{}"))
        assert read_answer(stream)[0] == 404
        assert json.loads(read_answer(stream)[2])["TableNames"] is not None


def test_a_target_may_name_the_host(wire):
    request = request_bytes("ListTables", b"{}").replace(b"POST /", b"POST http://localhost:1/", 1)
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(request)
        assert read_answer(stream)[0] == 200


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_a_body_in_chunks_ends_where_the_next_request_begins(wire, piece):
    head = request_bytes("ListTables", b"", Transfer_Encoding="chunked")
    head = head.replace(b"Content-Length: 0\r\n", b"")
    chunks = b'7;name="value"\r\n{"Limit\r\n005\r\n": 1}\r\n0\r\nTrailer: x\r\n\r\n'
    data = head + chunks + request_bytes("ListTables", b"{}")
    with wire.socket() as socket, socket.makefile("rb") as stream:
        for start in range(0, len(data), piece):
            socket.sendall(data[start : start + piece])
        assert [read_answer(stream)[0] for _ in range(2)] == [200, 200]


def test_a_body_in_chunks_ends_with_the_last_of_them(wire):
    """Nothing that comes behind it is waited for."""
    head = request_bytes("ListTables", b"", Transfer_Encoding="chunked")
    head = head.replace(b"Content-Length: 0\r\n", b"")
    body = b"2\r\n{}\r\n0\r\n\r\n"
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.settimeout(20)
        for cut in range(len(body) + 1):
            socket.sendall(head + body[:cut])
            time.sleep(0.02)
            socket.sendall(body[cut:])
            assert read_answer(stream)[0] == 200


def test_nothing_is_read_behind_chunks_that_are_none(wire):
    head = request_bytes("ListTables", b"", Transfer_Encoding="chunked")
    head = head.replace(b"Content-Length: 0\r\n", b"")
    inside = b"Content-Length: 0\r\n\r\n" + request_bytes("ListTables", b"{}")
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(head + b"2\r\n{}")
        time.sleep(0.05)
        socket.sendall(b"\r\n%x / HTTP/1.1\r\n%s\r\n0\r\n\n" % (len(inside), inside))
        status, found, _ = read_answer(stream)
        assert (status, found["Connection"].lower()) == (400, "close")
        assert stream.read() == b""


@pytest.mark.parametrize(
    "field",
    ["Transfer-Encoding: chunked", "Content-Length: 3", "Transfer-Encoding: gzip", "X : y", "X: a\r\n b"],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused(wire, field):
    """A proxy in front could see other requests than the server."""
    request = request_bytes("ListTables", b"{}")
    request = request.replace(b"Host:", field.encode() + b"\r\nHost:", 1)
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(request + request_bytes("ListTables", b"{}"))
        status, found, _ = read_answer(stream)
        assert (status, found["Connection"].lower()) == (400, "close")
        assert stream.read() == b""


def test_a_request_that_comes_byte_by_byte_is_read(wire):
    with wire.socket() as socket, socket.makefile("rb") as stream:
        for byte in request_bytes("ListTables", b"{}"):
            socket.sendall(bytes([byte]))
        assert read_answer(stream)[0] == 200


def test_a_client_that_is_told_to_go_on_goes_on(wire):
    request = request_bytes("ListTables", b"{}", Expect="100-continue")
    head, body = request[:-2], request[-2:]
    with wire.socket() as socket, socket.makefile("rb") as stream:
        socket.sendall(head)
        assert stream.readline().split()[1] == b"100"
        assert stream.readline() == b"\r\n"
        socket.sendall(body)
        assert read_answer(stream)[0] == 200


def test_many_connections_are_served_side_by_side(wire):
    sockets = [wire.socket() for _ in range(100)]
    for socket in sockets:
        socket.sendall(request_bytes("ListTables", b"{}"))
    for socket in sockets:
        with socket, socket.makefile("rb") as stream:
            assert read_answer(stream)[0] == 200
