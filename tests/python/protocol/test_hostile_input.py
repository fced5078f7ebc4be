"""Whatever comes in: an answer or a closed connection, and a server that is well after it."""

import json
import random
import socket

import pytest

from definitions import name, on_demand
from wire import headers

DEEP = 100_000


@pytest.fixture(autouse=True)
def still_healthy(server):
    yield
    assert server.running
    assert server.wire.healthy()


@pytest.fixture(scope="module")
def table(server):
    table = name("hostile")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def deep(opening, closing, inside=""):
    return opening * DEEP + inside + closing * DEEP


DEEP_BODIES = {
    "lists": deep("[", "]"),
    "open lists": "[" * DEEP,
    "objects": deep('{"a":', "}", "1"),
    "open objects": '{"a":' * DEEP,
    "a list for an unknown member": '{"Unknown":%s}' % deep("[", "]"),
    "objects for an unknown member": '{"Unknown":%s}' % deep('{"a":', "}", "1"),
    "a list for a name": '{"TableName":%s}' % deep("[", "]"),
    "an item of lists": '{"TableName":"TABLE","Item":{"pk":%s}}'
    % deep('{"L":[', "]}", '{"S":"x"}'),
    "an item of maps": '{"TableName":"TABLE","Item":{"pk":%s}}'
    % deep('{"M":{"a":', "}}", '{"S":"x"}'),
    "an item that does not end": '{"TableName":"TABLE","Item":{"pk":' + '{"L":[' * DEEP,
    "an unknown type in a value": '{"TableName":"TABLE","Item":{"pk":{"X":%s}}}' % deep("[", "]"),
}


@pytest.mark.parametrize("operation", ["PutItem", "ListTables", "Query", "Nothing"])
@pytest.mark.parametrize("body", DEEP_BODIES.values(), ids=DEEP_BODIES)
def test_json_of_a_hundred_thousand_levels_is_answered(wire, table, operation, body):
    answer = wire.post(operation, body.replace("TABLE", table).encode())
    assert answer.status in (200, 400)


def exchange(wire, data):
    """Sends bytes and reads until the server closes, or for as long as it says nothing."""
    with wire.socket() as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer
        except OSError:
            # The server has closed already.
            return b""


GARBAGE = {
    "nothing": b"",
    "an empty line": b"\r\n\r\n",
    "no HTTP": b"hello\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "another version": b"GET / HTTP/9.9\r\n\r\n",
    "a TLS hello": bytes.fromhex("16030100a5010000a10303") + bytes(160),
    "the preface of HTTP/2 and rubbish": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 200,
    "a length that is negative": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n{}",
    "a length that is no number": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: five\r\n\r\n{}",
    "two lengths": b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "a length and chunks": (
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"0\r\n\r\n"
    ),
    "bad chunks": b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "a chunk of absurd size": (
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}"
    ),
    "a body that is cut off": b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    "a header without a colon": b"POST / HTTP/1.1\r\nHost x\r\n\r\n",
    "a header with a zero byte": b"POST / HTTP/1.1\r\nHost: x\x00y\r\n\r\n",
    "a header of a megabyte": (
        b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n"
    ),
    "a header that does not end": b"POST / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * (1 << 20),
    "a header that is not ASCII": "POST / HTTP/1.1\r\nHost: \u00e9\r\n\r\n".encode(),
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_request_is_answered_or_let_go(wire, data):
    answer = exchange(wire, data)
    assert answer == b"" or answer.startswith((b"HTTP/1.", b"\x00\x00"))


def test_random_bytes_are_answered_or_let_go(wire):
    dice = random.Random(20260101)
    for _ in range(100):
        answer = exchange(wire, dice.randbytes(dice.randrange(1, 2000)))
        assert answer == b"" or answer.startswith(b"HTTP/1.")


def test_random_bodies_are_refused(wire):
    dice = random.Random(20260102)
    for _ in range(200):
        answer = wire.post("PutItem", dice.randbytes(dice.randrange(1, 500)))
        assert answer.status == 400


def test_a_request_with_random_changes_is_answered(wire, table):
    dice = random.Random(20260103)
    item = {"pk": {"S": "1"}, "a": {"L": [{"M": {"b": {"NS": ["1", "2"]}}}, {"B": "YQ=="}]}}
    good = json.dumps({"TableName": table, "Item": item, "ReturnValues": "ALL_OLD"}).encode()
    for _ in range(500):
        body = bytearray(good)
        for _ in range(dice.randrange(1, 4)):
            place = dice.randrange(len(body))
            choice = dice.randrange(3)
            if choice == 0:
                body[place] = dice.randrange(256)
            elif choice == 1:
                del body[place]
            else:
                body[place:place] = dice.choice([b"{", b"}", b"[", b'"', b",", b":", b"null", b"1"])
        assert wire.post("PutItem", bytes(body)).status in (200, 400)


@pytest.mark.parametrize(
    "text", [b"\\ud800", b"\\udc00x", b"\\ud800\\ud800", b"\xed\xa0\x80", b"\xff"]
)
def test_text_that_is_no_unicode_is_answered(wire, table, text):
    body = b'{"TableName": "%s", "Item": {"pk": {"S": "%s"}}}' % (table.encode(), text)
    answer = wire.post("PutItem", body)
    assert answer.status in (200, 400)
    answer.body.decode()


@pytest.mark.parametrize("sent", [0, 1, 50])
def test_a_client_that_goes_away_in_the_middle_of_a_body_does_no_harm(wire, sent):
    for _ in range(20):
        connection = wire.connect()
        connection.putrequest("POST", "/")
        for name_, value in headers("PutItem", Content_Length="100").items():
            connection.putheader(name_, value)
        connection.endheaders(b"{" * sent if sent else None)
        connection.close()


def test_a_client_that_does_not_wait_for_answers_does_no_harm(wire, table):
    body = json.dumps({"TableName": table, "Item": {"pk": {"S": "left"}}}).encode()
    for _ in range(20):
        connection = wire.connect()
        connection.request("POST", "/", body, headers("PutItem"))
        connection.close()
