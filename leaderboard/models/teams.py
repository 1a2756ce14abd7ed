"""People and their teams."""

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

# A handle has 3 to 40 characters: letters, digits, and single hyphens between them.
HANDLE = r"^(?=.{3,40}\Z)[a-z0-9]+(?:-[a-z0-9]+)*\Z"


class UserManager(BaseUserManager["User"]):
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
    language = models.CharField(max_length=10, blank=True, default="", editable=False)
    email_choices = models.JSONField(null=True, blank=True, editable=False)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()  # type: ignore[assignment,misc]  # another manager than that of the base

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.email

    @property
    def has_verified_email(self) -> bool:
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
    def of_member(self, user: User) -> Self:
        """Select the teams of a person, the personal one first and then by name."""
        return self.filter(memberships__user=user).order_by(
            F("owner_alone").desc(nulls_last=True), "name", "pk"
        )


class Team(models.Model):
    """A group of people who submit together. A single person has a team with `owner_alone`.

    name: "" once its person deleted the account, or its last member closed it
    confirmed_organisations: names for which an organiser confirmed that the team speaks for them
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
    confirmed_organisations = models.JSONField(default=list, db_default=[], editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name or "Deleted account"

    @property
    def is_shared(self) -> bool:
        return self.owner_alone_id is None


class RetiredHandle(models.Model):
    """The short name of a team that ended and had results on a leaderboard: no other team may take it.

    digest: keyed, so that the short name, which may be a person's, is not kept
    """

    digest = models.CharField("keyed digest of the short name", max_length=64, primary_key=True)
    retired_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "retired short name"


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
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
