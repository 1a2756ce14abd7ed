"""A slice of scoring: it says how far it is, learns whether to go on, and keeps its claim alive."""

import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import asdict
from time import monotonic
from typing import Any

from django.conf import settings
from django.utils import timezone

from leaderboard.models import Submission
from scoring.benchmark import Progress

_TELL_EVERY = 1.0  # seconds
# The pace is that of so long: what rules or earlier verdicts decide at once says nothing of the rest.
_PACE_OF = 20.0  # seconds


class Slice:
    """is_lost: the submission was cancelled or is another's; is_over: the time of the slice is.

    kept: how much was done in this slice that the next need not do again. While that is nothing the slice
    goes on whatever the time: the next would begin anew, and so for ever.
    """

    def __init__(self, *, submission_id: uuid.UUID, claim: uuid.UUID, kept: Callable[[], int]) -> None:
        self.claim = claim
        self._kept = kept
        self.is_lost = self.is_over = False
        self._submission_id = submission_id
        self._began = monotonic()
        self._told = float("-inf")
        self._last: Progress | None = None
        self._seen = deque[tuple[float, int]]()  # when, and how many answers were judged by then

    def watch(self, progress: Progress) -> bool:
        """Take note of `progress`; return whether to go on."""
        now = monotonic()
        self._last = progress
        if now - self._told >= _TELL_EVERY:
            self._told = now
            self.is_lost = not self._tell(progress, now)
        self.is_over = now - self._began > settings.SCORING_SLICE.total_seconds() and self._kept() > 0
        return not (self.is_lost or self.is_over)

    def left_undecided(self, undecided: int) -> dict[str, Any] | None:
        """Return how far it came, where the slice ended with so many answers undecided; None: not begun."""
        if self._last is None:
            return None
        done = max(0, self._last.to_judge - undecided)
        return {**asdict(self._last), "judged": done, "undecided": undecided, "seconds_left": None}

    def _tell(self, progress: Progress, now: float) -> int:
        told = {**asdict(progress), "seconds_left": self._seconds_left(progress, now)}
        return Submission.objects.filter(pk=self._submission_id, claim=self.claim).update(
            progress=told, moved_at=timezone.now()
        )

    def _seconds_left(self, progress: Progress, now: float) -> int | None:
        """Return how long judging will take at its pace of late; None while there is nothing to go by."""
        if not progress.to_judge:
            return None
        self._seen.append((now, progress.judged))
        while now - self._seen[0][0] > _PACE_OF:
            self._seen.popleft()
        since, judged_then = self._seen[0]
        if progress.judged == judged_then:
            return None
        left = progress.to_judge - progress.judged - progress.undecided
        return round(max(0, left) * (now - since) / (progress.judged - judged_then))
