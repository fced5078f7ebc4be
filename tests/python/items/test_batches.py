"""Batches through boto3: the batch writer, and reads that are asked for again."""

import boto3
import pytest

from definitions import on_demand


@pytest.fixture
def resource(server):
    return boto3.resource("dynamodb", endpoint_url=server.endpoint)


def test_a_batch_writer_writes_and_deletes_everything(resource, make_table):
    name = make_table(on_demand("batched", "pk", "sk"))
    table = resource.Table(name)
    with table.batch_writer() as batch:
        for i in range(120):
            batch.put_item(Item={"pk": f"p{i % 7}", "sk": f"{i:03}", "n": i})
    assert table.scan(Select="COUNT")["Count"] == 120
    with table.batch_writer(overwrite_by_pkeys=["pk", "sk"]) as batch:
        for i in range(120):
            batch.delete_item(Key={"pk": f"p{i % 7}", "sk": f"{i:03}"})
            batch.delete_item(Key={"pk": f"p{i % 7}", "sk": f"{i:03}"})
    assert table.scan(Select="COUNT")["Count"] == 0


def test_a_batch_of_reads_leaves_out_what_is_not_there(resource, make_table):
    name = make_table(on_demand("batched", "pk"))
    resource.Table(name).put_item(Item={"pk": "there", "v": {1, 2}})
    answer = resource.batch_get_item(
        RequestItems={name: {"Keys": [{"pk": "there"}, {"pk": "not"}], "ConsistentRead": True}}
    )
    assert answer["Responses"] == {name: [{"pk": "there", "v": {1, 2}}]}
    assert answer["UnprocessedKeys"] == {}
