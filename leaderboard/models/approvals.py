"""Approvals of teams by the organisers of a board, and the links that teams give to reviewers."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.benchmarks import Benchmark
from leaderboard.models.submissions import Submission
from leaderboard.models.teams import Team, User


class ApprovalStatus(models.TextChoices):
    """The state of a request for approval."""

    REQUESTED = "requested", "Requested"
    APPROVED = "approved", "Approved"
    REFUSED = "refused", "Refused"


class ApprovalQuerySet(models.QuerySet["TeamApproval"]):
    """Requests for approval, and what became of them."""

    def approved(self) -> Self:
        """Select those that the organisers granted."""
        return self.filter(status=ApprovalStatus.APPROVED)

    def is_approved(self, benchmark: Benchmark, team: Team) -> bool:
        """Return whether the organisers of a board approved a team."""
        return self.approved().filter(benchmark=benchmark, team=team).exists()


class TeamApproval(models.Model):
    """A team's request to submit to a board beyond the limits of new teams, and its answer.

    message: from the team to the organisers.
    answer: from the organisers to the team.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="approvals")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="approvals")
    status = models.CharField(max_length=10, choices=ApprovalStatus, default=ApprovalStatus.REQUESTED)
    message = models.CharField(max_length=1000, blank=True)
    requested_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now)
    answer = models.CharField(max_length=300, blank=True)
    decided_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        ordering = ["requested_at"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "team"], name="approval_once_a_team"),
            models.CheckConstraint(
                condition=Q(status__in=ApprovalStatus.values), name="approval_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status=ApprovalStatus.REQUESTED, decided_at__isnull=True)
                | (~Q(status=ApprovalStatus.REQUESTED) & Q(decided_at__isnull=False)),
                name="approval_decided_or_not",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} on {self.benchmark}: {self.status}"


class ReviewLink(models.Model):
    """A link by which a reviewer sees a result without names; its row is deleted when it is revoked.

    name: for its team alone, to tell its links apart
    digest: SHA-256 of the token in the address, which is not stored
    expires_at: None for a link that works until it is revoked
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="review_links")
    name = models.CharField(max_length=80, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"review link {self.pk}"
