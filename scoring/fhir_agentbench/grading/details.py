"""Precision and recall of every question, packed for statistics on pairs of submissions."""

import struct
import zlib
from array import array
from collections.abc import Sequence
from math import isnan, nan
from sys import byteorder

from wardboard.scoring.fhir_agentbench.grading.retrieval import RetrievalFigures

_VERSION = 1
_HEADER = struct.Struct("<BI")
_NO_RECALL = 255


def pack(figures: Sequence[RetrievalFigures | None]) -> bytes:
    """Pack precision and recall of all questions, in their order, for `unpack`.

    Layout, compressed by zlib and little-endian:

    - the version (one byte, 1);
    - the number of questions n (uint32);
    - n precisions (float32, NaN for None);
    - n recalls (one byte each: 0, 1, or 255 for None).
    """
    precisions = array("f", (_or_default(nan, question and question.precision) for question in figures))
    if byteorder == "big":
        precisions.byteswap()
    recalls = bytes(int(_or_default(_NO_RECALL, question and question.recall)) for question in figures)
    return zlib.compress(_HEADER.pack(_VERSION, len(figures)) + precisions.tobytes() + recalls)


def unpack(details: bytes) -> tuple[list[float | None], list[int | None]]:
    """Return the precisions and the recalls packed by `pack`. Raises ValueError for other bytes."""
    try:
        data = zlib.decompress(details)
        version, number = _HEADER.unpack_from(data)
    except (zlib.error, struct.error):
        version, number, data = 0, 0, b""
    if version != _VERSION or len(data) != _HEADER.size + 5 * number:
        raise ValueError("these bytes are not packed figures of questions")
    precisions = array("f", data[_HEADER.size : _HEADER.size + 4 * number])
    if byteorder == "big":
        precisions.byteswap()
    recalls = data[_HEADER.size + 4 * number :]
    return (
        [None if isnan(value) else value for value in precisions],
        [None if value == _NO_RECALL else value for value in recalls],
    )


def _or_default(default: float, value: float | None) -> float:
    return default if value is None else value
