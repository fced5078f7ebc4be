"""The form of credentials: any key is taken, but it must be given as AWS wants it."""

import pytest

from wire import headers

SCOPE = "key/20260101/us-east-1/dynamodb/aws4_request"
MISSING = "Request is missing Authentication Token"
DATE = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


def needs(*names):
    return "".join(f"Authorization header requires '{name}' parameter. " for name in names)


def query_needs(*names):
    return "".join(f"AWS query-string parameters must include '{name}'. " for name in names)


def header(credential=SCOPE, algorithm="AWS4-HMAC-SHA256"):
    return f"{algorithm} Credential={credential}, SignedHeaders=host, Signature=abc"


def post(wire, path="/", **changes):
    answer = wire.send(path=path, body=b"{}", headers=headers("ListTables", **changes))
    return answer


INCOMPLETE = [
    ("AWS4-HMAC-SHA256", needs("Credential", "Signature", "SignedHeaders")),
    ("AWS4-HMAC-SHA256 Credential=a", needs("Signature", "SignedHeaders")),
    (f"AWS4-HMAC-SHA256 Credential={SCOPE}, SignedHeaders=host", needs("Signature")),
    (f"AWS4-HMAC-SHA256 Credential={SCOPE}, Signature=abc", needs("SignedHeaders")),
    ("AWS4-HMAC-SHA256 SignedHeaders=host, Signature=abc", needs("Credential")),
]


@pytest.mark.parametrize("given, text", INCOMPLETE)
def test_missing_parts_of_the_header_are_named(wire, given, text):
    answer = post(wire, Authorization=given)
    assert answer.status == 400
    assert answer.error == ("IncompleteSignatureException", f"{text}Authorization={given}")
    answer = post(wire, Authorization=given, X_Amz_Date=None)
    assert answer.error == ("IncompleteSignatureException", f"{text}{DATE}Authorization={given}")


def test_a_date_may_come_in_either_header(wire):
    assert post(wire, X_Amz_Date=None, Date="20260101T000000Z").status == 200
    answer = post(wire, Authorization=header(), X_Amz_Date=None)
    text = f"{DATE}Authorization={header()}"
    assert answer.error == ("IncompleteSignatureException", text)


REFUSED = [
    (None, "MissingAuthenticationTokenException", MISSING),
    ("", "MissingAuthenticationTokenException", MISSING),
    ("Basic dXNlcjpwYXNz", "MissingAuthenticationTokenException", MISSING),
    ("AWS key:signature", "MissingAuthenticationTokenException", MISSING),
    (
        header(algorithm="AWS4-HMAC-MD5"),
        "IncompleteSignatureException",
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-MD5' (only AWS4-HMAC-SHA256 for now). ",
    ),
    *(
        (
            header(credential),
            "IncompleteSignatureException",
            "Credential must have exactly 5 slash-delimited elements, "
            f"e.g. keyid/date/region/service/term, got '{credential}'",
        )
        for credential in ["key", "a/b/c/d", "a/b/c/d/e/f"]
    ),
]


@pytest.mark.parametrize("given, kind, text", REFUSED)
def test_credentials_of_another_form_are_refused(wire, given, kind, text):
    answer = post(wire, Authorization=given)
    assert answer.status == 400
    assert answer.json["__type"] == f"com.amazon.coral.service#{kind}"
    assert answer.error == (kind, text)


@pytest.mark.parametrize("date", ["yesterday", "2026-01-01T00:00:00Z"])
def test_a_date_of_another_form_is_refused(wire, date):
    answer = post(wire, X_Amz_Date=date)
    assert answer.error == (
        "IncompleteSignatureException",
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
        "See http://en.wikipedia.org/wiki/ISO_8601",
    )


@pytest.mark.parametrize(
    "given",
    [
        f"AWS4-HMAC-SHA256 Signature=abc,SignedHeaders=host,Credential={SCOPE}",
        f"AWS4-HMAC-SHA256 SignedHeaders=host;x-amz-date,   Credential={SCOPE}, Signature=abc",
        header("AKIAIOSFODNN7EXAMPLE/20260101/eu-west-1/dynamodb/aws4_request"),
    ],
)
def test_the_parts_may_come_in_any_order_with_or_without_spaces(wire, given):
    assert post(wire, Authorization=given).status == 200


QUERY = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": SCOPE.replace("/", "%2F"),
    "X-Amz-Signature": "abc",
    "X-Amz-SignedHeaders": "host",
    "X-Amz-Date": "20260101T000000Z",
}


def path(*left_out):
    return "/?" + "&".join(
        f"{name}={value}" for name, value in QUERY.items() if name not in left_out
    )


def test_credentials_may_come_in_the_query(wire):
    assert post(wire, path(), Authorization=None, X_Amz_Date=None).status == 200


@pytest.mark.parametrize(
    "left_out",
    [
        ["X-Amz-Credential"],
        ["X-Amz-Signature"],
        ["X-Amz-SignedHeaders"],
        ["X-Amz-Date"],
        ["X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"],
    ],
)
def test_missing_parts_of_the_query_are_named(wire, left_out):
    answer = post(wire, path(*left_out), Authorization=None, X_Amz_Date=None)
    assert answer.error == (
        "IncompleteSignatureException",
        query_needs(*left_out) + "Re-examine the query-string parameters.",
    )


def test_credentials_in_two_places_are_refused(wire):
    assert post(wire, path()).error == (
        "InvalidSignatureException",
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    )


def test_credentials_come_after_json_and_target_and_before_the_rest(wire):
    def kind(operation, body):
        answer = wire.send(body=body, headers=headers(operation, Authorization=None))
        return answer.error[0]

    assert kind("ListTables", b"{") == "SerializationException"
    assert kind("Nothing", b"{}") == "UnknownOperationException"
    assert kind("ListTables", b'{"Limit": "x"}') == "MissingAuthenticationTokenException"
    assert kind("ListTables", b'{"Limit": 0}') == "MissingAuthenticationTokenException"
    assert kind("Query", b"{}") == "MissingAuthenticationTokenException"
