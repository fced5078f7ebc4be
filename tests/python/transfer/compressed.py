"""Zstandard, read by a program that is not ours."""

import pathlib
import tempfile

import duckdb

LINES = (
    "SELECT line FROM read_csv('{}', compression='zstd', header=false, auto_detect=false, "
    "delim='\x1f', quote='', escape='', columns={{'line': 'VARCHAR'}}, parallel=false)"
)


def unzstd(content):
    """The lines that a Zstandard file stands for, all frames of it."""
    assert content, "not even a frame"
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory, "content.zst")
        file.write_bytes(content)
        lines = duckdb.sql(LINES.format(file)).fetchall()
    return "".join(f"{line or ''}\n" for (line,) in lines).encode()
