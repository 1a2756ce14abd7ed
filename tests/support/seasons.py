"""A season of a leaderboard, and a clock that a test sets."""

import hashlib
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core import mail
from django.core.cache import caches
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from leaderboard.models import (
    BoardAction,
    BoardEvent,
    Evaluation,
    SealedFile,
    Season,
    Standing,
    Status,
    Submission,
    Team,
)
from leaderboard.services import background
from leaderboard.services.accounts import personal_team
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.errors import FactsInvalid
from leaderboard.services.notifications.send import notify
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.import_references import activate_revision
from leaderboard.services.seasons import change, reveal, score, seal
from leaderboard.services.submissions import admit
from leaderboard.services.submissions.cancel import cancel
from tests.support import factories
from tests.support.walk import paths, text_of
from wardboard.scoring.medagentbench.demo import GOOD

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
        **{"name": "Spring 2027", "suffix": "spring", "zone": "Etc/GMT+12"},
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


def digest_shown(season) -> str:
    """Return the digest of what the page of a closed season shows, a line for each entry."""
    lines = seal.logged(season, "season-closed", "files")
    return hashlib.sha256("".join(f"{file} {text}\n" for file, text in lines).encode()).hexdigest()


def told_of(season, kind="") -> list[dict]:
    """Return the data of the season's own events in the public log, of one kind or of all."""
    events = BoardEvent.objects.filter(board=season.board, action=BoardAction.SEASON).order_by("number")
    return [event.data for event in events if event.data["kind"].endswith(kind)]


def table_of(season) -> dict[str, int]:
    """Return the names in the table of a season, with their right answers."""
    rows = Standing.objects.filter(board=season.board).order_by("-score", "name")
    return {row.name: row.right for row in rows}


def problems_of(board, *, now=DURING, **values) -> set[str]:
    """Return where a plan has problems, which is refused."""
    with pytest.raises(FactsInvalid) as refused:
        change.read_plan(values, board=board, now=now)
    return {problem.pointer for problem in refused.value.problems}


def in_utc(text: str, zone: str) -> str:
    return f"{change.moment(text, zone):%m-%d %H:%M:%S}"


def plan(season, *, now=DURING, **values) -> Season:
    return change.read_plan(values, board=season.board, now=now)


def emails_after(now: datetime) -> list:
    """Let two minutes pass, and return all emails that were sent."""
    caches["boards"].clear()
    notify(at=later(now, minutes=2))
    return mail.outbox


def set_aside(season, task: str, *, by) -> int:
    """Set a task of a season aside; return the key of the revision without it."""
    staged = stage_set_aside(board=season.board, tasks={task: "It has two answers."}, by=by)
    return activate_revision(revision=staged, was=season.board.active_revision_id, by=by).revision.pk


def is_refused(error: type[Exception], job, *args, **options) -> bool:
    with pytest.raises(error):
        job(*args, **options)
    return True


def withdraw(submission, *, now=DURING):
    with at(now):
        return cancel(submission_id=submission.pk, by=submission.submitted_by, team=submission.team)


def lodge(submission, statement="It wins.", *, until=None, now=DURING):
    with at(now):
        return seal.lodge(
            submission_id=submission.pk, team=submission.team, statement=statement, embargo_until=until
        )


def check_waiting(now: datetime) -> None:
    """Check the files that wait for it, as a worker does."""
    with at(now):
        for waiting in Submission.objects.filter(status=Status.RECEIVED).order_by("received_at"):
            admit.check(submission_id=waiting.pk)


def break_scoring(monkeypatch, error: BaseException, *, of="") -> None:
    """Let each attempt fail to score a system, of the three or of all."""
    real = score.grade

    def grade(submission, *args, **options):
        if of in submission.system.name:
            raise error
        return real(submission, *args, **options)

    monkeypatch.setattr(score, "grade", grade)


# What a reveal calls, from its beginning to its end.
IN_A_REVEAL = [
    *((reveal, "_lock_entries"), (reveal, "open_result"), (standings, "refresh_standings")),
    *((reveal, "publish_verdicts"), (reveal, "compute_statistics"), (Season, "save")),
]


