"""Talks to the server below the SDK: arbitrary bytes, and requests the SDK would refuse."""

import datetime
import http.client
import json
import socket

TARGET = "DynamoDB_20120810."
STREAMS_TARGET = "DynamoDBStreams_20120810."
STREAM_OPERATIONS = {"ListStreams", "DescribeStream", "GetShardIterator", "GetRecords"}
# The operations that AWS does not have.
OWN_TARGET = "Monotable_1."
OWN_OPERATIONS = {"RestoreItems", "DescribeRestore", "ListRestores", "DescribeItemHistory"}
JSON_1_0 = "application/x-amz-json-1.0"
SIGNATURE = "0" * 64


def target(operation):
    if operation in OWN_OPERATIONS:
        return OWN_TARGET + operation
    prefix = STREAMS_TARGET if operation in STREAM_OPERATIONS else TARGET
    return prefix + operation


def authorization(key="test", region="us-east-1"):
    """A well-formed header; its signature is not that of the request."""
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d")
    return (
        f"AWS4-HMAC-SHA256 Credential={key}/{day}/{region}/dynamodb/aws4_request, "
        f"SignedHeaders=host;x-amz-date;x-amz-target, Signature={SIGNATURE}"
    )


def timestamp():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")


def headers(operation=None, **changes):
    """The headers of a good request; a change of None leaves a header out."""
    built = {
        "Content-Type": JSON_1_0,
        "X-Amz-Date": timestamp(),
        "Authorization": authorization(),
    }
    if operation is not None:
        built["X-Amz-Target"] = target(operation)
    built.update({name.replace("_", "-"): value for name, value in changes.items()})
    return {name: value for name, value in built.items() if value is not None}


class Answer:
    """An HTTP answer, read to its end."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The error's name without its namespace, and its text."""
        body = self.json
        return body["__type"].split("#")[1], body.get("message", body.get("Message"))

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Wire:
    """A client that sends what it is told to."""

    def __init__(self, port):
        self.port = port

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def send(self, method="POST", path="/", body=b"", headers=None):
        connection = self.connect()
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, operation, request, **changes):
        """One call; `request` is a JSON value, or bytes to be sent as they are."""
        body = request if isinstance(request, bytes) else json.dumps(request).encode()
        return self.send(body=body, headers=headers(operation, **changes))

    def call(self, operation, request):
        """One call that must succeed: its answer."""
        answer = self.post(operation, request)
        assert answer.status == 200, f"{operation}: {answer}"
        return answer.json if answer.body else None

    def refused(self, operation, request):
        """One call that must be refused: its status, the error's name and its text."""
        answer = self.post(operation, request)
        assert answer.status != 200, f"{operation} was not refused: {answer}"
        return answer.status, *answer.error

    def healthy(self):
        answer = self.send("GET", "/health")
        return answer.status == 200 and answer.json["status"] == "ok"
