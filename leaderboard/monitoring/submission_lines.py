"""Collect what a process logs about submissions, until a thread of the process stores it.

Where a line is logged nothing is written: a database that is slow, locked or away must not hold up or fail
the work that the line is about. What waits is bounded, and the oldest lines go first.
"""

import logging
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.monitoring import ids
from leaderboard.monitoring.log_format import first_line_of

_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionLine:
    """A line about a submission. message: one line, printable. request_id, task_id: "" for none."""

    submission_id: str
    at: datetime
    level: str
    message: str
    request_id: str
    task_id: str


_waiting: deque[SubmissionLine] = deque(maxlen=_MOST)


class SubmissionLines(logging.Handler):
    """Collect the lines that carry the id of a submission (`ids.bound`)."""

    def emit(self, record: logging.LogRecord) -> None:
        submission_id = ids.current("submission_id")
        if submission_id is None:
            return
        try:
            line = SubmissionLine(
                submission_id=submission_id,
                at=datetime.fromtimestamp(record.created, UTC),
                level=record.levelname,
                message="".join(c if c.isprintable() else " " for c in first_line_of(record)),
                request_id=ids.current("request_id") or "",
                task_id=ids.current("task_id") or "",
            )
        except Exception:
            # As every handler of the standard library: a line that cannot be formatted ends no work.
            self.handleError(record)
        else:
            _waiting.append(line)


def is_any_waiting() -> bool:
    """Return whether any line waits in this process."""
    return bool(_waiting)


def take() -> list[SubmissionLine]:
    """Return the lines that wait, the oldest first; they wait no more."""
    lines = []
    # Other threads may add lines meanwhile, and take some.
    while _waiting:
        try:
            lines.append(_waiting.popleft())
        except IndexError:
            break
    return lines


def give_back(lines: Sequence[SubmissionLine]) -> None:
    """Let lines that could not be stored wait again, before newer ones and as far as there is room."""
    room = _MOST - len(_waiting)
    _waiting.extendleft(reversed(lines[len(lines) - min(room, len(lines)) :]))
