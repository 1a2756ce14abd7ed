"""Sum up what a file holds of the traces of its runs, from the records alone: no verdict has a part in it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

_MOST_TASKS = 10  # tasks that a remark names


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
    - kinds: keys of Benchmark.trace_kinds that apply to it
    """

    is_answered: bool
    reads: bool
    writes: bool
    is_conversation: bool
    kinds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRemark:
    """What is remarkable about traces of a file. count: of all tasks. task_ids: the first ten of them."""

    kind: str
    count: int
    task_ids: Sequence[str]


class TraceCollector:
    """A collector of the traces of records while they are graded, so that no file is read for them alone.

    trace_of: returns the trace of a record; None for one that was kept by a release without traces.
    kinds: kinds of remarks, in order
    """

    def __init__(self, trace_of: Callable[[Any], RecordTrace | None], kinds: Iterable[str]) -> None:
        self._trace_of = trace_of
        # Task ids as keys: a task of several runs counts once.
        self._tasks: dict[str, dict[str, None]] = {kind: {} for kind in kinds}
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
                self._add(record.task_id, trace)
            yield record

    def _add(self, task_id: str, trace: RecordTrace) -> None:
        self._reads |= trace.reads
        self._writes |= trace.writes
        self._shows_every_answer &= trace.is_conversation or not trace.is_answered
        for kind in trace.kinds:
            self._tasks[kind].setdefault(task_id)

    @property
    def extent(self) -> TraceExtent | None:
        """What all files together hold; None where a record did not say."""
        if not self._is_known:
            return None
        if self._reads:
            return TraceExtent.WHOLE if self._shows_every_answer else TraceExtent.PART
        return TraceExtent.POSTS if self._writes else TraceExtent.NONE

    @property
    def remarks(self) -> list[TraceRemark]:
        """The remarks of each kind that was found."""
        return [
            TraceRemark(kind=kind, count=len(tasks), task_ids=list(tasks)[:_MOST_TASKS])
            for kind, tasks in self._tasks.items()
            if tasks
        ]
