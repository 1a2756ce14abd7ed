"""Find the best of all known results of a board, and whether the newest is old."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from leaderboard.models import Kind
from leaderboard.services import visibility
from leaderboard.services.boards.reported.cited import list_unranked
from leaderboard.services.record.recorded_board import RecordedBoard

# With no more than this left, differences between ten systems on 300 tasks are hardly ever significant.
_SATURATED = 0.05
# A board whose newest result is older than this says so.
_OLD = timedelta(days=365)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestKnown:
    """The best of all ranked results of a board, scored here or published elsewhere.

    score, left: in 0..1, rounded as pages show scores; their sum is 1
    is_reported: whether it was published elsewhere and not rescored here
    unranked: the highest score among the results that have no rank; None without any
    """

    name: str
    score: float
    left: float
    is_reported: bool
    unranked: float | None

    @property
    def is_saturated(self) -> bool:
        """Whether little is left to gain. 285 of 300 leave just as little as the limit, in whole tasks."""
        return round(self.left, 6) <= _SATURATED


def best_known(board_at: RecordedBoard) -> BestKnown | None:
    """Return the best result with a rank; None if no row is ranked."""

    def read() -> BestKnown | None:
        first = board_at.ranked_rows.best_first().values_list("name", "score", "kind").first()
        if first is None:
            return None
        name, score, kind = first
        score = visibility.round_figure(score) or 0.0
        return BestKnown(
            name=name,
            score=score,
            left=round(1 - score, 6),
            is_reported=kind == Kind.REPORTED,
            unranked=max((each.score for each in list_unranked(board_at)), default=None),
        )

    return board_at.remember("best-known", read)


def old_newest(board_at: RecordedBoard) -> datetime | None:
    """Return when the newest result was published, if that is long ago; None for a past board too."""
    if board_at.as_of is not None or board_at.board.is_demo:
        return None
    newest: datetime | None = board_at.remember(
        "newest", lambda: board_at.rows.exclude(kind=Kind.BASELINE).aggregate(at=Max("since"))["at"]
    )
    return newest if newest is not None and timezone.now() - newest > _OLD else None
