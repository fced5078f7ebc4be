"""Exports and imports go on after a kill in their middle, and end as if there had been none."""

import datetime

import pytest

from recovery.tables import Table, moment, until_active
from transfer.site import BUCKET, Site, as_json, by_key, definition, imported, json_lines, simple

ITEMS, TURNS, KILLS = 3000, 8, 3


class Killed:
    """A server that can be killed and started again."""

    def __init__(self, start, directory, store):
        self.start = lambda: start("--data", directory, "--durability", "os", *store.arguments())
        self.store = store
        self.site = Site(self.start(), store)

    def again(self):
        self.site.server.kill()
        killed = datetime.datetime.now(datetime.timezone.utc)
        self.site = Site(self.start(), self.store)
        return killed

    def kill_through(self, under_way):
        """Kills it again and again while something is under way: when the last time was."""
        killed = None
        for _ in range(KILLS):
            if not under_way():
                break
            killed = self.again()
        return killed


@pytest.fixture(params=["s3", "folder"])
def killed(request, fresh_server, tmp_path):
    store = request.getfixturevalue(request.param)
    return Killed(fresh_server, tmp_path / "data", store)


@pytest.mark.parametrize("form", ["DYNAMODB_JSON", "ION"])
def test_an_export(killed, prefix, form):
    request = definition("killed")
    killed.site.boto.create_table(**request)
    until_active(killed.site.boto, request["TableName"])
    table = Table(killed.site.server, request["TableName"])
    items = [simple(n, pk=f"p{n % 30}", text={"S": "x" * 300}) for n in range(ITEMS)]
    table.put(*items)
    then = moment()
    table.delete(*items[:500])
    table.put(*({**each, "n": {"N": "-1"}} for each in items[500:1000]))
    midway = False
    for turn in range(TURNS):
        table = Table(killed.site.server, request["TableName"], on=False)
        place = f"{prefix}/{turn}"
        begun = killed.site.begin_export(table, ExportTime=then, S3Prefix=place, ExportFormat=form)
        arn = begun["ExportArn"]

        def under_way():
            found = killed.site.boto.describe_export(ExportArn=arn)["ExportDescription"]
            return found["ExportStatus"] == "IN_PROGRESS"

        last = killed.kill_through(under_way)
        found = killed.site.exported(arn)
        assert (found["ExportStatus"], found["ItemCount"]) == ("COMPLETED", ITEMS)
        assert found["StartTime"] == begun["StartTime"]
        keys = killed.store.keys_of(BUCKET, place + "/")
        data = [key for key in keys if "/data/" in key]
        assert sorted(killed.site.data_keys(found)) == data, "files of nobody are left"
        if form == "DYNAMODB_JSON":
            assert killed.site.exported_items(found) == by_key(map(as_json, items))
        midway = last is not None and found["EndTime"] > last
        if midway:
            break
    assert midway, "no kill ever came in the middle"
    assert killed.site.import_export(found, form, imported()) == by_key(items)


@pytest.mark.parametrize("bad", [0, 7])
def test_an_import(killed, prefix, bad):
    items = [simple(n, pk=f"p{n % 30}", text={"S": "x" * 300}) for n in range(ITEMS)]
    for part in range(4):
        body = json_lines(items[part::4])
        killed.store.put(BUCKET, f"{prefix}/{part}", body + b"{}\n" * (bad if part == 0 else 0))
    midway = False
    for _ in range(TURNS):
        request = imported()
        begun = killed.site.begin_import(request, prefix + "/")
        arn = begun["ImportArn"]

        def under_way():
            found = killed.site.boto.describe_import(ImportArn=arn)["ImportTableDescription"]
            return found["ImportStatus"] == "IN_PROGRESS"

        last = killed.kill_through(under_way)
        found = killed.site.import_over(arn)
        assert found["ImportStatus"] == ("FAILED" if bad else "COMPLETED")
        counts = [found[f"{each}Count"] for each in ("Error", "ProcessedItem", "ImportedItem")]
        assert counts == [bad, ITEMS + bad, ITEMS]
        assert until_active(killed.site.boto, request["TableName"])["ItemCount"] == ITEMS
        assert killed.site.contents(request["TableName"]) == by_key(items)
        midway = last is not None and found["EndTime"] > last
        if midway:
            break
    assert midway, "no kill ever came in the middle"


def test_what_is_over_stays_over(killed, prefix):
    table = killed.site.table(simple(1))
    export = killed.site.export(table, S3Prefix=prefix)
    missing = killed.site.exported(
        killed.site.begin_export(table, S3Bucket="no-such-bucket")["ExportArn"]
    )
    killed.again()
    for before in (export, missing):
        found = killed.site.boto.describe_export(ExportArn=before["ExportArn"])
        assert found["ExportDescription"] == before


def test_a_server_that_is_stopped_meanwhile(killed, prefix):
    """It ends in time, and what it was at goes on when it is started."""
    items = [simple(n, text={"S": "x" * 300}) for n in range(ITEMS)]
    killed.store.put(BUCKET, f"{prefix}/in/x", json_lines(items))
    for _ in range(TURNS):
        request = imported()
        arn = killed.site.begin_import(request, f"{prefix}/in/")["ImportArn"]
        assert killed.site.server.stop() == 0
        stopped = datetime.datetime.now(datetime.timezone.utc)
        killed.site = Site(killed.start(), killed.store)
        found = killed.site.import_over(arn)
        assert (found["ImportStatus"], found["ImportedItemCount"]) == ("COMPLETED", ITEMS)
        assert killed.site.contents(request["TableName"]) == by_key(items)
        if found["EndTime"] > stopped:
            break
    assert found["EndTime"] > stopped, "no stop ever came in the middle"
