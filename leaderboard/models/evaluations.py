"""Evaluations (immutable) and standings (the rows of a board)."""

from django.db import models
from django.db.models import F, Q

from leaderboard.models.benchmarks import Benchmark, ReferenceRevision
from leaderboard.models.immutable import Immutable
from leaderboard.models.systems import Facts, System


class Evaluation(Immutable):
    """One submission scored against one revision by one version of the scorer and one judge.

    verdicts: one byte a task, in the order of the revision's task_ids: the number of the grading reason.
    metrics: metric key -> figure or null. breakdowns: breakdown -> group -> [right, total].
    group_metrics: breakdown -> group -> metric key -> figure or null. details: figures by task, as the
    benchmark packs them. judge: its identity, "" where nothing had to be judged. suspects: ids of tasks
    whose answers speak to the judge. spending: what judging took (calls, tokens, US dollars, seconds).
    """

    submission = models.ForeignKey("Submission", on_delete=models.PROTECT, related_name="evaluations")
    revision = models.ForeignKey(ReferenceRevision, on_delete=models.PROTECT, related_name="evaluations")
    scorer_version = models.CharField(max_length=20)
    right = models.PositiveIntegerField()
    total = models.PositiveIntegerField()
    metrics = models.JSONField()
    breakdowns = models.JSONField()
    group_metrics = models.JSONField(default=dict)
    verdicts = models.BinaryField()
    details = models.BinaryField(default=b"")
    judge = models.CharField(max_length=120, blank=True, default="")
    suspects = models.JSONField(default=list)
    spending = models.JSONField(default=dict)
    duration_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "revision", "scorer_version", "judge"], name="evaluation_once"
            ),
            models.CheckConstraint(
                condition=Q(right__lte=F("total"), total__gt=0), name="evaluation_right_within_total"
            ),
        ]

    def __str__(self):
        return f"{self.right}/{self.total} of {self.submission_id}"


class Kind(models.TextChoices):
    """Where the figures of a row come from."""

    RESCORED = "rescored", "Rescored"
    REPORTED = "reported", "Reported"
    BASELINE = "baseline", "Baseline"


class StandingFigures(Facts):
    """A row of a board with all that a reader filters, sorts and sees: it is read without its system.

    A rescored row has its groups in its evaluation, and none of its own (`shown_breakdowns`).
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="%(class)ss")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="%(class)ss")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.RESCORED)
    judge = models.CharField(max_length=120, blank=True, default="")
    right = models.PositiveIntegerField(null=True)
    total = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True, help_text="The figure that is ranked, 0..1.")
    low = models.FloatField(null=True, help_text="Lower end of its 95% interval.")
    high = models.FloatField(null=True)
    metrics = models.JSONField(default=dict)
    breakdowns = models.JSONField(default=dict)
    group_metrics = models.JSONField(default=dict)
    since = models.DateTimeField(help_text="When it was published; of a reported row, its publication.")
    team_name = models.CharField(max_length=120, blank=True, default="")
    source = models.CharField(max_length=200, blank=True, default="")
    source_url = models.URLField(blank=True, default="", max_length=300)
    models_text = models.TextField(blank=True, default="", help_text="A line each, with a break around each.")
    search = models.TextField(blank=True, default="", help_text="Names in one text, folded, for searching.")

    class Meta:
        abstract = True

    @property
    def is_reported(self):
        return self.kind == Kind.REPORTED

    @property
    def is_baseline(self):
        return self.kind == Kind.BASELINE

    @property
    def shown_breakdowns(self):
        return self.evaluation.breakdowns if self.evaluation_id else self.breakdowns

    @property
    def shown_group_metrics(self):
        return self.evaluation.group_metrics if self.evaluation_id else self.group_metrics


class Standing(StandingFigures):
    """A row of a board as it is today: a system's best published evaluation, a reported result, or a
    baseline that is worked out here (neither has an evaluation)."""

    evaluation = models.OneToOneField(Evaluation, null=True, blank=True, on_delete=models.PROTECT)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "system"], name="standing_once_a_system"),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=1), name="standing_score_is_rate"
            ),
            models.CheckConstraint(
                condition=Q(kind=Kind.RESCORED, evaluation__isnull=False)
                | Q(kind__in=[Kind.REPORTED, Kind.BASELINE], evaluation__isnull=True),
                name="standing_rescored_has_evaluation",
            ),
        ]
        indexes = [
            # With all that a reader filters by: what is found, and how much, is read from it alone, as rows
            # are wide. In the order of the table.
            models.Index(
                fields=[
                    "benchmark",
                    "-score",
                    "since",
                    "system",
                    "kind",
                    "judge",
                    "interaction",
                    "retrieval",
                    "reasoning",
                    "open_weights",
                    "organisation",
                    "name",
                    "low",
                    "id",
                ],
                name="standing_listed",
            ),
            # With all that ranks and the leader of a board ask.
            models.Index(
                fields=["benchmark", "judge", "-score", "kind", "low", "high"], name="standing_by_judge"
            ),
            # And the census.
            models.Index(fields=["benchmark", "judge", "kind", "since", "score"], name="standing_by_kind"),
        ]

    def __str__(self):
        return f"{self.name} on {self.benchmark.slug}: {self.score}"
