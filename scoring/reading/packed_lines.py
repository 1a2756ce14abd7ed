"""The kept part of a submitted file: lines of bytes, compressed, read one at a time."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_END = b"end\n"
# Level 1 suffices: identifiers, most of the lines, hardly shrink further; a file is read at 40 MB/s or more.
_LEVEL = 1


@contextmanager
def keeping(target: BinaryIO | None) -> Iterator[Callable[[bytes], object]]:
    """Yield a function that adds a line (without a line break) to `target`; without one, it does nothing."""
    if target is None:
        yield lambda line: None
        return
    with zstd.ZstdFile(target, "wb", level=_LEVEL) as writer:
        yield lambda line: writer.write(line + b"\n")
        # This runs only if nothing was raised, so a file that was cut off has no end mark.
        writer.write(_END)


def kept_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of what `keeping` wrote. Raises ValueError where it is cut off or damaged."""
    try:
        with zstd.ZstdFile(source) as lines:
            for line in lines:
                if line == _END:
                    return
                yield line
    except (zstd.ZstdError, EOFError) as error:
        raise ValueError(f"what was kept of a file is damaged: {error}") from error
    raise ValueError("what was kept of a file is cut off")
