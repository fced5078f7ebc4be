"""BatchGetItem: what one answer holds, what is left over, and what is refused."""

import boto3
import pytest

from definitions import name, on_demand
from sizes import LARGEST_ITEM

VALIDATION = "ValidationException"
DUPLICATES = "Provided list of item keys contains duplicates"
NO_MATCH = "The provided key element does not match the schema"
MOST_BYTES = 16 * 1024 * 1024
LARGE = 300_000


def key(text):
    return {"pk": {"S": text}}


@pytest.fixture(scope="module")
def tables(server):
    """Two tables with a few items."""
    made = [name("reads"), name("reads")]
    for table in made:
        server.wire.call("CreateTable", on_demand(table))
        for text in "abc":
            item = {**key(text), "v": {"S": f"{table} {text}"}, "m": {"M": {"x": {"N": "1"}}}}
            server.wire.call("PutItem", {"TableName": table, "Item": item})
    yield made
    for table in made:
        server.wire.call("DeleteTable", {"TableName": table})


@pytest.fixture(scope="module")
def large(server):
    """Two tables with more in each than one answer can hold: sizes of items by table and key."""
    made = {name("large"): {}, name("large"): {}}
    for table, sizes in made.items():
        server.wire.call("CreateTable", on_demand(table))
        for first in range(0, 60, 20):
            texts = [f"{number:02}" for number in range(first, first + 20)]
            items = [
                {**key(text), "n": {"N": text}, "s": {"S": text}, "pad": {"S": "x" * LARGE}}
                for text in texts
            ]
            writes = [{"PutRequest": {"Item": item}} for item in items]
            server.wire.call("BatchWriteItem", {"RequestItems": {table: writes}})
            for item in items:
                number = 1 if item["n"]["N"] == "00" else 2
                sizes[item["pk"]["S"]] = len("pknspad") + 2 + number + 2 + LARGE
    yield made
    for table in made:
        server.wire.call("DeleteTable", {"TableName": table})


def pages(wire, items, **more):
    """Asks again with what was left over until nothing is."""
    answers = []
    while items:
        answers.append(wire.call("BatchGetItem", {"RequestItems": items, **more}))
        assert len(answers) < 20, "reads make no progress"
        items = answers[-1]["UnprocessedKeys"]
    return answers


def test_an_answer_of_16_mb_is_full_and_the_rest_can_be_asked_for(wire, large):
    table, sizes = next(iter(large.items()))
    wanted = {table: {"Keys": [key(text) for text in sizes]}}
    answers = pages(wire, wanted)
    assert len(answers) == 2
    first = answers[0]
    size = sum(sizes[item["pk"]["S"]] for item in first["Responses"][table])
    assert MOST_BYTES - LARGEST_ITEM < size <= MOST_BYTES
    got = [item["pk"]["S"] for answer in answers for item in answer["Responses"][table]]
    assert sorted(got) == sorted(sizes)
    left = {entry["pk"]["S"] for entry in first["UnprocessedKeys"][table]["Keys"]}
    assert left == {item["pk"]["S"] for item in answers[1]["Responses"][table]}
    assert answers[1]["UnprocessedKeys"] == {}


ATTRIBUTES = {
    "nothing": {},
    "ConsistentRead": {"ConsistentRead": True},
    "ConsistentRead of false": {"ConsistentRead": False},
    "ProjectionExpression": {"ProjectionExpression": "pk, s"},
    "ExpressionAttributeNames": {
        "ProjectionExpression": "#k, #s",
        "ExpressionAttributeNames": {"#k": "pk", "#s": "s"},
        "ConsistentRead": True,
    },
    "AttributesToGet": {"AttributesToGet": ["pk", "s"]},
}


