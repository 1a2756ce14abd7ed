"""Emails that tell people what concerns them."""

from typing import Self, TypeVar

from django.db import models
from django.utils import timezone

from leaderboard.models.teams import User


class EmailKind(models.TextChoices):
    """What an email is about. People can switch off each kind from SUBMISSION to TEAM, and DESK.

    DESK stands for the kinds after it, which people switch off together.
    """

    SUBMISSION = "submission", "A submission is scored or failed"
    DECISION = "decision", "A result is disqualified or reinstated"
    RESCORED = "rescored", "A result is rescored"
    APPROVAL = "approval", "A team is approved or refused"
    ANNOUNCEMENT = "announcement", "An announcement"
    TOKEN = "token", "A token expires soon"
    TEAM = "team", "Somebody joins a team, or the role of the person in one changes"
    INVITATION = "invitation", "An invitation to a team"
    DESK = "desk", "What needs an organiser"
    ASKED = "asked", "A team asks for approval"
    FAILURES = "failures", "Submissions fail or are stuck"
    SUSPECTS = "suspects", "Suspect or similar files"
    LIMITS = "limits", "A budget or a disk is nearly used up"


E = TypeVar("E", bound="Email")


class EmailQuerySet(models.QuerySet[E]):
    """Emails by their fate."""

    def given_up(self) -> Self:
        """Select the emails that no server accepted in any attempt."""
        return self.filter(due_at=None, sent_at=None, attempts__gt=0)


class Email(models.Model):
    """An email on its way, whatever it is about.

    due_at: when it is to be sent, or to be sent again if the process that sends it is killed; null once it
        was sent, given up, or no longer wanted
    attempts: how often a server was asked to take it; 0 for one that is no longer wanted
    """

    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    objects = EmailQuerySet.as_manager()

    class Meta:
        abstract = True


class AccountEmail(Email):
    """An email about an account, which may not exist: an address to confirm, a password to reset.

    encrypted: address, subject and text; "" once it was sent or given up
    """

    encrypted = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="account_email_by_due")]

    def __str__(self) -> str:
        return f"about an account, {self.created_at:%Y-%m-%d %H:%M}"


class Notification(Email):
    """An email to a person about one event; there is one row for each.

    user: who gets it; of an invitation, who invites
    event: its name, such as audit:123
    data: what the email says; nothing that is hidden
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    event = models.CharField(max_length=60)
    kind = models.CharField(max_length=20, choices=EmailKind)
    board = models.ForeignKey("leaderboard.Board", null=True, on_delete=models.CASCADE, related_name="+")
    submission = models.ForeignKey(
        "leaderboard.Submission", null=True, on_delete=models.CASCADE, related_name="+"
    )
    data = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "user"], name="notification_once")]
        indexes = [models.Index(fields=["due_at"], name="notification_by_due")]

    def __str__(self) -> str:
        return f"{self.kind}, {self.event}"


# Those of people's accounts come first, because somebody waits for them.
EMAILS: tuple[type[Email], ...] = (AccountEmail, Notification)
