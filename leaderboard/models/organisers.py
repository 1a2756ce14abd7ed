"""Who organises a board beside the staff, and what organisers announce, and decide about teams."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.boards import Board
from leaderboard.models.teams import Team, User


class BoardOrganiser(models.Model):
    """A person who organises a board: uses its desk at /organise/, and no other board's."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="organisers")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="organises")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "organiser"
        constraints = [models.UniqueConstraint(fields=["board", "user"], name="organiser_once_a_board")]

    def __str__(self) -> str:
        return f"{self.user} organises {self.board.slug}"


class Announcement(models.Model):
    """A notice on the page of a board, until an organiser ends it. text_zh: "" for none in Chinese."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="announcements")
    text = models.CharField(max_length=500)
    text_zh = models.CharField(max_length=500, blank=True)
    announced_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    announced_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-announced_at", "-pk"]

    def __str__(self) -> str:
        return self.text


class TeamQuotaQuerySet(models.QuerySet["TeamQuota"]):
    """Exceptions that organisers granted to teams."""

    def valid_at(self, now: datetime) -> Self:
        """Select those that have not expired."""
        return self.filter(expires_at__gt=now)


class TeamQuota(models.Model):
    """Other limits on the files of a team than those of the board, until a date.

    A limit that is null is that of the board.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="team_quotas")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="quotas")
    daily_limit = models.PositiveIntegerField(null=True, blank=True)
    monthly_limit = models.PositiveIntegerField(null=True, blank=True)
    revision_limit = models.PositiveIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=300)
    expires_at = models.DateTimeField()
    granted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    granted_at = models.DateTimeField(auto_now=True)

    objects = TeamQuotaQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["board", "team"], name="quota_once_a_team")]

    def __str__(self) -> str:
        return f"{self.team} on {self.board} until {self.expires_at:%Y-%m-%d}"


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

    def is_approved(self, board: Board, team: Team) -> bool:
        """Return whether the organisers of a board approved a team."""
        return self.approved().filter(board=board, team=team).exists()


class TeamApproval(models.Model):
    """A team's request to submit to a board beyond the limits of new teams, and its answer.

    message: from the team to the organisers.
    answer: from the organisers to the team.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="approvals")
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
            models.UniqueConstraint(fields=["board", "team"], name="approval_once_a_team"),
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
        return f"{self.team} on {self.board}: {self.status}"
