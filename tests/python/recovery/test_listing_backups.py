"""ListBackups: filters and pages."""

import pytest

from definitions import on_demand
from recovery.tables import moment, set_recovery, until_available


class Kept:
    """A server with backups of several tables and kinds, oldest first."""

    def __init__(self, server):
        self.client, self.wire = server.boto, server.wire
        self.backups = []
        for table in ("abc", "abcd", "deleted"):
            self.client.create_table(**on_demand(table))
        for n in range(7):
            table = ("abc", "abcd", "deleted")[n % 3]
            made = self.client.create_backup(TableName=table, BackupName=f"number-{n}")
            moment()
            self.backups.append(made["BackupDetails"])
        for made in self.backups:
            until_available(self.client, made["BackupArn"])
        set_recovery(self.client, "deleted")
        self.client.delete_table(TableName="deleted")

    def names(self, **request):
        found = self.client.list_backups(**request)["BackupSummaries"]
        return sorted(each["BackupName"] for each in found)


@pytest.fixture(scope="module")
def kept(start_server):
    with start_server("--memory") as server:
        yield Kept(server)


def numbers(*of):
    return [f"number-{n}" for n in of]


SYSTEM = "deleted$DeletedTableBackup"


@pytest.mark.parametrize(
    "request_, expected",
    [
        ({}, numbers(*range(7))),
        ({"TableName": "abc"}, numbers(0, 3, 6)),
        ({"TableName": "abcd"}, numbers(1, 4)),
        ({"TableName": "deleted"}, numbers(2, 5)),
        ({"TableName": "nowhere"}, []),
        ({"BackupType": "USER"}, numbers(*range(7))),
        ({"BackupType": "SYSTEM"}, [SYSTEM]),
        ({"BackupType": "AWS_BACKUP"}, []),
        ({"BackupType": "ALL"}, [SYSTEM, *numbers(*range(7))]),
        ({"BackupType": "ALL", "TableName": "deleted"}, [SYSTEM, *numbers(2, 5)]),
        ({"BackupType": "SYSTEM", "TableName": "abc"}, []),
    ],
)
def test_by_table_and_type(kept, request_, expected):
    assert kept.names(**request_) == expected


def test_a_table_by_its_arn(kept):
    arn = kept.client.describe_table(TableName="abc")["Table"]["TableArn"]
    assert kept.names(TableName=arn) == numbers(0, 3, 6)


def test_by_time(kept):
    """From the lower bound on, to before the upper one."""
    times = [backup["BackupCreationDateTime"] for backup in kept.backups]
    for lower in range(7):
        assert kept.names(TimeRangeLowerBound=times[lower]) == numbers(*range(lower, 7))
        assert kept.names(TimeRangeUpperBound=times[lower]) == numbers(*range(lower))
        for upper in range(7):
            bounds = {"TimeRangeLowerBound": times[lower], "TimeRangeUpperBound": times[upper]}
            assert kept.names(**bounds) == numbers(*range(lower, upper))
    bounds = {"TimeRangeLowerBound": times[1], "TimeRangeUpperBound": times[6]}
    assert kept.names(TableName="abc", **bounds) == numbers(3)


def test_a_summary_tells_what_describes_it(kept):
    for summary in kept.client.list_backups(BackupType="ALL")["BackupSummaries"]:
        described = kept.client.describe_backup(BackupArn=summary["BackupArn"])
        described = described["BackupDescription"]
        source = described["SourceTableDetails"]
        expected = {each: source[each] for each in ("TableName", "TableId", "TableArn")}
        assert summary == described["BackupDetails"] | expected


@pytest.mark.parametrize("limit", range(1, 9))
@pytest.mark.parametrize("more", [{}, {"TableName": "abc"}, {"BackupType": "ALL"}])
def test_pages(kept, limit, more):
    expected = kept.names(**more)
    found, start = [], {}
    while True:
        page = kept.client.list_backups(Limit=limit, **more, **start)
        assert len(page["BackupSummaries"]) <= limit
        found += [each["BackupName"] for each in page["BackupSummaries"]]
        if "LastEvaluatedBackupArn" not in page:
            break
        assert page["LastEvaluatedBackupArn"] == page["BackupSummaries"][-1]["BackupArn"]
        start = {"ExclusiveStartBackupArn": page["LastEvaluatedBackupArn"]}
    assert sorted(found) == expected


def test_the_paginator_of_the_sdk(kept):
    paginator = kept.client.get_paginator("list_backups")
    pages = paginator.paginate(PaginationConfig={"PageSize": 2})
    found = [each["BackupName"] for page in pages for each in page["BackupSummaries"]]
    assert sorted(found) == numbers(*range(7))


@pytest.mark.parametrize(
    "wrong, member",
    [({"Limit": 0}, "limit"), ({"Limit": 101}, "limit"), ({"BackupType": "OTHER"}, "backupType")],
)
def test_requests_that_are_refused(kept, wrong, member):
    status, kind, text = kept.wire.refused("ListBackups", wrong)
    assert (status, kind) == (400, "ValidationException")
    assert f"'{member}' failed to satisfy constraint" in text
