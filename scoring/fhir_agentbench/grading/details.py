"""Precision and recall question by question, packed small, for statistics on pairs of submissions."""

import struct
import zlib
from array import array
from collections.abc import Sequence
from math import isnan, nan
from sys import byteorder

from scoring.fhir_agentbench.grading.retrieval import RetrievalFigures

_VERSION = 1
_HEAD = struct.Struct("<BI")
_NO_RECALL = 255


def pack(figures: Sequence[RetrievalFigures | None]) -> bytes:
    """Return precision and recall of all questions, in their order, as bytes that `unpack` takes.

    Layout, zlib over: the version (a byte, 1), the number of questions n (uint32), n precisions
    (float32, NaN for none), n recalls (a byte: 0, 1, or 255 for none); all little-endian.
    """
    precisions = array("f", (_or(nan, one and one.precision) for one in figures))
    if byteorder == "big":
        precisions.byteswap()
    recalls = bytes(int(_or(_NO_RECALL, one and one.recall)) for one in figures)
    return zlib.compress(_HEAD.pack(_VERSION, len(figures)) + precisions.tobytes() + recalls)


def unpack(details: bytes) -> tuple[list[float | None], list[int | None]]:
    """Return the precisions and the recalls that `pack` took, None for none. Raises ValueError."""
    try:
        data = zlib.decompress(details)
        version, number = _HEAD.unpack_from(data)
    except (zlib.error, struct.error):
        version, number, data = 0, 0, b""
    if version != _VERSION or len(data) != _HEAD.size + 5 * number:
        raise ValueError("these bytes are no packed figures of questions")
    precisions = array("f", data[_HEAD.size : _HEAD.size + 4 * number])
    if byteorder == "big":
        precisions.byteswap()
    recalls = data[_HEAD.size + 4 * number :]
    return (
        [None if isnan(value) else value for value in precisions],
        [None if value == _NO_RECALL else value for value in recalls],
    )


def _or(default: float, value: float | None) -> float:
    return default if value is None else value
