"""Tokens, and the codes by which programs ask for one."""

from django.db import models
from knox.models import AbstractAuthToken

from leaderboard.models.teams import Team, User


class Scope(models.TextChoices):
    VALIDATE = "validate", "Check files"
    SUBMIT = "submit", "Submit files and cancel submissions"
    PUBLISH = "publish", "Publish and withdraw results"
    READ = "read", "Read the team’s submissions and limits"
    ORGANISE = "organise", "Read what the organisers of its person’s leaderboards see"


# What people can choose for a token. Only the operator makes one for organising, with manage.py api_token:
# the desk may ask for a second factor, which no token has.
OF_SENDERS = tuple(scope for scope in Scope if scope is not Scope.ORGANISE)


class ApiToken(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """A token of a person or a team. Only a digest is stored; revoking deletes the row and is audited.

    user: who created it; `services.teams.members.acting_user` says for whom a token of a team acts
    scopes: what it may be used for; null for what senders do, as in tokens that are older than scopes
    board: the only leaderboard that it is good for; null for all. last_used_at: to within some minutes
    ci_job: for which it was exchanged; then it acts for the team of that publisher. Null for one of a person.
    """

    name = models.CharField(max_length=80)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    scopes = models.JSONField(null=True, editable=False)
    board = models.ForeignKey(
        "leaderboard.Board", null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    last_used_at = models.DateTimeField(null=True, editable=False)
    ci_job = models.ForeignKey(
        "leaderboard.CiJob", null=True, blank=True, on_delete=models.CASCADE, related_name="tokens"
    )

    def __str__(self) -> str:
        return f"{self.name} ({self.token_key}…)"

    @property
    def allowed(self) -> list[Scope]:
        return [scope for scope in Scope if scope in (OF_SENDERS if self.scopes is None else self.scopes)]

    @property
    def is_limited(self) -> bool:
        """Whether it may not be used for everything."""
        return any(scope not in self.allowed for scope in OF_SENDERS)


class CodeState(models.TextChoices):
    PENDING = "pending", "Nobody has answered"
    APPROVED = "approved", "Approved, its token not fetched"
    DENIED = "denied", "Denied"
    USED = "used", "Its token was fetched"


class DeviceCode(models.Model):
    """A program that asks for a token, by a code that a person approves in a browser (RFC 8628).

    digest: of the code that the program alone has
    user_code: the short code that the person compares, without its hyphen
    client, host: name with version, and machine, as the program states them: nobody checked them
    address: the network address that asked; "" once there is an answer. user: who answered
    """

    digest = models.CharField(max_length=64, unique=True)
    user_code = models.CharField(max_length=8, unique=True)
    client = models.CharField(max_length=60)
    host = models.CharField(max_length=60, blank=True)
    address = models.CharField(max_length=64, blank=True)
    scopes = models.JSONField()
    state = models.CharField(max_length=10, choices=CodeState, default=CodeState.PENDING)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
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
        return f"{self.user_code[:4]}-{self.user_code[4:]}"

    @property
    def token_name(self) -> str:
        return f"wardboard on {self.host}" if self.host else "wardboard"

    @property
    def asked_for(self) -> list[Scope]:
        return [scope for scope in Scope if scope in self.scopes]
