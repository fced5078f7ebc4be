"""UpdateTable refuses what AWS refuses, in its words."""

import pytest

from definitions import attributes, index, key, name, on_demand, units

INVALID = "One or more parameter values were invalid: "
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
SSE = {"Enabled": True, "SSEType": "KMS"}
WARM = {"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 20000}
CEILING = {"MaxReadRequestUnits": 5}

NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
ALONE = " modification must be the only operation in the request"
WITH_BILLING = "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
IOPS = "You cannot modify stream status while updating table IOPS"
NO_KIND = (
    INVALID + "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
    "GlobalSecondaryIndexUpdate.Delete must not be null"
)


def update(index_name, read, write):
    throughput = units(read, write)
    return {"Update": {"IndexName": index_name, "ProvisionedThroughput": throughput}}


def unchanged(what):
    return (
        f"The provisioned throughput for the {what} will not change. The requested value equals "
        f"the current value. Current ReadCapacityUnits provisioned for the {what}: 3. Requested "
        f"ReadCapacityUnits: 3. Current WriteCapacityUnits provisioned for the {what}: 4. "
        "Requested WriteCapacityUnits: 4. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    )


@pytest.fixture(scope="module")
def tables(server):
    """One table of each kind; refused updates leave them as they are."""
    gsi = index("gsi", "pk", ProvisionedThroughput=units(3, 4))
    made = {
        "on-demand": on_demand(name("refusing")),
        "provisioned": {
            "TableName": name("refusing"),
            "AttributeDefinitions": attributes("pk:S"),
            "KeySchema": key("pk"),
            "ProvisionedThroughput": units(3, 4),
            "GlobalSecondaryIndexes": [gsi],
        },
        "streaming": on_demand(name("refusing"), StreamSpecification=STREAM),
    }
    for request in made.values():
        server.wire.call("CreateTable", request)
    yield {kind: request["TableName"] for kind, request in made.items()}
    for request in made.values():
        server.wire.call("DeleteTable", {"TableName": request["TableName"]})


REFUSED = {
    "nothing": ("on-demand", {}, NOTHING),
    "encryption and class": (
        "on-demand",
        {"SSESpecification": SSE, "TableClass": "STANDARD"},
        "Server-Side Encryption" + ALONE,
    ),
    "encryption and stream": (
        "on-demand",
        {"SSESpecification": SSE, "StreamSpecification": STREAM},
        "Server-Side Encryption" + ALONE,
    ),
    "class and stream": (
        "on-demand",
        {"TableClass": "STANDARD", "StreamSpecification": STREAM},
        "TableClass" + ALONE,
    ),
    "class and billing": (
        "on-demand",
        {"TableClass": "STANDARD", "BillingMode": "PAY_PER_REQUEST"},
        "TableClass" + ALONE,
    ),
    "protection and stream": (
        "on-demand",
        {"DeletionProtectionEnabled": True, "StreamSpecification": STREAM},
        "DeletionProtection" + ALONE,
    ),
    "warm throughput and stream": (
        "on-demand",
        {"WarmThroughput": WARM, "StreamSpecification": STREAM},
        "WarmThroughput" + ALONE,
    ),
    "ceiling and stream": (
        "on-demand",
        {"OnDemandThroughput": CEILING, "StreamSpecification": STREAM},
        WITH_BILLING,
    ),
    "ceiling and throughput": (
        "provisioned",
        {"OnDemandThroughput": CEILING, "ProvisionedThroughput": units(9, 9)},
        WITH_BILLING,
    ),
    "stream and throughput": (
        "provisioned",
        {"StreamSpecification": STREAM, "ProvisionedThroughput": units(9, 9)},
        IOPS,
    ),
    "unchanged throughput": (
        "provisioned",
        {"ProvisionedThroughput": units(3, 4)},
        unchanged("table"),
    ),
    "provisioned without throughput": (
        "on-demand",
        {"BillingMode": "PROVISIONED"},
        INVALID + "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ),
    "absurd units": (
        "provisioned",
        {"ProvisionedThroughput": units(1000000000001, 1)},
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    "stream that is on": (
        "streaming",
        {"StreamSpecification": STREAM},
        "Table already has an enabled stream: TableName: {table}",
    ),
    "no stream to turn off": (
        "on-demand",
        {"StreamSpecification": {"StreamEnabled": False}},
        "Table has no stream to disable: TableName: {table}",
    ),
    "stream without view": (
        "on-demand",
        {"StreamSpecification": {"StreamEnabled": True}},
        INVALID + "If stream is being enabled then UpdateViewType is required",
    ),
    "stream that is turned off with a view": (
        "streaming",
        {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
        INVALID + "If stream is being disabled, then UpdateViewType must not be specified",
    ),
    "index update that says nothing": (
        "provisioned",
        {"GlobalSecondaryIndexUpdates": [{}]},
        NO_KIND,
    ),
    "two updates of one index": (
        "provisioned",
        {"GlobalSecondaryIndexUpdates": [update("gsi", 5, 5), update("gsi", 6, 6)]},
        INVALID + "Only one global secondary index update per index is allowed simultaneously. "
        "Index: gsi",
    ),
    "ceiling of nothing": (
        "on-demand",
        {"OnDemandThroughput": {"MaxReadRequestUnits": 0}},
        "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range",
    ),
    "ceiling of a provisioned table": (
        "provisioned",
        {"OnDemandThroughput": CEILING},
        "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED",
    ),
    "less warm throughput": (
        "on-demand",
        {"WarmThroughput": {"ReadUnitsPerSecond": 1, "WriteUnitsPerSecond": 40000}},
        "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current "
        "WarmThroughput, decreasing WarmThroughput is not supported",
    ),
    "unknown class": (
        "on-demand",
        {"TableClass": "CHEAP"},
        "Invalid table-class parameter provided. Please try again with a valid table-class "
        "value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
}


@pytest.mark.parametrize("kind, change, text", REFUSED.values(), ids=REFUSED)
def test_an_update_is_refused_and_changes_nothing(wire, tables, kind, change, text):
    table = tables[kind]
    before = wire.call("DescribeTable", {"TableName": table})
    refusal = wire.refused("UpdateTable", {"TableName": table, **change})
    assert refusal == (400, "ValidationException", text.format(table=table))
    assert wire.call("DescribeTable", {"TableName": table}) == before


@pytest.mark.parametrize(
    "kind, change",
    [
        ("on-demand", {"ProvisionedThroughput": units(1, 1)}),
        ("provisioned", {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)}),
        ("provisioned", {"GlobalSecondaryIndexUpdates": [update("gsi", 3, 4)]}),
    ],
)
def test_an_update_is_refused_in_some_words(wire, tables, kind, change):
    status, error, _ = wire.refused("UpdateTable", {"TableName": tables[kind], **change})
    assert (status, error) == (400, "ValidationException")


def test_an_unknown_index_is_not_found(wire, tables):
    change = {"GlobalSecondaryIndexUpdates": [update("nowhere", 5, 5)]}
    status, kind, text = wire.refused("UpdateTable", {"TableName": tables["provisioned"], **change})
    assert (status, kind) == (400, "ResourceNotFoundException")
    assert text.startswith("Requested resource not found")


def test_an_unknown_table_is_not_found(wire):
    assert wire.refused("UpdateTable", {"TableName": "nowhere", "TableClass": "STANDARD"}) == (
        400,
        "ResourceNotFoundException",
        "Requested resource not found: Table: nowhere not found",
    )


def test_a_switch_back_to_provisioned_needs_throughput_for_every_index(wire, make_table):
    table = make_table(on_demand(name(), GlobalSecondaryIndexes=[index("gsi", "pk")]))
    change = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(1, 1)}
    status, kind, text = wire.refused("UpdateTable", {"TableName": table, **change})
    assert (status, kind) == (400, "ValidationException")
    assert "gsi" in text
