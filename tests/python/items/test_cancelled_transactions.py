"""TransactWriteItems: what is refused whole, what is cancelled, and for which reasons."""

import pytest

from definitions import index, name, on_demand
from sizes import LARGEST_ITEM, padded

VALIDATION = "ValidationException"
DUPLICATE = "Transaction request cannot include multiple operations on one item"
SEVERAL = "TransactItems can only contain one of Check, Put, Update or Delete"
CANCELLED = "Transaction cancelled, please refer cancellation reasons for specific reasons"
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
NONE = {"Code": "None"}
OLD = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
MISSING_ATTRIBUTE = (
    "The provided expression refers to an attribute that does not exist in the item"
)
EMPTY_KEY = (
    "One or more parameter values are not valid. The AttributeValue for a key attribute cannot "
    "contain an empty string value. Key: pk"
)


def key(text):
    return {"pk": {"S": text}}


def put(item, **more):
    return {"Put": {"TableName": "T", "Item": item, **more}}


def update(item_key, expression, values=None, **more):
    given = {"ExpressionAttributeValues": values} if values else {}
    named = {"TableName": "T", "Key": item_key, "UpdateExpression": expression}
    return {"Update": {**named, **given, **more}}


def delete(item_key, **more):
    return {"Delete": {"TableName": "T", "Key": item_key, **more}}


def check(item_key, condition, **more):
    named = {"TableName": "T", "Key": item_key, "ConditionExpression": condition}
    return {"ConditionCheck": {**named, **more}}


STORED = {**key("a"), "n": {"N": "5"}, "s": {"S": "text"}, "tags": {"SS": ["x", "y"]}}


@pytest.fixture
def table(wire, make_table):
    """A table with an index and one item."""
    gsi = {"GlobalSecondaryIndexes": [index("gsi", "g")]}
    made = make_table(on_demand(name("cancelled"), "pk", (), "g:S", **gsi))
    wire.call("PutItem", {"TableName": made, "Item": STORED})
    return made


@pytest.fixture
def items(wire, table):
    """Everything in the table."""
    return lambda: wire.call("Scan", {"TableName": table})["Items"]


def request(table, *actions):
    """A request of actions that name the table T."""
    named = [
        {
            kind: {**action, "TableName": table if action.get("TableName") == "T" else "nowhere"}
            for kind, action in given.items()
        }
        for given in actions
    ]
    return {"TransactItems": named}


def reasons(wire, table, *actions):
    """The reasons of a transaction that must be cancelled; its text names their codes."""
    answer = wire.post("TransactWriteItems", request(table, *actions))
    assert answer.status == 400, answer
    body = answer.json
    codes = ", ".join(reason["Code"] for reason in body["CancellationReasons"])
    assert answer.error == ("TransactionCanceledException", f"{CANCELLED} [{codes}]")
    assert len(body["CancellationReasons"]) == len(actions)
    return body["CancellationReasons"]


def test_every_failed_condition_is_told_in_the_order_of_the_request(wire, table, items):
    six = {"ExpressionAttributeValues": {":n": {"N": "6"}}}
    found = reasons(
        wire,
        table,
        put(key("b")),
        check(key("c"), "attribute_exists(pk)"),
        update(key("d"), "SET x = :n", {":n": {"N": "1"}}),
        delete(key("a"), ConditionExpression="n = :n", **six),
        put(key("e"), ConditionExpression="attribute_exists(pk)"),
        update(key("f"), "REMOVE x", ConditionExpression="attribute_exists(pk)"),
    )
    assert found == [NONE, FAILED, NONE, FAILED, FAILED, FAILED]
    assert items() == [STORED]


