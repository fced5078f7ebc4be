"""Changes of global indexes that UpdateTable refuses, in AWS's words."""

import pytest

from definitions import attributes, index, key, name, on_demand, projection, units
from indexes.expected import describe

O = "One or more parameter values were invalid: "
ONE = (
    "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per "
    "table"
)
UNITS = units(1, 1)


@pytest.fixture(scope="module")
def table(server):
    table = name("refusing")
    request = on_demand(
        table,
        "pk",
        "sk",
        "g:S",
        "l:S",
        GlobalSecondaryIndexes=[index("gsi", "g")],
        LocalSecondaryIndexes=[index("lsi", "pk", "l")],
    )
    server.wire.call("CreateTable", request)
    yield table
    server.wire.call("DeleteTable", {"TableName": table})


def create(*definitions, defined=("x:S", "y:S"), **more):
    updates = [{"Create": definition} for definition in definitions]
    return {
        "AttributeDefinitions": attributes(*defined),
        "GlobalSecondaryIndexUpdates": updates,
        **more,
    }


def changes(*updates, **more):
    return {"GlobalSecondaryIndexUpdates": list(updates), **more}


DELETE = {"Delete": {"IndexName": "gsi"}}
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
WRONG_ORDER = [
    {"AttributeName": "x", "KeyType": "HASH"},
    {"AttributeName": "pk", "KeyType": "RANGE"},
    {"AttributeName": "y", "KeyType": "HASH"},
]

VALIDATION = [
    (
        changes({}),
        O + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null",
    ),
    (
        changes(DELETE, {"Update": {"IndexName": "gsi", "ProvisionedThroughput": UNITS}}),
        None,
    ),
    (
        changes(DELETE, DELETE),
        O + "Only one global secondary index update per index is allowed simultaneously. "
        "Index: gsi",
    ),
    (create(index("gsi", "x")), "Attempting to create an index which already exists"),
    (create(index("lsi", "x")), "Attempting to create an index which already exists"),
    (
        {"GlobalSecondaryIndexUpdates": [{"Create": index("new", "x")}]},
        O + "AttributeDefinitions is not specified for index: new",
    ),
    (
        create(index("new", "x", (), {"NonKeyAttributes": ["a"]})),
        O + "Unknown ProjectionType: null",
    ),
    (
        create(index("new", "x", (), projection("ALL", "a"))),
        O + "ProjectionType is ALL, but NonKeyAttributes is specified",
    ),
    (
        create(index("new", "x", (), projection("INCLUDE"))),
        O + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    (
        create(index("new", "x", (), projection("INCLUDE", "a", "a"))),
        O + "Duplicate element in NonKeyAttributes: a",
    ),
    (
        create(index("new", "x", ProvisionedThroughput=UNITS)),
        O + "ProvisionedThroughput should not be specified for index: new when BillingMode is "
        "PAY_PER_REQUEST",
    ),
    (
        create(index("new", (), "x")),
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    (
        create({**index("new", "x"), "KeySchema": WRONG_ORDER}, defined=("x:S", "y:S", "pk:S")),
        "All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
    (
        create(index("new", list("abcde")), defined=[f"{a}:S" for a in "abcde"]),
        "The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    (
        create(index("new", "x", list("abcde")), defined=[f"{a}:S" for a in "abcdex"]),
        "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
    (
        create({**index("new", "x"), "KeySchema": key(["x", "y"], "x")}),
        "The KeySchema contains multiple key attributes with the same name",
    ),
    (
        create(index("new", "x"), StreamSpecification=STREAM),
        "You cannot create or delete index while changing stream status",
    ),
    (
        changes(DELETE, StreamSpecification=STREAM),
        "You cannot create or delete index while changing stream status",
    ),
    (
        create(index("new", "x"), BillingMode="PROVISIONED", ProvisionedThroughput=UNITS),
        "You cannot create or delete index while updating table IOPS",
    ),
    (
        changes(DELETE, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS),
        "You cannot create or delete index while updating table IOPS",
    ),
    # Texts that are not known to be AWS's.
    (create(index("new", "x"), defined=["y:S"]), None),
    (create(index("new", "g"), defined=["g:N"]), None),
    (create(index("new", "pk"), defined=["pk:B"]), None),
    (create(index("no", "x")), None),
    (create(index("x" * 256, "x")), None),
]


@pytest.mark.parametrize("request_, text", VALIDATION, ids=lambda part: str(part)[:60])
def test_changes_that_make_no_sense(wire, table, request_, text):
    status, kind, found = wire.refused("UpdateTable", {"TableName": table, **request_})
    assert (status, kind) == (400, "ValidationException")
    assert text is None or found == text
    described = describe(wire, table)
    assert described["TableStatus"] == "ACTIVE"
    assert len(described["GlobalSecondaryIndexes"]) == 1


@pytest.mark.parametrize(
    "request_",
    [
        create(index("one", "x"), index("two", "y")),
        changes(DELETE, {"Create": index("new", "x")}, AttributeDefinitions=attributes("x:S")),
    ],
    ids=["two created", "one deleted, one created"],
)
def test_one_index_is_created_or_deleted_at_a_time(wire, table, request_):
    refusal = wire.refused("UpdateTable", {"TableName": table, **request_})
    assert refusal == (400, "LimitExceededException", ONE)


@pytest.mark.parametrize(
    "update",
    [
        {"Delete": {"IndexName": "none"}},
        {"Delete": {"IndexName": "lsi"}},
        {"Update": {"IndexName": "none", "OnDemandThroughput": {"MaxReadRequestUnits": 9}}},
    ],
    ids=str,
)
def test_an_index_that_is_not_there(wire, table, update):
    status, kind, text = wire.refused("UpdateTable", {"TableName": table, **changes(update)})
    assert (status, kind) == (400, "ResourceNotFoundException")
    assert text.startswith("Requested resource not found")


def test_more_than_twenty(wire, make_table):
    many = [index(f"gsi-{n}", "g") for n in range(20)]
    table = make_table(on_demand(name(), "pk", (), "g:S", GlobalSecondaryIndexes=many))
    refusal = wire.refused("UpdateTable", {"TableName": table, **create(index("more", "x"))})
    text = "Number of global secondary indexes exceeds per-table limit of 20"
    assert refusal == (400, "LimitExceededException", f"Subscriber limit exceeded: {text}")


def test_an_index_of_a_provisioned_table_has_throughput(wire, make_table):
    table = make_table(
        {
            **on_demand(name()),
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": UNITS,
        }
    )
    refusal = wire.refused("UpdateTable", {"TableName": table, **create(index("new", "x"))})
    text = f"{O}ProvisionedThroughput is not specified for index: new"
    assert refusal == (400, "ValidationException", text)
