"""Find whether the newest result of a board is old."""

from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import timezone

from leaderboard.models import Kind
from leaderboard.services.record.recorded_board import RecordedBoard

# A board whose newest result is older than this says so.
_OLD = timedelta(days=365)


def old_newest(board_at: RecordedBoard) -> datetime | None:
    """Return when the newest result was published, if that is long ago; None for a past board too."""
    if board_at.as_of is not None or board_at.board.is_demo:
        return None
    newest: datetime | None = board_at.remember(
        "newest", lambda: board_at.rows.exclude(kind=Kind.BASELINE).aggregate(at=Max("since"))["at"]
    )
    return newest if newest is not None and timezone.now() - newest > _OLD else None