FAILING = {"ConditionExpression": "n > :n", "ExpressionAttributeValues": {":n": {"N": "5"}}}
ACTIONS = {
    "Put": lambda text, **more: put(key(text), **FAILING, **more),
    "Delete": lambda text, **more: delete(key(text), **FAILING, **more),
    "Update": lambda text, **more: {
        "Update": {
            "TableName": "T",
            "Key": key(text),
            "UpdateExpression": "REMOVE n",
            **FAILING,
            **more,
        }
    },
    "ConditionCheck": lambda text, **more: {
        "ConditionCheck": {"TableName": "T", "Key": key(text), **FAILING, **more}
    },
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_a_failed_action_brings_its_item_only_if_asked_to(wire, table, items, action):
    assert reasons(wire, table, action("a", **OLD)) == [{**FAILED, "Item": STORED}]
    assert reasons(wire, table, action("a")) == [FAILED]
    none = {"ReturnValuesOnConditionCheckFailure": "NONE"}
    assert reasons(wire, table, action("a", **none)) == [FAILED]
    assert reasons(wire, table, action("missing", **OLD)) == [FAILED]
    assert items() == [STORED]


def test_each_action_asks_for_its_own_item(wire, table):
    wire.call("PutItem", {"TableName": table, "Item": {**key("b"), "n": {"N": "1"}}})
    passing = check(key("c"), "attribute_not_exists(pk)", **OLD)
    put_b, delete_a = ACTIONS["Put"]("b"), ACTIONS["Delete"]("a", **OLD)
    assert reasons(wire, table, put_b, passing, delete_a) == [
        FAILED,
        NONE,
        {**FAILED, "Item": STORED},
    ]


NO_MATCH = "The provided key element does not match the schema"
PREFIX = "One or more parameter values were invalid: "
INVALID = {
    "an attribute that is not there": (update(key("b"), "SET x = y"), MISSING_ATTRIBUTE),
    "a sum without its number": (
        update(key("b"), "SET n = n + :n", {":n": {"N": "1"}}),
        MISSING_ATTRIBUTE,
    ),
    "a path that is not there": (
        update(key("a"), "SET x.y = :n", {":n": {"N": "1"}}),
        "The document path provided in the update expression is invalid for update",
    ),
    "a sum with a string": (
        update(key("a"), "SET n = s + :n", {":n": {"N": "1"}}),
        "An operand in the update expression has an incorrect data type",
    ),
    "an addition to a string": (
        update(key("a"), "ADD s :n", {":n": {"N": "1"}}),
        "An operand in the update expression has an incorrect data type",
    ),
    "a sum that is too large": (
        update(key("a"), "SET n = :n + :n", {":n": {"N": "9E125"}}),
        "Number overflow. Attempting to store a number with magnitude larger than supported range",
    ),
    "a put with a key of a wrong type": (
        put({"pk": {"N": "1"}}),
        PREFIX + "Type mismatch for key pk expected: S actual: N",
    ),
    "a put with a key of a type no key has": (
        put({"pk": {"SS": ["a"]}}),
        PREFIX + "Type mismatch for key pk expected: S actual: SS",
    ),
    "an update by a key of a wrong type": (update({"pk": {"N": "1"}}, "REMOVE n"), NO_MATCH),
    "a delete by a key of a wrong type": (delete({"pk": {"B": "AAAA"}}), NO_MATCH),
    "a check of a key of a wrong type": (
        check({"pk": {"BOOL": True}}, "attribute_exists(pk)"),
        NO_MATCH,
    ),
    "a delete by more than the key": (delete({**key("a"), "s": {"S": "x"}}), NO_MATCH),
    "a put with an index key of a wrong type": (
        put({**key("b"), "g": {"N": "1"}}),
        PREFIX + "Type mismatch for Index Key g Expected: S Actual: N IndexName: gsi",
    ),
}


@pytest.mark.parametrize("action, text", INVALID.values(), ids=INVALID)
def test_an_action_that_is_invalid_for_its_item_cancels_the_rest(
    wire, table, items, action, text
):
    reason = {"Code": "ValidationError", "Message": text}
    assert reasons(wire, table, action) == [reason]
    around = put(key("y")), action, put(key("z"))
    assert reasons(wire, table, *around) == [NONE, reason, NONE]
    assert items() == [STORED]


def test_of_two_invalid_actions_the_first_is_told(wire, table):
    first = update(key("b"), "SET x = y")
    second = update(key("a"), "SET x.y = :n", {":n": {"N": "1"}})
    wanted = {"Code": "ValidationError", "Message": MISSING_ATTRIBUTE}
    assert reasons(wire, table, first, second) == [wanted, NONE]
    assert reasons(wire, table, second, first)[1] == NONE


def test_an_update_may_not_make_an_item_too_large(wire, table):
    size = LARGEST_ITEM - len("v") - 10
    wire.call("PutItem", {"TableName": table, "Item": {**padded(size), **key("k")}})
    fitting = update(key("k"), "SET v = :v", {":v": {"S": "x" * 10}})
    wire.call("TransactWriteItems", request(table, fitting))
    large = update(key("k"), "SET v = :v", {":v": {"S": "x" * 11}})
    assert reasons(wire, table, large) == [
        {
            "Code": "ValidationError",
            "Message": "Item size to update has exceeded the maximum allowed size",
        }
    ]
    stored = wire.call("GetItem", {"TableName": table, "Key": key("k")})["Item"]
    assert stored["v"] == {"S": "x" * 10}


def test_an_update_makes_the_item_that_is_not_there(wire, table):
    added = update(key("b"), "ADD n :n SET g = :g", {":n": {"N": "2"}, ":g": {"S": "x"}})
    wire.call("TransactWriteItems", request(table, added))
    found = wire.call("Scan", {"TableName": table, "IndexName": "gsi"})["Items"]
    assert found == [{**key("b"), "n": {"N": "2"}, "g": {"S": "x"}}]


LARGE_PUT = put({**padded(LARGEST_ITEM + 1), **key("k")})
REFUSED = {
    "a put twice": ([put(key("b")), put(key("b"))], DUPLICATE),
    "a put and a delete": ([put(key("b")), put(key("c")), delete(key("b"))], DUPLICATE),
    "a check and an update": (
        [check(key("a"), "attribute_exists(pk)"), update(key("a"), "REMOVE n")],
        DUPLICATE,
    ),
    "two checks": (
        [check(key("a"), "attribute_exists(pk)"), check(key("a"), "attribute_exists(n)")],
        DUPLICATE,
    ),
    "no action": ([put(key("b")), {}], SEVERAL),
    "two actions": ([{**put(key("b")), **delete(key("c"))}], SEVERAL),
    "a put above 400 KB": (
        [put(key("b")), LARGE_PUT],
        "Item size has exceeded the maximum allowed size",
    ),
    "an empty key of a put": ([put(key("b")), put(key(""))], EMPTY_KEY),
    "an empty key of an update": ([put(key("b")), update(key(""), "REMOVE n")], EMPTY_KEY),
    "an empty key of a delete": ([put(key("b")), delete(key(""))], EMPTY_KEY),
    "an empty key of a check": ([check(key(""), "attribute_exists(pk)")], EMPTY_KEY),
    "an empty index key of a put": (
        [put(key("b")), put({**key("c"), "g": {"S": ""}})],
        "One or more parameter values are not valid. A value specified for a secondary index "
        "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
        "string value. IndexName: gsi, IndexKey: g",
    ),
    "an empty index key of an update": (
        [put(key("b")), update(key("a"), "SET g = :g", {":g": {"S": ""}})],
        "One or more parameter values are not valid. The update expression attempted to update a "
        "secondary index key to a value that is not supported. The AttributeValue for a key "
        "attribute cannot contain an empty string value.",
    ),
    "a condition that is no sentence": (
        [put(key("b")), put(key("c"), ConditionExpression="a =")],
        'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "="',
    ),
    "a value that is not defined": (
        [put(key("b")), put(key("c"), ConditionExpression="a = :a")],
        "Invalid ConditionExpression: An expression attribute value used in expression is not "
        "defined; attribute value: :a",
    ),
    "a value that is not used": (
        [update(key("a"), "REMOVE n", {":v": {"N": "1"}})],
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}",
    ),
    "a name that is not used": (
        [check(key("a"), "attribute_exists(n)", ExpressionAttributeNames={"#n": "n"})],
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}",
    ),
    "names without an expression": (
        [put(key("b"), ExpressionAttributeNames={"#n": "n"})],
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    "paths that overlap": (
        [update(key("a"), "SET x = :v, x = :v", {":v": {"N": "1"}})],
        "Invalid UpdateExpression: Two document paths overlap with each other; must remove or "
        "rewrite one of these paths; path one: [x], path two: [x]",
    ),
    "a check without a condition": (
        [{"ConditionCheck": {"TableName": "T", "Key": key("a")}}],
        "1 validation error detected: Value null at "
        "'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy "
        "constraint: Member must not be null",
    ),
    "an update without an expression": (
        [put(key("b")), {"Update": {"TableName": "T", "Key": key("a")}}],
        "1 validation error detected: Value null at "
        "'transactItems.2.member.update.updateExpression' failed to satisfy constraint: Member "
        "must not be null",
    ),
    "an enum that is not there": (
        [put(key("b"), ReturnValuesOnConditionCheckFailure="ALL_NEW")],
        "1 validation error detected: Value 'ALL_NEW' at "
        "'transactItems.1.member.put.returnValuesOnConditionCheckFailure' failed to satisfy "
        "constraint: Member must satisfy enum value set: [ALL_OLD, NONE]",
    ),
    "an empty set": (
        [put({**key("b"), "v": {"NS": []}})],
        PREFIX + "An number set  may not be empty",
    ),
}