def cut_off_after(monkeypatch, owner, name: str) -> None:
    """Let the database be away once a function has returned."""
    real = getattr(owner, name)

    def cut_off(*args, **options):
        real(*args, **options)
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(owner, name, cut_off)


def break_connection(*_) -> None:
    if connection.vendor == "postgresql":
        connection.connection.close()
    else:
        raise OperationalError("the connection is closed")


class Killed(BaseException):
    """The end of a process, which nothing in it catches."""


# What the table has of what `send_three` sends.
TABLE = {"One": 47, "Two": 45, "Three": 44}


def send_three(season, user) -> dict:
    """Send three systems to a season; return their submissions by name."""
    raw = GOOD.read_bytes()
    return {
        name: send(user, season, factories.with_wrong(raw, 47 - right) if right < 47 else raw, system=name)
        for name, right in TABLE.items()
    }


def assert_one_table(season) -> None:
    """Assert that a season with the systems of `send_three` is revealed, once, and that nothing is left."""
    assert table_of(season) == TABLE
    assert [data["kind"] for data in told_of(season)] == ["season", "season-closed", "season-revealed"]
    assert told_of(season)[-1] == {"kind": "season-revealed", "entries": 3, "named": []}
    assert Evaluation.objects.filter(submission__board=season.board).count() == 3
    assert work(later(REVEALED, days=3)) == 0


def forget_leases() -> None:
    """Let the lease of every sealed file run out, as of workers that were killed."""
    SealedFile.objects.update(leased_until=timezone.now() - timedelta(days=1000))


def read_everywhere(season, submission, now: datetime) -> dict[str, str]:
    """Return what a visitor can read at a moment of a season and of its leaderboard, by path."""
    visitor = Client(raise_request_exception=False)
    found = [paths(board, [submission], "0") for board in (season.board, season.board.season_of)]
    read = [path for some in found for _, path in some if "review/" not in path and ".png" not in path]
    with at(now):
        return {path: text_of(visitor.get(path)) for path in read}


def where(pages: dict[str, str], text: str) -> set[str]:
    """Return the paths of the pages that hold a text."""
    return {path for path, page in pages.items() if text.lower() in page.lower()}


MARKS = {
    "system": "Canary agent",
    "organisation": "Canary hospital",
    "source_url": "https://canary.example.org/agent",
    "paper_url": "https://canary.example.org/paper",
    "version": "canary-1",
    "commit": "ca9a41ca9a41ca9a41ca9a41ca9a41ca9a41ca9a",
    "run_url": "https://canary.example.org/runs/1",
    "retries": "Canary tasks were run twice.",
}


UNTIL = date(2027, 6, 1)


@pytest.fixture
def season(demo):
    return make_season(demo)


@pytest.fixture
def blind(demo):
    return make_season(demo, suffix="blind", name="Blind", hides_names=True)


@pytest.fixture
def sent(season, user):
    return send_three(season, user)


@pytest.fixture
def sealed(season, user):
    return send(user, season, GOOD.read_bytes())


@pytest.fixture
def hidden(blind, user, other_user):
    """Reveal a system with marks in all that names it, hidden until June, and one that has its name."""
    Team.objects.filter(pk=personal_team(user).pk).update(name="Canary team")
    sent = send(user, blind, GOOD.read_bytes(), filename="canary.json", **MARKS)
    lodge(sent, until=UNTIL)
    one_wrong = factories.with_wrong(GOOD.read_bytes(), 1)
    send(other_user, blind, one_wrong, now=later(DURING, hours=1), system="Named")
    work(REVEALED)
    sent.refresh_from_db()
    return sent


@pytest.fixture
def deferred(settings, monkeypatch):
    """Leave the check of every file to `check_waiting`."""
    settings.CHECK_AT_ONCE_BYTES = 1
    monkeypatch.setattr(background, "enqueue", lambda *_, **__: None)
