"""CreateTable refuses what AWS refuses, in its words and in its order."""

import concurrent.futures

import pytest

from definitions import attributes, index, key, name, on_demand, projection, units

INVALID = "One or more parameter values were invalid: "
KEYS_ONLY = projection("KEYS_ONLY")


def simple(*definitions, hashes="pk", ranges=(), **more):
    """An on-demand table with the given definitions."""
    return {
        "TableName": "refused",
        "AttributeDefinitions": attributes(*definitions),
        "KeySchema": key(hashes, ranges),
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def with_gsi(*definitions, gsi):
    return simple("pk:S", *definitions, GlobalSecondaryIndexes=[gsi])


def with_lsi(lsi, *definitions):
    return simple("pk:S", "sk:S", *definitions, ranges="sk", LocalSecondaryIndexes=[lsi])


def wide(hashes, ranges):
    names = [*hashes, *ranges]
    return with_gsi(*(f"{n}:S" for n in dict.fromkeys(names)), gsi=index("gsi", hashes, ranges))


def provisioned(**more):
    return {
        **simple("pk:S"),
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": units(1, 1),
        **more,
    }


def without(request, *members):
    return {member: value for member, value in request.items() if member not in members}


NEEDS_UNITS = (
    INVALID + "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is "
    "PROVISIONED"
)
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"

REFUSED = {
    "provisioned without throughput": (
        without(provisioned(), "ProvisionedThroughput"),
        NEEDS_UNITS,
    ),
    "neither billing mode nor throughput": (
        without(provisioned(), "ProvisionedThroughput", "BillingMode"),
        NEEDS_UNITS,
    ),
    "on-demand with throughput": (
        simple("pk:S", ProvisionedThroughput=units(1, 1)),
        INVALID
        + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode "
        "is PAY_PER_REQUEST",
    ),
    "absurd read units": (
        provisioned(ProvisionedThroughput=units(1000000000001, 1)),
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    "absurd write units": (
        provisioned(ProvisionedThroughput=units(1, 1000000000001)),
        "Given value 1000000000001 for WriteCapacityUnits is out of bounds",
    ),
    "fewer definitions than key attributes": (simple("pk:S", ranges="sk"), NO_DEFINITION),
    "one definition for a name that is both keys": (simple("pk:S", ranges="pk"), NO_DEFINITION),
    "key without its definition": (
        simple("b:S", hashes="a"),
        INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
        "Keys: [a], AttributeDefinitions: [b]",
    ),
    "same name twice": (
        simple("pk:S", "sk:S", ranges="pk"),
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    "first element no hash": (
        simple("pk:S", KeySchema=[{"AttributeName": "pk", "KeyType": "RANGE"}]),
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    "second element no range": (
        simple("pk:S", "sk:S", hashes=["pk", "sk"]),
        "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
    ),
    "spare definition without index": (
        simple("pk:S", "x:S"),
        INVALID + "Number of attributes in KeySchema does not exactly match number of attributes "
        "defined in AttributeDefinitions",
    ),
    "spare definition with an index": (
        with_gsi("g:S", "x:S", gsi=index("gsi", "g")),
        INVALID + "Some AttributeDefinitions are not used. AttributeDefinitions: [pk, g, x], "
        "keys used: [pk, g]",
    ),
    "definition twice": (simple("pk:S", "pk:S"), "Attribute Name is duplicated: pk"),
    "wide key with a name twice": (
        wide(["a", "b"], ["a"]),
        "The KeySchema contains multiple key attributes with the same name",
    ),
    "wide key out of order": (
        with_gsi(
            "a:S",
            "b:S",
            "c:S",
            gsi={**index("gsi", "a", "b"), "KeySchema": key("a", "b") + key("c")},
        ),
        "All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
    "five hash attributes": (
        wide(["a", "b", "c", "d", "e"], []),
        "The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    "five range attributes": (
        wide(["a"], ["b", "c", "d", "e", "f"]),
        "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
    "index key without its definition": (
        with_gsi("x:S", gsi=index("gsi", "g")),
        INVALID + "Some index key attributes are not defined in AttributeDefinitions. "
        "Keys: [g], AttributeDefinitions: [pk, x]",
    ),
    "local index on a table without sort key": (
        simple("pk:S", "a:S", LocalSecondaryIndexes=[index("lsi", "pk", "a")]),
        INVALID + "Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex",
    ),
    "local index without sort key": (
        with_lsi(index("lsi", "pk")),
        INVALID + "Index KeySchema does not have a range key for index: lsi",
    ),
    "local index with another hash key": (
        with_lsi(index("lsi", "a", "sk"), "a:S"),
        INVALID + "Index KeySchema does not have the same leading hash key as table KeySchema for "
        "index: lsi. index hash key: a, table hash key: pk",
    ),
    "empty list of local indexes": (
        simple("pk:S", "sk:S", ranges="sk", LocalSecondaryIndexes=[]),
        INVALID + "List of LocalSecondaryIndexes is empty",
    ),
    "empty list of global indexes": (
        simple("pk:S", GlobalSecondaryIndexes=[]),
        INVALID + "List of GlobalSecondaryIndexes is empty",
    ),
    "six local indexes": (
        simple(
            "pk:S",
            "sk:S",
            "a:S",
            ranges="sk",
            LocalSecondaryIndexes=[index(f"lsi{n}", "pk", "a") for n in range(6)],
        ),
        INVALID + "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    "21 global indexes": (
        simple("pk:S", GlobalSecondaryIndexes=[index(f"gsi{n}", "pk") for n in range(21)]),
        INVALID + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
    "two global indexes of one name": (
        simple("pk:S", GlobalSecondaryIndexes=[index("gsi", "pk"), index("gsi", "pk")]),
        INVALID + "Duplicate index name: gsi",
    ),
    "a local and a global index of one name": (
        {
            **with_lsi(index("same", "pk", "a"), "a:S"),
            "GlobalSecondaryIndexes": [index("same", "a")],
        },
        INVALID + "Duplicate index name: same",
    ),
    "projection without type": (
        with_gsi("g:S", gsi={**index("gsi", "g"), "Projection": {}}),
        INVALID + "Unknown ProjectionType: null",
    ),
    "ALL with attributes": (
        with_gsi("g:S", gsi=index("gsi", "g", (), projection("ALL", "x"))),
        INVALID + "ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    "KEYS_ONLY with attributes": (
        with_gsi("g:S", gsi=index("gsi", "g", (), projection("KEYS_ONLY", "x"))),
        INVALID + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
    ),
    "INCLUDE without attributes": (
        with_gsi("g:S", gsi=index("gsi", "g", (), projection("INCLUDE"))),
        INVALID + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    "INCLUDE with an attribute twice": (
        with_gsi("g:S", gsi=index("gsi", "g", (), projection("INCLUDE", "x", "y", "x"))),
        INVALID + "Duplicate element in NonKeyAttributes: x",
    ),
    "index without throughput": (
        provisioned(GlobalSecondaryIndexes=[index("gsi", "pk")]),
        INVALID + "ProvisionedThroughput is not specified for index: gsi",
    ),
    "on-demand index with throughput": (
        simple(
            "pk:S", GlobalSecondaryIndexes=[index("gsi", "pk", ProvisionedThroughput=units(1, 1))]
        ),
        INVALID
        + "ProvisionedThroughput should not be specified for index: gsi when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    "stream without view": (
        simple("pk:S", StreamSpecification={"StreamEnabled": True}),
        INVALID + "Table is being created with a stream enabled, UpdateViewType is required",
    ),
    "unknown class": (
        simple("pk:S", TableClass="CHEAP"),
        "Invalid table-class parameter provided. Please try again with a valid table-class "
        "value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
    "on-demand ceiling of a provisioned table": (
        provisioned(OnDemandThroughput={"MaxReadRequestUnits": 5}),
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED",
    ),
    "on-demand ceiling of nothing": (
        simple("pk:S", OnDemandThroughput={"MaxReadRequestUnits": 0}),
        "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
    ),
}


@pytest.mark.parametrize("request_, text", REFUSED.values(), ids=REFUSED)
def test_a_definition_is_refused(wire, request_, text):
    assert wire.refused("CreateTable", request_) == (400, "ValidationException", text)


def test_nothing_is_left_of_a_refused_table(wire):
    wire.refused("CreateTable", REFUSED["unknown class"][0])
    assert wire.refused("DescribeTable", {"TableName": "refused"})[1] == "ResourceNotFoundException"


# Refused by AWS; its words are not known.
WORDLESS = {
    "disabled stream with a view": simple(
        "pk:S", StreamSpecification={"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}
    ),
    "more than a hundred included attributes over all indexes": simple(
        "pk:S",
        GlobalSecondaryIndexes=[
            index(f"gsi{n}", "pk", (), projection("INCLUDE", *(f"x{m}" for m in range(17))))
            for n in range(6)
        ],
    ),
    "a policy that is no JSON": simple("pk:S", ResourcePolicy="no"),
    "an ARN of another account": simple(
        "pk:S", TableName="arn:aws:dynamodb:us-east-1:999999999999:table/foreign"
    ),
}


@pytest.mark.parametrize("request_", WORDLESS.values(), ids=WORDLESS)
def test_a_definition_is_refused_in_some_words(wire, request_):
    status, kind, _ = wire.refused("CreateTable", request_)
    assert (status, kind) in [(400, "ValidationException"), (400, "AccessDeniedException")]


def test_a_table_that_exists_is_in_use(wire, make_table):
    table = make_table(on_demand(name()))
    assert wire.refused("CreateTable", on_demand(table)) == (
        400,
        "ResourceInUseException",
        f"Table already exists: {table}",
    )


def test_of_many_who_create_one_table_one_succeeds(wire):
    request = on_demand(name("wanted"))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: wire.post("CreateTable", request), range(16)))
    assert sorted(answer.status for answer in answers) == [200] + [400] * 15
    refused = {answer.error[0] for answer in answers if answer.status != 200}
    assert refused == {"ResourceInUseException"}
    wire.call("DeleteTable", {"TableName": request["TableName"]})


def test_faults_are_found_in_the_order_of_aws(wire, make_table):
    """Everything is wrong at first; each step mends what was complained about."""
    taken = make_table(on_demand(name()))
    request = {
        "TableName": taken,
        "AttributeDefinitions": attributes("x:S", "l:S", "sk:S", "spare:S"),
        "KeySchema": key("pk", "sk"),
        "BillingMode": "WRONG",
        "LocalSecondaryIndexes": [],
        "GlobalSecondaryIndexes": [],
        "StreamSpecification": {"StreamEnabled": True},
        "TableClass": "CHEAP",
        "Tags": [{"Key": "aws:x", "Value": ""}],
    }
    for mend, text in [
        ({}, "1 validation error detected: Value 'WRONG' at 'billingMode'"),
        ({"BillingMode": "PROVISIONED"}, NEEDS_UNITS),
        ({"BillingMode": "PAY_PER_REQUEST"}, INVALID + "Some index key attributes are not defined"),
        (
            {"AttributeDefinitions": attributes("pk:S", "sk:S", "l:S", "spare:S")},
            INVALID + "List of LocalSecondaryIndexes is empty",
        ),
        (
            {"LocalSecondaryIndexes": [index("lsi", "pk", "l", KEYS_ONLY)]},
            INVALID + "List of GlobalSecondaryIndexes is empty",
        ),
        (
            {"GlobalSecondaryIndexes": [index("gsi", "pk")]},
            INVALID + "Some AttributeDefinitions are not used",
        ),
        (
            {"AttributeDefinitions": attributes("pk:S", "sk:S", "l:S")},
            INVALID + "Table is being created with a stream enabled",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
            "Invalid table-class parameter provided",
        ),
        ({"TableClass": "STANDARD"}, "Tag Key cannot be prefixed with aws:"),
        ({"Tags": [{"Key": "x", "Value": ""}]}, f"Table already exists: {taken}"),
    ]:
        request.update(mend)
        assert wire.refused("CreateTable", request)[2].startswith(text)
