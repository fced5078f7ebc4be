"""Connections: kept, closed when asked, and used for several requests at once."""

import http.client
import json

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
