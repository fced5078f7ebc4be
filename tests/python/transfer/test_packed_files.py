"""Imports of every format, compressed in every way that there is."""

import gzip
import io

import pytest

from transfer.packed import run, skipped, zstd
from transfer.site import BUCKET, by_key, imported, json_lines

ITEMS = [
    {
        "pk": {"S": f"p{n % 5}"},
        "sk": {"S": f"{n:04}"},
        "text": {"S": f"gr\u00fc\u00df \u4f60 \U0001f600, \"{n}\"; 'x'"},
    }
    for n in range(300)
]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def csv_rows(items):
    rows = (",".join(quoted(each[column]["S"]) for column in ("pk", "sk", "text")) for each in items)
    return "".join(row + "\n" for row in rows).encode()


def ion_text(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def ion_lines(items):
    lines = (
        ",".join(f"{column}:{ion_text(value['S'])}" for column, value in each.items())
        for each in items
    )
    return "".join(f"$ion_1_0 {{Item:{{{line}}}}}\n" for line in lines).encode()


FORMATS = {
    "CSV": lambda items: b"pk,sk,text\n" + csv_rows(items),
    "DYNAMODB_JSON": json_lines,
    "ION": ion_lines,
}


def named(data):
    """A gzip member with a name and a time, as the program of that name writes it."""
    out = io.BytesIO()
    with gzip.GzipFile("items.txt", "wb", fileobj=out, mtime=1_700_000_000) as member:
        member.write(data)
    return out.getvalue()


def pieces(data, count):
    """Parts that end anywhere: within lines, and within characters."""
    size = len(data) // count + 1
    return [data[at : at + size] for at in range(0, len(data), size)]


PACKED = {
    "NONE": {"one": lambda data: data},
    "GZIP": {
        "one": gzip.compress,
        "many": lambda data: b"".join(map(gzip.compress, pieces(data, 37))),
        "named": lambda data: named(data[:1000]) + gzip.compress(b"") + named(data[1000:]),
    },
    "ZSTD": {
        "one": zstd,
        "many": lambda data: b"".join(map(zstd, pieces(data, 37))),
        "skipped": lambda data: skipped(b"what is this") + zstd(data) + skipped(b""),
        "lines": lambda data: zstd(data) + run(b"\n", 100_000),
    },
}
CASES = [(kind, way) for kind, ways in PACKED.items() for way in ways]


@pytest.mark.parametrize("packed,way", CASES, ids=lambda value: value)
@pytest.mark.parametrize("form", FORMATS)
def test_files_of_every_format(s3_site, prefix, form, packed, way):
    site = s3_site
    for part in range(3):
        body = PACKED[packed][way](FORMATS[form](ITEMS[part::3]))
        site.store.put(BUCKET, f"{prefix}/{part}", body)
    request = imported()
    found = site.import_any(request, prefix + "/", form, packed)
    assert (found["ImportStatus"], found["ErrorCount"]) == ("COMPLETED", 0), found
    assert found["ProcessedItemCount"] == found["ImportedItemCount"] == len(ITEMS)
    assert site.contents(request["TableName"]) == by_key(ITEMS)


@pytest.mark.parametrize("packed", ["GZIP", "ZSTD"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_is_cut_off(s3_site, prefix, form, packed):
    """What comes before the cut may be there, and the import says that it is not all."""
    site = s3_site
    body = PACKED[packed]["many"](FORMATS[form](ITEMS))
    site.store.put(BUCKET, f"{prefix}/x", body[: len(body) * 2 // 3])
    request = imported()
    found = site.import_any(request, prefix + "/", form, packed)
    assert (found["ImportStatus"], found["FailureCode"]) == ("FAILED", "ItemValidationError")
    assert found["ErrorCount"] == 1
    there = site.contents(request["TableName"])
    assert len(there) == found["ImportedItemCount"] < len(ITEMS)
    whole = by_key(ITEMS)
    assert all(whole[place] == each for place, each in there.items())
