"""Zstandard frames as they are written without compressing: its format allows that."""

MAGIC = (0xFD2FB528).to_bytes(4, "little")
SKIPPED = (0x184D2A50).to_bytes(4, "little")
# Blocks are no longer than this.
BLOCK = 100_000
RAW, RUN = 0, 1


def block(kind, content, size, last):
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content


def zstd(data):
    """A frame with the data in blocks as they are."""
    # One segment, and four bytes for the size.
    header = bytes([0b1010_0000]) + len(data).to_bytes(4, "little")
    parts = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)] or [b""]
    blocks = [block(RAW, part, len(part), part is parts[-1]) for part in parts]
    return MAGIC + header + b"".join(blocks)


def run(byte, count):
    """A frame with one byte, so many times."""
    return MAGIC + bytes([0b1010_0000]) + count.to_bytes(4, "little") + block(RUN, byte, count, 1)


def skipped(data):
    """A frame that readers pass over."""
    return SKIPPED + len(data).to_bytes(4, "little") + data
