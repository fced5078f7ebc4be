"""Full exports: what is in the bucket, and that an import of it gives the same table."""

import base64
import concurrent.futures
import datetime
import gzip
import hashlib
import json
import random
import re
import threading
import uuid

import pytest

from definitions import name
from recovery.tables import moment, until_active
from transfer.site import BUCKET, as_json, by_key, imported, simple

FORMATS = ["DYNAMODB_JSON", "ION"]
EXTENSIONS = {"DYNAMODB_JSON": ".json.gz", "ION": ".ion.gz"}
DIGITS = "12345678901234567890123456789012345678"

# Values of every type, and those that a format could get wrong.
VALUES = {
    "string": {"S": "text"},
    "empty": {"S": ""},
    "unicode": {"S": "gr\u00fc\u00df \u4f60\u597d \U0001f600 e\u0301"},
    "controls": {"S": "\x00\x01\b\t\n\v\f\r\x1b\x7f\u0085\u2028\ufeff"},
    "quotes": {"S": "\"'''\\ \\n \\u0041 {{ }} :: , // /* */ $ion_1_0"},
    "lines": {"S": 'one\ntwo\r\n{"Item":{}}\n'},
    "number": {"N": "42"},
    "negative": {"N": "-0.5"},
    "zero": {"N": "0"},
    "digits": {"N": DIGITS},
    "fraction": {"N": f"-{DIGITS[0]}.{DIGITS[1:]}"},
    "large": {"N": "9" * 38 + "0" * 88},
    "tiny": {"N": "0." + "0" * 129 + "1"},
    "bytes": {"B": bytes(range(256))},
    "no bytes": {"B": b""},
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "null": {"NULL": True},
    "strings": {"SS": ["", "a", "b \u00e9"]},
    "numbers": {"NS": ["-1.5", "0", DIGITS]},
    "binaries": {"BS": [b"", b"\x00", b"\xff\xfe"]},
    "list": {"L": [{"S": "x"}, {"L": []}, {"M": {}}, {"NULL": True}, {"SS": ["s"]}]},
    "map": {"M": {"a": {"M": {"b": {"L": [{"N": "1"}, {"B": b"\x01"}]}}}}},
}
NAMES = ["null", "true", "nan", "a.b", "a b", "$ion", "S", "'", '"', "\u00fc", "1", "Item", "\n"]


def deep(levels):
    value = {"S": "inside"}
    for level in range(levels):
        value = {"L": [value]} if level % 2 else {"M": {"in": value}}
    return value


ITEMS = [
    {"pk": {"S": "all"}, "sk": {"S": "all"}, **VALUES},
    *({"pk": {"S": "one"}, "sk": {"S": key}, "v": value} for key, value in VALUES.items()),
    {"pk": {"S": "names"}, "sk": {"S": "x"}, **{each: {"S": each} for each in NAMES}},
    {"pk": {"S": "\u00fc\n\""}, "sk": {"S": "'\\"}},
    {"pk": {"S": "deep"}, "sk": {"S": "x"}, "v": deep(31)},
    {"pk": {"S": "large"}, "sk": {"S": "x"}, "v": {"S": "x" * 390_000}},
]


@pytest.mark.parametrize("form", FORMATS)
def test_an_import_of_an_export_gives_the_same_items(site, prefix, form):
    table = site.table(*ITEMS)
    assert site.contents(table.name) == by_key(ITEMS)
    export = site.export(table, ExportFormat=form, S3Prefix=prefix)
    assert export["ItemCount"] == len(ITEMS)
    request = imported()
    assert site.import_export(export, form, request) == by_key(ITEMS)
    found = site.boto.describe_table(TableName=request["TableName"])["Table"]
    assert (found["TableStatus"], found["ItemCount"]) == ("ACTIVE", len(ITEMS))


@pytest.mark.parametrize(
    "kind,keys", [("N", ["0", "-1.5", DIGITS]), ("B", [b"\x00", b"\xff", b"a"])], ids=["N", "B"]
)
@pytest.mark.parametrize("form", FORMATS)
def test_keys_of_every_type(site, prefix, form, kind, keys):
    definition = {
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": kind},
            {"AttributeName": "sk", "AttributeType": kind},
        ]
    }
    items = [{"pk": {kind: first}, "sk": {kind: second}} for first in keys for second in keys]
    table = site.table(**definition)
    site.put(table.name, items)
    export = site.export(table, ExportFormat=form, S3Prefix=prefix)
    assert site.import_export(export, form, imported(**definition)) == by_key(items)


