"""A slice of scoring: it says how far it is, learns whether to go on, and keeps its claim alive."""

import uuid
from dataclasses import asdict
from time import monotonic

from django.conf import settings
from django.utils import timezone

from leaderboard.models import Submission
from scoring.benchmark import Progress

_TELL_EVERY = 1.0  # seconds


class Slice:
    """is_lost: the submission was cancelled or is another's; is_over: the time of the slice is."""

    def __init__(self, *, submission_id: uuid.UUID, claim: uuid.UUID) -> None:
        self.claim = claim
        self.is_lost = self.is_over = False
        self._submission_id = submission_id
        self._began, self._since = monotonic(), timezone.now()
        self._told = float("-inf")
        self._first: int | None = None

    def watch(self, progress: Progress) -> bool:
        """Take note of `progress`; return whether to go on."""
        now = monotonic()
        if self._first is None:
            self._first = progress.judged
        if now - self._told >= _TELL_EVERY:
            self._told = now
            self.is_lost = not self._tell(progress)
        self.is_over = now - self._began > settings.SCORING_SLICE.total_seconds()
        return not (self.is_lost or self.is_over)

    def _tell(self, progress: Progress) -> int:
        told = {**asdict(progress), "since": self._since.isoformat(), "first": self._first}
        changes = {"progress": told, "moved_at": timezone.now()}
        if progress.judged > (self._first or 0):
            # It got on: what may be tried only so often is counted from here again.
            changes |= {"attempts": 0, "resumed": 0}
        return Submission.objects.filter(pk=self._submission_id, claim=self.claim).update(**changes)
