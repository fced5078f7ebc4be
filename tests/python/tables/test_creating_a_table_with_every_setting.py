"""CreateTable takes every setting, and DescribeTable gives it back."""

import json

import pytest

from definitions import attributes, index, key, name, on_demand, projection, units

HASHES = ["h1", "h2", "h3", "h4"]
RANGES = ["r1", "r2", "r3", "r4"]
POLICY = json.dumps({"Version": "2012-10-17", "Statement": []})


def everything():
    return {
        "TableName": name("everything"),
        "AttributeDefinitions": attributes(
            "pk:S", "sk:N", "lsi:B", *(f"{n}:S" for n in HASHES), *(f"{n}:N" for n in RANGES)
        ),
        "KeySchema": key("pk", "sk"),
        "LocalSecondaryIndexes": [index("local", "pk", "lsi", projection("KEYS_ONLY"))],
        "GlobalSecondaryIndexes": [
            index("wide", HASHES, RANGES, ProvisionedThroughput=units(3, 4)),
            index(
                "included",
                "h1",
                (),
                projection("INCLUDE", "a", "b"),
                ProvisionedThroughput=units(5, 6),
            ),
            index(
                "reversed",
                "lsi",
                "pk",
                projection("KEYS_ONLY"),
                ProvisionedThroughput=units(7, 8),
            ),
        ],
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": units(11, 12),
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"},
        "SSESpecification": {
            "Enabled": True,
            "SSEType": "KMS",
            "KMSMasterKeyId": "arn:aws:kms:us-east-1:000000000000:key/abc",
        },
        "Tags": [{"Key": "team", "Value": "orders"}, {"Key": "empty", "Value": ""}],
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "DeletionProtectionEnabled": True,
        "ResourcePolicy": POLICY,
    }


@pytest.fixture
def described(client, make_table):
    table = make_table(everything())
    return client.describe_table(TableName=table)["Table"]


def test_the_indexes_are_described_as_they_were_asked_for(described):
    (local,) = described["LocalSecondaryIndexes"]
    assert (local["IndexName"], local["KeySchema"], local["Projection"]) == (
        "local",
        key("pk", "lsi"),
        {"ProjectionType": "KEYS_ONLY"},
    )
    found = {entry["IndexName"]: entry for entry in described["GlobalSecondaryIndexes"]}
    for index_name, schema, projected, read, write in [
        ("wide", key(HASHES, RANGES), {"ProjectionType": "ALL"}, 3, 4),
        ("reversed", key("lsi", "pk"), {"ProjectionType": "KEYS_ONLY"}, 7, 8),
        (
            "included",
            key("h1"),
            {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]},
            5,
            6,
        ),
    ]:
        entry = found.pop(index_name)
        assert entry["KeySchema"] == schema
        assert entry["Projection"] == projected
        assert entry["ProvisionedThroughput"]["ReadCapacityUnits"] == read
        assert entry["ProvisionedThroughput"]["WriteCapacityUnits"] == write
        assert entry["IndexStatus"] == "ACTIVE"
        assert "Backfilling" not in entry
    assert not found


