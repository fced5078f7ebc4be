"""Tables for statements."""

import pytest

from statements import Statements, definition, music


@pytest.fixture(scope="session")
def reading(client):
    """A table with items that no test changes."""
    request = definition()
    client.create_table(**request)
    statements = Statements(client, request["TableName"])
    for item in music():
        statements.put(item)
    yield statements
    client.delete_table(TableName=request["TableName"])


@pytest.fixture(scope="session")
def written(client):
    request = definition()
    client.create_table(**request)
    yield Statements(client, request["TableName"])
    client.delete_table(TableName=request["TableName"])


@pytest.fixture
def writing(written):
    """A table that is empty at the start of each test."""
    written.clear()
    return written
