"""Exports and imports whose storage fails in their middle: they end, and nothing half is whole."""

import time

import pytest

from definitions import name
from recovery.tables import until_active
from server import until
from transfer.proxy import CUT, HANG, Proxy, refusal
from transfer.site import BUCKET, Site, by_key, imported, json_lines, simple
from transfer.storage import S3

# Long enough for a busy machine, and short enough to be waited for.
PATIENCE_MS = 5000
LIMITS = {
    "MONOTABLE_STORAGE_PATIENCE_MS": str(PATIENCE_MS),
    "MONOTABLE_DATA_FILE_BYTES": "20000",
}
# A use of the storage is given up after its own time, and what it leaves is cleared up in as much.
SOON = 6 * PATIENCE_MS / 1000
ITEMS = [simple(n, pk=f"p{n % 7}", text={"S": "x" * 200}) for n in range(600)]

FAULTS = {
    CUT: {"S3ServiceUnavailable"},
    HANG: {"S3ServiceUnavailable"},
    refusal(500, "InternalError"): {"S3ServiceUnavailable"},
    refusal(503, "SlowDown"): {"S3ServiceUnavailable"},
    refusal(403, "AccessDenied"): {"S3AccessDenied"},
    refusal(403, "SignatureDoesNotMatch"): {"S3AccessDenied"},
    refusal(404, "NoSuchBucket"): {"S3NoSuchBucket"},
    refusal(400, "InvalidRequest"): {"S3Error"},
}
EVERY_FAULT = pytest.mark.parametrize("fault", FAULTS, ids=repr)


@pytest.fixture(scope="module")
def proxy(s3):
    between = Proxy(s3.endpoint)
    yield between
    between.stop()


@pytest.fixture(scope="module")
def shared(proxy, s3, start_server):
    """A server that reaches its storage through the proxy."""
    arguments = S3(proxy.endpoint).arguments()
    with start_server("--memory", *arguments, env=LIMITS) as server:
        yield Site(server, s3)
        proxy.heal()
        assert server.stop() == 0


@pytest.fixture
def site(shared, proxy):
    proxy.heal()
    yield shared
    proxy.heal()


@pytest.fixture(scope="module")
def source(shared):
    return shared.table(*ITEMS)


@pytest.fixture
def place():
    return name("place")


def failed(found, kind, codes):
    assert found[f"{kind}Status"] == "FAILED", found
    assert found["FailureCode"] in codes, found
    assert found["FailureMessage"]
    assert found["EndTime"] >= found["StartTime"]


def serves(site):
    """The server goes on: another table is written and read."""
    table = site.table(simple(1), recovery=False)
    assert site.contents(table.name) == by_key([simple(1)])


def export_fails(site, source, place, codes):
    begun = time.monotonic()
    arn = site.begin_export(source, S3Prefix=place)["ExportArn"]
    serves(site)
    found = site.exported(arn)
    assert time.monotonic() - begun < SOON
    failed(found, "Export", codes)
    assert "ExportManifest" not in found
    keys = site.store.keys_of(BUCKET, place)
    assert not [key for key in keys if "manifest" in key], keys
    return keys


def exports(site, source, place):
    again = site.export(source, S3Prefix=place)
    assert again["ItemCount"] == len(ITEMS)
    assert len(site.data_keys(again)) > 5
    assert site.import_export(again, "DYNAMODB_JSON", imported()) == by_key(ITEMS)


@EVERY_FAULT
def test_an_export(site, proxy, source, place, fault):
    proxy.fail(fault, "PUT", "/data/", after=3)
    keys = export_fails(site, source, place, FAULTS[fault])
    assert proxy.met
    # A server may have had a whole request whose answer never came.
    assert len([key for key in keys if "/data/" in key]) in (3, 4)
    proxy.heal()
    exports(site, source, place)


@pytest.mark.parametrize("last", ["manifest-files.json", "manifest-summary.json"])
@pytest.mark.parametrize("fault", [CUT, HANG, refusal(500, "InternalError")], ids=repr)
def test_an_export_that_was_nearly_there(site, proxy, source, place, fault, last):
    proxy.fail(fault, "PUT", last, after=0)
    found = site.exported(site.begin_export(source, S3Prefix=place)["ExportArn"])
    failed(found, "Export", {"S3ServiceUnavailable"})
    assert "ExportManifest" not in found
    assert not [key for key in site.store.keys_of(BUCKET, place) if key.endswith(last)]


