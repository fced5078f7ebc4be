"""Operations of the service model without an implementation say so by name.

Each comes with the smallest request that the model allows. An operation that gets its
implementation leaves this list.
"""

import pytest

KEY = {"pk": {"S": "1"}}
TABLE = {"TableName": "abc"}
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/abc"
LONG_ARN = ARN + "/backup/01489602797149-73d8d5bc"
GLOBAL = {"GlobalTableName": "abc"}
BUCKET = {"S3Bucket": "bucket"}
SHARD = "shardId-00000001414576573621-f55eea83"
CREATION = {
    "TableName": "abc",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}

SMALLEST = {
    "SearchVectors": {**TABLE, "IndexName": "abc", "SearchVector": [{"N": "1"}], "TopK": 1},
    "DescribeBulkOperation": {"BulkOperationArn": LONG_ARN},
    "ListBulkOperations": {},
    "CancelBulkOperation": {"BulkOperationArn": LONG_ARN},
    "CreateGlobalTable": {**GLOBAL, "ReplicationGroup": [{"RegionName": "us-east-1"}]},
    "UpdateGlobalTable": {**GLOBAL, "ReplicaUpdates": []},
    "DescribeGlobalTable": GLOBAL,
    "ListGlobalTables": {},
    "DescribeGlobalTableSettings": GLOBAL,
    "UpdateGlobalTableSettings": GLOBAL,
    "DescribeTableReplicaAutoScaling": TABLE,
    "UpdateTableReplicaAutoScaling": TABLE,
    "DescribeContributorInsights": TABLE,
    "UpdateContributorInsights": {**TABLE, "ContributorInsightsAction": "ENABLE"},
    "ListContributorInsights": {},
    "EnableKinesisStreamingDestination": {**TABLE, "StreamArn": LONG_ARN},
    "DisableKinesisStreamingDestination": {**TABLE, "StreamArn": LONG_ARN},
    "DescribeKinesisStreamingDestination": TABLE,
    "UpdateKinesisStreamingDestination": {**TABLE, "StreamArn": LONG_ARN},
}


@pytest.mark.parametrize("operation, request_", SMALLEST.items(), ids=SMALLEST)
def test_an_operation_that_is_not_there_is_named(wire, operation, request_):
    answer = wire.post(operation, request_)
    assert answer.status == 400
    assert answer.json["__type"] == "com.amazon.coral.service#UnknownOperationException"
    assert operation in answer.json["message"]


def test_every_operation_of_the_sdk_is_either_there_or_named(wire, client):
    import boto3

    streams = boto3.client("dynamodbstreams")
    for service in (client, streams):
        for operation in service.meta.service_model.operation_names:
            kind, text = (
                answer.error if (answer := wire.post(operation, {})).status != 200 else ("", "")
            )
            assert kind != "UnknownOperationException" or operation in text


CONSTRAINED = [
    (
        "Query",
        {**TABLE, "Limit": 0},
        "Value '0' at 'limit'",
        "Member must have value greater than or equal to 1",
    ),
    (
        "Query",
        {**TABLE, "IndexName": "ab"},
        "Value 'ab' at 'indexName'",
        "Member must have length greater than or equal to 3",
    ),
    ("UpdateItem", TABLE, "Value null at 'key'", "Member must not be null"),
    (
        "CreateBackup",
        {**TABLE, "BackupName": "ab"},
        "Value 'ab' at 'backupName'",
        "Member must have length greater than or equal to 3",
    ),
    (
        "ListBackups",
        {"Limit": 101},
        "Value '101' at 'limit'",
        "Member must have value less than or equal to 100",
    ),
    ("DescribeExport", {}, "Value null at 'exportArn'", "Member must not be null"),
    (
        "ListExports",
        {"MaxResults": 26},
        "Value '26' at 'maxResults'",
        "Member must have value less than or equal to 25",
    ),
    (
        "ExecuteStatement",
        {"Statement": ""},
        "Value '' at 'statement'",
        "Member must have length greater than or equal to 1",
    ),
    (
        "BatchExecuteStatement",
        {"Statements": []},
        "Value '[]' at 'statements'",
        "Member must have length greater than or equal to 1",
    ),
    (
        "GetRecords",
        {"ShardIterator": "x", "Limit": 0},
        "Value '0' at 'limit'",
        "Member must have value greater than or equal to 1",
    ),
    (
        "DescribeStream",
        {"StreamArn": "short"},
        "Value 'short' at 'streamArn'",
        "Member must have length greater than or equal to 37",
    ),
]


@pytest.mark.parametrize("operation, request_, place, constraint", CONSTRAINED)
def test_constraints_are_checked_all_the_same(wire, operation, request_, place, constraint):
    assert wire.refused(operation, request_) == (
        400,
        "ValidationException",
        f"1 validation error detected: {place} failed to satisfy constraint: {constraint}",
    )
