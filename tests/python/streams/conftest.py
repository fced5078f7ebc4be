"""Tables with streams, and a client of the streams."""

import pytest

from streams.reading import Table, streamed, streams_client


@pytest.fixture(scope="session")
def streams(server):
    return streams_client(server.endpoint)


@pytest.fixture
def make_streamed(make_table, client, streams):
    """Creates tables with a stream."""
    return lambda *given, **more: Table(client, streams, make_table(streamed(*given, **more)))


@pytest.fixture
def table(make_streamed):
    """A table whose stream shows both images."""
    return make_streamed()
