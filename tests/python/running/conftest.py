"""What the tests of commands share."""

import subprocess

import pytest

import server as servers
from server import PATIENCE
from wire import Wire


@pytest.fixture
def server_at():
    """Starts servers at a port that is given, which live as long as the test."""
    processes = []

    def start(port, *arguments):
        process = servers.Server("--port", port, *arguments)
        processes.append(process)
        process.wait_until_ready()
        process.wire = Wire(process.port)
        return process

    yield start
    for process in processes:
        if process.running:
            process.kill()


@pytest.fixture(scope="session")
def monotable():
    """Runs a command without a terminal to its end: exit code, standard output, standard error."""

    def run(server, *arguments):
        done = subprocess.run(
            [servers.BINARY, *map(str, arguments), "--endpoint", server.endpoint],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=servers.environment(),
        )
        return done.returncode, done.stdout, done.stderr

    return run