def test_an_export_whose_bucket_is_deleted(site, proxy, s3, source):
    """Some servers make the bucket again without a word; then files are missing."""
    bucket = name("doomed")
    s3.make_bucket(bucket)

    def delete():
        pages = s3.client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        for key in [each["Key"] for page in pages for each in page.get("Contents", [])]:
            s3.client.delete_object(Bucket=bucket, Key=key)
        s3.client.delete_bucket(Bucket=bucket)
        proxy.heal()

    proxy.fail(refusal(500, "InternalError"), "PUT", "/data/", after=3, first=delete)
    found = site.exported(site.begin_export(source, S3Bucket=bucket)["ExportArn"])
    failed(found, "Export", {"S3NoSuchBucket", "S3NoSuchKey"})
    buckets = [each["Name"] for each in s3.client.list_buckets()["Buckets"]]
    left = s3.keys_of(bucket) if bucket in buckets else []
    assert not [key for key in left if "summary" in key]


def put_objects(s3, place):
    for part in range(6):
        s3.put(BUCKET, f"{place}/{part}", json_lines(ITEMS[part::6]))


def import_fails(site, place, codes):
    request = imported()
    begun = time.monotonic()
    arn = site.begin_import(request, place + "/")["ImportArn"]
    serves(site)
    found = site.import_over(arn)
    assert time.monotonic() - begun < SOON
    failed(found, "Import", codes)
    assert found["ErrorCount"] == 0
    # What is there was given, and has come from objects that could be read.
    until_active(site.boto, request["TableName"])
    there = site.contents(request["TableName"])
    assert len(there) == found["ImportedItemCount"] < len(ITEMS)
    assert there.items() <= by_key(ITEMS).items()
    return len(there)


@EVERY_FAULT
def test_an_import(site, proxy, s3, place, fault):
    put_objects(s3, place)
    proxy.fail(fault, "GET", f"{place}/", after=3)
    import_fails(site, place, FAULTS[fault])
    assert proxy.met
    proxy.heal()
    assert site.import_(imported(), place + "/") == by_key(ITEMS)


@EVERY_FAULT
def test_an_import_whose_objects_cannot_be_listed(site, proxy, s3, place, fault):
    put_objects(s3, place)
    proxy.fail(fault, "GET", "list-type=2", after=0)
    assert import_fails(site, place, FAULTS[fault]) == 0


def test_an_import_of_objects_that_are_deleted_meanwhile(site, proxy, s3, place):
    put_objects(s3, place)

    def delete():
        for part in range(6):
            s3.client.delete_object(Bucket=BUCKET, Key=f"{place}/{part}")
        proxy.heal()

    proxy.fail(refusal(500, "InternalError"), "GET", f"{place}/", after=2, first=delete)
    import_fails(site, place, {"S3NoSuchKey"})


def test_a_fault_that_passes(site, proxy, s3, source, place):
    """Requests are tried again: nobody notices."""
    proxy.fail(refusal(503, "SlowDown"), "PUT", "/data/", after=2, first=proxy.heal)
    exports(site, source, place)
    place += "-import"
    put_objects(s3, place)
    proxy.fail(CUT, "GET", f"{place}/", after=2, first=proxy.heal)
    assert site.import_(imported(), place + "/") == by_key(ITEMS)


def test_a_storage_that_hangs_keeps_nobody_else_waiting(site, proxy, s3, source, place):
    """Another export of the same time goes through."""
    proxy.fail(HANG, "PUT", f"{place}/slow", after=0)
    slow = site.begin_export(source, S3Prefix=f"{place}/slow")["ExportArn"]
    until(lambda: proxy.met, "the first one hangs")
    proxy.heal()
    exports(site, source, f"{place}/fast")
    found = site.boto.describe_export(ExportArn=slow)["ExportDescription"]
    assert found["ExportStatus"] == "IN_PROGRESS", "it did not hang for long enough to show anything"
    failed(site.exported(slow), "Export", {"S3ServiceUnavailable"})


def test_a_server_that_is_stopped_while_its_storage_hangs(fresh_server, proxy, s3, place):
    proxy.heal()
    put_objects(s3, place)
    server = fresh_server("--memory", *S3(proxy.endpoint).arguments())
    site = Site(server, s3)
    proxy.fail(HANG, "GET", f"{place}/", after=2)
    site.begin_import(imported(), place + "/")
    until(lambda: proxy.met, "it hangs")
    begun = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begun < 20
    proxy.heal()
