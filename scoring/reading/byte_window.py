"""Go through the bytes of a text file once, in bounded memory, and quote the lines around a place."""

import gzip
import time
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from wardboard.scoring.reading.limits import KIB
from wardboard.scoring.reading.problems import QuotedLine, printable

_GZIP = b"\x1f\x8b"
_MARK = b"\xef\xbb\xbf"
_CHUNK = 256 * KIB
_BEHIND = 4 * KIB  # bytes kept before the current place, to quote the line before it
_AHEAD = 2 * KIB  # bytes on either side of a place, such as that of a value that a fix changes
_HALF = 100  # characters quoted on either side of a place
_WIDEST = 4  # bytes of a character in UTF-8
# The bytes of a character after its first.
_CONTINUATION = bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlace:
    """A place in a file.

    - line, column: in characters, from 1
    - quoted: its line, cut around it
    - before, after: the text of its line before it, and the text from there on; both cut
    """

    line: int
    column: int
    quoted: QuotedLine
    before: str
    after: str


class ByteWindow:
    """The bytes of a file, plain or gzip, from shortly before the current place on.

    at: the current place, as an index of `data`. It moves forwards only.
    masked: the same bytes without JSON's escapes, so that every quotation mark begins or ends a string
    """

    def __init__(self, file: BinaryIO, *, most: int, ends: float) -> None:
        """Begin at the start of a seekable file. most: unpacked bytes; ends: when to stop, by `monotonic`."""
        file.seek(0)
        is_packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        self._source = gzip.GzipFile(fileobj=file) if is_packed else file
        self._left, self._ends = most, ends
        self._line, self._characters = 1, 0  # of data[0]: its line, and the characters of that before it
        self._held = b""  # a backslash at the end of what was read, whose escape is not complete
        self._are_ends_returns: bool | None = None  # whether lines end with carriage returns alone
        self.data, self.masked, self.at = b"", b"", 0
        self.fill()
        if self.data.startswith(_MARK):
            self.data, self.masked = self.data[len(_MARK) :], self.masked[len(_MARK) :]

    def fill(self) -> bool:
        """Append the next bytes, and drop those far behind; return False at the end.

        The end is that of the file or of the time, or where gzip data are damaged.
        """
        if self._left <= 0 or time.monotonic() > self._ends:
            return False
        try:
            chunk = self._source.read(min(_CHUNK, self._left))
        except (OSError, EOFError, zlib.error):
            # The reader has reported damaged data; places before the damage are known.
            chunk = b""
        if not chunk:
            self._left = 0
        self._left -= len(chunk)
        is_last, chunk = not chunk, self._held + chunk
        if not chunk:
            return False
        if self._are_ends_returns is None:
            self._are_ends_returns = b"\r" in chunk[:-1] and b"\n" not in chunk.rstrip()
        if self._are_ends_returns:
            # JSON has no bare carriage return within a string, so these can only end lines.
            chunk = chunk.replace(b"\r", b"\n")
        # Each call is one pass in C, many times as fast as looking at each escape of a long text.
        masked = chunk.replace(b"\\\\", b"..").replace(b'\\"', b"..")
        self._held = b"\\" if masked.endswith(b"\\") and not is_last else b""
        if self._held:
            chunk, masked = chunk[:-1], masked[:-1]
        drop = max(0, self.at - _BEHIND)
        gone = self.data[:drop]
        if breaks := gone.count(b"\n"):
            self._line += breaks
            self._characters = 0
        self._characters += _count_characters(gone[gone.rfind(b"\n") + 1 :])
        self.data, self.masked = self.data[drop:] + chunk, self.masked[drop:] + masked
        self.at -= drop
        return True

    def peek(self, count: int) -> bytes:
        """Return up to `count` bytes from the current place on."""
        while len(self.data) - self.at < count and self.fill():
            pass
        return self.data[self.at : self.at + count]

    def go_to_line(self, line: int) -> bool:
        """Go forwards to the start of a line, from 1; return whether the file has it."""
        while True:
            missing = line - self._line - self.data.count(b"\n", 0, self.at)
            if missing <= 0:
                return missing == 0
            if self.data.count(b"\n", self.at) < missing:
                self.at = len(self.data)
                if not self.fill():
                    return False
                continue
            for _ in range(missing):
                self.at = self.data.index(b"\n", self.at) + 1

    def go_to_column(self, column: int) -> None:
        """Go from the start of a line to the character number `column`, from 1, or to the end of the line."""
        missing = column - 1
        while missing > 0:
            # No more bytes than characters are missing: the last one may be cut.
            step = self.peek(min(missing, _CHUNK)).partition(b"\n")[0]
            if not step:
                return
            missing -= _count_characters(step)
            self.at += len(step)
        while self.peek(1) and self.peek(1) in _CONTINUATION:
            self.at += 1

    def place(self) -> FilePlace:
        self.peek(_AHEAD)
        data, at = self.data, self.at
        line = self._line + data.count(b"\n", 0, at)
        start = data.rfind(b"\n", 0, at) + 1
        return FilePlace(
            line=line,
            column=_count_characters(data[start:at]) + 1 + (self._characters if start == 0 else 0),
            quoted=QuotedLine(number=line, text=self._around(start, at)),
            before=data[max(start, at - _AHEAD) : at].decode(errors="backslashreplace"),
            after=data[at : at + _AHEAD].decode(errors="backslashreplace"),
        )

    def _around(self, start: int, at: int) -> str:
        """Return the characters on either side of `at` in the line that begins at `start`."""
        first = max(start, at - _WIDEST * _HALF)
        before = self.data[first:at]
        if first > start:
            before = before.lstrip(_CONTINUATION)
        end = self.data.find(b"\n", at)
        line_end = end if end >= 0 else len(self.data)
        after = self.data[at : min(line_end, at + _WIDEST * (_HALF + 1))]
        left, right = _readable(before), _readable(after.rstrip(b"\r"))
        is_cut = first > start or len(left) > _HALF or (start == 0 and self._characters > 0)
        # The right half may take what the left one leaves.
        room = 2 * _HALF - min(len(left), _HALF)
        left = f"…{left[-_HALF:]}" if is_cut else left
        is_whole = len(right) <= room and line_end <= at + _WIDEST * (_HALF + 1)
        return left + (right if is_whole else f"{right[:room]}…")


def _count_characters(data: bytes) -> int:
    return len(data) if data.isascii() else len(data.translate(None, _CONTINUATION))


def _readable(data: bytes) -> str:
    """Return bytes of a file as printable text: control characters and what is not UTF-8 are escaped."""
    return printable(data.decode(errors="backslashreplace").expandtabs(4))