def test_lines_of_json(site, prefix):
    table = site.table(*ITEMS)
    export = site.export(table, S3Prefix=prefix)
    assert export["ExportFormat"] == "DYNAMODB_JSON"
    lines = list(site.data_lines(export))
    assert all(set(json.loads(line)) == {"Item"} for line in lines)
    assert site.exported_items(export) == by_key(as_json(each) for each in ITEMS)


def test_lines_of_ion(site, prefix):
    """Enough of the text to know that it is Ion as AWS writes it."""
    table = site.table(
        {
            "pk": {"S": "a"},
            "sk": {"S": "b"},
            "s": {"S": "x"},
            "n": {"N": "103"},
            "d": {"N": "1.5"},
            "t": {"BOOL": True},
            "z": {"NULL": True},
            "b": {"B": b"\x00\xff"},
            "ss": {"SS": ["p", "q"]},
            "ns": {"NS": ["7"]},
            "bs": {"BS": [b"\x01"]},
            "l": {"L": [{"S": "in"}]},
            "m": {"M": {"k": {"S": "v"}}},
        }
    )
    export = site.export(table, S3Prefix=prefix, ExportFormat="ION")
    (line,) = site.data_lines(export)
    line = re.sub(r"\s+", "", line)
    assert re.fullmatch(r"\$ion_1_0\{Item:\{.*\}\}", line), line
    for part in (
        's:"x"',
        "n:103.",
        "d:1.5",
        "t:true",
        "z:null",
        "b:{{AP8=}}",
        'ss:$dynamodb_SS::["p","q"]',
        "ns:$dynamodb_NS::[7.]",
        "bs:$dynamodb_BS::[{{AQ==}}]",
        'l:["in"]',
        'm:{k:"v"}',
    ):
        assert re.search(r"[{,]" + re.escape(part) + r"[,}]", line), f"{part} is not in {line}"


@pytest.mark.parametrize("form", FORMATS)
def test_files_of_an_export(site, prefix, form):
    items = [simple(n, pk=f"p{n % 7}") for n in range(300)]
    table = site.table(*items)
    before = moment()
    export = site.export(table, ExportFormat=form, S3Prefix=prefix)
    identity = export["ExportArn"].rsplit("/", 1)[1]
    assert re.fullmatch(r"\d{14}-[0-9a-f]{8}", identity)
    assert export["ExportArn"] == f"{table.arn}/export/{identity}"
    root = f"{prefix}/AWSDynamoDB/{identity}/"
    assert export["ExportManifest"] == root + "manifest-summary.json"

    keys = site.store.keys_of(BUCKET, prefix + "/")
    data = [key for key in keys if key.startswith(root + "data/")]
    manifests = ["manifest-files.json", "manifest-files.md5"]
    summaries = ["manifest-summary.json", "manifest-summary.md5"]
    assert sorted(set(keys) - set(data)) == sorted(
        root + each for each in ["_started", *manifests, *summaries]
    )
    pattern = re.escape(root) + r"data/[a-z0-9]{26}" + re.escape(EXTENSIONS[form])
    assert data and all(re.fullmatch(pattern, key) for key in data)
    assert site.store.get(BUCKET, root + "_started") == b""

    summary = json.loads(site.store.get(BUCKET, root + "manifest-summary.json"))
    described = {
        "version": "2020-06-30",
        "exportArn": export["ExportArn"],
        "tableArn": table.arn,
        "tableId": export["TableId"],
        "s3Bucket": BUCKET,
        "s3Prefix": prefix,
        "manifestFilesS3Key": root + "manifest-files.json",
        "billedSizeBytes": export["BilledSizeBytes"],
        "itemCount": len(items),
        "outputFormat": form,
        "exportType": "FULL_EXPORT",
    }
    assert {key: summary[key] for key in described} == described
    for key, field in (("exportTime", "ExportTime"), ("startTime", "StartTime")):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", summary[key])
        written = datetime.datetime.fromisoformat(summary[key])
        assert abs(written - export[field]) <= datetime.timedelta(milliseconds=1)
    assert datetime.datetime.fromisoformat(summary["endTime"]) >= before
    assert export["BilledSizeBytes"] > 0

    listed = site.store.get(BUCKET, root + "manifest-files.json").decode().splitlines()
    listed = [json.loads(line) for line in listed]
    assert sorted(each["dataFileS3Key"] for each in listed) == data
    for each in listed:
        body = site.store.get(BUCKET, each["dataFileS3Key"])
        assert each["md5Checksum"] == base64.b64encode(hashlib.md5(body).digest()).decode()
        assert body.startswith(b"\x1f\x8b")
        assert len(gzip.decompress(body).splitlines()) == each["itemCount"]
        assert each["etag"]
        if site.store.kind == "s3":
            assert each["etag"] == site.store.etag(BUCKET, each["dataFileS3Key"])
    assert sum(each["itemCount"] for each in listed) == len(items)

    for stem in ("manifest-files", "manifest-summary"):
        digest = hashlib.md5(site.store.get(BUCKET, f"{root}{stem}.json")).digest()
        assert site.store.get(BUCKET, f"{root}{stem}.md5").decode().strip() == (
            base64.b64encode(digest).decode()
        )


