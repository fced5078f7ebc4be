"""Clients for threads, and what the programs of our users need to find the server."""

import boto3
import pytest
from botocore.config import Config

SETTINGS = Config(retries={"total_max_attempts": 1}, read_timeout=60, proxies={})


@pytest.fixture
def connect(server):
    """Makes a client that nobody else uses."""
    return lambda: boto3.session.Session().client(
        "dynamodb", endpoint_url=server.endpoint, config=SETTINGS
    )


@pytest.fixture
def endpoint(server, monkeypatch):
    """Makes programs that name no endpoint talk to the server."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.endpoint)
    return server.endpoint
