"""Exports and imports whose storage is not there, or does not let them."""

import pytest

from transfer.site import BUCKET, Site, imported, json_lines, simple
from transfer.storage import ADMIN, READER, free_ports


def failed_export(site, **more):
    """An export that must fail: its code and text. The server goes on as before."""
    table = site.table(simple(1))
    found = site.exported(site.begin_export(table, **more)["ExportArn"])
    assert found["ExportStatus"] == "FAILED", found
    assert "ExportManifest" not in found and found["EndTime"] >= found["StartTime"]
    (summary,) = site.boto.list_exports(TableArn=table.arn)["ExportSummaries"]
    assert summary["ExportStatus"] == "FAILED"
    assert site.contents(table.name)
    return found["FailureCode"], found["FailureMessage"]


def failed_import(site, **more):
    """An import that must fail: its code and text."""
    request = imported()
    found = site.import_any(request, "nothing/", **more)
    assert found["ImportStatus"] == "FAILED", found
    assert found["ImportedItemCount"] == 0
    return found["FailureCode"], found["FailureMessage"]


@pytest.fixture
def at(fresh_server, s3):
    """A server of its own that is told so of its storage."""
    return lambda *arguments: Site(fresh_server("--memory", *arguments), s3)


def test_a_bucket_that_is_not_there(site):
    code, text = failed_export(site, S3Bucket="no-such-bucket")
    assert code == "S3NoSuchBucket" and text
    code, text = failed_import(site, S3BucketSource={"S3Bucket": "no-such-bucket"})
    assert code == "S3NoSuchBucket" and text


@pytest.mark.parametrize("keys", [("nobody", "testsecret"), (ADMIN[0], "wrong")])
def test_credentials_that_are_wrong(at, s3, keys):
    site = at(*s3.arguments(keys))
    code, text = failed_export(site)
    assert code == "S3AccessDenied" and text
    assert keys[1] not in text
    code, text = failed_import(site)
    assert code == "S3AccessDenied" and text


def test_credentials_that_may_only_read(at, s3, prefix):
    site = at(*s3.arguments(READER))
    assert failed_export(site)[0] == "S3AccessDenied"
    s3.put(BUCKET, f"{prefix}/x", json_lines([simple(7)]))
    assert len(site.import_(imported(), f"{prefix}/")) == 1


def test_a_server_that_is_not_there(at):
    (port,) = free_ports(1)
    given = ["--s3-endpoint", f"http://127.0.0.1:{port}", "--s3-access-key", "k"]
    site = at(*given, "--s3-secret-key", "s")
    for code, text in (failed_export(site), failed_import(site)):
        assert code == "S3ServiceUnavailable"
        assert text


def test_no_storage_at_all(at):
    site = at()
    for code, text in (failed_export(site), failed_import(site)):
        assert code == "StorageNotConfigured"
        assert "--s3-endpoint" in text and "--storage-dir" in text


@pytest.mark.parametrize("bucket", ["..", "a/../..", "/etc", "../storage"])
def test_no_bucket_is_outside_of_the_directory(folder_site, bucket):
    site = folder_site
    request = {"TableArn": site.table(simple(1)).arn, "S3Bucket": bucket}
    status, kind, _ = site.wire.refused("ExportTableToPointInTime", request)
    assert (status, kind) == (400, "ValidationException")


@pytest.mark.parametrize("prefix", ["../outside", "a/../../outside", "/../outside"])
def test_no_prefix_is_outside_of_the_bucket(folder_site, prefix):
    site = folder_site
    request = {"TableArn": site.table(simple(1)).arn, "S3Bucket": BUCKET, "S3Prefix": prefix}
    answer = site.wire.post("ExportTableToPointInTime", request)
    if answer.status == 200:
        site.exported(answer.json["ExportDescription"]["ExportArn"])
    else:
        assert answer.error[0] == "ValidationException"
    beside = {each.name for each in site.store.directory.iterdir()}
    assert beside == {BUCKET}
    assert not (site.store.directory.parent / "outside").exists()
