"""Precision and recall of every question, packed for statistics on pairs of submissions."""

import zlib
from collections.abc import Sequence

import msgspec

from wardboard.scoring.fhir_agentbench.grading.retrieval import RetrievalFigures


class _Figures(msgspec.Struct):
    precision: list[float | None]
    recall: list[float | None]


_decoder = msgspec.json.Decoder(_Figures)


def pack(figures: Sequence[RetrievalFigures | None]) -> bytes:
    """Pack precision and recall of all questions, in their order, for `unpack`: JSON, compressed by zlib."""
    packed = _Figures(
        precision=[question and question.precision for question in figures],
        recall=[question and question.recall for question in figures],
    )
    return zlib.compress(msgspec.json.encode(packed))


def unpack(details: bytes) -> tuple[list[float | None], list[float | None]]:
    """Return the precisions and the recalls packed by `pack`. Raises ValueError for other bytes."""
    try:
        figures = _decoder.decode(zlib.decompress(details))
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError("these bytes are not packed figures of questions") from error
    return figures.precision, figures.recall
