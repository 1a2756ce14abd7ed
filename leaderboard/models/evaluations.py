"""Evaluations (immutable) and standings (the rows of a board)."""

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from django.db import models
from django.db.models import Case, F, Q, Value, When
from django.db.models.functions import Lower

from leaderboard.models.boards import Board, ReferenceRevision
from leaderboard.models.immutable import Immutable, ImmutableQuerySet
from leaderboard.models.publishers import ProvenanceLevel
from leaderboard.models.systems import RELEASE, Facts, System
from leaderboard.models.teams import User
from wardboard.scoring.facts import FACTS
from wardboard.scoring.verdicts import ClusteredRate, Rate

# Columns of an evaluation that are large, and hidden except from grading and statistics.
TASK_COLUMNS = ("verdicts", "details", "suspects")
# The columns of an evaluation and its revision that no page shows.
HIDDEN_COLUMNS = (*TASK_COLUMNS, "spending", "revision__content", "revision__task_ids")
# The columns about several runs, which only the pages of a submission and of a system show.
RUN_COLUMNS = ("per_run", "spread")
_SEARCHED = ("models_text", "search")


def evaluation_columns(columns: tuple[str, ...]) -> list[str]:
    """Return the names that `columns` of an evaluation have in a query that joins it."""
    return [f"evaluation__{column}" for column in columns]


class EvaluationQuerySet(ImmutableQuerySet["Evaluation"]):
    def with_revision(self) -> Self:
        """Join the revision, without figures by task and references."""
        return self.select_related("revision").defer(*HIDDEN_COLUMNS)

    def forget_unpublished(self) -> None:
        """Delete the evaluations of never published submissions that no longer refer to them."""
        self.filter(submission__published_at=None, submission__evaluation=None)._raw_delete(self.db)

    def forget_prepared(self, revision: ReferenceRevision) -> None:
        self.filter(revision=revision)._raw_delete(self.db)


class Evaluation(Immutable):
    """One submission scored against one revision by one version of the scorer and one judge.

    scorer_commit: of the service's source, as the operator states it (`WARDBOARD_COMMIT`)
    right, total: of the answers of all runs, so a task counts once a run
    metrics: metric key -> figure or null; of several runs, their mean
    breakdowns: breakdown -> group -> [right, total], of all runs, and what the judge left open, if any
    group_metrics: breakdown -> group -> metric key -> [mean, tasks with a figure] or null; the mean alone in
        rows that are older than the counts
    verdicts: one byte per task, the number of the grading reason, in the order of the revision's task_ids; of
        several runs, one after the other
    details: figures by task, as the benchmark packs them; wardboard.scoring.runs takes runs apart
    per_run: for each of several runs right, total and metrics, as the official graders count; null for one
    spread: how much several runs differ, as wardboard.scoring.statistics.runs.RunSpread; null for one
    judge: its identity, "" where nothing had to be judged
    clustered_interval: {"low", "high": ends in 0..1, "by": keys of the benchmark's clusters, "passes": ends
        of the interval of each pass^k, from k = 1} where intervals allow for clusters of tasks or for answers
        left open; null for Wilson's
    spending: calls, tokens, US dollars and seconds that judging took
    """

    submission = models.ForeignKey("Submission", on_delete=models.PROTECT, related_name="evaluations")
    revision = models.ForeignKey(ReferenceRevision, on_delete=models.PROTECT, related_name="evaluations")
    scorer_version = models.CharField(max_length=20)
    # "" in rows of a release that did not store it, and where the operator did not state it.
    scorer_commit = models.CharField(max_length=64, blank=True, default="")
    runs = models.PositiveSmallIntegerField(default=1)
    right = models.PositiveIntegerField()
    total = models.PositiveIntegerField()
    metrics = models.JSONField()
    breakdowns = models.JSONField()
    group_metrics = models.JSONField(default=dict)
    verdicts = models.BinaryField()
    details = models.BinaryField(default=b"")
    per_run = models.JSONField(null=True, blank=True)
    spread = models.JSONField(null=True, blank=True)
    judge = models.CharField(max_length=300, blank=True, default="")
    suspects = models.JSONField(default=list)
    spending = models.JSONField(default=dict)
    clustered_interval = models.JSONField(null=True)
    duration_ms = models.PositiveIntegerField()
    created_at = models.DateTimeField()

    objects = EvaluationQuerySet.as_manager()  # type: ignore[misc]  # a manager with more methods than that of Immutable

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "revision", "scorer_version", "judge"], name="evaluation_once"
            ),
            models.CheckConstraint(
                condition=Q(right__lte=F("total"), total__gt=0), name="evaluation_right_within_total"
            ),
        ]
        # Few evaluations are of several runs, and a filter selects these.
        indexes = [models.Index(fields=["id"], condition=Q(runs__gt=1), name="evaluation_of_several_runs")]

    @property
    def tasks(self) -> int:
        return self.total // self.runs

    @property
    def rate(self) -> Rate | ClusteredRate:
        """The rate with its 95% interval, for a reader who may see both."""
        counts = {"right": self.right, "total": self.total, "runs": self.runs}
        stored = self.clustered_interval
        if stored is None:
            return Rate(**counts)
        return ClusteredRate(**counts, low=stored["low"], high=stored["high"], by=tuple(stored["by"]))


