"""The record: events, public and private, every version of every row, and statistics."""

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from leaderboard.models.boards import Board, BoardState, Feedback, ReferenceRevision
from leaderboard.models.evaluations import Evaluation, Standing, StandingFigures, StandingQuerySet
from leaderboard.models.immutable import Immutable, ImmutableQuerySet
from leaderboard.models.submissions import Submission
from leaderboard.models.systems import System
from leaderboard.models.teams import User


class BoardAction(models.TextChoices):
    PUBLISHED = "published", "Result published"
    WITHDRAWN = "withdrawn", "Result withdrawn"
    DISQUALIFIED = "disqualified", "Result disqualified"
    REINSTATED = "reinstated", "Result reinstated"
    RESCORED = "rescored", "Result rescored"
    REPORTED = "reported", "Published result listed"
    UNLISTED = "unlisted", "Published result removed"
    BASELINE = "baseline", "Baseline computed"
    ACTIVATED = "activated", "New reference answers"
    SETTINGS = "settings", "Rules of the leaderboard changed"
    FACTS = "facts", "Facts of a system changed"
    SEASON = "season", "Season"


class AuditAction(models.TextChoices):
    """A change of state that organisers look up."""

    SUBMITTED = "submission.received"
    REJECTED = "submission.rejected"
    SCORED = "submission.scored"
    FAILED = "submission.failed"
    INCOMPLETE = "submission.incomplete"
    CANCELLED = "submission.cancelled"
    RETRIED = "submission.retried"
    PUBLISHED = "submission.published"
    WITHDRAWN = "submission.withdrawn"
    DISQUALIFIED = "submission.disqualified"
    REINSTATED = "submission.reinstated"
    TRACES_CHANGED = "submission.traces-changed"
    IMPORTED = "references.imported"
    SET_ASIDE = "references.set-aside"
    ACTIVATED = "references.activated"
    DISCARDED = "references.discarded"
    REPORTED = "reported.loaded"
    BENCHMARK_CHANGED = "benchmark.changed"
    BENCHMARK_DECLARED = "benchmark.declared"
    SYSTEM_CHANGED = "system.changed"
    APPROVAL_REQUESTED = "team.approval-requested"
    TEAM_APPROVED = "team.approved"
    TEAM_REFUSED = "team.refused"
    ORGANISATION_CONFIRMED = "team.organisation-confirmed"
    ORGANISATION_UNCONFIRMED = "team.organisation-unconfirmed"
    REVIEWED = "submission.reviewed"
    SEAL_OPENED = "submission.seal-opened"
    DOUBT_REPORTED = "doubt.reported"
    DOUBT_DECLINED = "doubt.declined"
    DOUBT_ACCEPTED = "doubt.accepted"
    ANNOUNCED = "board.announced"
    ANNOUNCEMENT_ENDED = "board.announcement-ended"
    RESCORING_ORDERED = "board.rescoring-ordered"
    ORGANISER_ADDED = "board.organiser-added"
    ORGANISER_REMOVED = "board.organiser-removed"
    TEAM_RENAMED = "team.renamed"
    NAME_ERASED = "record.name-erased"
    TEAM_CREATED = "team.created"
    TEAM_CLOSED = "team.closed"
    MEMBER_INVITED = "team.member-invited"
    INVITATION_REVOKED = "team.invitation-revoked"
    MEMBER_JOINED = "team.member-joined"
    MEMBER_LEFT = "team.member-left"
    ROLE_CHANGED = "team.role-changed"
    ACCOUNT_DELETED = "account.deleted"
    REVIEW_LINK_CREATED = "review-link.created"
    REVIEW_LINK_REVOKED = "review-link.revoked"
    TOKEN_CREATED = "token.created"
    TOKEN_REVOKED = "token.revoked"
    PUBLISHER_ADDED = "publisher.added"
    PUBLISHER_BOUND = "publisher.bound"
    PUBLISHER_REMOVED = "publisher.removed"
    PROGRAM_APPROVED = "program.approved"
    PROGRAM_DENIED = "program.denied"


