"""Requests with the same token at the same time are one export or import."""

import concurrent.futures
import uuid

from transfer.site import BUCKET, imported, json_lines, simple

AT_ONCE, TURNS = 8, 5


def all_at_once(ask):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return [each.result() for each in [pool.submit(ask) for _ in range(AT_ONCE)]]


def test_exports(folder_site, prefix):
    table = folder_site.table(simple(1))
    for turn in range(TURNS):
        request = {"TableArn": table.arn, "S3Bucket": BUCKET, "S3Prefix": prefix}
        request["ClientToken"] = str(uuid.uuid4())
        found = all_at_once(lambda: folder_site.wire.call("ExportTableToPointInTime", request))
        assert len({each["ExportDescription"]["ExportArn"] for each in found}) == 1
        listed = folder_site.boto.list_exports(TableArn=table.arn)["ExportSummaries"]
        assert len(listed) == turn + 1


def test_imports(folder_site, prefix):
    folder_site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(1)]))
    for _ in range(TURNS):
        request, token = imported(), str(uuid.uuid4())
        found = all_at_once(
            lambda: folder_site.begin_import(request, f"{prefix}/", ClientToken=token)
        )
        assert len({each["ImportArn"] for each in found}) == 1


def test_pages_of_imports(folder_site, prefix):
    """The token of a page is one that SDKs let through."""
    folder_site.store.put(BUCKET, f"{prefix}/x", json_lines([simple(1)]))
    made = {folder_site.import_any(imported(), f"{prefix}/")["ImportArn"] for _ in range(3)}
    listed, more = [], {}
    while True:
        page = folder_site.boto.list_imports(PageSize=2, **more)
        listed += [each["ImportArn"] for each in page["ImportSummaryList"]]
        if "NextToken" not in page:
            break
        more = {"NextToken": page["NextToken"]}
    assert len(set(listed)) == len(listed) and made <= set(listed)
