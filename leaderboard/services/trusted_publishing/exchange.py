"""Exchange the ID token of a CI job for a Wardboard token that works for some minutes."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    ApiToken,
    AuditEvent,
    CiJob,
    Scope,
    Team,
    TrustedPublisher,
)
from leaderboard.services import audit
from leaderboard.services.teams.members import acting_user
from leaderboard.services.trusted_publishing.id_tokens import IdToken, refused, verify
from leaderboard.services.trusted_publishing.jobs import check_job

LIFETIME = timedelta(minutes=15)
_SCOPES = (Scope.VALIDATE, Scope.SUBMIT, Scope.PUBLISH, Scope.READ)


def exchange(*, id_token: str, publisher_id: UUID) -> tuple[ApiToken, str]:
    """Return a token for the job of `id_token`, with its text. Raises CiJobRefused, IssuerUnreachable."""
    verified = verify(id_token)
    with transaction.atomic():
        # The team first, as where a team or an account ends, which deletes its publishers.
        list(Team.objects.select_for_update(no_key=True).filter(trusted_publishers=publisher_id).order_by())
        # Lock the publisher, so that of two first jobs only one binds it.
        rows = TrustedPublisher.objects.select_for_update(of=("self",))
        publisher = rows.select_related("team", "board", "added_by").filter(pk=publisher_id).first()
        if publisher is None:
            message = f"There is no publisher {publisher_id}."
            hint = "Copy the id from the page of trusted publishers; it may have been removed there."
            raise refused("publisher", "", message, hint)
        job = _store_job(publisher, verified, check_job(verified, publisher))
        publisher.last_used_at = timezone.now()
        if not publisher.is_bound:
            publisher.repository_id, publisher.bound_at = job.repository_id, publisher.last_used_at
            audit.record(
                AuditEvent.Action.PUBLISHER_BOUND,
                team=publisher.team_id,
                publisher=str(publisher.pk),
                repository_id=job.repository_id,
            )
        publisher.save(update_fields=["repository_id", "bound_at", "last_used_at"])
        token, text = ApiToken.objects.create(
            user=publisher.added_by,
            team=publisher.team,
            expiry=LIFETIME,
            name=f"CI: {job.repository}"[:80],
            scopes=[scope.value for scope in _SCOPES],
            board=publisher.board,
            ci_job=job,
        )
        if acting_user(token) is None:
            message = "The team has no active member who is responsible for this publisher."
            hint = "An owner of the team has to sign in and add the publisher again."
            raise refused("publisher", "", message, hint)
    return token, text


def _store_job(publisher: TrustedPublisher, verified: IdToken, facts: Mapping[str, str]) -> CiJob:
    """Store a job once for each ID token. Raises CiJobRefused for one that was exchanged before.

    A job asks again where the answer was lost: the token that it did not get is revoked. So one token of a
    job works, and an ID token whose job has begun its work is worth nothing to a thief.
    """
    token_id = f"{verified.issuer.url}\n{verified.claims['jti']}"
    job, is_new = CiJob.objects.get_or_create(
        token_digest=hashlib.sha256(token_id.encode()).hexdigest(),
        defaults={
            **facts,
            "publisher": publisher,
            "issuer": verified.issuer.url,
            "artifact_sha256": verified.artifact_sha256,
            "forget_at": verified.ends_at,
        },
    )
    if is_new:
        return job
    tokens = ApiToken.objects.filter(ci_job=job)
    # For so long, a job whose answer was lost on its way gets another token for the same ID token.
    is_soon = job.publisher_id == publisher.pk and job.exchanged_at >= timezone.now() - timedelta(minutes=1)
    if not is_soon or not tokens.exists() or tokens.exclude(last_used_at=None).exists():
        message = "This ID token was exchanged before; each can be exchanged once."
        hint = "Ask the CI system for a new one. A job of GitLab gets one for each name under `id_tokens:`."
        raise refused("replayed", "jti", message, hint)
    tokens.delete()
    return job
