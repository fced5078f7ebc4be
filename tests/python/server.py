"""Starts and stops Monotable as a process of its own.

Nothing here knows what a test asks of the server.
"""

import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MONOTABLE_BIN", str(REPOSITORY / "target/debug/monotable"))
# How long anything may take on a busy machine before a test gives up.
PATIENCE = 60
STOP_PATIENCE = 40


def environment(extra=None):
    """This process's environment without anybody's settings of Monotable or AWS."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MONOTABLE_", "AWS_")) and name != "STATE_DIRECTORY"
    }
    kept.update(extra or {})
    return kept


def until(condition, what):
    """Polls until the condition gives something true, and gives that back."""
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"waited too long until {what}")
        time.sleep(0.02)


class Server:
    """A running server."""

    def __init__(self, *arguments, env=None, cwd=None, serve=True):
        command = (
            [BINARY, "serve", *map(str, arguments)] if serve else [BINARY, *map(str, arguments)]
        )
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(env),
            cwd=cwd,
            text=True,
            errors="replace",
        )
        self.out, self.err = [], []
        self._lines = queue.Queue()
        self._readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.out), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.err), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self.endpoint = None

    def _read(self, stream, lines):
        for line in stream:
            lines.append(line.rstrip("\n"))
            self._lines.put(None)
        self._lines.put(None)

    def wait_until_ready(self):
        """Waits for the endpoint to be printed; fails if the process ends first."""
        end = time.monotonic() + PATIENCE
        while self.endpoint is None:
            for line in list(self.out):
                found = re.fullmatch(r"  endpoint  (http://\S+)", line)
                if found:
                    self.endpoint = found.group(1)
                    return self
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended with {self.ended()}")
            if time.monotonic() > end:
                self.kill()
                raise TimeoutError("the server did not print its endpoint")
            try:
                self._lines.get(timeout=0.05)
            except queue.Empty:
                pass
        return self

    @property
    def port(self):
        return int(self.endpoint.rsplit(":", 1)[1])

    @property
    def running(self):
        return self.process.poll() is None

    def ended(self):
        """The exit code and what was printed, once the process has ended."""
        code = self.process.wait(STOP_PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        return code, "\n".join(self.out), "\n".join(self.err)

    def terminate(self):
        """Asks the server to stop."""
        self.process.send_signal(signal.SIGTERM)

    def stop(self):
        """Stops the server and gives its exit code."""
        if self.running:
            self.terminate()
            try:
                self.process.wait(STOP_PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        return self.ended()[0]

    def kill(self):
        """Kills the server without letting it do anything more."""
        self.process.kill()
        self.process.wait(STOP_PATIENCE)


def refusal(*arguments, env=None, cwd=None, serve=True):
    """Runs a server that is expected to refuse to start: exit code and standard error."""
    server = Server(*arguments, env=env, cwd=cwd, serve=serve)
    try:
        code, _, err = server.ended()
    except subprocess.TimeoutExpired:
        server.kill()
        raise AssertionError("the server was to refuse, but it runs") from None
    return code, err
