"""Who organises a board beside the staff, what they announce, and decide about teams and doubted tasks."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.boards import Board, ReferenceRevision
from leaderboard.models.teams import Team, User


class BoardOrganiser(models.Model):
    """A person who organises a board, and so may use the desk at /organise/ for this board alone."""

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


class ApprovalStatus(models.TextChoices):
    REQUESTED = "requested", "Requested"
    APPROVED = "approved", "Approved"
    REFUSED = "refused", "Refused"


class ApprovalQuerySet(models.QuerySet["TeamApproval"]):
    def approved(self) -> Self:
        return self.filter(status=ApprovalStatus.APPROVED)

    def is_approved(self, board: Board, team: Team) -> bool:
        return self.approved().filter(board=board, team=team).exists()


class TeamApproval(models.Model):
    """A team's request to submit to a board beyond the limits of new teams, and its answer."""

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


class DoubtKind(models.TextChoices):
    """What a team takes to be wrong with a task."""

    WRONG = "wrong-answer", "The reference answer is wrong"
    SEVERAL = "several-answers", "More than one answer is right"
    UNCLEAR = "unclear-task", "The task can be read in more than one way"
    DATA = "data", "The patient’s data lack the answer or contradict it"
    OTHER = "other", "Something else"


class DoubtState(models.TextChoices):
    OPEN = "open", "Not decided yet"
    ACCEPTED = "accepted", "Accepted"
    DECLINED = "declined", "Declined"


class Doubt(models.Model):
    """A team's report that the reference of a task may be wrong. Only the team and organisers see it.

    submission: from whose page it was sent. revision: the active one then
    text: from the team. answer: from the organisers; of an accepted one the public reason, also
        once the task was put back
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="doubts")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="doubts")
    submission = models.ForeignKey("Submission", on_delete=models.CASCADE, related_name="doubts")
    revision = models.ForeignKey(ReferenceRevision, on_delete=models.PROTECT, related_name="+")
    task_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=DoubtKind)
    text = models.CharField(max_length=1000, blank=True)
    reported_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    reported_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=DoubtState, default=DoubtState.OPEN)
    answer = models.CharField(max_length=300, blank=True)
    decided_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-reported_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["board", "team", "task_id"],
                condition=Q(state=DoubtState.OPEN),
                name="doubt_open_once_a_team",
            ),
            models.CheckConstraint(condition=Q(kind__in=DoubtKind.values), name="doubt_kind_known"),
            models.CheckConstraint(condition=Q(state__in=DoubtState.values), name="doubt_state_known"),
            models.CheckConstraint(
                condition=Q(state=DoubtState.OPEN, decided_at__isnull=True)
                | (~Q(state=DoubtState.OPEN) & Q(decided_at__isnull=False)),
                name="doubt_decided_or_not",
            ),
        ]
        indexes = [models.Index(fields=["team", "reported_at"], name="doubt_of_team_by_time")]
