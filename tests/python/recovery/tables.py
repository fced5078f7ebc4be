"""Tables that can be restored, and short ways to change and to restore them."""

import datetime
import time

from definitions import index, name, on_demand
from server import until


def definition(stem="recoverable", **more):
    """A table with a sort key, a global and a local index."""
    return on_demand(
        name(stem),
        "pk",
        "sk",
        "g:S",
        "l:S",
        GlobalSecondaryIndexes=[index("gsi", "g", "sk")],
        LocalSecondaryIndexes=[index("lsi", "pk", "l")],
        **more,
    )


def item(pk, sk, n=0, **more):
    """An item that is in both indexes."""
    return {
        "pk": {"S": pk},
        "sk": {"S": sk},
        "g": {"S": f"g{n % 3}"},
        "l": {"S": f"{n:06}"},
        "n": {"N": str(n)},
        **more,
    }


def key(found):
    """The key of an item."""
    return {"pk": found["pk"], "sk": found["sk"]}


def place(found):
    """What an item is known by in the contents of a table."""
    return found["pk"]["S"], found["sk"]["S"]


def keyed(items):
    """Items as the contents of a table."""
    return {place(found): found for found in items}


def moment():
    """A moment after everything that was answered, and before everything that comes."""
    time.sleep(0.005)
    now = datetime.datetime.now(datetime.timezone.utc)
    found = now.replace(microsecond=now.microsecond // 1000 * 1000)
    time.sleep(0.005)
    return found


def seconds(time_):
    """A time as requests have it."""
    return round(time_.timestamp(), 3)


def set_recovery(client, table, enabled=True, **more):
    """Turns recovery on or off; gives what can be restored."""
    answer = client.update_continuous_backups(
        TableName=table,
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": enabled, **more},
    )
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def window(client, table):
    """What can be restored."""
    answer = client.describe_continuous_backups(TableName=table)
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def describe(client, table):
    return client.describe_table(TableName=table)["Table"]


def until_active(client, table):
    """Waits until a table is in use: its description."""

    def active():
        found = describe(client, table)
        return found if found["TableStatus"] == "ACTIVE" else None

    return until(active, f"{table} is in use")


def until_available(client, arn):
    """Waits until a backup is complete: its description."""

    def available():
        found = client.describe_backup(BackupArn=arn)["BackupDescription"]
        return found if found["BackupDetails"]["BackupStatus"] == "AVAILABLE" else None

    return until(available, "the backup is complete")


def state(wire, restore):
    """How far a restore has come."""
    return wire.call("DescribeRestore", {"RestoreId": restore})["RestoreDescription"]


def until_over(wire, restore):
    """Waits for the end of a restore: how it ended."""

    def over():
        found = state(wire, restore)
        return found if found["Status"] != "IN_PROGRESS" else None

    return until(over, f"restore {restore} is over")


def contents(client, table, **more):
    """All items of a table by their keys."""
    pages = client.get_paginator("scan").paginate(TableName=table, **more)
    return keyed(found for page in pages for found in page["Items"])


def restore_backup(client, backup, restored, **more):
    """Restores a backup: the items of the table."""
    client.restore_table_from_backup(BackupArn=backup, TargetTableName=restored, **more)
    until_active(client, restored)
    return contents(client, restored, ConsistentRead=True)


def batch(client, table, requests):
    for start in range(0, len(requests), 25):
        answer = client.batch_write_item(RequestItems={table: requests[start : start + 25]})
        assert not answer["UnprocessedItems"]


class Table:
    """A table with recovery."""

    def __init__(self, server, table, on=True):
        self.client = server.boto
        self.wire = server.wire
        self.name = table
        if on:
            set_recovery(self.client, table)

    @property
    def arn(self):
        return describe(self.client, self.name)["TableArn"]

    def put(self, *items):
        batch(self.client, self.name, [{"PutRequest": {"Item": each}} for each in items])

    def delete(self, *items):
        batch(self.client, self.name, [{"DeleteRequest": {"Key": key(each)}} for each in items])

    def contents(self, **more):
        return contents(self.client, self.name, ConsistentRead=True, **more)

    def note(self):
        """The contents, and a moment at which the table had them; nobody may write meanwhile."""
        return moment(), self.contents()

    def begin(self, target, time_=None, **more):
        """Begins to restore all of it, to the latest moment if none is given."""
        at = {"RestoreDateTime": time_} if time_ else {"UseLatestRestorableTime": True}
        answer = self.client.restore_table_to_point_in_time(
            SourceTableName=self.name, TargetTableName=target, **at, **more
        )
        return answer["TableDescription"]

    def restore(self, target, time_=None, **more):
        """Restores all of it: the items of the target."""
        self.begin(target, time_, **more)
        until_active(self.client, target)
        return contents(self.client, target, ConsistentRead=True)

    def begin_items(self, time_, **more):
        """Begins to restore some of it: the id of the restore."""
        request = {"TableName": self.name, "RestoreDateTime": seconds(time_), **more}
        return self.wire.call("RestoreItems", request)["RestoreId"]

    def restore_items(self, time_, **more):
        """Restores some of it: how that ended."""
        found = until_over(self.wire, self.begin_items(time_, **more))
        assert found["Status"] == "COMPLETED", found
        return found

    def history(self, of, **more):
        request = {"TableName": self.name, "Key": key(of), **more}
        return self.wire.call("DescribeItemHistory", request)

    def backup(self, backup_name="backup"):
        """Makes a backup: its description once it is complete."""
        answer = self.client.create_backup(TableName=self.name, BackupName=backup_name)
        return until_available(self.client, answer["BackupDetails"]["BackupArn"])
