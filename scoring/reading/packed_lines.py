"""The kept part of a submitted file: lines of bytes, compressed, read one at a time."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

try:
    import zstandard
except ModuleNotFoundError:
    # The service installs it, since it keeps these lines for years. On a laptop it would be half of the
    # installation, and the lines last only as long as the command: gzip suffices.
    zstandard = None  # type: ignore[assignment]

_END = b"end\n"
GZIP_DAMAGE: tuple[type[Exception], ...] = (zlib.error, OSError, EOFError)
DAMAGE = GZIP_DAMAGE
if zstandard is not None:
    DAMAGE = (zstandard.ZstdError,)


@contextmanager
def keeping(target: BinaryIO | None) -> Iterator[Callable[[bytes], object]]:
    """Yield a function that adds a line (without a line break) to `target`; without one, it does nothing."""
    if target is None:
        yield lambda line: None
        return
    with _compressor(target) as writer:
        yield lambda line: writer.write(line + b"\n")
        # This runs only if nothing was raised, so a file that was cut off has no end mark.
        writer.write(_END)


def kept_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of what `keeping` wrote. Raises ValueError where it is cut off or damaged."""
    try:
        for line in _decompressed(source):
            if line == _END:
                return
            yield line
    except DAMAGE as error:
        raise ValueError(f"what was kept of a file is damaged: {error}") from error
    raise ValueError("what was kept of a file is cut off")


# Level 1 suffices: identifiers, most of the lines, hardly shrink further; a file is read at 40 MB/s or more.
def _compressor(target: BinaryIO) -> BinaryIO:
    if zstandard is None:
        return cast(BinaryIO, gzip.GzipFile(fileobj=target, mode="wb", compresslevel=1))
    return cast(BinaryIO, zstandard.ZstdCompressor(level=1).stream_writer(target, closefd=False))


def _decompressed(source: BinaryIO) -> io.BufferedReader:
    if zstandard is None:
        return io.BufferedReader(gzip.GzipFile(fileobj=source, mode="rb"), 256 * 1024)
    reader = zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=False, closefd=False)
    return io.BufferedReader(reader, 256 * 1024)
