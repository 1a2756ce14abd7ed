"""The public record of the boards: what happened, every version of every row, and what was worked out."""

from django.db import models
from django.db.models import Q

from leaderboard.models.benchmarks import Benchmark, Feedback, ReferenceRevision
from leaderboard.models.evaluations import Evaluation, StandingFigures
from leaderboard.models.immutable import Immutable
from leaderboard.models.submissions import Submission
from leaderboard.models.systems import System


class BoardAction(models.TextChoices):
    """What happened to a board."""

    BEGUN = "begun", "The record begins"
    PUBLISHED = "published", "Result published"
    WITHDRAWN = "withdrawn", "Result withdrawn"
    DISQUALIFIED = "disqualified", "Result disqualified"
    REINSTATED = "reinstated", "Result reinstated"
    RESCORED = "rescored", "Result rescored"
    REPORTED = "reported", "Published result listed"
    UNLISTED = "unlisted", "Published result taken off"
    BASELINE = "baseline", "Baseline worked out"
    ACTIVATED = "activated", "Ground truth changed"
    SETTINGS = "settings", "Rules of the board changed"
    FACTS = "facts", "Facts of a system changed"


class BoardEvent(Immutable):
    """One change of a board that everybody may know of, written in the transaction that it describes.

    number: 1, 2, ... on its board, in the order in which the changes took effect. revision, mixes_judges,
    feedback and judge: those that hold from then on; judge: identity of what decides on the board's files, ""
    where nothing has to be judged, and where nobody wrote it down. evaluation: of the submission, then.
    right, total, score: of the result that it is about.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="board_events")
    number = models.PositiveIntegerField()
    rows_number = models.PositiveIntegerField(help_text="Of the last event up to this that changed rows.")
    at = models.DateTimeField()
    action = models.CharField(max_length=20, choices=BoardAction)
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    system_name = models.CharField(max_length=120, blank=True)
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    evaluation = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)
    right = models.PositiveIntegerField(null=True)
    total = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    revision = models.ForeignKey(
        ReferenceRevision, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    mixes_judges = models.BooleanField(default=False)
    feedback = models.CharField(max_length=10, choices=Feedback)
    judge = models.CharField(max_length=120, blank=True, default="")

    class Meta:
        ordering = ["benchmark", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number"], name="board_event_number_once"),
            models.CheckConstraint(
                condition=~Q(action="disqualified") | ~Q(reason=""), name="board_event_disqualified_why"
            ),
        ]
        indexes = [
            models.Index(fields=["benchmark", "at"], name="board_event_by_time"),
            models.Index(fields=["benchmark", "system", "-number"], name="board_event_of_system"),
        ]

    def __str__(self):
        return f"{self.number}. {self.action}"


class PastStanding(StandingFigures, Immutable):
    """A row of a board from one event on, until the system's next; is_gone: the system has none from then."""

    event = models.ForeignKey(BoardEvent, on_delete=models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField(help_text="Of the event.")
    is_gone = models.BooleanField(default=False)
    evaluation = models.ForeignKey(
        Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "system", "number"], name="past_standing_once_an_event"
            ),
        ]
        indexes = [models.Index(fields=["benchmark", "number", "system"], name="past_standing_by_number")]

    def __str__(self):
        return f"{self.name} from {self.number}: {'gone' if self.is_gone else self.score}"


class TaskGroups(Immutable):
    """In which group each task of a revision is, packed. Hidden, as the references are: what is worked out
    with it may be shown by group where the board shows groups, never by task."""

    revision = models.OneToOneField(
        ReferenceRevision, on_delete=models.CASCADE, primary_key=True, related_name="task_groups"
    )
    packed = models.BinaryField()

    def __str__(self):
        return f"groups of {self.revision_id}"


class BoardStatistics(Immutable):
    """What paired tests say of the rows of one judge on a board at one event; worked out in the background.

    number: BoardState.rows_number of the rows. digest: sha256 of all that went in, so that the same is never
    worked out twice. payload: packed by services.statistics.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="statistics")
    number = models.PositiveIntegerField()
    judge = models.CharField(max_length=120, blank=True, default="")
    digest = models.CharField(max_length=64)
    systems = models.PositiveIntegerField(help_text="How many took part.")
    payload = models.BinaryField()
    seconds = models.FloatField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number", "judge"], name="board_statistics_once"),
        ]
        indexes = [models.Index(fields=["benchmark", "digest"], name="board_statistics_by_digest")]

    def __str__(self):
        return f"{self.benchmark_id} at {self.number}, {self.systems} systems"
