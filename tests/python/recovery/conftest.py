"""Tables with recovery, and names for what is restored."""

import pytest

from definitions import name
from recovery.tables import Table, definition, item, until_active


@pytest.fixture
def make_recoverable(server, make_table):
    """Creates tables with recovery."""
    return lambda **more: Table(server, make_table(definition(**more)))


@pytest.fixture
def table(make_recoverable):
    return make_recoverable()


@pytest.fixture
def target(wire):
    """Gives names for tables that are restored, which are deleted after the test."""
    given = []

    def new():
        given.append(name("restored"))
        return given[-1]

    yield new
    for each in given:
        wire.post("UpdateTable", {"TableName": each, "DeletionProtectionEnabled": False})
        wire.post("DeleteTable", {"TableName": each})


@pytest.fixture(scope="session")
def large(server):
    """A table that takes a while to be restored or copied."""
    request = definition("large")
    server.boto.create_table(**request)
    until_active(server.boto, request["TableName"])
    made = Table(server, request["TableName"])
    made.put(*(item(f"p{n % 40}", f"{n:05}", n) for n in range(3000)))
    yield made
    server.boto.delete_table(TableName=made.name)