@pytest.mark.parametrize("actions, text", REFUSED.values(), ids=REFUSED)
def test_a_request_that_makes_no_sense_is_not_even_cancelled(wire, table, items, actions, text):
    refused = wire.refused("TransactWriteItems", request(table, *actions))
    assert refused == (400, VALIDATION, text)
    assert items() == [STORED]


def test_a_table_that_is_not_there(wire, table, items):
    elsewhere = put(key("b"), TableName="nowhere")
    unknown = (400, "ResourceNotFoundException", "Requested resource not found")
    assert wire.refused("TransactWriteItems", request(table, put(key("b")), elsewhere)) == unknown
    # Before any item is looked at.
    failing = check(key("a"), "attribute_not_exists(pk)")
    assert wire.refused("TransactWriteItems", request(table, failing, elsewhere)) == unknown
    # But after expressions.
    broken = put(key("b"), TableName="nowhere", ConditionExpression="a = :a")
    assert wire.refused("TransactWriteItems", request(table, broken))[1] == VALIDATION
    assert items() == [STORED]


def test_a_name_and_an_arn_are_one_table(wire, table):
    arn = wire.call("DescribeTable", {"TableName": table})["Table"]["TableArn"]
    one, two = ({"Put": {"TableName": given, "Item": key("b")}} for given in (table, arn))
    refused = wire.refused("TransactWriteItems", {"TransactItems": [one, two]})
    assert refused == (400, VALIDATION, DUPLICATE)


