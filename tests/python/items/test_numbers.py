"""Numbers: which are taken, how they come back, and what is said of the rest."""

import pytest

from definitions import attributes, key, name

NINES = "9" * 38
OVERFLOW = (
    "Number overflow. Attempting to store a number with magnitude larger than supported range"
)
UNDERFLOW = (
    "Number underflow. Attempting to store a number with magnitude smaller than supported range"
)
DIGITS = "Attempting to store more than 38 significant digits in a Number"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"


@pytest.fixture(scope="module")
def table(server):
    """A table whose sort key is a number."""
    table = name("numbers")
    server.wire.call(
        "CreateTable",
        {
            "TableName": table,
            "AttributeDefinitions": attributes("pk:S", "sk:N"),
            "KeySchema": key("pk", "sk"),
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


NORMALISED = [
    ("1.5E2", "150"),
    ("00042", "42"),
    ("3.1400", "3.14"),
    ("1.0", "1"),
    ("-0", "0"),
    ("1E125", "1" + "0" * 125),
    ("0", "0"),
    ("-0.0", "0"),
    ("0.000", "0"),
    ("1e3", "1000"),
    ("1.5E-2", "0.015"),
    ("+5", "5"),
    (".5", "0.5"),
    ("5.", "5"),
    ("-7", "-7"),
    ("100", "100"),
    ("-1.50", "-1.5"),
    ("1e0", "1"),
    ("1E+2", "100"),
    ("0.1e126", "1" + "0" * 125),
    ("0.0e126", "0"),
    ("1E-130", "0." + "0" * 129 + "1"),
    ("-1E-130", "-0." + "0" * 129 + "1"),
    (NINES, NINES),
    ("-" + NINES, "-" + NINES),
    ("0." + NINES, "0." + NINES),
    ("9." + "9" * 37 + "E+125", NINES + "0" * 88),
    ("-9." + "9" * 37 + "E+125", "-" + NINES + "0" * 88),
    ("1" + "0" * 60, "1" + "0" * 60),
    (NINES + "000", NINES + "000"),
    ("0" * 50 + "1", "1"),
    ("1." + "0" * 50, "1"),
]


@pytest.mark.parametrize("given, expected", NORMALISED)
def test_a_number_comes_back_normalised(wire, table, given, expected):
    item = {"pk": {"S": "n"}, "sk": {"N": given}, "a": {"N": given}, "l": {"L": [{"N": given}]}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    request = {"TableName": table, "Key": {"pk": {"S": "n"}, "sk": {"N": expected}}}
    found = wire.call("GetItem", request)["Item"]
    assert found["a"] == {"N": expected}
    assert found["sk"] == {"N": expected}
    assert found["l"] == {"L": [{"N": expected}]}


REFUSED = [
    ("1E126", OVERFLOW),
    ("-1E126", OVERFLOW),
    ("1" + "0" * 126, OVERFLOW),
    ("0e126", OVERFLOW),
    ("9.9E+999", OVERFLOW),
    ("1E-131", UNDERFLOW),
    ("-1E-131", UNDERFLOW),
    ("9." + "9" * 37 + "E-131", UNDERFLOW),
    ("1" * 39, DIGITS),
    ("-" + "1" * 39, DIGITS),
    ("1." + "1" * 38, DIGITS),
    ("1" + "0" * 38 + "1", DIGITS),
    ("0.1" + "0" * 38 + "1", DIGITS),
]


@pytest.mark.parametrize("given, text", REFUSED)
def test_a_number_that_does_not_fit_is_refused(wire, table, given, text):
    for value in ({"N": given}, {"NS": [given]}, {"M": {"x": {"L": [{"N": given}]}}}):
        item = {"pk": {"S": "n"}, "sk": {"N": "1"}, "a": value}
        refusal = wire.refused("PutItem", {"TableName": table, "Item": item})
        assert refusal == (400, "ValidationException", text)


@pytest.mark.parametrize(
    "given",
    [
        " 1",
        "1 ",
        "\t1",
        "NaN",
        "Infinity",
        "-Infinity",
        "inf",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "1e",
        "e5",
        ".",
        "+",
        "-",
        "1e5.5",
        "one",
        "1 2",
        "\u0661",
    ],
)
def test_a_text_that_is_no_number_is_refused(wire, table, given):
    item = {"pk": {"S": "n"}, "sk": {"N": "1"}, "a": {"N": given}}
    status, kind, text = wire.refused("PutItem", {"TableName": table, "Item": item})
    assert (status, kind) == (400, "ValidationException")
    assert text in (NOT_NUMERIC, f"{NOT_NUMERIC}: {given}")


def test_an_empty_number_is_refused(wire, table):
    for value in ({"N": ""}, {"NS": ["1", ""]}):
        item = {"pk": {"S": "n"}, "sk": {"N": "1"}, "a": value}
        refusal = wire.refused("PutItem", {"TableName": table, "Item": item})
        assert refusal == (400, "ValidationException", NOT_NUMERIC)


def test_keys_are_equal_when_their_numbers_are(wire, table):
    item = {"pk": {"S": "equal"}, "sk": {"N": "1.0"}, "a": {"S": "x"}}
    wire.call("PutItem", {"TableName": table, "Item": item})
    for given in ("1", "1.00", "0.1e1", "10E-1", "01"):
        request = {"TableName": table, "Key": {"pk": {"S": "equal"}, "sk": {"N": given}}}
        assert wire.call("GetItem", request)["Item"]["a"] == {"S": "x"}


def test_a_long_exponent_is_answered_and_not_computed(wire, table):
    for given in ("1e999999999999999999999", "1e-999999999999999999999", "0." + "0" * 100000 + "1"):
        item = {"pk": {"S": "n"}, "sk": {"N": "1"}, "a": {"N": given}}
        status, kind, _ = wire.refused("PutItem", {"TableName": table, "Item": item})
        assert (status, kind) == (400, "ValidationException")
