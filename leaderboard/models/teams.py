"""People, their teams and their API tokens."""

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy
from knox.models import AbstractAuthToken


class UserManager(BaseUserManager):
    def create_user(self, email, password=None, **fields):
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email, password=None, **fields):
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person, known by an e-mail address."""

    username = None
    email = models.EmailField(gettext_lazy("e-mail address"), unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: list[str] = []
    objects = UserManager()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self):
        return self.email

    def save(self, *args, **kwargs):
        # Sign-in looks for the address in lower case, however an administrator has written it.
        self.email = self.email.lower()
        super().save(*args, **kwargs)


class Team(models.Model):
    """Who submits. A person alone is a team of one: the team whose `owner_alone` is that person."""

    name = models.CharField(max_length=120)
    owner_alone = models.OneToOneField(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="personal_team"
    )
    members = models.ManyToManyField(User, through="Membership", related_name="teams")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self):
        return self.name


class Role(models.TextChoices):
    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self):
        return f"{self.user} in {self.team} ({self.role})"


class ApiToken(AbstractAuthToken):
    """A personal API token; only a digest of it is kept. Revoking deletes the row (and is audited)."""

    name = models.CharField(max_length=80)

    def __str__(self):
        return f"{self.name} ({self.token_key}…)"