def test_a_hundred_actions_are_made_and_a_hundred_and_one_are_not(wire, table):
    many = [put(key(f"{n:03}")) for n in range(101)]
    status, error, text = wire.refused("TransactWriteItems", request(table, *many))
    assert (status, error) == (400, VALIDATION)
    assert text.endswith(
        "at 'transactItems' failed to satisfy constraint: Member must have length less than or "
        "equal to 100"
    )
    assert wire.call("TransactWriteItems", request(table, *many[1:])) == {}
    assert wire.call("Scan", {"TableName": table, "Select": "COUNT"})["Count"] == 101


def test_large_items_can_be_deleted_together(wire, table):
    """What is stored does not count against the 4 MB of a transaction."""
    for n in range(14):
        item = {**padded(LARGEST_ITEM - 1), **key(f"{n:02}")}
        wire.call("PutItem", {"TableName": table, "Item": item})
    there = {"ConditionExpression": "attribute_exists(pk)"}
    deletes = [delete(key(f"{n:02}"), **there) for n in range(14)]
    wire.call("TransactWriteItems", request(table, *deletes))
    assert wire.call("Scan", {"TableName": table})["Items"] == [STORED]


def test_an_update_may_not_give_an_index_key_another_type(wire, table):
    text = (
        "One or more parameter values were invalid: "
        "Type mismatch for Index Key g Expected: S Actual: N IndexName: gsi"
    )
    found = reasons(wire, table, update(key("a"), "SET g = :v", {":v": {"N": "1"}}))
    assert found == [{"Code": "ValidationError", "Message": text}]


def test_failed_conditions_are_not_told_beside_an_invalid_action(wire, table):
    found = reasons(
        wire,
        table,
        check(key("a"), "attribute_not_exists(pk)"),
        update(key("b"), "SET x = y"),
        delete(key("c"), ConditionExpression="attribute_exists(pk)"),
    )
    assert found == [NONE, {"Code": "ValidationError", "Message": MISSING_ATTRIBUTE}, NONE]


@pytest.mark.parametrize("last", [put(key("d")), delete(key("d"))], ids=["put", "delete"])
def test_an_item_named_twice_counts_before_other_faults(wire, table, last):
    wrong = put({"pk": {"N": "1"}})
    for actions in ([wrong, put(key("d")), last], [put(key("d")), last, wrong]):
        refused = wire.refused("TransactWriteItems", request(table, *actions))
        assert refused == (400, VALIDATION, DUPLICATE)


def test_a_key_given_twice_counts_before_the_table_is_looked_up(wire):
    twice = [{"Get": {"TableName": "nowhere", "Key": key("a")}}] * 2
    refused = wire.refused("TransactGetItems", {"TransactItems": twice})
    assert refused == (400, VALIDATION, DUPLICATE)
