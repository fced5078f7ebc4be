"""What the programs of our users need to find the server."""

import pytest


@pytest.fixture
def endpoint(server, monkeypatch):
    """Makes programs that name no endpoint talk to the server."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", server.endpoint)
    return server.endpoint