class Kind(models.TextChoices):
    RESCORED = "rescored", "Verified"
    REPORTED = "reported", "As published"
    BASELINE = "baseline", "Baseline"


class StandingFigures(Facts):
    """A row of a board with everything that readers filter, sort and see, without its system.

    A rescored row has its groups in its evaluation, and none of its own (`shown_breakdowns`).
    """

    # The model of the rows (today's or past) defines the field.
    evaluation: Evaluation | None
    evaluation_id: int | None
    # These describe the file behind the row, in rows from `with_submission`; None in rows without a file.
    trace: str | None  # a Trace, "" where that is not known
    provenance: str | None  # a ProvenanceLevel
    repository: str | None  # that of its CI job
    version: str | None
    commit: str | None
    run_url: str | None
    note: str | None
    designation: int | None  # which designated file of its system it is, from 1
    repeated_runs: int | None
    most_rounds: int | None
    no_answers: int | None
    count: int | None  # of records, some of which are no answers

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="%(class)ss")
    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="%(class)ss")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.RESCORED)
    judge = models.CharField(max_length=300, blank=True, default="")
    right = models.PositiveIntegerField(null=True)
    total = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True, help_text="The figure that is ranked, 0..1.")
    low = models.FloatField(null=True, help_text="Lower end of its 95% interval.")
    high = models.FloatField(null=True)
    metrics = models.JSONField(default=dict)
    breakdowns = models.JSONField(default=dict)
    group_metrics = models.JSONField(default=dict)
    since = models.DateTimeField(
        help_text="When it was published; for a row as published, the date of its publication."
    )
    team_name = models.CharField(max_length=120, blank=True, default="")
    organisation_confirmed = models.BooleanField(
        null=True, help_text="Whether an organiser confirmed the organisation; null in older rows."
    )
    has_links = models.BooleanField(
        null=True, help_text="Whether the system links code or a paper, and a contact; null in older rows."
    )
    chosen_before_score = models.BooleanField(
        null=True, help_text="Whether the team decided to publish it before it was scored; of a rescored row."
    )
    files_of_system = models.PositiveIntegerField(
        null=True,
        help_text="Files of the system that had been scored on the leaderboard when this "
        "result came to stand.",
    )
    files_of_team = models.PositiveIntegerField(null=True, help_text="The same of all systems of the team.")
    source = models.CharField(max_length=200, blank=True, default="")
    source_url = models.URLField(blank=True, default="", max_length=300)
    models_text = models.TextField(blank=True, default="", help_text="A line each, with a break around each.")
    search = models.TextField(blank=True, default="", help_text="Names in one text, folded, for searching.")

    class Meta:
        abstract = True

    @property
    def is_reported(self) -> bool:
        return self.kind == Kind.REPORTED

    @property
    def is_baseline(self) -> bool:
        return self.kind == Kind.BASELINE

    @property
    def shown_breakdowns(self) -> Mapping[str, Any]:
        """Breakdown -> group -> [right, total] as an evaluation, or [null, total, share] for a share."""
        return cast("Mapping[str, Any]", (self.evaluation or self).breakdowns)

    @property
    def shown_group_metrics(self) -> Mapping[str, Any]:
        """Breakdown -> group -> metric key -> [mean, tasks with a figure], a printed mean alone, or null."""
        return cast("Mapping[str, Any]", (self.evaluation or self).group_metrics)


T_co = TypeVar("T_co", bound=StandingFigures, covariant=True)


