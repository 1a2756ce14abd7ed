"""Sum up what a file holds of the traces of its runs, from the records alone: no verdict has a part in it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class TraceExtent(StrEnum):
    """What a file holds of the conversations between the agent and the server.

    WHOLE: they are there for every answer, and some read data
    PART: some read data, but they are not there for every answer
    POSTS: requests that change data, and none that reads
    NONE: no request
    """

    WHOLE = "whole"
    PART = "in-part"
    POSTS = "posts-only"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTrace:
    """What a record holds of the trace of its run.

    - is_answered: whether the record has an answer
    - reads, writes: whether the trace has a request that reads data, and one that changes data
    - is_conversation: whether it shows more than requests that change data
    """

    is_answered: bool
    reads: bool
    writes: bool
    is_conversation: bool


class TraceCollector:
    """A collector of the traces of records while they are graded, so that no file is read for them alone.

    trace_of: returns the trace of a record; None where its benchmark has none.
    """

    def __init__(self, trace_of: Callable[[Any], RecordTrace | None]) -> None:
        self._trace_of = trace_of
        self._is_known = True
        self._reads = self._writes = False
        self._shows_every_answer = True

    def pass_on(self, records: Iterable[Any]) -> Iterator[Any]:
        """Yield the records of a file unchanged."""
        for record in records:
            trace = self._trace_of(record)
            if trace is None:
                self._is_known = False
            else:
                self._reads |= trace.reads
                self._writes |= trace.writes
                self._shows_every_answer &= trace.is_conversation or not trace.is_answered
            yield record

    @property
    def extent(self) -> TraceExtent | None:
        """What all files together hold; None where the benchmark has no traces."""
        if not self._is_known:
            return None
        if self._reads:
            return TraceExtent.WHOLE if self._shows_every_answer else TraceExtent.PART
        return TraceExtent.POSTS if self._writes else TraceExtent.NONE
