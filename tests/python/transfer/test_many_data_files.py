"""Exports of more than one data file, which large tables have."""

import base64
import gzip
import hashlib
import json

import pytest

from transfer.site import BUCKET, Site, as_json, by_key, imported, simple

# So many bytes of lines, instead of 64 MiB.
FILE_BYTES = 30_000
FORMATS = {"DYNAMODB_JSON": ".json.gz", "ION": ".ion.gz"}


@pytest.fixture(scope="module", params=["s3", "folder"])
def site(request, start_server):
    store = request.getfixturevalue(request.param)
    env = {"MONOTABLE_DATA_FILE_BYTES": str(FILE_BYTES)}
    with start_server("--memory", *store.arguments(), env=env) as server:
        yield Site(server, store)
        assert server.stop() == 0


@pytest.mark.parametrize("form", FORMATS)
def test_files_end_at_a_bound(site, prefix, form):
    items = [simple(n, pk=f"p{n % 7}", text={"S": "x" * (n % 400)}) for n in range(1000)]
    # One that is larger than a file.
    items.append(simple(1000, text={"S": "y" * 2 * FILE_BYTES}))
    table = site.table(*items)
    export = site.export(table, S3Prefix=prefix, ExportFormat=form)
    summary = json.loads(site.store.get(BUCKET, export["ExportManifest"]))
    body = site.store.get(BUCKET, summary["manifestFilesS3Key"])
    digest = site.store.get(BUCKET, summary["manifestFilesS3Key"].replace(".json", ".md5"))
    assert digest.decode() == base64.b64encode(hashlib.md5(body).digest()).decode()
    listed = [json.loads(line) for line in body.decode().splitlines()]
    keys = [each["dataFileS3Key"] for each in listed]
    assert len(set(keys)) == len(keys) > 5
    there = site.store.keys_of(BUCKET, prefix + "/")
    assert sorted(keys) == [key for key in there if "/data/" in key]
    assert all(key.endswith(FORMATS[form]) for key in keys)
    largest = 0
    for each in listed:
        packed = site.store.get(BUCKET, each["dataFileS3Key"])
        assert each["md5Checksum"] == base64.b64encode(hashlib.md5(packed).digest()).decode()
        assert each["etag"]
        lines = gzip.decompress(packed).decode().splitlines(keepends=True)
        assert len(lines) == each["itemCount"] > 0
        # What a file has before its last line is within the bound.
        assert sum(map(len, lines[:-1])) < FILE_BYTES
        largest = max(largest, len(lines))
    assert sum(each["itemCount"] for each in listed) == len(items) == summary["itemCount"]
    assert largest > 50
    if form == "DYNAMODB_JSON":
        assert site.exported_items(export) == by_key(map(as_json, items))
    assert site.import_export(export, form, imported()) == by_key(items)


def test_a_file_that_is_exactly_full(site, prefix):
    """No empty file comes behind it."""
    table = site.table(*(simple(n, text={"S": "x" * FILE_BYTES}) for n in range(4)))
    export = site.export(table, S3Prefix=prefix)
    assert len(site.data_keys(export)) == 4
