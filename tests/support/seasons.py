"""A season of a leaderboard, and a clock that a test sets."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

from django.utils import timezone

from leaderboard.models import Season
from leaderboard.services.seasons import change, reveal
from tests.support import factories

OPENS, CLOSES, REVEALS = "2027-03-01 00:00", "2027-03-31", "2027-04-07 12:00"
BEFORE = datetime(2027, 2, 1, tzinfo=UTC)
DURING = datetime(2027, 3, 10, tzinfo=UTC)
# The end of 31 March anywhere on Earth is noon of 1 April in UTC.
LAST_SECOND = datetime(2027, 4, 1, 11, 59, 59, tzinfo=UTC)
CLOSED = datetime(2027, 4, 2, tzinfo=UTC)
REVEALED = datetime(2027, 4, 8, tzinfo=UTC)


@contextmanager
def at(now: datetime):
    """Set the clock of the service."""
    with patch.object(timezone, "now", lambda: now):
        yield


def make_season(board, *, by=None, **values) -> Season:
    """Make a season of a leaderboard as an organiser does, in February 2027."""
    asked = {
        **{"name": "Spring 2027", "slug": "spring", "zone": "Etc/GMT+12"},
        **{"opens_at": OPENS, "closes_at": CLOSES, "reveals_at": REVEALS},
        **values,
    }
    with at(BEFORE):
        by = by or factories.get_user("organiser@example.org") or factories.make_user("organiser@example.org")
        return change.carry_out(change.read_plan(asked, board=board, now=BEFORE), by=by)


def send(user, season, raw: bytes, *, now=DURING, **options):
    """Send a file to a season at a moment; return its submission."""
    with at(now):
        return factories.send(user, season.board, raw, **options).submission


def work(now: datetime) -> int:
    """Do all that is due in seasons at a moment; return how many steps there were."""
    steps = 0
    with at(now):
        while reveal.work_on_next():
            steps += 1
            assert steps < 50, "it never comes to an end"
    return steps


def later(now: datetime, **by) -> datetime:
    return now + timedelta(**by)
