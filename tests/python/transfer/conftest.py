"""Servers with storage for exports and imports."""

import pytest

from transfer.site import BUCKET, Site
from transfer.storage import S3, Folder, SeaweedFS


@pytest.fixture(scope="session")
def s3(tmp_path_factory):
    """A bucket on an S3 server."""
    server = SeaweedFS(tmp_path_factory.mktemp("s3"))
    try:
        store = S3(server.endpoint)
        store.make_bucket(BUCKET)
        yield store
    finally:
        server.stop()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A bucket in a directory."""
    store = Folder(tmp_path_factory.mktemp("storage"))
    store.make_bucket(BUCKET)
    return store


@pytest.fixture(scope="session")
def s3_site(s3, start_server, tmp_path_factory):
    with start_server("--data", tmp_path_factory.mktemp("data"), *s3.arguments()) as server:
        yield Site(server, s3)
        assert server.stop() == 0


@pytest.fixture(scope="session")
def folder_site(folder, start_server, tmp_path_factory):
    with start_server("--data", tmp_path_factory.mktemp("data"), *folder.arguments()) as server:
        yield Site(server, folder)
        assert server.stop() == 0


@pytest.fixture(params=["s3", "folder"])
def site(request):
    """A server with storage of either kind."""
    return request.getfixturevalue(f"{request.param}_site")


@pytest.fixture
def prefix(request):
    """What the keys of a test's own objects begin with."""
    return request.node.name.replace("[", "-").replace("]", "").replace("|", "")
