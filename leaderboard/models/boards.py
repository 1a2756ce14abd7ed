"""Boards and the revisions of their hidden reference answers."""

from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import Any, Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.immutable import Immutable, ImmutableQuerySet
from leaderboard.models.teams import User
from wardboard.scoring import registry
from wardboard.scoring.runs import MOST_RUNS

# Between the slug and the digest of a declared benchmark; no other slug has it.
DECLARED = "_"
MOST_OPEN = 0.3  # of the answers of a result with a rank, unless its board says otherwise


class Feedback(models.TextChoices):
    """How much of the verdicts a submitter sees, each level more than the one before."""

    OVERALL = "overall", "Overall score only"
    BY_TYPE = "by-type", "Scores by type"
    BY_TASK = "by-task", "Correct or wrong, task by task"
    BY_CHECK = "by-check", "Correct or wrong and the check that failed, task by task"
    ANSWERS = (
        "answers",
        "Everything, with the expected answers: for leaderboards whose reference answers are public",
    )

    def shows(self, level: "Feedback") -> bool:
        order = list(Feedback)
        return order.index(self) >= order.index(level)


class JudgeMode(models.TextChoices):
    RULES = "rules", "Wardboard rules"
    HYBRID = "hybrid", "Wardboard hybrid: rules, and an LLM for what they leave undecided"
    LLM = "llm", "Wardboard LLM"
    OFFICIAL = "official", "Official LLM judge"


class Access(models.TextChoices):
    ANYONE = "anyone", "Anyone who has an account"
    VERIFIED = "verified", "Anyone with a verified email address"
    APPROVED = "approved", "New teams a few files, approved teams more"


class DataClass(models.TextChoices):
    """The terms under which the patients' data of a board are available."""

    OPEN = "open", "Open data"
    CREDENTIALED = "credentialed", "Credentialed data"


class BoardQuerySet(models.QuerySet["Board"]):
    def with_task_ids(self) -> Self:
        """Join the active revision, with its task ids but without the references, and the counters."""
        return self.select_related("active_revision", "state").defer("active_revision__content")

    def without_references(self) -> Self:
        """Join the active revision and the counters; references and task ids stay in the database.

        The ids are many and nearly always only counted (`boards.read_rows.task_count`).
        """
        return self.with_task_ids().defer("active_revision__content", "active_revision__task_ids")

    def accepting_files(self) -> Self:
        return self.installed().filter(active_revision__isnull=False)

    def installed(self) -> Self:
        """Select the boards whose benchmark is installed here: nothing else is known of others than rows.

        Those of a declared benchmark are shown once their organiser has activated the reference answers.
        """
        declared = Board.objects.filter(benchmark__contains=DECLARED, active_revision__isnull=False)
        known = filter(registry.find, declared.order_by().values_list("benchmark", flat=True))
        # A season is listed with its leaderboard.
        return self.filter(benchmark__in=[*registry.BENCHMARKS, *known], season_of=None)


