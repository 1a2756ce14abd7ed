"""Trusted publishers of teams, and the CI jobs that issuers vouched for."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone

from leaderboard.models.boards import Board
from leaderboard.models.teams import Team, User


class ProvenanceLevel(models.TextChoices):
    """How much is known about where a file comes from.

    ACCOUNT: an account sent it, or a CI job whose issuer signed no digest
    CI_ATTESTED: a CI job sent it, and the issuer signed its digest for that job
    """

    ACCOUNT = "account", "Account (origin not attested)"
    CI_ATTESTED = "ci-attested", "CI job, attested file"

    @property
    def explanation(self) -> str:
        """The level's proof and its limits, in English."""
        return _EXPLANATIONS[self]


_EXPLANATIONS = {
    ProvenanceLevel.ACCOUNT: (
        "An account of the team sent the file, or a CI job whose CI system did not sign its digest. Nothing "
        "attests where the file comes from: that is as the team states it."
    ),
    ProvenanceLevel.CI_ATTESTED: (
        "A CI job sent the file, and its CI system signed the digest of the file too, with the repository, "
        "the workflow, the commit and the run: the job itself named exactly this file. This does not prove "
        "how the job made it."
    ),
}


class TrustedPublisher(models.Model):
    """A workflow of a repository whose jobs may submit for a team, without a stored token.

    issuer: `iss` of the ID tokens of its jobs
    repository: its name, such as owner/name; of GitLab, the path of the project
    repository_id: the issuer's immutable id of it; "" until the first job, which binds it
    workflow: path of the file that defines the job, such as .github/workflows/release.yml
    environment: in which the job has to run; "" for any, or none
    board: the only leaderboard for which its tokens are good; null for all
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="trusted_publishers")
    issuer = models.CharField(max_length=200)
    repository = models.CharField(max_length=255)
    repository_id = models.CharField(max_length=64, blank=True, default="")
    workflow = models.CharField(max_length=255)
    environment = models.CharField(max_length=255, blank=True, default="")
    board = models.ForeignKey(Board, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    added_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField(default=timezone.now)
    bound_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["added_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                "team",
                "issuer",
                Lower("repository"),
                "workflow",
                "environment",
                name="trusted_publisher_once_a_team",
            ),
            models.CheckConstraint(
                condition=Q(bound_at__isnull=True, repository_id="")
                | (Q(bound_at__isnull=False) & ~Q(repository_id="")),
                name="trusted_publisher_bound_has_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.repository}, {self.workflow}"

    @property
    def is_bound(self) -> bool:
        return bool(self.repository_id)


class CiJobQuerySet(models.QuerySet["CiJob"]):
    def unneeded(self, now: datetime) -> CiJobQuerySet:
        """Select those whose ID token has expired, and that brought no submission that is kept."""
        return self.filter(forget_at__lt=now, submissions__isnull=True, tokens__isnull=True)


class CiJob(models.Model):  # type: ignore[django-manager-missing]  # that of knox's tokens
    """What an issuer stated about a CI job in one ID token, whose signature was verified.

    repository_id: the issuer's immutable id of the repository. workflow: path of the file in the repository
    ref: as the issuer names it; "" without one. commit: of the repository, in hexadecimal digits
    publisher: under which the token was exchanged; null once it is removed
    token_digest: SHA-256 of issuer and `jti`, so that no ID token is exchanged twice
    environment, event: as the issuer names them; "" without one
    artifact_sha256: that the job had the issuer sign, in the audience of its token; "" for none
    forget_at: when the ID token has expired, and cannot come again
    """

    issuer = models.CharField(max_length=200)
    repository = models.CharField(max_length=255)
    repository_id = models.CharField(max_length=64)
    workflow = models.CharField(max_length=255)
    ref = models.CharField(max_length=255, blank=True)
    commit = models.CharField(max_length=64)
    run_url = models.URLField(max_length=300)
    publisher = models.ForeignKey(
        TrustedPublisher, null=True, blank=True, on_delete=models.SET_NULL, related_name="jobs"
    )
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    environment = models.CharField(max_length=255, blank=True)
    event = models.CharField(max_length=60, blank=True)
    artifact_sha256 = models.CharField(max_length=64, blank=True)
    exchanged_at = models.DateTimeField(default=timezone.now)
    forget_at = models.DateTimeField(db_index=True, editable=False)

    objects = CiJobQuerySet.as_manager()

    @property
    def repository_url(self) -> str:
        """The page of the repository; "" where the page of the run is not below it."""
        site, separator, _ = self.run_url.partition(f"/{self.repository}/")
        return f"{site}/{self.repository}" if separator else ""

    @property
    def commit_url(self) -> str:
        """The page of the commit; "" where that of the repository is not known."""
        if not self.repository_url:
            return ""
        # GitLab puts "/-/" after the name of a project.
        is_gitlab = self.run_url.startswith(f"{self.repository_url}/-/")
        return f"{self.repository_url}/{'-/' if is_gitlab else ''}commit/{self.commit}"
