"""Read `as_of`: the event of its log at which a board is shown."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time

from django.utils import timezone
from django.utils.dateparse import parse_date

from leaderboard.models import Board, BoardEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """A point in the log of a board.

    number: of the last event up to that point, 0 before the first
    at: the time that was asked for, or that of the event
    event: that event; before the first an unsaved one with the settings of today
    """

    number: int
    at: datetime
    event: BoardEvent
    is_past: bool


def find_as_of(*, board: Board, text: str) -> AsOf | None:
    """Return the point that a date (its end, UTC) or an event's number names; None where there is none."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        event = BoardEvent.objects.filter(board=board, number=int(text)).first()
        return _as_of(board, event.at, event) if event else None
    try:
        day = parse_date(text) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        day = None
    at = datetime.combine(day, time.max, tzinfo=UTC) if day else None
    if at is None or at >= timezone.now():
        return None
    events = BoardEvent.objects.filter(board=board, at__lte=at)
    return _as_of(board, at, events.order_by("-at", "-number").first())


def log_start(board: Board) -> datetime | None:
    """Return the time of the first event in the board's log; None without events."""
    return BoardEvent.objects.filter(board=board).order_by("number").values_list("at", flat=True).first()


def _as_of(board: Board, at: datetime, event: BoardEvent | None) -> AsOf:
    if event is None:
        # This event is not saved: nothing is known of the board at that time.
        event = BoardEvent(
            board=board,
            number=0,
            rows_number=0,
            at=at,
            mixes_judges=board.mixes_judges,
            feedback=board.feedback,
        )
    is_past = BoardEvent.objects.filter(board=board, number__gt=event.number).exists()
    return AsOf(number=event.number, at=at, event=event, is_past=is_past)
