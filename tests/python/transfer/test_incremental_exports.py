"""What changed between two moments. Time is passed by starting the server at another time."""

import datetime
import json
import pathlib
import subprocess
import uuid

import pytest

from recovery.tables import Table
from transfer.site import Site

CLOCK = pathlib.Path(__file__).with_name("moved_clock.c")
MINUTE = datetime.timedelta(minutes=1)
# What is put or, if it is none, deleted: before the first moment, between the two, and after.
CASES = {
    "insert": ([], [5], []),
    "insert-update": ([], [5], [6]),
    "insert-delete": ([], [5], [None]),
    "again": ([1, None], [5], []),
    "update": ([1], [5], []),
    "twice": ([1], [5, 6], []),
    "update-update": ([1], [5], [6]),
    "update-delete": ([1], [5], [None]),
    "delete": ([1], [None], []),
    "delete-insert": ([1], [None], [6]),
    "never-there": ([], [5, None], []),
    "unchanged": ([1], [], [6]),
    "later": ([], [], [6]),
}


def change(case, value):
    return {"pk": {"S": case}, "sk": {"S": "s"}, "v": {"N": str(value)}}


@pytest.fixture(scope="module")
def moved(start_server, tmp_path_factory):
    """Starts a server so many minutes ago."""
    library = tmp_path_factory.mktemp("clock") / "moved_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, CLOCK, "-ldl"], check=True)

    def start(ago, *arguments):
        env = {"LD_PRELOAD": str(library), "CLOCK_OFFSET": str(-60 * ago)}
        return start_server(*arguments, env=env)

    return start


@pytest.fixture(scope="module")
def changed(moved, folder, tmp_path_factory):
    """A table with changes of an hour: its site, itself and the two moments."""
    given = ["--data", tmp_path_factory.mktemp("data"), *folder.arguments()]
    real = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    table = None
    for part, ago in enumerate((60, 40, 10)):
        with moved(ago, *given) as server:
            site = Site(server, folder)
            table = Table(server, table.name, on=False) if table else site.table()
            for case, parts in CASES.items():
                for value in parts[part]:
                    put = table.put if value is not None else table.delete
                    put(change(case, value or 0))
            assert server.stop() == 0
    with moved(0, *given) as server:
        site = Site(server, folder)
        yield site, Table(server, table.name, on=False), real - 50 * MINUTE, real - 20 * MINUTE


def last(values):
    """What is left of an item."""
    return values[-1] if values else None


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("view", ["NEW_IMAGE", "NEW_AND_OLD_IMAGES"])
def test_the_net_effect_on_an_item(changed, prefix, case, view):
    site, table, start, end = changed
    given = {"ExportFromTime": start, "ExportToTime": end, "ExportViewType": view}
    export = site.export(
        table,
        S3Prefix=prefix,
        ExportType="INCREMENTAL_EXPORT",
        IncrementalExportSpecification=given,
    )
    lines = [json.loads(line) for line in site.data_lines(export)]
    assert export["ItemCount"] == len(lines)
    found = [line for line in lines if line["Keys"]["pk"]["S"] == case]
    before, within, _ = CASES[case]
    old, new = last(before), last(before + within)
    if old == new:
        assert found == []
        return
    (line,) = found
    written = int(line["Metadata"]["WriteTimestampMicros"]["N"]) / 1e6
    assert start.timestamp() <= written < end.timestamp()
    expected = {"Keys": {"pk": {"S": case}, "sk": {"S": "s"}}}
    if new is not None:
        expected["NewImage"] = change(case, new)
    if old is not None and view == "NEW_AND_OLD_IMAGES":
        expected["OldImage"] = change(case, old)
    assert {key: value for key, value in line.items() if key != "Metadata"} == expected


def test_the_files_of_an_incremental_export(changed, prefix):
    site, table, start, end = changed
    given = {"ExportFromTime": start, "ExportToTime": end}
    export = site.export(
        table,
        S3Prefix=prefix,
        ExportType="INCREMENTAL_EXPORT",
        IncrementalExportSpecification=given,
    )
    assert export["ExportType"] == "INCREMENTAL_EXPORT" and "ExportTime" not in export
    assert export["IncrementalExportSpecification"]["ExportViewType"] == "NEW_AND_OLD_IMAGES"
    assert all(key.startswith(f"{prefix}/AWSDynamoDB/data/") for key in site.data_keys(export))
    summary = json.loads(site.store.get("bucket", export["ExportManifest"]))
    assert summary["version"] == "2023-08-01"
    assert summary["outputView"] == "NEW_AND_OLD_IMAGES"
    assert datetime.datetime.fromisoformat(summary["exportFromTime"]) == start
    assert datetime.datetime.fromisoformat(summary["exportToTime"]) == end
    assert "exportTime" not in summary


def test_a_token_without_the_second_moment(changed):
    """It is ours to choose, and no other parameter when it is asked for again."""
    site, table, start, _ = changed
    request = {
        "ClientToken": str(uuid.uuid4()),
        "ExportType": "INCREMENTAL_EXPORT",
        "IncrementalExportSpecification": {"ExportFromTime": start},
    }
    first = site.begin_export(table, **request)
    site.exported(first["ExportArn"])
    assert site.begin_export(table, **request)["ExportArn"] == first["ExportArn"]
