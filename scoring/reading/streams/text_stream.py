"""Decode an uploaded file to text, piece by piece and within limits."""

import codecs
import io
import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO

from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.limits import KIB, MIB, Limits, size
from wardboard.scoring.reading.lookalikes import binary_kind
from wardboard.scoring.reading.messages import phrase

PIECE = MIB  # bytes that are decoded at a time
_GZIP = b"\x1f\x8b"
_RATIO_FREE = 16 * MIB  # unpacked bytes below which the ratio does not matter
_SAMPLE_BYTES = 4 * KIB
ANY_SIZE = Limits(body_bytes=2**63, unpacked_bytes=2**63)


def text_pieces(file: BinaryIO, limits: Limits) -> Iterator[str]:
    """Yield the text of `file`: UTF-8 with or without a byte-order mark, plain or gzip.

    file: seekable.
    Where the first of them has bare carriage returns alone, these end lines, and are yielded as line feeds.
    Raises Unreadable for a file that is larger than `limits`, damaged, binary or in another encoding, after
    it has yielded all text before that place.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    decoded, lines = 0, 1  # bytes decoded so far, and the line on which they end
    are_ends_returns = False
    for piece in _checked_bytes(file, limits):
        first = decoded == 0
        are_ends_returns = (first and b"\r" in piece[:-1] and b"\n" not in piece.rstrip()) or are_ends_returns
        if are_ends_returns:
            piece = piece.replace(b"\r", b"\n")  # noqa: PLW2901
        decoded += len(piece)
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as error:
            valid = error.object[: error.start].decode()
            yield valid.removeprefix("\ufeff") if first else valid
            raise _not_utf_8(error, decoded - len(error.object), lines + valid.count("\n")) from None
        yield text.removeprefix("\ufeff") if first else text
        lines += text.count("\n")
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        message = phrase("the file ends within a character, on line {line:,}", line=lines)
        raise Unreadable(DocumentCode.TRUNCATED, message, line=lines) from None


def read_text(raw: bytes, limits: Limits) -> str:
    """Return the text of the bytes of a file, as `text_pieces` yields it.

    Raises Unreadable, and nothing else, also for what is larger than a document may be, or empty.
    """
    limits = replace(limits, body_bytes=min(limits.body_bytes, limits.document_bytes))
    text = "".join(text_pieces(io.BytesIO(raw), limits))
    if not text.strip():
        raise Unreadable(DocumentCode.EMPTY, phrase("the file is empty"))
    return text


def head_of(file: BinaryIO) -> str:
    """Return the first MiB of the text of a seekable file, without space before it; "" for what is no text.

    The file is left at its start.
    """
    file.seek(0)
    try:
        head = next(text_pieces(file, ANY_SIZE), "").lstrip()
    except Unreadable:
        head = ""
    file.seek(0)
    return head


def _checked_bytes(file: BinaryIO, limits: Limits) -> Iterator[bytes]:
    """Yield the unpacked bytes of `file` in pieces of at least PIECE bytes, but for the last."""
    length = file.seek(0, io.SEEK_END)
    file.seek(0)
    if length > limits.body_bytes:
        message = phrase("the file is larger than {limit}", limit=size(limits.body_bytes))
        raise Unreadable(DocumentCode.TOO_LARGE, message)
    head = file.read(len(_GZIP))
    file.seek(0)
    parts = _unpacked(file, length, limits) if head == _GZIP else iter(partial(file.read, PIECE), b"")
    for position, piece in enumerate(_grouped(parts, limits)):
        if position == 0 and (kind := binary_kind(piece)):
            raise Unreadable(*kind)
        yield piece


def _grouped(parts: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """Join `parts` to pieces of at least PIECE bytes: a gzip file can have one member per byte."""
    waiting: list[bytes] = []
    length = total = 0
    pending_error: Unreadable | None = None
    try:
        for part in parts:
            total += len(part)
            if total > limits.unpacked_bytes:
                limit = size(limits.unpacked_bytes)
                message = phrase("the file holds more than {limit} when unpacked", limit=limit)
                raise Unreadable(DocumentCode.TOO_LARGE, message)
            waiting.append(part)
            length += len(part)
            if length >= PIECE:
                yield b"".join(waiting)
                waiting, length = [], 0
    except Unreadable as error:
        pending_error = error
    except zlib.error:
        message = phrase("the gzip data of the file are damaged")
        pending_error = Unreadable(DocumentCode.GZIP, message)
    # The data before the damage are still read, and their problems reported.
    if waiting:
        yield b"".join(waiting)
    if pending_error:
        raise pending_error


def _unpacked(file: BinaryIO, length: int, limits: Limits) -> Iterator[bytes]:
    """Unpack the gzip members of `file`, of `length` bytes. Raises zlib.error, Unreadable."""
    limit_bytes = max(_RATIO_FREE, limits.ratio * length)
    member = None
    members = total = 0
    while data := file.read(64 * KIB):
        while data:
            if member is None:
                # A gzip file on a tape or a block device may be padded with zero bytes.
                if not data.strip(b"\0"):
                    break
                members += 1
                # bgzip writes blocks of 64 KiB, 16,384 of them in 1 GiB.
                if members > 200_000:
                    raise Unreadable(DocumentCode.GZIP, phrase("the file consists of too many gzip members"))
                member = zlib.decompressobj(wbits=31)
            part = member.decompress(data, PIECE)
            total += len(part)
            if total > limit_bytes:
                message = phrase("the file unpacks to more than {limit:,} times its size", limit=limits.ratio)
                raise Unreadable(DocumentCode.TOO_LARGE, message)
            if part:
                yield part
            data = member.unconsumed_tail or member.unused_data
            if member.eof:
                member = None
    if member is not None:
        raise Unreadable(DocumentCode.GZIP, phrase("the gzip data of the file end too early"))


def _not_utf_8(error: UnicodeDecodeError, offset: int, line: int) -> Unreadable:
    """Return the problem of a file that is not UTF-8. offset: of the first byte of `error.object`."""
    data, start = error.object, error.start
    if b"\0" in data[:_SAMPLE_BYTES]:
        return Unreadable(DocumentCode.BINARY, phrase("the file looks like binary data of an unknown kind"))
    where: dict[str, str | int] = {"place": offset + start, "byte": f"0x{data[start]:02x}", "line": line}
    message = phrase("byte {place:,} ({byte}), on line {line:,}, is not UTF-8", **where)
    return Unreadable(DocumentCode.NOT_UTF_8, message, line=line)
