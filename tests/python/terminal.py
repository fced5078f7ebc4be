"""Runs a command on a terminal of its own, as a person would."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import server as servers

ERASED = re.compile("[^\n]*\x1b\\[2K")


def on_terminal(*arguments, columns=100, answer=None, env=None):
    """Exit code, and all that the terminal was sent; a question gets the answer."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [servers.BINARY, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=servers.environment({"TERM": "xterm", "NO_COLOR": "1", **(env or {})}),
        start_new_session=True,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
        if answer is not None and shown.endswith(b"[y/N] "):
            os.write(ours, answer.encode())
            answer = None
    os.close(ours)
    return process.wait(servers.PATIENCE), shown.decode().replace("\r\n", "\n")


def settled(shown):
    """What stays of it: a bar that was drawn because something took long is erased again."""
    return ERASED.sub("", shown).replace("\r", "")
