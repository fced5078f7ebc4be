"""Items of known sizes, built by the rules of DynamoDB and not by asking the server."""

import base64

LARGEST_ITEM = 409_600


def blob(data):
    return {"B": base64.b64encode(data).decode()}


def padded(size, **attributes):
    """An item with partition key `pk` of exactly that size.

    `attributes` maps a name to (value, size of the value); a string makes up the rest.
    """
    item = {"pk": {"S": "k"}, **{name: value for name, (value, _) in attributes.items()}}
    taken = len("pk") + 1 + len("pad")
    taken += sum(len(name.encode()) + size for name, (_, size) in attributes.items())
    assert size >= taken, "the item is larger already"
    return {**item, "pad": {"S": "x" * (size - taken)}}


# Value sizes by type. Numbers cost one byte, and one more for every two digits.
VALUES = [
    ({"S": ""}, 0),
    ({"S": "abc"}, 3),
    ({"S": "\u00e9\u20ac\U0001f600"}, 2 + 3 + 4),
    (blob(b""), 0),
    (blob(b"\x00\x01\x02\x03\x04"), 5),
    ({"BOOL": True}, 1),
    ({"BOOL": False}, 1),
    ({"NULL": True}, 1),
    ({"SS": ["a", "bb", ""]}, 3),
    ({"NS": ["1", "123", "-42"]}, 2 + 3 + 3),
    ({"BS": [blob(b"a")["B"], blob(b"bcd")["B"]]}, 4),
    ({"L": []}, 3),
    ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + (1 + 2) + (1 + 1)),
    ({"L": [{"L": []}]}, 3 + (1 + 3)),
    ({"M": {}}, 3),
    ({"M": {"k": {"S": "ab"}, "key": {"N": "1"}}}, 3 + (1 + 1 + 2) + (1 + 3 + 2)),
    ({"M": {"a": {"M": {"b": {"NULL": True}}}}}, 3 + (1 + 1 + (3 + (1 + 1 + 1)))),
]
NUMBERS = [
    ("0", 1),
    ("-0", 1),
    ("1", 2),
    ("12", 2),
    ("15", 2),
    ("100", 2),
    ("0042", 2),
    ("123", 3),
    ("1010", 3),
    ("1234", 3),
    ("-42", 3),
    ("1.5", 3),
    ("0.15", 2),
    ("1.234", 4),
    ("100.5", 4),
    ("123456", 4),
    ("3.14159", 5),
    ("12345678901234567890123456789012345678", 20),
    ("1E125", 2),
    ("1E-100", 2),
    ("0.0000001", 2),
]
