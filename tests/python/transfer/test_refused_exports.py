"""Exports that are refused, or not found."""

import datetime

import pytest

from recovery.tables import moment, set_recovery, window
from transfer.site import BUCKET, simple

MINUTE = datetime.timedelta(minutes=1)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def site(folder_site):
    return folder_site


@pytest.fixture
def refused(site):
    """Refusals of an export: the error's name and text."""

    def refuse(table, **more):
        with pytest.raises(site.boto.exceptions.ClientError) as raised:
            site.begin_export(table, **more)
        assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        error = raised.value.response["Error"]
        return error["Code"], error["Message"]

    return refuse


@pytest.fixture
def table(site):
    return site.table(simple(1))


def incremental(start=None, end=None, **more):
    given = {"ExportFromTime": start, "ExportToTime": end, **more}
    given = {key: value for key, value in given.items() if value is not None}
    return {"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": given}


def test_a_table_without_recovery(site, refused):
    table = site.table(simple(1), recovery=False)
    kind, text = refused(table)
    assert kind == "PointInTimeRecoveryUnavailableException"
    assert table.name in text
    set_recovery(site.boto, table.name)
    site.export(table)
    set_recovery(site.boto, table.name, False)
    assert refused(table)[0] == "PointInTimeRecoveryUnavailableException"


def test_a_table_that_is_not_there(site):
    arn = site.table(recovery=False).arn + "-not"
    status, kind, _ = site.wire.refused(
        "ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": BUCKET}
    )
    assert (status, kind) == (400, "TableNotFoundException")


def test_what_is_no_arn_of_a_table(site):
    given = "arn:aws:dynamodb:us-east-1:123456789012:other/x"
    status, kind, text = site.wire.refused(
        "ExportTableToPointInTime", {"TableArn": given, "S3Bucket": BUCKET}
    )
    assert (status, kind) == (400, "ValidationException")
    assert given in text


@pytest.mark.parametrize("field", ["TableArn", "S3Bucket"])
def test_what_must_be_given(site, table, field):
    request = {"TableArn": table.arn, "S3Bucket": BUCKET}
    del request[field]
    status, kind, text = site.wire.refused("ExportTableToPointInTime", request)
    assert (status, kind) == (400, "ValidationException")
    assert field[0].lower() + field[1:] in text


@pytest.mark.parametrize(
    "more",
    [
        {"ExportFormat": "CSV"},
        {"ExportType": "PARTIAL"},
        {"S3SseAlgorithm": "ROT13"},
        {"S3Bucket": "No_Bucket!"},
    ],
)
def test_values_that_are_not_known(site, table, more):
    request = {"TableArn": table.arn, "S3Bucket": BUCKET, **more}
    status, kind, _ = site.wire.refused("ExportTableToPointInTime", request)
    assert (status, kind) == (400, "ValidationException")
    assert site.boto.list_exports(TableArn=table.arn)["ExportSummaries"] == []


def test_moments_outside_of_the_window(site, table, refused):
    found = window(site.boto, table.name)
    early = found["EarliestRestorableDateTime"] - datetime.timedelta(seconds=1)
    for time in (early, early - 40 * DAY, moment() + MINUTE):
        assert refused(table, ExportTime=time)[0] == "InvalidExportTimeException"
    assert site.boto.list_exports(TableArn=table.arn)["ExportSummaries"] == []


@pytest.mark.parametrize(
    "length", [-MINUTE, 0 * MINUTE, 14 * MINUTE, DAY + MINUTE], ids=lambda each: str(each)
)
def test_how_long_an_incremental_export_is(table, refused, length):
    start = moment() - 3 * DAY
    assert refused(table, **incremental(start, start + length)) == (
        "ValidationException",
        "The time between ExportFromTime and ExportToTime must be from 15 minutes to 24 hours",
    )


@pytest.mark.parametrize("view", [None, "NEW_IMAGE", "NEW_AND_OLD_IMAGES"])
@pytest.mark.parametrize("length", [15 * MINUTE, DAY])
def test_an_incremental_export_of_what_is_not_kept(table, refused, length, view):
    """The table has not been there for as long."""
    end = moment()
    start = end - length
    kind, _ = refused(table, **incremental(start, end, ExportViewType=view))
    assert kind == "InvalidExportTimeException"


def test_an_incremental_export_that_ends_later(table, refused):
    start = moment()
    kind, _ = refused(table, **incremental(start, start + 20 * MINUTE))
    assert kind == "InvalidExportTimeException"


def test_an_incremental_export_without_its_start(table, refused):
    for given in (incremental(), {"ExportType": "INCREMENTAL_EXPORT"}):
        kind, text = refused(table, **given)
        assert kind == "ValidationException"
        assert "ExportFromTime" in text


def test_exports_and_imports_that_are_not_there(site, table):
    arn = table.arn
    for operation, field, kind, path in (
        ("DescribeExport", "ExportArn", "ExportNotFoundException", "export"),
        ("DescribeImport", "ImportArn", "ImportNotFoundException", "import"),
    ):
        wanted = f"{arn}/{path}/01693685827463-2d8752fd"
        status, found, text = site.wire.refused(operation, {field: wanted})
        assert (status, found) == (400, kind)
        assert wanted in text
        status, found, _ = site.wire.refused(operation, {})
        assert (status, found) == (400, "ValidationException")


def listed(site, size, **more):
    """Pages of exports."""
    while True:
        page = site.boto.list_exports(MaxResults=size, **more)
        yield [each["ExportArn"] for each in page["ExportSummaries"]]
        if "NextToken" not in page:
            break
        more["NextToken"] = page["NextToken"]


def test_lists_of_exports(site, prefix):
    first, second = site.table(simple(1)), site.table(simple(1))
    made = {table.name: [] for table in (first, second)}
    for table in (first, second, first, second, first):
        form = "ION" if len(made[table.name]) else "DYNAMODB_JSON"
        export = site.export(table, S3Prefix=prefix, ExportFormat=form)
        made[table.name].append(export["ExportArn"])
    for table in (first, second):
        found = site.boto.list_exports(TableArn=table.arn)
        assert "NextToken" not in found
        assert all(
            (each["ExportStatus"], each["ExportType"]) == ("COMPLETED", "FULL_EXPORT")
            for each in found["ExportSummaries"]
        )
        arns = [each["ExportArn"] for each in found["ExportSummaries"]]
        assert sorted(arns) == sorted(made[table.name])
    for size in (1, 2, 3, 25):
        pages = list(listed(site, size, TableArn=first.arn))
        assert all(len(page) <= size for page in pages)
        assert sorted(sum(pages, [])) == sorted(made[first.name])
        assert len(pages) == -(-3 // size)
    everything = sum(listed(site, 2), [])
    assert len(set(everything)) == len(everything)
    assert set(sum(made.values(), [])) <= set(everything)


@pytest.mark.parametrize("size", [0, 26])
def test_sizes_of_pages(site, size):
    for operation, field in (("ListExports", "MaxResults"), ("ListImports", "PageSize")):
        status, kind, text = site.wire.refused(operation, {field: size})
        assert (status, kind) == (400, "ValidationException")
        assert field[0].lower() + field[1:] in text
