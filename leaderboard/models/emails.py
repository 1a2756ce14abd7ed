"""Emails to people, until a server has taken them."""

from datetime import datetime, timedelta
from typing import Self, TypeVar

from django.db import models
from django.db.models import F
from django.utils import timezone

from leaderboard.models.teams import User

# After each attempt that failed, how long until the next. After the last there is none.
_WAITS = [timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6)]
MOST_ATTEMPTS = len(_WAITS) + 1
# For how long a process has an email to itself: longer than a slow server takes.
_LEASE = timedelta(minutes=5)


class EmailKind(models.TextChoices):
    """What an email is about."""

    SUBMISSION = "submission", "A submission is scored or failed"
    DECISION = "decision", "A result is disqualified, reinstated or rescored"
    APPROVAL = "approval", "A team is approved or refused"
    ANNOUNCEMENT = "announcement", "An announcement"
    TOKEN = "token", "A token expires soon"
    TEAM = "team", "Somebody joins a team, or the role of the person in one changes"
    INVITATION = "invitation", "An invitation to a team"
    DESK = "desk", "A leaderboard needs its organisers"


M = TypeVar("M", bound="Email")


class EmailQuerySet(models.QuerySet[M]):
    def given_up(self) -> Self:
        """Select the emails that no server accepted in any attempt."""
        return self.filter(due_at=None, sent_at=None, attempts__gt=0)

    def give_up_interrupted(self, now: datetime) -> int:
        """Give up those whose last attempt ended with its process; return how many."""
        return self.filter(due_at__lte=now, attempts__gte=MOST_ATTEMPTS).update(due_at=None)


class Email(models.Model):
    """An email on its way, which is sent until a server has taken it, a bounded number of times.

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

    def take(self, now: datetime) -> bool:
        """Begin an attempt; return whether this process may make it.

        Where the process is killed, the email is due again once the lease ends.
        """
        lease = now + _LEASE
        free = type(self)._default_manager.filter(pk=self.pk, due_at=self.due_at, sent_at=None)
        if not free.update(due_at=lease, attempts=F("attempts") + 1):
            return False
        self.due_at = lease
        return True

    def postpone(self, now: datetime) -> bool:
        """Have it sent later, or give it up after the last attempt; return whether it was given up.

        attempts: as before the attempt that failed.
        """
        attempts = self.attempts + 1
        due = None if attempts >= MOST_ATTEMPTS else now + _WAITS[attempts - 1]
        # Another process may have postponed it, or have sent it.
        free = type(self)._default_manager.filter(pk=self.pk, due_at=self.due_at, sent_at=None)
        return bool(free.update(due_at=due, attempts=attempts)) and due is None


class AccountEmail(Email):
    """An email about an account, which may not exist: an address to confirm, a password to reset.

    encrypted: address, subject and text; "" once it was sent or given up
    """

    encrypted = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="account_email_by_due")]


class Notification(Email):
    """An email to a person about one event; there is one row for each.

    user: who gets it; of an invitation, who invites. event: its name, such as audit:123
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


class Watch(models.Model):
    """A person gets an email when the ranking of a leaderboard changed, at most once a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    board = models.ForeignKey("leaderboard.Board", on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["board", "user"], name="watch_once")]

    def __str__(self) -> str:
        return f"{self.user} watches {self.board}"


# Those of people's accounts come first, because someone waits for them.
EMAILS: tuple[type[Email], ...] = (AccountEmail, Notification)