def test_the_description_of_an_export(s3_site):
    table = s3_site.table(simple(1))
    time = moment()
    begun = s3_site.begin_export(
        table,
        ExportTime=time,
        S3Prefix="described",
        S3BucketOwner="123456789012",
        S3SseAlgorithm="AES256",
        ClientToken="a-token-of-mine",
        ExportFormat="ION",
    )
    expected = {
        "ExportStatus": "IN_PROGRESS",
        "TableArn": table.arn,
        "TableId": s3_site.boto.describe_table(TableName=table.name)["Table"]["TableId"],
        "ExportTime": time,
        "ClientToken": "a-token-of-mine",
        "S3Bucket": BUCKET,
        "S3BucketOwner": "123456789012",
        "S3Prefix": "described",
        "S3SseAlgorithm": "AES256",
        "ExportFormat": "ION",
        "ExportType": "FULL_EXPORT",
    }
    times = {"ExportArn", "StartTime"}
    assert {key: begun[key] for key in begun.keys() - times} == expected
    found = s3_site.exported(begun["ExportArn"])
    assert found["StartTime"] == begun["StartTime"] <= found["EndTime"]
    ended = {"EndTime", "ExportManifest", "BilledSizeBytes", "ItemCount"}
    assert set(found) == set(begun) | ended
    assert found["ItemCount"] == 1


def test_a_bucket_without_prefix(site):
    table = site.table(simple(1))
    export = site.export(table)
    identity = export["ExportArn"].rsplit("/", 1)[1]
    assert export["ExportManifest"] == f"AWSDynamoDB/{identity}/manifest-summary.json"
    assert "S3Prefix" not in export
    assert len(site.exported_items(export)) == 1


@pytest.mark.parametrize(
    "odd",
    ["with space", "a+b", "per%20cent%", "\u00fcml\u00e4ut", "q=1&r=2", "a/b/c", "(x)!*'~_-."],
)
def test_prefixes_of_any_characters(site, odd):
    place = f"odd/{odd}"
    table = site.table(simple(1), simple(2))
    export = site.export(table, S3Prefix=place)
    assert export["ExportManifest"].startswith(place + "/AWSDynamoDB/")
    keys = site.store.keys_of(BUCKET, place + "/")
    assert export["ExportManifest"] in keys
    assert len(site.exported_items(export)) == 2
    assert len(site.import_export(export, "DYNAMODB_JSON", imported())) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_files_that_are_sent_in_parts(s3_site, prefix, form):
    """Random bytes, which no compression makes smaller."""
    site = s3_site
    random.seed(form)
    items = [simple(n, b={"B": random.randbytes(380_000)}) for n in range(64)]
    table = site.table()
    for each in items:
        site.boto.put_item(TableName=table.name, Item=each)
    export = site.export(table, S3Prefix=prefix, ExportFormat=form)
    listed = json.loads(site.store.get(BUCKET, export["ExportManifest"]))["manifestFilesS3Key"]
    listed = [json.loads(line) for line in site.store.get(BUCKET, listed).splitlines()]
    sizes = []
    for each in listed:
        body = site.store.get(BUCKET, each["dataFileS3Key"])
        assert each["md5Checksum"] == base64.b64encode(hashlib.md5(body).digest()).decode()
        assert each["etag"] == site.store.etag(BUCKET, each["dataFileS3Key"])
        sizes.append(len(body))
    assert sum(sizes) > 64 * 380_000
    assert site.import_export(export, form, imported()) == by_key(items)