class Event(Immutable):
    """One change of state, written in the transaction that it describes: public or private.

    A public one is a `BoardEvent`: it has a board, and there the next number. A private one, an `AuditEvent`,
    has no number, and enters neither the chain nor what readers, the API or exports show.

    number: 1, 2, ... on its board, in the order in which the changes took effect
    rows_number: of the last event up to this that changed rows
    actor: who made a private event; None in a public one
    revision, mixes_judges, feedback: those that hold from a public event on
    judge: identity of the board's judge from this event on, "" where nothing has to be judged
    evaluation: of the submission at the time. right, total, score: of the result that the event is about
    reason: the words of a person
    data: what the service itself states: in a public event None or a kind of `event_kinds`, in a private
        one an object, which never holds a reference, a verdict or a token
    body: the entry of a public event in the chain as canonical JSON: what stays public of it
    digest: SHA-256 of the body, in hexadecimal digits; the next entry names it
    """

    board = models.ForeignKey(Board, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField(null=True, blank=True)
    rows_number = models.PositiveIntegerField(default=0)
    at = models.DateTimeField(default=timezone.now)
    action = models.CharField(max_length=40, choices=[*BoardAction.choices, *AuditAction.choices])
    actor = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    system_name = models.CharField(max_length=120, blank=True)
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    evaluation = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)
    data = models.JSONField(null=True, blank=True)
    right = models.PositiveIntegerField(null=True)
    total = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    revision = models.ForeignKey(
        ReferenceRevision, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    mixes_judges = models.BooleanField(default=False)
    feedback = models.CharField(max_length=10, choices=Feedback, blank=True)
    judge = models.CharField(max_length=300, blank=True)
    body = models.TextField(blank=True)
    digest = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "number"], name="board_event_number_once"),
            models.CheckConstraint(
                condition=~Q(action="disqualified") | ~Q(reason=""), name="board_event_disqualified_why"
            ),
            models.CheckConstraint(
                condition=Q(number__isnull=True, body="", digest="")
                | Q(number__isnull=False, board__isnull=False, actor__isnull=True),
                name="event_public_or_private",
            ),
        ]
        indexes = [
            models.Index(fields=["at"], name="event_by_time"),
            models.Index(fields=["board", "at"], name="board_event_by_time"),
            models.Index(fields=["board", "system", "-number"], name="board_event_of_system"),
        ]

    def __str__(self) -> str:
        return f"{self.action} at {self.at:%Y-%m-%d %H:%M}"


_Events = models.Manager.from_queryset(ImmutableQuerySet)


class _PublicEvents(_Events["BoardEvent"]):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(number__isnull=False)


class _PrivateEvents(_Events["AuditEvent"]):
    def get_queryset(self) -> Any:
        return super().get_queryset().filter(number__isnull=True)


class BoardEvent(Event):
    if TYPE_CHECKING:
        board: Board
        board_id: int
        number: int

    objects = _PublicEvents()  # type: ignore[misc]  # the manager of the base has all rows

    class Meta:
        proxy = True
        ordering = ["board", "-number"]


class AuditEvent(Event):
    """A private change of state: when and by whom."""

    if TYPE_CHECKING:
        data: dict[str, Any]

    Action: TypeAlias = AuditAction
    objects = _PrivateEvents()  # type: ignore[misc]  # as above

    class Meta:
        proxy = True
        ordering = ["-at", "-pk"]


class SigningKey(Immutable):
    """The public part of a key that signed receipts and the log; the private part is not stored.

    public_key: 32 bytes in base64. since: from when on this service signs with it, until the next one
    """

    public_key = models.CharField(max_length=64, unique=True)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["since", "pk"]


class PastStandingQuerySet(  # type: ignore[override]  # as_manager returns another manager than either base
    StandingQuerySet["PastStanding"], ImmutableQuerySet["PastStanding"]
):
    """Rows of past boards."""


class PastStanding(StandingFigures, Immutable):
    """A row of a board from one event until the next about its system.

    is_gone: whether the event removed the row; the figures are then its last ones.
    """

    event = models.ForeignKey(BoardEvent, on_delete=models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField(help_text="Of the event.")
    is_gone = models.BooleanField(default=False)
    evaluation = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    objects = PastStandingQuerySet.as_manager()  # type: ignore[assignment,misc]  # the manager of both bases

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "system", "number"], name="past_standing_once_an_event"),
        ]
        indexes = [models.Index(fields=["board", "number", "system"], name="past_standing_by_number")]


class BoardStatisticsQuerySet(ImmutableQuerySet["BoardStatistics"]):
    def forget_other_methods(self) -> None:
        """Delete the results by methods of other releases, which this one cannot read."""
        self.exclude(method=BoardStatistics.METHOD)._raw_delete(self.db)


class BoardStatistics(Immutable):
    """Results of paired tests on the rows of one judge at one event, computed in the background.

    number: BoardState.rows_number of the rows
    method: version of the method; rows by another one than METHOD, from another release, are not read
    digest: sha256 of all input, so that nothing is computed twice
    payload: packed by services.statistics.stored
    """

    # Raise it when the same rows would get other results, or another payload.
    METHOD: ClassVar[int] = 9

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="statistics")
    number = models.PositiveIntegerField()
    judge = models.CharField(max_length=300, blank=True, default="")
    method = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=64)
    systems = models.PositiveIntegerField(help_text="How many took part.")
    payload = models.BinaryField()
    seconds = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BoardStatisticsQuerySet.as_manager()  # type: ignore[misc]  # the manager of the base

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "number", "judge"], name="board_statistics_once"),
        ]
        indexes = [models.Index(fields=["board", "digest"], name="board_statistics_by_digest")]


def boards_without_statistics() -> models.QuerySet[BoardState]:
    """Select the counters of boards that have rows to test, and no statistics of these rows yet."""
    on_board = {"board": OuterRef("board")}
    computed = BoardStatistics.objects.filter(
        **on_board, number=OuterRef("rows_number"), method=BoardStatistics.METHOD
    )
    entrants = Standing.objects.filter(**on_board, evaluation__revision=OuterRef("board__active_revision"))
    # Entrants last: that query is the slowest, and the other nearly always decides.
    return BoardState.objects.filter(~Exists(computed), Exists(entrants))