class Board(models.Model):
    """One leaderboard: a version of a benchmark with its own tasks.

    benchmark: key in wardboard.scoring.registry. version: as submitted files state it.
    """

    slug = models.SlugField(max_length=60, unique=True)
    benchmark = models.CharField(max_length=60)
    version = models.CharField(max_length=40)
    title = models.CharField(max_length=120)
    question = models.CharField(max_length=400, help_text="What it asks of a system, in a sentence or two.")
    feedback = models.CharField(max_length=10, choices=Feedback, default=Feedback.BY_TYPE)
    active_revision = models.ForeignKey(
        "ReferenceRevision", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    access = models.CharField(
        max_length=10,
        choices=Access,
        default=Access.APPROVED,
        help_text="New teams also need a verified email address, where a mail server is set up.",
    )
    daily_limit = models.PositiveIntegerField(
        null=True, blank=True, default=3, help_text="Files of a team that are scored in 24 hours."
    )
    monthly_limit = models.PositiveIntegerField(
        null=True, blank=True, default=10, help_text="Files of a team that are scored in 30 days."
    )
    revision_limit = models.PositiveIntegerField(
        null=True,
        blank=True,
        default=60,
        help_text="Files of a team on one revision of the reference answers.",
    )
    publication_limit = models.PositiveIntegerField(
        null=True, blank=True, default=1, help_text="Results that a team may publish in 30 days."
    )
    newcomer_limit = models.PositiveIntegerField(
        null=True, blank=True, default=3, help_text="Files of a team before it is approved."
    )
    address_limit = models.PositiveIntegerField(
        null=True, blank=True, default=6, help_text="Files of new teams at a network address in 30 days."
    )
    rounding = models.PositiveSmallIntegerField(
        default=1,
        help_text="Percentage points to which a result is rounded until it is published; scores by type and "
        "task are shown afterwards. 0 shows at once all that the feedback level allows.",
    )
    is_demo = models.BooleanField(
        default=False, help_text="Its reference answers are public: scores are not meaningful."
    )
    judge_mode = models.CharField(
        max_length=10,
        choices=JudgeMode,
        default=JudgeMode.RULES,
        help_text="Judge of free-text answers. Model and key are settings.",
    )
    mixes_judges = models.BooleanField(
        default=False,
        help_text="Rank systems together though different judges decided; the leaderboard says so",
    )
    keep_originals = models.BooleanField(
        default=True, help_text="Keep files as they came, with what is never graded, such as traces."
    )
    public_traces = models.BooleanField(
        default=False,
        help_text="A team may let everyone read what its agent did at each task, once the result is "
        "published. Only where files are kept as they came, and never with credentialed data.",
    )
    data_class = models.CharField(
        max_length=12,
        choices=DataClass,
        default=DataClass.OPEN,
        help_text="Of the patients' data. Credentialed: senders acknowledge the terms, files are not kept as "
        "they came, and an LLM judges only where the operator declares that it is local or retains nothing.",
    )
    least_runs = models.PositiveSmallIntegerField(
        "least number of runs to be ranked",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_RUNS)],
        help_text="A result of fewer runs is listed without a rank. Run files that repeat another one do not "
        "count.",
    )
    needs_traces = models.BooleanField(
        "trace of every answer required to be ranked",
        default=False,
        help_text="A result whose file lacks the trace of an answer is listed without a rank.",
    )
    needs_official_harness = models.BooleanField(
        "official harness required to be ranked",
        default=False,
        help_text="A result of another harness, or with none stated, is listed without a rank.",
    )
    most_rounds = models.PositiveSmallIntegerField(
        "most rounds of a task to be ranked",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="A result of which a task took more turns of the model, or does not state them, is listed "
        "without a rank. Empty for no limit.",
    )
    most_open = models.FloatField(
        "most undecided answers to be ranked",
        default=MOST_OPEN,
        db_default=MOST_OPEN,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text="Share of its answers, 0 to 1. A result of which the judge left more undecided is listed "
        "without a rank. 1 for no limit.",
    )
    needs_links = models.BooleanField(
        "code or paper link, and contact required to be ranked",
        default=False,
        db_default=False,
        help_text="A result of a system that states no link to its code or a paper, or no contact, is listed "
        "without a rank. Nobody checks what the links lead to.",
    )
    needs_cost = models.BooleanField(
        "cost per task required to be ranked",
        default=False,
        db_default=False,
        help_text="A result of a system that states no cost per task is listed without a rank. Nobody checks "
        "the cost.",
    )
    unranked_lane_of = models.OneToOneField(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="unranked_lane",
        help_text="Its tasks are public, and none of them counts there: teams run gates on it, "
        "and nothing on it is published or ranked. It cannot be changed once a file was sent.",
    )
    season_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="seasons", editable=False
    )
    set_aside_count = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text="Tasks that the active revision sets aside; set when one becomes active.",
    )
    position = models.PositiveSmallIntegerField(default=100)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BoardQuerySet.as_manager()

    class Meta:
        ordering = ["position", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(feedback__in=Feedback.values), name="benchmark_feedback_known"
            ),
            models.CheckConstraint(
                condition=Q(judge_mode__in=JudgeMode.values), name="benchmark_judge_known"
            ),
            models.CheckConstraint(condition=Q(access__in=Access.values), name="benchmark_access_known"),
            models.CheckConstraint(condition=Q(rounding__lte=50), name="benchmark_rounding_at_most_half"),
        ]

    def __str__(self) -> str:
        return self.title

    def save(self, *args: Any, **kwargs: Any) -> None:
        is_new = self._state.adding
        super().save(*args, **kwargs)
        if is_new:
            BoardState.objects.create(board=self)

    @property
    def is_open(self) -> bool:
        """Whether files can be scored, which takes a ground truth."""
        return self.active_revision_id is not None

    @property
    def family(self) -> str:
        """The slug of its benchmark."""
        return self.benchmark.partition(DECLARED)[0]

    @property
    def is_declared(self) -> bool:
        """Whether a file declares its benchmark."""
        return DECLARED in self.benchmark

    def as_graded_by(self, scorer_version: str) -> "Board":
        """Return a copy with the declaration of a grader's version; the board itself where it is that one."""
        key = f"{self.family}{DECLARED}{scorer_version.rpartition(' ')[2]}"
        if not self.is_declared or key == self.benchmark or registry.find(key) is None:
            return self
        graded = copy(self)
        graded.benchmark = key
        return graded

    @property
    def file_schema(self) -> str:
        return next(iter(registry.get(self.benchmark).schemas()))

    @property
    def is_credentialed(self) -> bool:
        return self.data_class == DataClass.CREDENTIALED

    @property
    def keeps_files(self) -> bool:
        """Whether files are kept as uploaded; the files of a board with credentialed data never are."""
        return self.keep_originals and not self.is_credentialed

    @property
    def offers_public_traces(self) -> bool:
        """Whether a team may make its traces public, which it never may with credentialed data."""
        return self.public_traces and self.keeps_files

    @property
    def is_unranked(self) -> bool:
        """Whether it is the unranked lane of another leaderboard, so that nothing on it is published."""
        return self.unranked_lane_of_id is not None

    @property
    def is_season(self) -> bool:
        """Whether its files are sealed until they are revealed together (`leaderboard.models.seasons`)."""
        return self.season_of_id is not None

    def tasks_that_count_elsewhere(self) -> list[str]:
        """Return the tasks of an unranked lane that count on the leaderboard that it belongs to, in order."""
        if self.unranked_lane_of_id is None or self.active_revision_id is None:
            return []
        ids = ReferenceRevision.objects.only("task_ids", "set_aside")
        ranked = ids.filter(
            pk__in=Board.objects.filter(pk=self.unranked_lane_of_id).values("active_revision")
        ).first()
        counted = frozenset(ranked.task_ids if ranked else ())
        return [task for task in ids.get(pk=self.active_revision_id).file_task_ids if task in counted]

    @property
    def needs_verified_email(self) -> bool:
        """Whether senders of new teams need a verified email address."""
        return self.access != Access.ANYONE

    @property
    def needs_approval(self) -> bool:
        return self.access == Access.APPROVED

    @property
    def ground_truth(self) -> "ReferenceRevision":
        """The active revision. Raises ValueError where there is none."""
        if self.active_revision is None:
            raise ValueError(f"{self.slug} has no reference answers")
        return self.active_revision


