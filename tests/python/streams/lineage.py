"""Reads a stream the way the Kinesis Client Library does.

Shards are found by DescribeStream, page by page. A shard is read once its parent has been read to
its end. After each record there is a checkpoint, and a walker that is given the checkpoints of
another goes on behind them.
"""

START, END = "TRIM_HORIZON", "SHARD_END"


class Walker:
    """One worker that reads all shards of a stream in turn."""

    def __init__(self, client, arn, checkpoints=None, page=3, limit=None):
        self.client = client
        self.arn = arn
        # By shard: START, END, or the sequence number of the last record that was handled.
        self.checkpoints = dict(checkpoints or {})
        self.page = page
        self.more = {} if limit is None else {"Limit": limit}
        self.shards = {}
        self._iterators = {}

    def connect(self, client):
        """Goes on with another client; iterators are kept."""
        self.client = client

    def discover(self):
        """Finds the shards there are. Gives true if there are any that were not known."""
        known, start = len(self.shards), {}
        while True:
            described = self.client.describe_stream(
                StreamArn=self.arn, Limit=self.page, **start
            )["StreamDescription"]
            for shard in described["Shards"]:
                self.shards[shard["ShardId"]] = shard
            if "LastEvaluatedShardId" not in described:
                return len(self.shards) > known
            start = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}

    def ready(self):
        """The shards that can be read: not at their end, and their parent is or is gone."""
        return [
            shard_id
            for shard_id, shard in self.shards.items()
            if self.checkpoints.get(shard_id) != END
            and (
                shard.get("ParentShardId") not in self.shards
                or self.checkpoints.get(shard["ParentShardId"]) == END
            )
        ]

    def step(self, handle):
        """Reads a page of each shard that is ready. Gives true if that led anywhere."""
        moved = self.discover()
        for shard_id in self.ready():
            moved |= self._read(shard_id, handle)
        return moved

    def drain(self, handle):
        """Reads until there is nothing more."""
        while self.step(handle):
            pass

    def _read(self, shard_id, handle):
        if shard_id not in self._iterators:
            self._iterators[shard_id] = self._begin(shard_id)
        answer = self.client.get_records(ShardIterator=self._iterators[shard_id], **self.more)
        for record in answer["Records"]:
            handle(shard_id, record)
            self.checkpoints[shard_id] = record["dynamodb"]["SequenceNumber"]
        following = answer.get("NextShardIterator")
        if following is None:
            self.checkpoints[shard_id] = END
            del self._iterators[shard_id]
            return True
        self._iterators[shard_id] = following
        return bool(answer["Records"])

    def _begin(self, shard_id):
        checkpoint = self.checkpoints.setdefault(shard_id, START)
        if checkpoint == START:
            place = {"ShardIteratorType": START}
        else:
            place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": checkpoint}
        return self.client.get_shard_iterator(StreamArn=self.arn, ShardId=shard_id, **place)[
            "ShardIterator"
        ]


def lineage(shards, shard_id):
    """A shard and its ancestors, youngest first."""
    found = []
    while shard_id in shards:
        found.append(shard_id)
        shard_id = shards[shard_id].get("ParentShardId")
    return found


class Replica:
    """Replays records, and checks that each fits what came before it."""

    def __init__(self, key=("pk",)):
        self.key = key
        self.items = {}
        self.records = []
        self.problems = []
        self._last = {}

    def apply(self, shard_id, record):
        body = record["dynamodb"]
        name = identity(self.key, body["Keys"])
        old, new = body.get("OldImage"), body.get("NewImage")
        if self.items.get(name) != old:
            self.problems.append(f"{name} was {self.items.get(name)}, not {old}")
        event = "INSERT" if old is None else "REMOVE" if new is None else "MODIFY"
        if record["eventName"] != event:
            self.problems.append(f"{record['eventName']} has the images of {event}")
        number = int(body["SequenceNumber"])
        if number <= self._last.get(name, -1):
            self.problems.append(f"the sequence numbers of {name} do not grow")
        self._last[name] = number
        if new is None:
            self.items.pop(name, None)
        else:
            self.items[name] = new
        self.records.append((shard_id, record))

    def shards_of_items(self):
        """By item, the shards its records were in, in the order in which they were read."""
        found = {}
        for shard_id, record in self.records:
            visited = found.setdefault(identity(self.key, record["dynamodb"]["Keys"]), [])
            if not visited or visited[-1] != shard_id:
                visited.append(shard_id)
        return found


def identity(key, item):
    """The key of an item as something that can be in a dict."""
    return tuple(str(item[attribute]) for attribute in key)


def check(replica, walker, scanned):
    """What must hold once a stream has been read from its start: nothing is missing, nothing is
    there twice, all is in order, and the replica is the table."""
    assert replica.problems == []
    ids = [record["eventID"] for _, record in replica.records]
    assert len(set(ids)) == len(ids), "no record is there twice"
    for shard_id, record in replica.records:
        numbers = walker.shards[shard_id]["SequenceNumberRange"]
        number = int(record["dynamodb"]["SequenceNumber"])
        assert int(numbers["StartingSequenceNumber"]) <= number
        assert number <= int(numbers.get("EndingSequenceNumber", number))
    for shard_id, shard in walker.shards.items():
        parent = walker.shards.get(shard.get("ParentShardId"))
        if parent is not None:
            end = parent["SequenceNumberRange"]["EndingSequenceNumber"]
            assert int(end) <= int(shard["SequenceNumberRange"]["StartingSequenceNumber"])
    for item, visited in replica.shards_of_items().items():
        for before, after in zip(visited, visited[1:], strict=False):
            assert before in lineage(walker.shards, after), f"{item} left its lineage"
    table = {identity(replica.key, item): item for item in scanned}
    assert len(table) == len(scanned)
    assert replica.items == table
