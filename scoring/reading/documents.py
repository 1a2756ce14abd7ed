"""Decode the bytes of an uploaded file to text, under limits."""

import zlib
from collections.abc import Iterator

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.limits import KIB, MIB, Limits
from wardboard.scoring.reading.lookalikes import binary_kind, broken_encoding, wide_encoding
from wardboard.scoring.reading.messages import phrase

_GZIP = b"\x1f\x8b"
_CHUNK = 16 * KIB
_SAMPLE = 4 * KIB


def read_text(raw: bytes, limits: Limits) -> str:
    """Return the text of `raw`: UTF-8 with or without byte-order mark, plain or gzip.

    Raises Unreadable, and nothing else, for what is larger than `limits`, empty, damaged, binary or
    in another encoding.
    """
    most = min(limits.body_bytes, limits.document_bytes)
    if len(raw) > most:
        message = phrase("the file is larger than {limit}", limit=size(most))
        raise Unreadable(DocumentCode.TOO_LARGE, message)
    data = _unpack(raw, limits.unpacked_bytes) if raw.startswith(_GZIP) else raw
    if len(data) > limits.unpacked_bytes:
        message = phrase("the file holds more than {limit} when unpacked", limit=size(limits.unpacked_bytes))
        raise Unreadable(DocumentCode.UNPACKED_TOO_LARGE, message)
    if kind := binary_kind(data) or wide_encoding(data):
        raise Unreadable(*kind)
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        # A mark that was removed shifts the place by its three bytes.
        raise _encoding_trouble(data, error.start + len(data) - len(error.object), error) from None
    if not text.strip():
        raise Unreadable(DocumentCode.EMPTY, phrase("the file is empty"))
    return text


def size(count: int) -> str:
    """Return a number of bytes in words: `32 MiB`, `1,000 bytes`."""
    if count >= MIB and count % MIB == 0:
        return f"{count // MIB} MiB"
    return phrase("{count:,} bytes", count=count)


def _unpack(raw: bytes, limit: int) -> bytes:
    """Return the gzip members of `raw` one after another; unpacking stops a byte past `limit`."""
    parts: list[bytes] = []
    left = limit + 1
    try:
        for part in _unpacked(raw, limit + 1):
            parts.append(part)
            left -= len(part)
            if left <= 0:
                break
    except zlib.error:
        message = phrase("the gzip data of the file are damaged")
        raise Unreadable(DocumentCode.GZIP_CORRUPT, message) from None
    return b"".join(parts)


def _unpacked(raw: bytes, most: int) -> Iterator[bytes]:
    """Yield `raw` unpacked, in parts of at most `most` bytes. Raises zlib.error, Unreadable."""
    view = memoryview(raw)
    member = None
    position = 0
    while position < len(raw):
        if member is None:
            # Zero bytes may pad a gzip file, on a tape or a block device.
            if not raw.startswith(_GZIP, position) and not raw[position:].strip(b"\0"):
                return
            member = zlib.decompressobj(wbits=31)
        chunk = view[position : position + _CHUNK]
        yield member.decompress(chunk, most)
        while member.unconsumed_tail:
            yield member.decompress(member.unconsumed_tail, most)
        position += len(chunk) - len(member.unused_data)
        if member.eof:
            member = None
    if member is not None:
        raise Unreadable(DocumentCode.GZIP_TRUNCATED, phrase("the gzip data of the file end too early"))


def _encoding_trouble(data: bytes, start: int, error: UnicodeDecodeError) -> Unreadable:
    line = data.count(b"\n", 0, start) + 1
    if error.end == len(error.object) and error.reason == "unexpected end of data":
        message = phrase("the file ends within a character, on line {line:,}", line=line)
        return Unreadable(DocumentCode.TRUNCATED, message, line=line)
    if b"\0" in data[:_SAMPLE]:
        message = phrase("the file looks like binary data of an unknown kind")
        return Unreadable(DocumentCode.BINARY, message)
    sample = data[max(0, start - _SAMPLE // 2) : start + _SAMPLE // 2]
    return Unreadable(DocumentCode.NOT_UTF_8, broken_encoding(data[start], start, line, sample), line=line)
