"""Turns records of the Streams API into the events that Lambda hands to functions.

Lambda's events are JSON: binary values are base64, times are seconds, the members of userIdentity
begin with lower case, and each record names its stream.
"""

import base64
import json

from streams.lineage import Walker


def lambda_record(record, arn):
    """One record as a function sees it."""
    event = {**record, "dynamodb": dict(record["dynamodb"]), "eventSourceARN": arn}
    body = event["dynamodb"]
    body["ApproximateCreationDateTime"] = int(body["ApproximateCreationDateTime"].timestamp())
    if "userIdentity" in event:
        identity = event["userIdentity"]
        event["userIdentity"] = {
            "type": identity["Type"],
            "principalId": identity["PrincipalId"],
        }
    return json.loads(json.dumps(event, default=_base64))


def _base64(value):
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{value!r} cannot be in an event")


class Poller:
    """An event source mapping: reads a stream and calls a function with batches of records."""

    def __init__(self, client, arn, function, batch_size=100):
        self.walker = Walker(client, arn)
        self.function = function
        self.batch_size = batch_size

    def poll(self):
        """Hands on all there is. Gives the records that the function was called with."""
        arn, handled, batches = self.walker.arn, [], {}
        self.walker.drain(
            lambda shard, record: batches.setdefault(shard, []).append(lambda_record(record, arn))
        )
        for records in batches.values():
            for start in range(0, len(records), self.batch_size):
                batch = records[start : start + self.batch_size]
                self.function({"Records": batch}, None)
                handled += batch
        return handled
