"""Fixtures for programs that use boto3's resources."""

import boto3
import pytest
from botocore.config import Config

from definitions import name

QUICK = Config(retries={"total_max_attempts": 1}, read_timeout=60, proxies={})


@pytest.fixture(scope="session")
def resource(server):
    return boto3.session.Session().resource(
        "dynamodb", endpoint_url=server.endpoint, config=QUICK
    )


@pytest.fixture
def table_of(make_table, resource):
    """Creates a table of our users under another name, with its items."""

    def make(definition, items=()):
        request = {**definition["create"], "TableName": name("users")}
        table = resource.Table(make_table(request))
        for item in items:
            table.put_item(Item=item)
        return table

    return make
