"""A slice of scoring, which reports progress, may have to end, and keeps its claim alive."""

import uuid
from collections.abc import Callable
from dataclasses import asdict
from time import monotonic
from typing import Any

from django.conf import settings

from leaderboard.services import background
from leaderboard.services.processes import leases
from wardboard.scoring.benchmark import Progress

_REPORT_EVERY = 1.0  # seconds


class ScoringSlice:
    """A worker's time on one submission.

    is_lost: the submission was cancelled, or another worker claimed it.
    is_over: the time of the slice is up.
    count_saved: returns how many verdicts this slice has stored. While there are none the slice goes on
        whatever the time: the next one would start from the same point, and never finish.
    """

    def __init__(
        self,
        *,
        submission_id: uuid.UUID,
        claim: uuid.UUID,
        count_saved: Callable[[], int],
    ) -> None:
        self.claim = claim
        self.is_lost = self.is_over = False
        self._submission_id = submission_id
        self._count_saved = count_saved
        self._started = monotonic()
        self._reported = float("-inf")
        self._last: Progress | None = None

    def watch(self, progress: Progress) -> bool:
        """Note `progress`, store it once a second, and return whether to go on."""
        now = monotonic()
        self._last = progress
        if now - self._reported >= _REPORT_EVERY:
            self._reported = now
            held = leases.held(self._submission_id, self.claim)
            self.is_lost = not held.update(progress=asdict(progress))
        is_slice_over = now - self._started > settings.SCORING_SLICE.total_seconds()
        # What a request passes on starts again in the background, where nobody waits.
        self.is_over = background.is_time_up() or (is_slice_over and self._count_saved() > 0)
        return not (self.is_lost or self.is_over)

    def progress_with_undecided(self, undecided: int) -> dict[str, Any] | None:
        """Return the last progress of a slice that left answers undecided; None before any."""
        if self._last is None:
            return None
        judged = max(0, self._last.to_judge - undecided)
        return {**asdict(self._last), "judged": judged, "undecided": undecided}