def test_a_table_without_items(site, prefix):
    export = site.export(site.table(), S3Prefix=prefix)
    assert export["ItemCount"] == 0
    assert list(site.data_lines(export)) == []
    assert site.import_export(export, "DYNAMODB_JSON", imported()) == {}


@pytest.mark.parametrize("form", FORMATS)
def test_an_earlier_moment_has_no_later_changes(site, prefix, form):
    items = [simple(n) for n in range(100)]
    table = site.table(*items)
    then = moment()
    table.delete(*items[:30])
    table.put(*({**each, "n": {"N": "-1"}} for each in items[30:60]))
    table.put(*(simple(n, pk="later") for n in range(20)))
    now = site.contents(table.name)
    export = site.export(table, ExportTime=then, ExportFormat=form, S3Prefix=prefix)
    assert (export["ExportTime"], export["ItemCount"]) == (then, len(items))
    assert site.import_export(export, form, imported()) == by_key(items)
    latest = site.export(table, ExportFormat=form, S3Prefix=prefix, ExportTime=moment())
    assert site.import_export(latest, form, imported()) == now


def test_an_export_while_writers_go_on(folder_site, prefix):
    """Pairs that change together are the same in the export, which is that of a restore."""
    site = folder_site
    pairs, over = 8, threading.Event()
    table = site.table(*(simple(n) for n in range(1000)))

    def write(pair):
        turn = 0
        while not over.is_set():
            turn += 1
            puts = [
                {"Put": {"TableName": table.name, "Item": simple(pair, pk=pk, t={"N": str(turn)})}}
                for pk in ("left", "right")
            ]
            site.boto.transact_write_items(TransactItems=puts)
        return turn

    with concurrent.futures.ThreadPoolExecutor(pairs) as pool:
        writers = [pool.submit(write, pair) for pair in range(pairs)]
        try:
            exports = []
            for _ in range(4):
                threading.Event().wait(0.3)
                exports.append(site.export(table, S3Prefix=prefix, ExportTime=moment()))
        finally:
            over.set()
        assert all(writer.result() > 3 for writer in writers)
    seen = set()
    for export in exports:
        items = site.exported_items(export)
        turns = []
        for pair in range(pairs):
            left, right = (
                items.get((str({"S": pk}), str({"S": f"{pair:06}"}))) for pk in ("left", "right")
            )
            assert (left or {}).get("t") == (right or {}).get("t")
            turns.append(left and left["t"]["N"])
        seen.add(tuple(turns))
        restored = name("restored")
        table.begin(restored, export["ExportTime"])
        until_active(site.boto, restored)
        assert site.contents(restored) == items
    assert len(seen) == len(exports), "nobody wrote meanwhile"


def test_the_same_token_is_the_same_export(folder_site, prefix):
    site = folder_site
    table = site.table(simple(1))
    request = {"TableArn": table.arn, "S3Bucket": BUCKET, "S3Prefix": prefix}
    request["ClientToken"] = str(uuid.uuid4())
    first = site.wire.call("ExportTableToPointInTime", request)["ExportDescription"]
    again = site.wire.call("ExportTableToPointInTime", request)["ExportDescription"]
    assert again["ExportArn"] == first["ExportArn"]
    site.exported(first["ExportArn"])
    again = site.wire.call("ExportTableToPointInTime", request)["ExportDescription"]
    assert (again["ExportArn"], again["ExportStatus"]) == (first["ExportArn"], "COMPLETED")
    assert len(site.boto.list_exports(TableArn=table.arn)["ExportSummaries"]) == 1
    for other in (
        {"S3Prefix": "other"},
        {"ExportFormat": "ION"},
        {"TableArn": site.table(simple(1)).arn},
        {"S3Bucket": "another"},
    ):
        status, kind, _ = site.wire.refused("ExportTableToPointInTime", {**request, **other})
        assert (status, kind) == (400, "ExportConflictException"), other
    request["ClientToken"] = str(uuid.uuid4())
    other = site.wire.call("ExportTableToPointInTime", request)["ExportDescription"]
    assert other["ExportArn"] != first["ExportArn"]
