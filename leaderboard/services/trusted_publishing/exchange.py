"""Exchange the ID token of a CI job for an API token of some minutes."""

import hashlib
from dataclasses import asdict, dataclass
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
from leaderboard.services.errors import CiJobRefused
from leaderboard.services.teams.members import acting_user
from leaderboard.services.trusted_publishing.id_tokens import IdToken, refused, verify
from leaderboard.services.trusted_publishing.jobs import JobFacts, mismatches, read_job

LIFETIME = timedelta(minutes=15)
# For so long, a job whose answer was lost on its way gets another token for the same ID token.
_LOST_WITHIN = timedelta(minutes=1)
_SCOPES = (Scope.VALIDATE, Scope.SUBMIT, Scope.PUBLISH, Scope.READ)
_NOT_STORED = ("called_workflow", "head")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanged:
    """A new API token, whose text is not stored, and the job and the publisher that it is of."""

    text: str
    token: ApiToken
    job: CiJob
    publisher: TrustedPublisher


def exchange(*, id_token: str, publisher_id: UUID) -> Exchanged:
    """Return a token for the job that `id_token` is of. Raises CiJobRefused and IssuerUnreachable.

    The first job of a publisher binds it to the id of its repository.
    """
    verified = verify(id_token)
    facts = read_job(verified)
    with transaction.atomic():
        # The team first, as where a team or an account ends, which deletes its publishers.
        list(Team.objects.select_for_update(no_key=True).filter(trusted_publishers=publisher_id).order_by())
        # Lock the publisher, so that of two first jobs only one binds it.
        rows = TrustedPublisher.objects.select_for_update(of=("self",)).select_related(
            "team", "board", "added_by"
        )
        publisher = rows.select_for_update(of=("self",)).filter(pk=publisher_id).first()
        if publisher is None:
            raise refused(
                "publisher",
                "",
                f"There is no publisher {publisher_id}.",
                "Copy the id from the page of trusted publishers; it may have been removed there.",
            )
        if problems := list(mismatches(publisher, facts, verified.issuer)):
            raise CiJobRefused(problems)
        job = _store_job(publisher, verified, facts)
        _bind(publisher, facts)
        token, text = ApiToken.objects.create(
            user=publisher.added_by,
            team=publisher.team,
            expiry=LIFETIME,
            name=f"CI: {facts.repository}"[:80],
            scopes=[scope.value for scope in _SCOPES],
            board=publisher.board,
            ci_job=job,
        )
        if acting_user(token) is None:
            message = "The team has no active member who is responsible for this publisher."
            hint = "An owner of the team has to sign in and add the publisher again."
            raise refused("publisher", "", message, hint)
    return Exchanged(text=text, token=token, job=job, publisher=publisher)


def _store_job(publisher: TrustedPublisher, verified: IdToken, facts: JobFacts) -> CiJob:
    """Store a job once for each ID token. Raises CiJobRefused for one that was exchanged before."""
    token_id = f"{verified.issuer.url}\n{verified.claims['jti']}"
    fields = {name: value for name, value in asdict(facts).items() if name not in _NOT_STORED}
    job, is_new = CiJob.objects.get_or_create(
        token_digest=hashlib.sha256(token_id.encode()).hexdigest(),
        defaults={
            **fields,
            "publisher": publisher,
            "issuer": verified.issuer.url,
            "artifact_sha256": verified.artifact_sha256,
            "forget_at": verified.ends_at,
        },
    )
    if not is_new and not _was_lost(job, publisher):
        message = "This ID token was exchanged before; each can be exchanged once."
        hint = "Ask the CI system for a new one. A job of GitLab gets one for each name under `id_tokens:`."
        raise refused("replayed", "jti", message, hint)
    return job


def _was_lost(job: CiJob, publisher: TrustedPublisher) -> bool:
    """Return whether a job asks again because the answer was lost, and revoke the token that it did not get.

    So one token of a job works, and an ID token whose job has begun its work is worth nothing to a thief. The
    row of the publisher is locked.
    """
    tokens = ApiToken.objects.filter(ci_job=job)
    if (
        job.publisher_id != publisher.pk
        or job.exchanged_at < timezone.now() - _LOST_WITHIN
        or not tokens.exists()
        or tokens.exclude(last_used_at=None).exists()
    ):
        return False
    tokens.delete()
    return True


def _bind(publisher: TrustedPublisher, facts: JobFacts) -> None:
    now = timezone.now()
    publisher.last_used_at = now
    if not publisher.is_bound:
        publisher.repository_id, publisher.bound_at = facts.repository_id, now
        audit.record(
            AuditEvent.Action.PUBLISHER_BOUND,
            team=publisher.team_id,
            publisher=str(publisher.pk),
            repository_id=facts.repository_id,
        )
    publisher.save(update_fields=["repository_id", "bound_at", "last_used_at"])
