"""The kept part of a submitted file: lines of bytes, compressed, read one at a time."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import zstandard

_END = b"end\n"


@contextmanager
def keeping(target: BinaryIO | None) -> Iterator[Callable[[bytes], object]]:
    """Give a function that adds a line (without a line break) to `target`, or keeps nothing."""
    if target is None:
        yield lambda line: None
        return
    # Level 1: identifiers, most of what there is, hardly shrink further; a file is read at 40 MB/s or more.
    with zstandard.ZstdCompressor(level=1).stream_writer(target, closefd=False) as writer:
        yield lambda line: writer.write(line + b"\n")
        # Reached only where nothing was raised, so a file that was cut off has no end mark.
        writer.write(_END)


def kept_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of what `keeping` wrote. Raises ValueError where it is cut off or damaged."""
    reader = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=False, closefd=False)
    try:
        for line in io.BufferedReader(reader, 256 * 1024):
            if line == _END:
                return
            yield line
    except zstandard.ZstdError as error:
        raise ValueError(f"what was kept of a file is damaged: {error}") from error
    raise ValueError("what was kept of a file is cut off")
