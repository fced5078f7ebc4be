"""Fixtures: servers, and clients that talk to them."""

import contextlib
import os
import signal

import boto3
import pytest
from botocore.config import Config

import server as servers
from definitions import name
from wire import Wire

# Nothing may look at the network, nor at anybody's own settings.
os.environ.update(
    AWS_EC2_METADATA_DISABLED="true",
    AWS_CONFIG_FILE=os.devnull,
    AWS_SHARED_CREDENTIALS_FILE=os.devnull,
    AWS_ACCESS_KEY_ID="test",
    AWS_SECRET_ACCESS_KEY="test",
    AWS_DEFAULT_REGION="us-east-1",
    NO_PROXY="127.0.0.1,localhost",
)
for variable in (
    "AWS_PROFILE",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_DYNAMODB",
):
    os.environ.pop(variable, None)

CONFIG = Config(retries={"total_max_attempts": 1}, connect_timeout=60, read_timeout=60, proxies={})


# A shell lets its background jobs ignore SIGINT, and programs inherit that. With a handler here, those
# that tests start have the usual one.
signal.signal(signal.SIGINT, signal.default_int_handler)


def boto(endpoint):
    """A boto3 client of that server."""
    session = boto3.session.Session()
    return session.client("dynamodb", endpoint_url=endpoint, config=CONFIG)


class Running:
    """A server with clients for it."""

    def __init__(self, process):
        self.process = process
        self.wire = Wire(process.port)
        self.boto = boto(process.endpoint)

    def __getattr__(self, attribute):
        return getattr(self.process, attribute)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The server that most tests share: on disk, as people run it."""
    directory = tmp_path_factory.mktemp("data")
    process = servers.Server("--port", 0, "--data", directory / "data").wait_until_ready()
    yield Running(process)
    assert process.stop() == 0


@contextlib.contextmanager
def started(*arguments, **options):
    process = servers.Server("--port", 0, *arguments, **options)
    try:
        yield Running(process.wait_until_ready())
    finally:
        if process.running:
            process.kill()


@pytest.fixture(scope="session")
def start_server():
    """Starts a server for a block of code, as in `with start_server("--memory") as server`."""
    return started


@pytest.fixture
def fresh_server():
    """Starts servers that live as long as the test, unless it ends them before."""
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **options: stack.enter_context(started(*arguments, **options))


@pytest.fixture(scope="session")
def wire(server):
    return server.wire


@pytest.fixture(scope="session")
def client(server):
    return server.boto


@pytest.fixture
def make_table(wire):
    """Creates tables for one test and deletes them after it."""
    created = []

    def make(request):
        request = {"TableName": name(), **request}
        wire.call("CreateTable", request)
        created.append(request["TableName"])
        return request["TableName"]

    yield make
    for table in created:
        wire.post("UpdateTable", {"TableName": table, "DeletionProtectionEnabled": False})
        wire.post("DeleteTable", {"TableName": table})
