"""Compressed requests and answers."""

import gzip
import json
import zlib

import pytest

from definitions import name, on_demand
from wire import headers

ENCODINGS = {"gzip": (gzip.compress, gzip.decompress), "deflate": (zlib.compress, zlib.decompress)}
EACH = pytest.mark.parametrize("encoding", ENCODINGS)
MOST = 16 * 1024 * 1024
KEY = {"pk": {"S": "1"}}


@pytest.fixture(scope="module")
def table(server):
    table = name("compressed")
    server.wire.call("CreateTable", on_demand(table))
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def post(wire, body, encoding):
    return wire.post("ListTables", body, Content_Encoding=encoding)


@EACH
def test_a_compressed_request_is_read(wire, table, encoding):
    compress, _ = ENCODINGS[encoding]
    request = {"TableName": table, "Item": {**KEY, "via": {"S": encoding}}}
    body = compress(json.dumps(request).encode())
    assert wire.post("PutItem", body, Content_Encoding=encoding).json == {}
    found = wire.call("GetItem", {"TableName": table, "Key": KEY})
    assert found["Item"]["via"] == {"S": encoding}


def test_gzip_of_several_members_is_read(wire):
    body = gzip.compress(b'{"Lim') + gzip.compress(b'it": 1') + gzip.compress(b"}")
    assert post(wire, body, "gzip").status == 200


@pytest.mark.parametrize(
    "encoding, body",
    [
        ("br", b"{}"),
        ("x-unknown", b"{}"),
        ("gzip", b"{}"),
        ("gzip", gzip.compress(b"{}" * 100)[:-6]),
        ("gzip", b""),
        ("deflate", b"{}"),
        ("deflate", zlib.compress(b"{}" * 100)[:-6]),
    ],
)
def test_a_body_that_cannot_be_decompressed_is_an_internal_error(wire, encoding, body):
    answer = post(wire, body, encoding)
    assert (answer.status, answer.error[0]) == (500, "InternalServerError")


@EACH
def test_a_body_that_is_too_large_once_decompressed_is_refused(wire, encoding):
    compress, _ = ENCODINGS[encoding]
    assert post(wire, compress(b"{" + b" " * (MOST - 2) + b"}"), encoding).status == 200
    assert post(wire, compress(b"{" + b" " * (MOST - 1) + b"}"), encoding).status == 413
    assert wire.healthy()


def get(wire, table, size, accepted):
    """Reads an item with a text of that size."""
    item = {**KEY, "text": {"S": "x" * size}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    request = json.dumps({"TableName": table, "Key": KEY}).encode()
    changes = {} if accepted is None else {"Accept_Encoding": accepted}
    connection = wire.connect()
    try:
        sent = headers("GetItem", **changes)
        connection.putrequest("POST", "/", skip_accept_encoding=True)
        for header, value in {**sent, "Content-Length": str(len(request))}.items():
            connection.putheader(header, value)
        connection.endheaders(request)
        answer = connection.getresponse()
        return answer.headers, answer.read(), {"Item": item}
    finally:
        connection.close()


@EACH
def test_a_large_answer_comes_compressed(wire, table, encoding):
    _, decompress = ENCODINGS[encoding]
    found, body, expected = get(wire, table, 10_000, encoding)
    assert found["Content-Encoding"] == encoding
    assert len(body) < 5_000
    assert json.loads(decompress(body)) == expected
    assert found["x-amz-crc32"] == str(zlib.crc32(body))
    assert found["Content-Length"] == str(len(body))


@pytest.mark.parametrize(
    "size, accepted",
    [
        (10_000, None),
        (10_000, "identity"),
        (10_000, "br"),
        (10_000, "gzip;q=0"),
        (1_000, "gzip"),
        (3_900, "gzip, deflate"),
    ],
)
def test_an_answer_comes_plain_if_small_or_not_to_be_compressed(wire, table, size, accepted):
    found, body, expected = get(wire, table, size, accepted)
    assert found["Content-Encoding"] is None
    assert json.loads(body) == expected
    assert found["x-amz-crc32"] == str(zlib.crc32(body))


@pytest.mark.parametrize("accepted", ["gzip, deflate, br", "br, gzip;q=0.5"])
def test_one_of_several_encodings_is_taken(wire, table, accepted):
    found, body, expected = get(wire, table, 10_000, accepted)
    assert found["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(body)) == expected


def test_boto3_reads_a_large_item(client, table):
    item = {**KEY, "text": {"S": "x" * 300_000}}
    client.put_item(TableName=table, Item=item)
    assert client.get_item(TableName=table, Key=KEY)["Item"] == item