@pytest.mark.parametrize("attributes", ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_what_is_left_over_carries_what_was_asked_of_its_table(wire, large, attributes):
    table, sizes = next(iter(large.items()))
    wanted = {table: {"Keys": [key(text) for text in sizes], **attributes}}
    answers = pages(wire, wanted)
    left = answers[0]["UnprocessedKeys"][table]
    assert {member: value for member, value in left.items() if member != "Keys"} == attributes
    items = [item for answer in answers for item in answer["Responses"][table]]
    assert sorted(item["pk"]["S"] for item in items) == sorted(sizes)
    if "ProjectionExpression" in attributes or "AttributesToGet" in attributes:
        assert all(item == {**key(item["s"]["S"]), "s": item["s"]} for item in items)
    else:
        assert all(set(item) == {"pk", "n", "s", "pad"} for item in items)


def test_each_table_has_its_own_part_of_what_is_left_over(wire, large):
    first, second = large
    wanted = {
        first: {"Keys": [key(f"{n:02}") for n in range(50)], "ProjectionExpression": "pk"},
        second: {"Keys": [key(f"{n:02}") for n in range(50)], "ConsistentRead": True},
    }
    answers = pages(wire, wanted, ReturnConsumedCapacity="TOTAL")
    assert len(answers) == 2
    left = answers[0]["UnprocessedKeys"]
    assert left
    for table, part in left.items():
        expected = {member: value for member, value in wanted[table].items() if member != "Keys"}
        assert {member: value for member, value in part.items() if member != "Keys"} == expected
    for table in wanted:
        got = [item for answer in answers for item in answer["Responses"].get(table, [])]
        assert sorted(item["pk"]["S"] for item in got) == [f"{n:02}" for n in range(50)]
    # Every item is paid for once: 74 units of 4 KB, half of that if eventually consistent.
    units = {first: 0, second: 0}
    for answer in answers:
        for consumed in answer["ConsumedCapacity"]:
            units[consumed["TableName"]] += consumed["CapacityUnits"]
    assert units == {first: 50 * 37, second: 50 * 74}


def test_the_resource_of_boto3_can_go_on_with_what_is_left_over(server, large):
    resource = boto3.resource("dynamodb", endpoint_url=server.endpoint)
    table, sizes = next(iter(large.items()))
    wanted = {table: {"Keys": [{"pk": text} for text in sizes], "ProjectionExpression": "pk"}}
    got = []
    while wanted:
        answer = resource.batch_get_item(RequestItems=wanted)
        got += [item["pk"] for item in answer["Responses"][table]]
        wanted = answer["UnprocessedKeys"]
    assert sorted(got) == sorted(sizes)


def test_a_hundred_keys_over_two_tables(wire, tables):
    one, two = tables
    wanted = {
        one: {"Keys": [key(f"{n}") for n in range(57)] + [key(text) for text in "abc"]},
        two: {"Keys": [key(f"{n}") for n in range(37)] + [key(text) for text in "abc"]},
    }
    answer = wire.call("BatchGetItem", {"RequestItems": wanted})
    for table in tables:
        found = sorted(item["v"]["S"] for item in answer["Responses"][table])
        assert found == [f"{table} {text}" for text in "abc"]
    assert answer["UnprocessedKeys"] == {}
    wanted[two]["Keys"].append(key("z"))
    assert wire.refused("BatchGetItem", {"RequestItems": wanted}) == (
        400,
        VALIDATION,
        "Too many items requested for the BatchGetItem call",
    )


def test_tables_can_be_named_by_their_arn(wire, tables):
    arn = wire.call("DescribeTable", {"TableName": tables[0]})["Table"]["TableArn"]
    request = {"RequestItems": {arn: {"Keys": [key("a")], "ProjectionExpression": "pk"}}}
    answer = wire.call("BatchGetItem", {**request, "ReturnConsumedCapacity": "TOTAL"})
    assert answer == {
        "Responses": {arn: [key("a")]},
        "UnprocessedKeys": {},
        "ConsumedCapacity": [{"TableName": arn, "CapacityUnits": 0.5}],
    }


def test_nothing_found_is_an_empty_list_and_an_empty_map(wire, tables):
    request = {"RequestItems": {tables[0]: {"Keys": [key("none")]}}}
    answer = wire.call("BatchGetItem", request)
    assert answer == {"Responses": {tables[0]: []}, "UnprocessedKeys": {}}


PROJECTIONS = {
    "a path": ({"ProjectionExpression": "m.x"}, {"m": {"M": {"x": {"N": "1"}}}}),
    "nothing that is there": ({"ProjectionExpression": "nowhere"}, {}),
    "a name": (
        {"ProjectionExpression": "#p", "ExpressionAttributeNames": {"#p": "pk"}},
        key("a"),
    ),
    "the old way": ({"AttributesToGet": ["pk", "nowhere"]}, key("a")),
}


@pytest.mark.parametrize("attributes, expected", PROJECTIONS.values(), ids=PROJECTIONS)
def test_an_item_is_projected(wire, tables, attributes, expected):
    request = {"RequestItems": {tables[0]: {"Keys": [key("a")], **attributes}}}
    assert wire.call("BatchGetItem", request)["Responses"] == {tables[0]: [expected]}


ONE = {"Keys": [key("a")]}
REFUSED = {
    "a key twice": ({"Keys": [key("a"), key("b"), key("a")]}, DUPLICATES),
    "a key that is not there twice": ({"Keys": [key("z"), key("z")]}, DUPLICATES),
    "an attribute that is no key": ({"Keys": [{**key("a"), "v": {"S": "x"}}]}, NO_MATCH),
    "another attribute": ({"Keys": [{"v": {"S": "x"}}]}, NO_MATCH),
    "no attribute": ({"Keys": [{}]}, NO_MATCH),
    "a wrong type": ({"Keys": [key("b"), {"pk": {"N": "1"}}]}, NO_MATCH),
    "an empty key": (
        {"Keys": [key("")]},
        "One or more parameter values are not valid. The AttributeValue for a key attribute "
        "cannot contain an empty string value. Key: pk",
    ),
    "a long key": (
        {"Keys": [key("x" * 2049)]},
        "One or more parameter values were invalid: Size of hashkey has exceeded the maximum "
        "size limit of2048 bytes",
    ),
    "a value of no type": (
        {"Keys": [{"pk": {}}]},
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
    ),
    "a value of two types": (
        {"Keys": [{"pk": {"S": "a", "N": "1"}}]},
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
        "the supported datatypes",
    ),
    "an attribute asked for twice": (
        {**ONE, "AttributesToGet": ["v", "v"]},
        "One or more parameter values were invalid: Duplicate value in attribute name: v",
    ),
    "both ways to project": (
        {**ONE, "AttributesToGet": ["v"], "ProjectionExpression": "v"},
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: "
        "{ProjectionExpression}",
    ),
    "an empty projection": (
        {**ONE, "ProjectionExpression": ""},
        "Invalid ProjectionExpression: The expression can not be empty;",
    ),
    "a reserved word": (
        {**ONE, "ProjectionExpression": "pk, status"},
        "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: "
        "status",
    ),
    "paths that overlap": (
        {**ONE, "ProjectionExpression": "m, m.x"},
        "Invalid ProjectionExpression: Two document paths overlap with each other; must remove "
        "or rewrite one of these paths; path one: [m], path two: [m, x]",
    ),
    "a name that is not defined": (
        {**ONE, "ProjectionExpression": "#n"},
        "Invalid ProjectionExpression: An expression attribute name used in the document path "
        "is not defined; attribute name: #n",
    ),
    "a name that is not used": (
        {**ONE, "ProjectionExpression": "v", "ExpressionAttributeNames": {"#n": "n"}},
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#n}",
    ),
    "names without an expression": (
        {**ONE, "ExpressionAttributeNames": {"#n": "n"}},
        "ExpressionAttributeNames can only be specified when using expressions",
    ),
    "a part of a key": (
        {**ONE, "ProjectionExpression": "pk.x"},
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
        "allowed: Key: pk",
    ),
}


@pytest.mark.parametrize("part, text", REFUSED.values(), ids=REFUSED)
def test_one_bad_table_refuses_the_batch(wire, tables, part, text):
    request = {"RequestItems": {tables[0]: {"Keys": [key("a")]}, tables[1]: part}}
    assert wire.refused("BatchGetItem", request) == (400, VALIDATION, text)


def test_a_table_that_is_not_there(wire, tables):
    request = {"RequestItems": {tables[0]: {"Keys": [key("a")]}, "nowhere": {"Keys": [key("a")]}}}
    assert wire.refused("BatchGetItem", request) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found",
    )


