"""Submissions: one uploaded file each, and the life that it leads.

    received ──> rejected
       └──> queued ──> scoring ──> scored  (then published, withdrawn, published again)
                          └──────> failed ──> queued

The constraints below keep it: no row is half scored, whatever is killed.
"""

import uuid

from django.db import models
from django.db.models import Q

from leaderboard.models.benchmarks import Benchmark
from leaderboard.models.systems import System
from leaderboard.models.teams import Team, User


class Status(models.TextChoices):
    RECEIVED = "received", "Received"
    REJECTED = "rejected", "Rejected"
    QUEUED = "queued", "Queued"
    SCORING = "scoring", "Being scored"
    SCORED = "scored", "Scored"
    FAILED = "failed", "Failed"


PENDING = (Status.RECEIVED, Status.QUEUED, Status.SCORING)

# The whole state machine; `become` refuses every other step.
NEXT = {
    Status.RECEIVED: {Status.REJECTED, Status.QUEUED, Status.FAILED},
    Status.QUEUED: {Status.SCORING, Status.FAILED},
    # From scoring back to queued: the worker died, and another takes it up.
    Status.SCORING: {Status.SCORED, Status.FAILED, Status.QUEUED},
    Status.FAILED: {Status.QUEUED},
    Status.SCORED: set(),
    Status.REJECTED: set(),
}


class SubmissionQuerySet(models.QuerySet):
    def of_team(self, team):
        return self.filter(team=team)

    def with_result(self):
        """Joins what the page of a submission shows; never the references."""
        return self.select_related("benchmark", "system", "team", "evaluation__revision").defer(
            "evaluation__revision__content", "evaluation__revision__task_ids"
        )

    def published(self):
        return self.filter(status=Status.SCORED, published_at__isnull=False, withdrawn_at__isnull=True)

    def become(self, status, *, was, **fields):
        """Move the selected rows from `was` to `status`; return how many were there to move."""
        if status not in NEXT[was]:
            raise ValueError(f"no step from {was} to {status}")
        return self.filter(status=was).update(status=status, **fields)


class Submission(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    submitted_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="submissions")
    system = models.ForeignKey(System, on_delete=models.PROTECT, related_name="submissions")
    status = models.CharField(max_length=10, choices=Status, default=Status.RECEIVED)

    sha256 = models.CharField(max_length=64)
    size_bytes = models.PositiveBigIntegerField()
    filename = models.CharField(max_length=255, blank=True)
    format = models.CharField(max_length=20, blank=True)
    problems = models.JSONField(default=list)
    problem_count = models.PositiveIntegerField(default=0)
    warnings = models.JSONField(default=list)
    warning_count = models.PositiveIntegerField(default=0)

    evaluation = models.OneToOneField(
        "Evaluation", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    failure = models.CharField(max_length=300, blank=True, help_text="Why it failed, for the submitter.")
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.UUIDField(null=True, blank=True, editable=False)
    publish_when_scored = models.BooleanField(default=False)

    received_at = models.DateTimeField()
    moved_at = models.DateTimeField(help_text="When it came to its present status.")
    scored_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawal_reason = models.CharField(max_length=300, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-received_at"]
        indexes = [
            models.Index(fields=["team", "-received_at"], name="submission_of_team"),
            models.Index(fields=["status", "moved_at"], name="submission_by_status"),
            models.Index(fields=["benchmark", "system"], name="submission_of_system"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "team", "sha256"],
                condition=~Q(status=Status.REJECTED),
                name="submission_file_once_a_team",
            ),
            models.CheckConstraint(condition=Q(status__in=Status.values), name="submission_status_known"),
            models.CheckConstraint(
                condition=Q(status=Status.SCORED, evaluation__isnull=False, scored_at__isnull=False)
                | (~Q(status=Status.SCORED) & Q(evaluation__isnull=True, scored_at__isnull=True)),
                name="submission_scored_has_evaluation",
            ),
            models.CheckConstraint(
                condition=(Q(status=Status.FAILED) & ~Q(failure=""))
                | (~Q(status=Status.FAILED) & Q(failure="")),
                name="submission_failed_has_reason",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.REJECTED, problem_count__gt=0)
                | (~Q(status=Status.REJECTED) & Q(problem_count=0)),
                name="submission_rejected_has_problems",
            ),
            models.CheckConstraint(
                condition=Q(status=Status.SCORING, claim__isnull=False)
                | (~Q(status=Status.SCORING) & Q(claim__isnull=True)),
                name="submission_scoring_is_claimed",
            ),
            models.CheckConstraint(
                condition=Q(published_at__isnull=True) | Q(status=Status.SCORED),
                name="submission_published_is_scored",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(published_at__isnull=False),
                name="submission_withdrawn_was_published",
            ),
        ]

    def __str__(self):
        return f"{self.system} on {self.benchmark.slug} ({self.status})"

    @property
    def is_published(self):
        return self.published_at is not None and self.withdrawn_at is None

    @property
    def is_pending(self):
        return self.status in PENDING


class Upload(models.Model):
    """The bytes of a submission as they came, gzipped. Kept in the database, so that the row and its file
    are there together or not at all."""

    submission = models.OneToOneField(Submission, primary_key=True, on_delete=models.CASCADE)
    gzipped = models.BinaryField()

    def __str__(self):
        return f"file of {self.submission_id}"


class IdempotencyKey(models.Model):
    """A client's key for one POST: the same key gives the same answer, another body is refused."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    made_it = models.BooleanField(help_text="Whether the first request with this key made the submission.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once")]

    def __str__(self):
        return self.key
