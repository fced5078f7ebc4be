"""What a server was told, it knows after a restart."""

import concurrent.futures
import http.client
import itertools
import threading

import pytest

from definitions import index, on_demand, projection
from server import until

FULL = on_demand(
    "full",
    "pk",
    "sk",
    "g:S",
    "l:S",
    GlobalSecondaryIndexes=[index("gsi", "g", (), projection("INCLUDE", "x"))],
    LocalSecondaryIndexes=[index("lsi", "pk", "l")],
    StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    SSESpecification={"Enabled": True, "SSEType": "KMS"},
    Tags=[{"Key": "k", "Value": "v"}],
    TableClass="STANDARD_INFREQUENT_ACCESS",
    DeletionProtectionEnabled=True,
    OnDemandThroughput={"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": 6},
    ResourcePolicy='{"Version": "2012-10-17"}',
)
ITEM = {
    "pk": {"S": "1"},
    "sk": {"S": "2"},
    "g": {"S": "3"},
    "x": {"NS": ["1", "2"]},
    "deep": {"M": {"l": {"L": [{"B": "AAE="}, {"NULL": True}]}}},
}


def settings(server):
    """Everything that can be asked about the table."""
    wire = server.wire
    described = wire.call("DescribeTable", {"TableName": "full"})
    arn = {"ResourceArn": described["Table"]["TableArn"]}
    recovery = wire.call("DescribeContinuousBackups", {"TableName": "full"})
    window = recovery["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert window.pop("LatestRestorableDateTime") >= window["EarliestRestorableDateTime"]
    return [
        described,
        wire.call("DescribeTimeToLive", {"TableName": "full"}),
        recovery,
        wire.call("ListTagsOfResource", arn),
        wire.call("GetResourcePolicy", arn),
        wire.call("ListTables", {}),
        wire.call("GetItem", {"TableName": "full", "Key": {"pk": {"S": "1"}, "sk": {"S": "2"}}}),
    ]


@pytest.mark.parametrize("durability", ["sync", "os"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_tables_items_and_settings_are_kept(fresh_server, tmp_path, durability, end):
    options = "--data", tmp_path / "data", "--durability", durability
    server = fresh_server(*options)
    server.wire.call("CreateTable", FULL)
    specification = {"Enabled": True, "AttributeName": "ttl"}
    server.wire.call(
        "UpdateTimeToLive", {"TableName": "full", "TimeToLiveSpecification": specification}
    )
    recovery = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7}
    server.wire.call(
        "UpdateContinuousBackups",
        {"TableName": "full", "PointInTimeRecoverySpecification": recovery},
    )
    server.wire.call("PutItem", {"TableName": "full", "Item": ITEM})
    before = settings(server)
    for _ in range(2):
        getattr(server, end)()
        server = fresh_server(*options)
        assert settings(server) == before


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_an_item_counts_on_after_its_versions_were_written_out(fresh_server, tmp_path, end):
    def count(server):
        update = {
            "TableName": "counters",
            "Key": {"pk": {"S": "hot"}},
            "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
            "ReturnValues": "UPDATED_NEW",
        }
        return int(server.wire.call("UpdateItem", update)["Attributes"]["n"]["N"])

    data = tmp_path / "data"
    server = fresh_server("--data", data)
    server.wire.call("CreateTable", on_demand("counters"))
    assert [count(server) for _ in range(300)] == list(range(1, 301))
    # Nobody writes, so the server does that by itself.
    tables = data / "store" / "keyspaces" / "1" / "tables"
    until(lambda: list(tables.iterdir()), "there is a table")
    assert count(server) == 301
    getattr(server, end)()
    server = fresh_server("--data", data)
    assert count(server) == 302
    found = server.wire.call("Scan", {"TableName": "counters"})
    assert found["Items"] == [{"pk": {"S": "hot"}, "n": {"N": "302"}}]


def test_what_was_deleted_stays_deleted(fresh_server, tmp_path):
    server = fresh_server("--data", tmp_path / "data")
    for table in ("kept", "dropped"):
        server.wire.call("CreateTable", on_demand(table))
        for n in range(20):
            server.wire.call("PutItem", {"TableName": table, "Item": {"pk": {"S": str(n)}}})
    server.wire.call("DeleteItem", {"TableName": "kept", "Key": {"pk": {"S": "7"}}})
    server.wire.call("DeleteTable", {"TableName": "dropped"})
    server.kill()
    server = fresh_server("--data", tmp_path / "data")
    assert server.wire.call("ListTables", {}) == {"TableNames": ["kept"]}
    assert server.wire.call("GetItem", {"TableName": "kept", "Key": {"pk": {"S": "7"}}}) == {}
    server.wire.call("CreateTable", on_demand("dropped"))
    for n in range(20):
        assert (
            server.wire.call("GetItem", {"TableName": "dropped", "Key": {"pk": {"S": str(n)}}})
            == {}
        )


def test_no_acknowledged_write_is_lost_by_a_kill(fresh_server, tmp_path):
    """Writers go on until the server is killed under them; this happens three times."""
    data = tmp_path / "data"
    server = fresh_server("--data", data)
    server.wire.call("CreateTable", on_demand("written"))
    acknowledged = {}
    numbers = itertools.count()
    for _ in range(3):
        progress = threading.Semaphore(0)

        def write(server=server, progress=progress):
            for n in numbers:
                item = {"pk": {"S": str(n)}, "value": {"S": "x" * (n % 500)}}
                try:
                    answer = server.wire.post("PutItem", {"TableName": "written", "Item": item})
                except (OSError, http.client.HTTPException):
                    return
                assert answer.status == 200
                acknowledged[n] = item
                progress.release()

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            writers = [pool.submit(write) for _ in range(4)]
            for _ in range(100):
                assert progress.acquire(timeout=60)
            server.kill()
        for writer in writers:
            writer.result()
        server = fresh_server("--data", data)
        for n, item in acknowledged.items():
            found = server.wire.call(
                "GetItem", {"TableName": "written", "Key": {"pk": {"S": str(n)}}}
            )
            assert found == {"Item": item}
    assert len(acknowledged) >= 300


def test_a_transition_goes_on_after_a_restart(fresh_server, tmp_path):
    data = tmp_path / "data"
    server = fresh_server("--data", data, "--table-delay", "1h")
    server.wire.call("CreateTable", on_demand("slow"))
    server.stop()
    server = fresh_server("--data", data)
    found = server.wire.call("DescribeTable", {"TableName": "slow"})["Table"]
    assert found["TableStatus"] == "CREATING"
    server.stop()
    server = fresh_server("--data", data, "--table-delay", "200ms")
    server.wire.call("CreateTable", on_demand("quick"))
    server.stop()
    server = fresh_server("--data", data)
    until(
        lambda: (
            server.wire.call("DescribeTable", {"TableName": "quick"})["Table"]["TableStatus"]
            == "ACTIVE"
        ),
        "the creation is over",
    )
