"""Seasons of leaderboards: files that are sealed as they come, and opened together once.

A season is a leaderboard of its own (`Board.season_of`), which no list of leaderboards has.

    planned ──> open ──> closed ──> revealed
"""

from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from leaderboard.models.boards import Board
from leaderboard.models.submissions import Status, Submission
from leaderboard.models.systems import System

# UTC-12, where a day ends last: POSIX names zones by what has to be added to reach UTC.
ANYWHERE = "Etc/GMT+12"
# The last file of a system is its entry, so many files teach nothing; their bytes are limited otherwise.
FILES_OF_SYSTEM = 50
# A day ends with 23:59:59, and what comes within the second of the close is in time.
LAST_SECOND = timedelta(seconds=1)
MOMENTS = ("opens_at", "closes_at", "reveals_at")
OPTIONS = ("files_of_system", "pauses_board", "hides_names")


class Phase(StrEnum):
    """Where a season is. CLOSED: it takes no more files, and nothing is opened yet."""

    PLANNED = "planned"
    OPEN = "open"
    CLOSED = "closed"
    REVEALED = "revealed"


class Season(models.Model):
    """When a season opens, closes and is revealed. Its tasks, references and conditions are its board's.

    zone: in which its moments were set and are shown; a name of the IANA database
    pauses_board: whether its leaderboard takes no file from the opening until the reveal
    hides_names: whether a system may stay without its name until a date after the reveal
    closed_at: when the close was logged: from then on it is closed, however clocks are set
    revealed_at: when the table appeared; null before
    table_number: of the last event of the reveal; the page shows the table as of that event
    """

    board = models.OneToOneField(Board, on_delete=models.PROTECT, primary_key=True, related_name="season")
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    reveals_at = models.DateTimeField()
    zone = models.CharField(max_length=40, default="UTC")
    files_of_system = models.PositiveSmallIntegerField(
        default=FILES_OF_SYSTEM, validators=[MinValueValidator(1)]
    )
    pauses_board = models.BooleanField(default=True)
    hides_names = models.BooleanField(default=False)
    closed_at = models.DateTimeField(null=True)
    revealed_at = models.DateTimeField(null=True)
    table_number = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ["opens_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(opens_at__lt=F("closes_at"), closes_at__lte=F("reveals_at")),
                name="season_moments_in_order",
                violation_error_message=gettext_lazy(
                    "A season opens before it closes, and is revealed afterwards."
                ),
            ),
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True, table_number__isnull=True)
                | Q(revealed_at__isnull=False, closed_at__isnull=False, table_number__isnull=False),
                name="season_revealed_has_table",
            ),
        ]

    def __str__(self) -> str:
        return self.board.title

    def phase(self, now: datetime) -> Phase:
        if self.revealed_at:
            return Phase.REVEALED
        if self.closed_at or now >= self.closes_at + LAST_SECOND:
            return Phase.CLOSED
        return Phase.OPEN if now >= self.opens_at else Phase.PLANNED

    @property
    def name(self) -> str:
        """Its own name: the title of its board without that of its leaderboard."""
        of = self.board.season_of
        return self.board.title.removeprefix(f"{of.title}: ") if of else self.board.title

    def day(self, now: datetime) -> date:
        """Return the day that it is in its zone."""
        return now.astimezone(ZoneInfo(self.zone)).date()

    @property
    def zone_name(self) -> str:
        return gettext("anywhere on Earth, UTC−12") if self.zone == ANYWHERE else self.zone


class SealedFile(models.Model):
    """What belongs to a file of a season beside its submission.

    statement: of its team, public from the reveal on; its digest is public at once
    embargo_until: until when the system has no name in the table; null where it has
    identity: what names the system while it has none; null otherwise
    result: the evaluation, encrypted; "" before it was scored, and once it was opened
    scored_by: the revision, grader and judge of the result
    fault: of the service, which kept the last attempt from a result; retry_at: when the next may begin
    claim, leased_until, attempts: as of `Work`
    """

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="sealed"
    )
    statement = models.TextField(blank=True, default="")
    embargo_until = models.DateField(null=True)
    identity = models.JSONField(null=True)
    result = models.TextField(default="")
    scored_by = models.CharField(max_length=400, default="")
    fault = models.CharField(max_length=40, default="")
    retry_at = models.DateTimeField(default=timezone.now)
    claim = models.UUIDField(null=True)
    leased_until = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)


def behind(system: System) -> System:
    """Return the system that a season shows as `system`, without its name; any other is itself."""
    of_nobody = system.pk and system.team_id is None
    hidden = SealedFile.objects.filter(submission__system=system).first() if of_nobody else None
    return System.objects.get(pk=hidden.identity["system"]) if hidden and hidden.identity else system


def rows_of_system(submission: Submission) -> models.QuerySet[SealedFile]:
    """Select what belongs to the files of a submission's system in its season."""
    return SealedFile.objects.filter(
        submission__board=submission.board_id, submission__system=submission.system_id
    )


def take_over(new: Submission) -> None:
    """Give a new file of a season the statement and the embargo of its system's last one."""
    last = rows_of_system(new).order_by("submission__received_at").last() or SealedFile()
    SealedFile.objects.create(
        submission=new, statement=last.statement, embargo_until=last.embargo_until, retry_at=new.received_at
    )


def why_closed(board: Board, now: datetime) -> str:
    """Return why a leaderboard takes no file because of a season; "" where it does."""
    if board.is_season:
        season = board.season
        match season.phase(now):
            case Phase.PLANNED:
                return gettext("%(title)s opens at %(at)s.") % _values(season, season.opens_at)
            case Phase.OPEN:
                return ""
        text = gettext("%(title)s closed at %(at)s. A late file belongs to the next season.")
        return text % _values(season, season.closes_at)
    # Where all references are public, a seal hides nothing.
    paused = Season.objects.filter(
        board__season_of=board.pk, pauses_board=True, revealed_at=None, opens_at__lte=now
    )
    if board.is_demo or (first := paused.select_related("board").first()) is None:
        return ""
    text = gettext("This leaderboard takes no files until %(title)s is revealed at %(at)s.")
    return text % _values(first, first.reveals_at)


def hold_open(board: Board, now: datetime) -> str:
    """Return `why_closed`; an open season is closed only once the transaction has ended."""
    if board.is_season and not why_closed(board, now):
        # Whoever closes it has this lock; a reveal comes later.
        board.season = Season.objects.select_for_update(no_key=True).get(pk=board.pk)
    return why_closed(board, now)


def _values(season: Season, at: datetime) -> dict[str, str]:
    return {"title": gettext(season.board.title), "at": f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"}


def entries_of(season: Season) -> models.QuerySet[Submission]:
    """Select the entry of each system: its last sealed file that came before the close."""
    sealed = Submission.objects.filter(board=season.board_id, status=Status.SEALED)
    later = sealed.filter(system=models.OuterRef("system")).filter(
        Q(received_at__gt=models.OuterRef("received_at"))
        | Q(received_at=models.OuterRef("received_at"), pk__gt=models.OuterRef("pk"))
    )
    return sealed.filter(~models.Exists(later)).order_by("received_at", "pk")
