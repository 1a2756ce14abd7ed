"""Publishing a scored submission, and taking it back."""

import uuid

from django.db import transaction
from django.utils import timezone

from leaderboard.models import AuditEvent, Status, Submission, Team, User
from leaderboard.services import audit, ranking
from leaderboard.services.errors import NotFound, WrongState


def find(*, submission_id: uuid.UUID, team: Team | None) -> Submission:
    """Return the submission as `team` may see it: its own, or a published one. Raises NotFound."""
    submission = Submission.objects.with_result().filter(pk=submission_id).first()
    if submission is None or not (submission.is_published or (team and submission.team_id == team.pk)):
        raise NotFound("There is no such submission, or it is not published.")
    return submission


def _locked(submission_id: uuid.UUID, team: Team) -> Submission:
    # Locked first: a double click, or publishing while it is withdrawn elsewhere, comes second and sees it.
    rows = Submission.objects.select_for_update(of=("self",)).select_related("benchmark", "system", "team")
    submission = rows.filter(pk=submission_id, team=team).first()
    if submission is None:
        raise NotFound("You have no such submission.")
    return submission


@transaction.atomic
def publish(*, submission_id: uuid.UUID, team: Team, by: User) -> Submission:
    """Put a scored submission on the board; twice is the same as once. Raises NotFound, WrongState."""
    submission = _locked(submission_id, team)
    if submission.status != Status.SCORED:
        raise WrongState(f"Only a scored submission can be published; this one is {submission.status}.")
    if not submission.is_published:
        put_on_board(submission, by=by)
    return Submission.objects.with_result().get(pk=submission_id)


def put_on_board(submission: Submission, *, by: User) -> None:
    """Publish a submission that is scored and locked, in the caller's transaction."""
    submission.published_at, submission.withdrawn_at = timezone.now(), None
    submission.withdrawal_reason = ""
    submission.save(update_fields=["published_at", "withdrawn_at", "withdrawal_reason"])
    ranking.refresh_standing(benchmark=submission.benchmark, system=submission.system)
    audit.record(AuditEvent.Action.PUBLISHED, actor=by, submission=submission)


@transaction.atomic
def withdraw(*, submission_id: uuid.UUID, team: Team, by: User, reason: str = "") -> Submission:
    """Take a published submission off the board; the system's next best takes its place.

    Twice is the same as once. Raises NotFound, WrongState.
    """
    submission = _locked(submission_id, team)
    if submission.published_at is None:
        raise WrongState("Only a published submission can be withdrawn; this one is not published.")
    if submission.withdrawn_at is None:
        submission.withdrawn_at = timezone.now()
        submission.withdrawal_reason = "".join(c for c in reason if c.isprintable())[:300]
        submission.save(update_fields=["withdrawn_at", "withdrawal_reason"])
        ranking.refresh_standing(benchmark=submission.benchmark, system=submission.system)
        audit.record(AuditEvent.Action.WITHDRAWN, actor=by, submission=submission)
    return Submission.objects.with_result().get(pk=submission_id)
