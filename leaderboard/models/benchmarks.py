"""Benchmarks and the revisions of their hidden references."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.immutable import Immutable
from leaderboard.models.teams import User


class Feedback(models.TextChoices):
    """What a submitter sees of verdicts."""

    OVERALL = "overall", "Overall figure only"
    BY_TYPE = "by-type", "Figures by type"
    BY_TASK = "by-task", "Right or wrong, task by task"


class JudgeMode(models.TextChoices):
    """What decides whether an answer in words is right."""

    RULES = "rules", "Rules"
    HYBRID = "hybrid", "Rules, and an LLM for what they leave undecided"
    LLM = "llm", "LLM"


class Benchmark(models.Model):
    """One board: a version of a benchmark, with its own tasks.

    `family` is the key in scoring.registry; `version` is what a file of this board says.
    """

    slug = models.SlugField(max_length=60, unique=True)
    family = models.CharField(max_length=40)
    version = models.CharField(max_length=40)
    title = models.CharField(max_length=120)
    question = models.CharField(max_length=400, help_text="What it asks of a system, in a sentence or two.")
    feedback = models.CharField(max_length=10, choices=Feedback, default=Feedback.BY_TYPE)
    active_revision = models.ForeignKey(
        "ReferenceRevision", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    daily_limit = models.PositiveIntegerField(
        null=True, blank=True, default=20, help_text="Scored submissions a team may send in 24 hours."
    )
    is_demo = models.BooleanField(default=False, help_text="Its references are public: figures mean nothing.")
    judge_mode = models.CharField(
        max_length=10,
        choices=JudgeMode,
        default=JudgeMode.RULES,
        help_text="Who decides on answers in words, where answers are such. Model and key are settings.",
    )
    mixes_judges = models.BooleanField(
        default=False, help_text="Rank systems together though different judges decided; the board says so"
    )
    keep_originals = models.BooleanField(
        default=True, help_text="Keep files as they came, with what is never graded, such as traces."
    )
    position = models.PositiveSmallIntegerField(default=100)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["position", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=Q(feedback__in=Feedback.values), name="benchmark_feedback_known"
            ),
            models.CheckConstraint(
                condition=Q(judge_mode__in=JudgeMode.values), name="benchmark_judge_known"
            ),
        ]

    def __str__(self):
        return self.title

    def save(self, *args, **kwargs):
        is_new = self._state.adding
        super().save(*args, **kwargs)
        if is_new:
            BoardState.objects.create(benchmark=self)

    @property
    def is_open(self):
        """Whether files can be scored: there is a ground truth."""
        return self.active_revision_id is not None


class BoardState(models.Model):
    """The counters of a board. Its row is locked by whatever changes the board, which puts changes in order.

    revision: raised by everything that changes what a page of the board shows. number: of the last event.
    rows_number: of the last event that changed rows or how they are ranked; statistics belong to it.
    """

    benchmark = models.OneToOneField(
        Benchmark, on_delete=models.CASCADE, primary_key=True, related_name="state"
    )
    revision = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)
    number = models.PositiveIntegerField(default=0)
    rows_number = models.PositiveIntegerField(default=0)

    def __str__(self):
        return f"{self.benchmark_id} at {self.number}"


class ReferenceRevision(Immutable):
    """The hidden references of a board as imported once. `content` leaves the database for grading only."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveIntegerField()
    digest = models.CharField(max_length=64, help_text="sha256 of the content")
    origin = models.CharField(max_length=500)
    task_ids = models.JSONField()
    content = models.BinaryField()
    unusable_count = models.PositiveIntegerField(default=0)
    imported_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["benchmark", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "number"], name="revision_number_once"),
            models.UniqueConstraint(fields=["benchmark", "digest"], name="revision_content_once"),
            models.CheckConstraint(condition=Q(number__gt=0), name="revision_number_from_one"),
            models.CheckConstraint(condition=~Q(digest=""), name="revision_has_digest"),
        ]

    def __str__(self):
        return f"{self.benchmark.slug} rev. {self.number}"

    @property
    def task_count(self):
        return len(self.task_ids)
