"""From an uploaded file to its text, piece by piece, under limits."""

import codecs
import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from scoring.fhir_agentbench.reading.codes import FhirCode
from scoring.reading.codes import DocumentCode
from scoring.reading.collector import Unreadable
from scoring.reading.documents import size
from scoring.reading.limits import KIB, MIB, Limits
from scoring.reading.lookalikes import binary_kind, broken_encoding, wide_encoding
from scoring.reading.messages import say

PIECE = MIB  # bytes of text at a time
_GZIP = b"\x1f\x8b"
_PACKED = 64 * KIB
_FREE = 16 * MIB  # what may be unpacked of however small a file
# A gzip file in blocks of 64 KiB, as bgzip writes them, has 16,384 of them in 1 GiB.
_MEMBERS = 200_000
_SAMPLE = 4 * KIB


def text_pieces(file: BinaryIO, limits: Limits) -> Iterator[str]:
    """Yield the text of `file`, UTF-8 with or without byte-order mark, plain or gzip.

    file: seekable, at its start. The pieces are the same whatever `file.read` returns at a time.
    Raises Unreadable for what is larger than `limits`, damaged, binary or in another encoding; what can
    be read before that place has been yielded then.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    taken, lines = 0, 1  # bytes given to the decoder, and the line that they end on
    for piece in _checked(file, limits):
        first = taken == 0
        taken += len(piece)
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode()
            yield good.removeprefix("\ufeff") if first else good
            line = lines + good.count("\n")
            raise _not_utf_8(error, taken - len(error.object), line) from None
        yield text.removeprefix("\ufeff") if first else text
        lines += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        message = say("the file ends within a character, on line {line:,}", line=lines)
        raise Unreadable(DocumentCode.TRUNCATED, message, line=lines) from None


def _checked(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """Yield the bytes of `file`, unpacked, in pieces of PIECE bytes and more; the last may be smaller."""
    length = file.seek(0, io.SEEK_END)
    file.seek(0)
    if length > limits.body_bytes:
        message = say("the file is larger than {limit}", limit=size(limits.body_bytes))
        raise Unreadable(DocumentCode.TOO_LARGE, message)
    head = _read(file, len(_GZIP))
    file.seek(0)
    parts = _unpacked(file, length, limits) if head == _GZIP else _plain(file)
    for position, piece in enumerate(_grouped(_limited(parts, limits))):
        if position == 0 and (kind := binary_kind(piece) or wide_encoding(piece)):
            raise Unreadable(*kind)
        yield piece


def _limited(parts: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    total = 0
    for part in parts:
        total += len(part)
        if total > limits.unpacked_bytes:
            limit = size(limits.unpacked_bytes)
            message = say("the file holds more than {limit} when unpacked", limit=limit)
            raise Unreadable(DocumentCode.UNPACKED_TOO_LARGE, message)
        yield part


def _grouped(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield `parts` joined to PIECE bytes and more: a gzip file can have a member for every byte."""
    waiting: list[bytes] = []
    held = 0
    trouble: Unreadable | None = None
    try:
        for part in parts:
            waiting.append(part)
            held += len(part)
            if held >= PIECE:
                yield b"".join(waiting)
                waiting, held = [], 0
    except Unreadable as error:
        trouble = error
    except zlib.error:
        message = say("the gzip data of the file are damaged")
        trouble = Unreadable(DocumentCode.GZIP_CORRUPT, message)
    # What came before the damage is read, and remarked on, all the same.
    if waiting:
        yield b"".join(waiting)
    if trouble:
        raise trouble


def _read(file: BinaryIO, count: int) -> bytes:
    """Return `count` bytes, fewer only at the end of the file."""
    data = file.read(count)
    if not data or len(data) == count:
        return data
    parts, left = [data], count - len(data)
    while left > 0 and (data := file.read(left)):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)


def _plain(file: BinaryIO) -> Iterator[bytes]:
    while piece := _read(file, PIECE):
        yield piece


def _unpacked(file: BinaryIO, length: int, limits: Limits) -> Iterator[bytes]:
    """Yield what the gzip members of `file`, of `length` bytes, unpack to. Raises zlib.error, Unreadable."""
    most = max(_FREE, limits.ratio * length)
    member = None
    members = total = 0
    while data := _read(file, _PACKED):
        while data:
            if member is None:
                # Zero bytes may pad a gzip file, on a tape or a block device.
                if not data.strip(b"\0"):
                    break
                members += 1
                if members > _MEMBERS:
                    message = say("the file consists of more than {limit:,} gzip members", limit=_MEMBERS)
                    raise Unreadable(DocumentCode.GZIP_CORRUPT, message)
                member = zlib.decompressobj(wbits=31)
            part = member.decompress(data, PIECE)
            total += len(part)
            if total > most:
                message = say("the file unpacks to more than {limit:,} times its size", limit=limits.ratio)
                raise Unreadable(FhirCode.GZIP_RATIO, message)
            if part:
                yield part
            data = member.unconsumed_tail or member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise Unreadable(DocumentCode.GZIP_TRUNCATED, say("the gzip data of the file end too early"))


def _not_utf_8(error: UnicodeDecodeError, base: int, line: int) -> Unreadable:
    """base: where in the file the bytes that the decoder stopped in begin."""
    data, start = error.object, error.start
    if b"\0" in data[:_SAMPLE]:
        message = say("the file looks like binary data of an unknown kind")
        return Unreadable(DocumentCode.BINARY, message)
    sample = data[max(0, start - _SAMPLE // 2) : start + _SAMPLE // 2]
    message = broken_encoding(data[start], base + start, line, sample)
    return Unreadable(DocumentCode.NOT_UTF_8, message, line=line)
