"""People, their teams and their API tokens, and the emails that tell them what concerns them."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar, Self

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy
from knox.models import AbstractAuthToken

# Of letters, digits and single hyphens between them, 3 to 40 characters.
HANDLE = r"^(?=.{3,40}\Z)[a-z0-9]+(?:-[a-z0-9]+)*\Z"

# What staff need to use the organiser's desk: there they do what these allow in the admin.
_RIGHTS_OF_ORGANISERS = (
    "leaderboard.change_benchmark",
    "leaderboard.change_submission",
    "leaderboard.change_teamapproval",
)


class UserManager(BaseUserManager["User"]):
    """Create users, who sign in by email address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):  # type: ignore[django-manager-missing]  # that of knox's tokens
    """A person, identified by an email address.

    language: of the pages that the person used last; "" where that is not known
    email_choices: kind of email -> whether the person wants it; null where nothing was chosen
    """

    username = None  # type: ignore[assignment]  # Django's way to drop a field of an abstract base
    email = models.EmailField(gettext_lazy("email address"), unique=True)
    language = models.CharField(max_length=10, blank=True, default="", db_default="", editable=False)
    email_choices = models.JSONField(null=True, blank=True, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()  # type: ignore[assignment,misc]  # another manager than that of the base

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.email

    @property
    def organises_all_boards(self) -> bool:
        """Whether the user is of the staff, and may change boards, submissions and approvals in the admin."""
        return self.is_staff and self.has_perms(_RIGHTS_OF_ORGANISERS)

    @property
    def may_organise(self) -> bool:
        """Whether the user may use the organiser's desk for some board."""
        return self.is_active and (self.organises_all_boards or self.organises.exists())

    @property
    def has_verified_email(self) -> bool:
        """Whether the user has verified an email address."""
        return bool(self.emailaddress_set.filter(verified=True).exists())  # type: ignore[attr-defined]  # of allauth

    def save(self, *args: Any, **kwargs: Any) -> None:
        # Sign-in looks up the address in lower case, whatever an administrator typed.
        self.email = self.email.lower()
        super().save(*args, **kwargs)


class SignInAddress(models.Model):
    """A network address from which a user has signed in, as a digest.

    Wrong passwords from elsewhere do not keep the user from signing in there.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64)
    last_at = models.DateTimeField(auto_now=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["digest", "user"], name="sign_in_address_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.last_at:%Y-%m-%d}"


class TeamQuerySet(models.QuerySet["Team"]):
    """Teams by their members."""

    def of_member(self, user: User) -> Self:
        """Select the teams of a person, the personal one first and then by name."""
        return self.filter(memberships__user=user).order_by(
            F("owner_alone").desc(nulls_last=True), "name", "pk"
        )


class Team(models.Model):
    """A group of people who submit together. A single person has a team with `owner_alone`.

    name: "" once its person deleted the account, or its last member closed it
    handle: short name of a team of several people, in requests and addresses; null for a person's own
    """

    name = models.CharField(max_length=120)
    handle = models.CharField(
        max_length=40, null=True, blank=True, unique=True, validators=[RegexValidator(HANDLE)]
    )
    owner_alone = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="personal_team"
    )
    members = models.ManyToManyField(User, through="Membership", related_name="teams")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or "Deleted account"

    @property
    def is_shared(self) -> bool:
        """Whether several people may be in it."""
        return self.owner_alone_id is None


class RetiredHandle(models.Model):
    """The short name of a team that ended and had results on a leaderboard: no other team may take it.

    digest: keyed, so that the short name, which may be a person's, is not kept
    """

    digest = models.CharField("keyed digest of the short name", max_length=64, primary_key=True)
    retired_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "retired short name"

    def __str__(self) -> str:
        return f"{self.digest[:12]}…"


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
    """A person in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team} ({self.role})"


