"""Short ways to write to a table and to read its stream, through boto3."""

import boto3

from conftest import CONFIG
from definitions import name, on_demand

VIEWS = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]


def on(view="NEW_AND_OLD_IMAGES"):
    """The setting of a table that has a stream."""
    return {"StreamEnabled": True, "StreamViewType": view}


OFF = {"StreamEnabled": False}


def streams_client(endpoint):
    """A boto3 client of the streams of that server."""
    session = boto3.session.Session()
    return session.client("dynamodbstreams", endpoint_url=endpoint, config=CONFIG)


def streamed(view="NEW_AND_OLD_IMAGES", ranges=(), **more):
    """The definition of a table with string keys and a stream."""
    return on_demand(name("streamed"), "pk", ranges, StreamSpecification=on(view), **more)


class Stream:
    """One stream."""

    def __init__(self, client, arn):
        self.client = client
        self.arn = arn

    def describe(self, **more):
        return self.client.describe_stream(StreamArn=self.arn, **more)["StreamDescription"]

    def shards(self, **more):
        """All shards, page by page."""
        found = []
        while True:
            described = self.describe(**more)
            found += described["Shards"]
            if "LastEvaluatedShardId" not in described:
                return found
            more["ExclusiveStartShardId"] = described["LastEvaluatedShardId"]

    def iterator(self, shard=None, kind="TRIM_HORIZON", **more):
        """An iterator of a shard; of the only one if none is given."""
        if shard is None:
            (shard,) = (found["ShardId"] for found in self.shards())
        answer = self.client.get_shard_iterator(
            StreamArn=self.arn, ShardId=shard, ShardIteratorType=kind, **more
        )
        return answer["ShardIterator"]

    def read(self, iterator, **more):
        """The records from there to where there are no more, and the iterator for later."""
        found = []
        while iterator is not None:
            answer = self.client.get_records(ShardIterator=iterator, **more)
            found += answer["Records"]
            iterator = answer.get("NextShardIterator")
            if not answer["Records"]:
                break
        return found, iterator

    def records(self):
        """All records of all shards, in the order in which the shards are described."""
        shards = [shard["ShardId"] for shard in self.shards()]
        return [record for shard in shards for record in self.read(self.iterator(shard))[0]]


class Table:
    """A table and its stream."""

    def __init__(self, client, streams, table):
        self.client = client
        self.name = table
        described = client.describe_table(TableName=table)["Table"]
        self.arn = described["TableArn"]
        self.stream = Stream(streams, described["LatestStreamArn"])

    def put(self, item, **more):
        return self.client.put_item(TableName=self.name, Item=item, **more)

    def update(self, key, expression, values=None, **more):
        given = {"ExpressionAttributeValues": values} if values else {}
        return self.client.update_item(
            TableName=self.name, Key=key, UpdateExpression=expression, **given, **more
        )

    def delete(self, key, **more):
        return self.client.delete_item(TableName=self.name, Key=key, **more)

    def set_stream(self, specification):
        """Turns the stream on or off; gives the description of the table."""
        answer = self.client.update_table(TableName=self.name, StreamSpecification=specification)
        return answer["TableDescription"]

    def scan(self):
        pages = self.client.get_paginator("scan").paginate(
            TableName=self.name, ConsistentRead=True
        )
        return [item for page in pages for item in page["Items"]]


def text(value):
    return {"S": value}


def number(value):
    return {"N": str(value)}


def item(key, **attributes):
    """An item with a string key, and attributes in the form of the API."""
    return {"pk": text(key), **attributes}


def events(records):
    return [record["eventName"] for record in records]


def numbers(records):
    """The sequence numbers."""
    return [int(record["dynamodb"]["SequenceNumber"]) for record in records]


def keys(records):
    """The partition keys, which are strings."""
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in records]