# The limits of boards whose references are public: there is nothing to be learnt by trying.
UNLIMITED: Mapping[str, Any] = MappingProxyType(
    {
        "access": Access.ANYONE,
        "daily_limit": None,
        "monthly_limit": None,
        "revision_limit": None,
        "publication_limit": None,
        "newcomer_limit": None,
        "address_limit": None,
        "rounding": 0,
    }
)


class BoardState(models.Model):
    """The counters of a board. Every change of the board locks this row, which orders them.

    revision: raised by every change that a page of the board shows. number: of the last event
    rows_number: of the last event that changed rows or their ranking; statistics belong to it
    """

    board = models.OneToOneField(Board, on_delete=models.CASCADE, primary_key=True, related_name="state")
    revision = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)
    number = models.PositiveIntegerField(default=0)
    rows_number = models.PositiveIntegerField(default=0)


class RevisionQuerySet(ImmutableQuerySet["ReferenceRevision"]):
    def without_references(self) -> Self:
        """Leave the references and the task ids in the database."""
        return self.defer("content", "task_ids")

    def discard(self) -> None:
        """Delete revisions that nothing refers to. Raises ProtectedError."""
        # Bypass the refusal of ImmutableQuerySet: a revision that was never active was never in the record.
        models.QuerySet.delete(self)


class ReferenceRevision(Immutable):
    """The hidden reference answers of a board, imported once.

    Only `services.judging.references` reads `content`.

    task_ids: the tasks that are scored, in the order of the task file
    full: the revision that has all tasks, where organisers set some of them aside; else null
    set_aside: for each of those, in order: its id as `task`, its index in the order of `full` as `place`, and
        the public reason as `reason`. They are in neither `task_ids` nor `content`
    """

    board = models.ForeignKey(Board, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="sha256 of the content; hidden as the content is")
    commitment = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="HMAC-SHA-256 of the content with the key of the revision: public",
    )
    origin = models.CharField(max_length=500)
    task_ids = models.JSONField()
    content = models.BinaryField()
    unusable_count = models.PositiveIntegerField(default=0)
    full = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    set_aside = models.JSONField(default=list, blank=True)
    imported_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = RevisionQuerySet.as_manager()  # type: ignore[misc]  # a manager with more methods than that of Immutable

    class Meta:
        ordering = ["board", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["board", "number"], name="revision_number_once"),
            models.UniqueConstraint(fields=["board", "digest"], name="revision_content_once"),
            models.CheckConstraint(condition=Q(number__gt=0), name="revision_number_from_one"),
            models.CheckConstraint(condition=~Q(digest=""), name="revision_has_digest"),
            models.CheckConstraint(
                condition=Q(full__isnull=True, set_aside=[]) | (Q(full__isnull=False) & ~Q(set_aside=[])),
                name="revision_sets_aside_of_another",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board.slug} rev. {self.number}"

    @property
    def task_count(self) -> int:
        return len(self.task_ids)

    @property
    def file_task_count(self) -> int:
        """The number of tasks that a file may hold: with those that are set aside."""
        return len(self.task_ids) + len(self.set_aside)

    @property
    def file_task_ids(self) -> list[str]:
        """The tasks that a file may hold, in the order of the task file: with those that are set aside."""
        ids = list(self.task_ids)
        for task in self.set_aside:
            ids.insert(task["place"], task["task"])
        return ids


class TaskTexts(Immutable):
    """What the tasks of a revision ask for, by which logs without ids name them. No page shows it."""

    revision = models.OneToOneField(
        ReferenceRevision, on_delete=models.CASCADE, primary_key=True, related_name="task_texts"
    )
    texts = models.JSONField()


class CommitmentKey(Immutable):
    """The key of a revision's commitment, as hidden as the references until the organisers reveal it."""

    revision = models.OneToOneField(
        ReferenceRevision, on_delete=models.CASCADE, primary_key=True, related_name="commitment_key"
    )
    key = models.BinaryField()