class StandingQuerySet(models.QuerySet[T_co]):
    def ranked(self) -> Self:
        """Select the rows that have a rank: those that were scored here."""
        return self.filter(kind=Kind.RESCORED, score__isnull=False)

    def best_first(self) -> Self:
        """Order rows as boards rank them: of equal scores the earlier first."""
        return self.order_by("-score", "since", "system_id")

    def with_submission(self) -> Self:
        """Add what is known of the file behind each row: its trace, its provenance, what it is a run of.

        These are no columns of rows: nothing changes them once a result is published, so they need no event,
        and a past row has those of its own file. A file that a season hid under another system has nothing in
        its first table that names it, also later.
        """
        names = ("trace", "designation", "repeated_runs", "most_rounds", "no_answers", "count")
        of_file = {name: F(f"evaluation__submission__{name}") for name in names}
        naming = {name: f"evaluation__submission__{name}" for name in (*RELEASE, "provenance")}
        naming["repository"] = "evaluation__submission__ci_job__repository"
        was_hidden = Q(evaluation__isnull=False) & ~Q(evaluation__submission__system=F("system"))
        named = {
            name: Case(
                When(was_hidden, then=Value(ProvenanceLevel.ACCOUNT if name == "provenance" else "")),
                default=F(field),
                output_field=models.CharField(),
            )
            for name, field in naming.items()
        }
        return self.annotate(**of_file, **named)

    def listed(self) -> Self:
        """Join the evaluation and read the columns that pages show, without the large ones."""
        deferred = evaluation_columns((*TASK_COLUMNS, *RUN_COLUMNS, "metrics", "spending"))
        return self.select_related("evaluation").defer(*_SEARCHED, *deferred).with_submission()

    def without_groups(self) -> Self:
        """Leave out the figures by group of rows from `listed`."""
        columns = ("breakdowns", "group_metrics")
        return self.defer(*columns, *evaluation_columns(columns))

    def with_revision(self) -> Self:
        """Join the evaluation and its revision, without figures by task and references."""
        joined = self.select_related("evaluation__revision")
        return joined.defer(*_SEARCHED, *evaluation_columns(HIDDEN_COLUMNS)).with_submission()


class Standing(StandingFigures):
    """A row of a board today: the published evaluation that stands for its system, or another figure.

    The others are reported results and baselines, which are computed here; neither has an evaluation.
    """

    evaluation = models.OneToOneField(Evaluation, null=True, blank=True, on_delete=models.PROTECT)

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "system"], name="standing_once_a_system"),
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
            # This index covers all filters, in the order of the table: rows are wide, and neither finding nor
            # counting them should read one.
            models.Index(
                fields=[
                    "board",
                    "-score",
                    "since",
                    "system",
                    "kind",
                    "judge",
                    *(fact.field for fact in FACTS if fact.is_filter),
                    "organisation",
                    "name",
                    "low",
                    "id",
                ],
                name="standing_listed",
            ),
            # This index covers the queries for ranks and for the leader of a board.
            models.Index(
                fields=["board", "judge", "-score", "kind", "low", "high"], name="standing_by_judge"
            ),
            # This index covers the census.
            models.Index(fields=["board", "judge", "kind", "since", "score"], name="standing_by_kind"),
        ]


class ReportedResult(models.Model):
    """A result that was published elsewhere, as the organisers of a board or a release of Wardboard state it.

    A ranked one has a row of the board, which is made of it; others are listed on the About page alone.

    name, source: of the system, and the title of the source: the two name the result on its board
    stated: everything else that is stated, as `services.publishing.reported.table` has it
    groups: "breakdowns" and "group_metrics" as in a Standing, where the publication has figures by group
    system: whose row it is; null for a result that never had a row
    removed_at, removal_reason: null and "" while it is listed
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="reported_results")
    name = models.CharField(max_length=120)
    source = models.CharField(max_length=200)
    is_ranked = models.BooleanField()
    stated = models.JSONField()
    groups = models.JSONField(default=dict)
    system = models.ForeignKey(System, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    changed_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)
    removed_at = models.DateTimeField(null=True, blank=True)
    removal_reason = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering = ["board", "source", "name"]
        constraints = [
            models.UniqueConstraint("board", Lower("source"), Lower("name"), name="reported_result_once"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(source=""), name="reported_result_is_named"),
            models.CheckConstraint(
                condition=Q(is_ranked=False) | Q(removed_at__isnull=False) | Q(system__isnull=False),
                name="reported_result_ranked_has_system",
            ),
        ]
