"""How large a request may be."""

import pytest

from wire import headers

MOST = 16 * 1024 * 1024


def body(size):
    return b"{" + b" " * (size - 2) + b"}"


def chunks(data, size=1 << 20):
    return (data[start : start + size] for start in range(0, len(data), size))


def sent(wire, data, chunked):
    """Sends a body; the server may answer and close before it has read all of it."""
    connection = wire.connect()
    connection.putrequest("POST", "/")
    for name, value in headers("ListTables").items():
        connection.putheader(name, value)
    if chunked:
        connection.putheader("Transfer-Encoding", "chunked")
    else:
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders()
    try:
        for chunk in chunks(data):
            framed = b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk
            connection.send(framed)
        if chunked:
            connection.send(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass
    try:
        return connection.getresponse().status
    finally:
        connection.close()


FRAMING = pytest.mark.parametrize("chunked", [False, True], ids=["with a length", "in chunks"])


@FRAMING
def test_a_body_of_16_mb_is_read(wire, chunked):
    assert sent(wire, body(MOST), chunked) == 200


@FRAMING
def test_a_larger_body_is_too_large(wire, chunked):
    assert sent(wire, body(MOST + 1), chunked) == 413
    assert wire.healthy()


def test_a_length_that_is_absurd_is_refused_before_the_body_comes(wire):
    connection = wire.connect()
    connection.putrequest("POST", "/")
    for name, value in headers("ListTables", Content_Length=str(10**15)).items():
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()


def test_headers_up_to_16_kb_are_read(wire):
    assert wire.post("ListTables", b"{}", X_Filler="x" * 15_000).status == 200


@pytest.mark.parametrize("size", [16 * 1024, 64 * 1024], ids=lambda size: f"{size} bytes")
def test_one_larger_header_is_a_bad_request(wire, size):
    assert wire.post("ListTables", b"{}", X_Filler="x" * size).status == 400
    assert wire.healthy()


def test_many_small_headers_are_read(wire):
    filler = {f"X-Filler-{n}": "x" for n in range(150)}
    assert wire.post("ListTables", b"{}", **filler).status == 200


def test_many_headers_beyond_16_kb_are_a_bad_request(wire):
    filler = {f"X-Filler-{n}": "x" * 100 for n in range(300)}
    assert wire.post("ListTables", b"{}", **filler).status == 400
    assert wire.healthy()


@pytest.mark.parametrize("size", [16 * 1024, 60 * 1024], ids=lambda size: f"{size} bytes")
def test_a_longer_request_line_is_a_bad_request(wire, size):
    path = "/?" + "x" * size
    assert wire.send(path=path, body=b"{}", headers=headers("ListTables")).status == 400
    assert wire.healthy()