class TeamInvitation(models.Model):
    """A link by which one person may join a team; it is deleted once it is used or revoked.

    The link holds a signature over the key of this row, so the row alone lets nobody join.
    email: where the link was sent; anyone who has the link may use it
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    invited_by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["team", "email"], name="invitation_once_an_address")]

    def __str__(self) -> str:
        return f"{self.email} to {self.team}"

    @property
    def event(self) -> str:
        """The event of its email, as in Notification."""
        return f"invitation:{self.pk}"


class Scope(models.TextChoices):
    """What a token may be used for."""

    VALIDATE = "validate", "Check files"
    SUBMIT = "submit", "Submit files and cancel submissions"
    PUBLISH = "publish", "Publish and withdraw results"
    READ = "read", "Read the team’s submissions and limits"


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """An API token of a person or a team. Only a digest is stored; revoking deletes the row and is audited.

    user: who created it; `services.teams.members.acting_user` says for whom a token of a team acts
    team: whose it is; null for a person's own
    scopes: what it may be used for; null for everything, as in tokens that were made before there were scopes
    benchmark: the only leaderboard that it is good for; null for all
    last_used_at: to within some minutes
    ci_job: for which it was exchanged; then it acts for the team of that publisher. Null for one of a person.
    """

    name = models.CharField(max_length=80)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    scopes = models.JSONField(null=True, editable=False)
    benchmark = models.ForeignKey(
        "leaderboard.Benchmark", null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    last_used_at = models.DateTimeField(null=True, editable=False)
    ci_job = models.ForeignKey(
        "leaderboard.CiJob", null=True, blank=True, on_delete=models.CASCADE, related_name="tokens"
    )

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key}…)"

    @property
    def allowed(self) -> list[Scope]:
        """What it may be used for."""
        return [scope for scope in Scope if self.scopes is None or scope in self.scopes]

    @property
    def is_limited(self) -> bool:
        """Whether it may not be used for everything."""
        return len(self.allowed) < len(Scope)


class EndedToken(models.Model):
    """The digest of an ended token, so that an answer can say whether it was revoked or has expired.

    revoked: whether it was revoked
    """

    digest = models.CharField(max_length=128, primary_key=True)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    revoked = models.BooleanField()
    ended_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{'revoked' if self.revoked else 'expired'} at {self.ended_at:%Y-%m-%d %H:%M}"


class CodeState(models.TextChoices):
    """What became of the code of a program that asks for a token."""

    PENDING = "pending", "Nobody has answered"
    APPROVED = "approved", "Approved, its token not fetched"
    DENIED = "denied", "Denied"
    USED = "used", "Its token was fetched"


class DeviceCode(models.Model):
    """A program that asks for a token, by a code that a person approves in a browser (RFC 8628).

    digest: of the code that the program alone has
    user_code: the short code that the person compares, without its hyphen
    client, host: name with version, and machine, as the program states them: nobody checked them
    address: the network address that asked; "" once there is an answer
    user: who answered
    interval: seconds that the program has to wait between two questions
    """

    digest = models.CharField(max_length=64, unique=True)
    user_code = models.CharField(max_length=8, unique=True)
    client = models.CharField(max_length=60)
    host = models.CharField(max_length=60, blank=True)
    address = models.CharField(max_length=64, blank=True)
    scopes = models.JSONField()
    state = models.CharField(max_length=10, choices=CodeState, default=CodeState.PENDING)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    interval = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="device_code_answered_by_someone",
                condition=models.Q(state=CodeState.PENDING, user__isnull=True)
                | (~models.Q(state=CodeState.PENDING) & models.Q(user__isnull=False)),
            )
        ]

    def __str__(self) -> str:
        return f"{self.client}, {self.state}"

    @property
    def shown_code(self) -> str:
        """The code as programs and pages show it."""
        return f"{self.user_code[:4]}-{self.user_code[4:]}"

    @property
    def token_name(self) -> str:
        """How the token is called on the page of its owner."""
        return f"wardboard on {self.host}" if self.host else "wardboard"

    @property
    def asked_for(self) -> list[Scope]:
        """What the token may be used for."""
        return [scope for scope in Scope if scope in self.scopes]


class EmailKind(models.TextChoices):
    """What an email is about. People switch off each but INVITATION, and DESK, which holds the last four."""

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


class NotificationQuerySet(models.QuerySet["Notification"]):
    """Emails by what became of them."""

    def given_up(self) -> Self:
        """Keep those that no server took in all attempts."""
        return self.filter(due_at=None, sent_at=None, attempts__gt=0)


class Notification(models.Model):
    """An email to a person about one event; there is one row for each.

    user: who gets it; of an invitation, who invites
    event: its name, such as audit:123
    data: what the email says; nothing that is hidden
    due_at: when it is to be sent, or to be sent again if the process that sends it is killed; null once it
        was sent, given up, or no longer wanted
    attempts: how often a server was asked to take it; 0 for one that is no longer wanted
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    event = models.CharField(max_length=60)
    kind = models.CharField(max_length=20, choices=EmailKind)
    benchmark = models.ForeignKey(
        "leaderboard.Benchmark", null=True, on_delete=models.CASCADE, related_name="+"
    )
    submission = models.ForeignKey(
        "leaderboard.Submission", null=True, on_delete=models.CASCADE, related_name="+"
    )
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "user"], name="notification_once")]
        indexes = [models.Index(fields=["due_at"], name="notification_by_due")]

    def __str__(self) -> str:
        return f"{self.kind}, {self.event}"