def test_the_other_settings_are_described_as_they_were_asked_for(client, described):
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 11
    assert described["ProvisionedThroughput"]["WriteCapacityUnits"] == 12
    assert "BillingModeSummary" not in described
    assert described["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "OLD_IMAGE",
    }
    assert described["SSEDescription"]["Status"] == "ENABLED"
    assert described["SSEDescription"]["SSEType"] == "KMS"
    assert described["SSEDescription"]["KMSMasterKeyArn"].endswith(":key/abc")
    assert described["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert described["DeletionProtectionEnabled"] is True
    arn = described["TableArn"]
    tags = client.list_tags_of_resource(ResourceArn=arn)["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "orders", "empty": ""}
    assert client.get_resource_policy(ResourceArn=arn)["Policy"] == POLICY


def test_an_on_demand_table_keeps_ceilings_and_warm_throughput(client, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            (),
            "g:S",
            OnDemandThroughput={"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
            WarmThroughput={"ReadUnitsPerSecond": 20000, "WriteUnitsPerSecond": 9000},
            GlobalSecondaryIndexes=[
                index(
                    "gsi",
                    "g",
                    OnDemandThroughput={"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 8},
                    WarmThroughput={"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000},
                )
            ],
        )
    )
    found = client.describe_table(TableName=table)["Table"]
    assert found["OnDemandThroughput"] == {
        "MaxReadRequestUnits": 100,
        "MaxWriteRequestUnits": 50,
    }
    assert found["WarmThroughput"]["ReadUnitsPerSecond"] == 20000
    assert found["WarmThroughput"]["WriteUnitsPerSecond"] == 9000
    (gsi,) = found["GlobalSecondaryIndexes"]
    assert gsi["OnDemandThroughput"] == {"MaxReadRequestUnits": 7, "MaxWriteRequestUnits": 8}
    assert gsi["WarmThroughput"]["ReadUnitsPerSecond"] == 13000
    assert gsi["WarmThroughput"]["WriteUnitsPerSecond"] == 5000


@pytest.mark.parametrize("view", ["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"])
def test_a_stream_may_have_every_view(client, make_table, view):
    stream = {"StreamEnabled": True, "StreamViewType": view}
    table = make_table(on_demand(name(), StreamSpecification=stream))
    found = client.describe_table(TableName=table)["Table"]
    assert found["StreamSpecification"] == stream


@pytest.mark.parametrize("kind", ["S", "N", "B"])
def test_a_key_may_have_every_scalar_type(client, make_table, kind):
    table = make_table(
        {
            "AttributeDefinitions": attributes(f"pk:{kind}", f"sk:{kind}"),
            "KeySchema": key("pk", "sk"),
            "BillingMode": "PAY_PER_REQUEST",
        }
    )
    found = client.describe_table(TableName=table)["Table"]["AttributeDefinitions"]
    assert {entry["AttributeType"] for entry in found} == {kind}


@pytest.mark.parametrize("table_name", ["abc", "A.b-c_9", "x" * 255])
def test_names_of_3_to_255_characters_are_taken(make_table, client, table_name):
    make_table(on_demand(table_name))
    assert client.describe_table(TableName=table_name)["Table"]["TableName"] == table_name


def test_twenty_global_and_five_local_indexes_fit(client, make_table):
    table = make_table(
        on_demand(
            name(),
            "pk",
            "sk",
            *(f"a{n}:S" for n in range(20)),
            GlobalSecondaryIndexes=[index(f"gsi{n}", f"a{n}") for n in range(20)],
            LocalSecondaryIndexes=[index(f"lsi{n}", "pk", f"a{n}") for n in range(5)],
        )
    )
    found = client.describe_table(TableName=table)["Table"]
    assert len(found["GlobalSecondaryIndexes"]) == 20
    assert len(found["LocalSecondaryIndexes"]) == 5


def test_a_hundred_included_attributes_over_all_indexes_fit(make_table):
    included = [f"x{n}" for n in range(20)]
    make_table(
        on_demand(
            name(),
            "pk",
            (),
            "g:S",
            GlobalSecondaryIndexes=[
                index(f"gsi{n}", "g", (), projection("INCLUDE", *included)) for n in range(5)
            ],
        )
    )


def test_an_included_attribute_may_be_a_key(make_table, client):
    table = make_table(
        on_demand(
            name(),
            "pk",
            (),
            "g:S",
            GlobalSecondaryIndexes=[index("gsi", "g", (), projection("INCLUDE", "pk", "g", "x"))],
        )
    )
    wanted = {"pk": {"S": "1"}, "g": {"S": "2"}, "x": {"S": "3"}}
    client.put_item(TableName=table, Item=wanted)
    assert client.get_item(TableName=table, Key={"pk": {"S": "1"}})["Item"] == wanted


def test_a_table_may_be_created_by_its_own_arn(wire, make_table):
    table = name("by-arn")
    arn = f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}"
    make_table(on_demand(arn))
    assert wire.call("DescribeTable", {"TableName": table})["Table"]["TableName"] == table
