"""boto3's two faces of one server, and a table that both know."""

import boto3
import pytest
from botocore.config import Config

from definitions import name, on_demand

SETTINGS = Config(retries={"total_max_attempts": 1}, read_timeout=60, proxies={})


@pytest.fixture(scope="session")
def resource(server):
    """A boto3 resource: items are plain Python values."""
    return boto3.resource("dynamodb", endpoint_url=server.endpoint, config=SETTINGS)


@pytest.fixture
def table(make_table, resource):
    """A fresh table with the keys PK and SK, as a boto3 resource."""
    return resource.Table(make_table(on_demand(name(), "PK", "SK")))


@pytest.fixture
def endpoint(server, monkeypatch):
    """Makes programs that name no endpoint talk to the server."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.endpoint)
    return server.endpoint
