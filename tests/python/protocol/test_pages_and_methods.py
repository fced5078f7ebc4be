"""What the server says to browsers, load balancers and other origins."""

import pytest

from wire import headers

NOT_FOUND = (404, b"<UnknownOperationException/>\n")


def test_the_root_says_that_it_is_healthy(wire):
    answer = wire.send("GET", "/")
    assert answer.status == 200
    assert answer.body == b"healthy: dynamodb.us-east-1.amazonaws.com "


def test_the_root_is_a_page_for_browsers(wire):
    answer = wire.send("GET", "/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status == 200
    assert answer.headers["Content-Type"].startswith("text/html")
    assert b"Monotable" in answer.body


def test_health_is_told_in_json(wire):
    answer = wire.send("GET", "/health")
    assert answer.status == 200
    assert answer.json["status"] == "ok"


@pytest.mark.parametrize(
    "method, path",
    [
        ("PUT", "/"),
        ("DELETE", "/"),
        ("PATCH", "/"),
        ("GET", "/other"),
        ("PUT", "/health"),
        ("BREW", "/"),
    ],
)
def test_other_methods_and_pages_are_not_found(wire, method, path):
    answer = wire.send(method, path, body=b"{}", headers=headers("ListTables"))
    assert (answer.status, answer.body) == NOT_FOUND


def test_another_origin_may_read_answers(wire):
    answer = wire.post("ListTables", b"{}", Origin="https://example.com")
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    refused = wire.post("ListTables", b"{", Origin="https://example.com")
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in wire.post("ListTables", b"{}").headers


def test_another_origin_is_told_what_it_may_send(wire):
    asked = {
        "Origin": "https://example.com",
        "Access-Control-Request-Headers": "authorization,x-amz-target,content-type",
        "Access-Control-Request-Method": "POST",
    }
    answer = wire.send("OPTIONS", "/", headers=asked)
    assert (answer.status, answer.body) == (200, b"")
    allowed = {
        name: answer.headers[f"Access-Control-{name}"]
        for name in (
            "Allow-Origin",
            "Allow-Headers",
            "Allow-Methods",
            "Max-Age",
        )
    }
    assert allowed == {
        "Allow-Origin": "*",
        "Allow-Headers": "authorization,x-amz-target,content-type",
        "Allow-Methods": "POST",
        "Max-Age": "172800",
    }