@pytest.mark.parametrize(
    "part, text",
    [
        ({"Keys": [key("a"), key("a")]}, DUPLICATES),
        (
            {**ONE, "ProjectionExpression": "#n"},
            "Invalid ProjectionExpression: An expression attribute name used in the document "
            "path is not defined; attribute name: #n",
        ),
        (
            {"Keys": [{"pk": {"SS": []}}]},
            "One or more parameter values were invalid: An string set  may not be empty",
        ),
    ],
    ids=["duplicates", "expressions", "values"],
)
def test_what_needs_no_table_is_checked_before_the_table(wire, tables, part, text):
    request = {"RequestItems": {"nowhere": part, tables[0]: {"Keys": [{"v": {"S": "a"}}]}}}
    assert wire.refused("BatchGetItem", request) == (400, VALIDATION, text)


def test_tables_are_looked_up_before_keys_are_compared_with_them(wire, tables):
    request = {"RequestItems": {tables[0]: {"Keys": [{"v": {"S": "a"}}]}, "nowhere": ONE}}
    assert wire.refused("BatchGetItem", request)[1] == "ResourceNotFoundException"


def test_a_table_that_is_being_created_is_not_there(fresh_server):
    wire = fresh_server("--memory", "--table-delay", "1h").wire
    wire.call("CreateTable", on_demand("later"))
    unknown = (400, "ResourceNotFoundException", "Requested resource not found")
    put = {"TableName": "later", "Item": key("a")}
    for operation, request in [
        ("BatchGetItem", {"RequestItems": {"later": ONE}}),
        ("BatchWriteItem", {"RequestItems": {"later": [{"PutRequest": {"Item": key("a")}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": put}]}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "later", "Key": key("a")}}]}),
    ]:
        assert wire.refused(operation, request) == unknown
