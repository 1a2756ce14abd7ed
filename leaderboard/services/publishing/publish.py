"""Publish a scored submission, or withdraw it."""

import math
import uuid
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import Access, AuditEvent, BoardAction, Status, Submission, Team, TeamApproval, User
from leaderboard.services import audit
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import (
    ApprovalNeeded,
    ConfirmationNeeded,
    EmailUnverified,
    QuotaSpent,
    ServiceError,
    WrongState,
)
from leaderboard.services.files import store
from leaderboard.services.judging.public_verdicts import publish_verdicts
from leaderboard.services.publishing import standings, system_facts
from leaderboard.services.text import end_of_wait, join_sentences
from wardboard.scoring.reading.formats.codes import FormatCode

# Every publication, and the withdrawal before it, stays in the public log for ever.
MOST_A_DAY = 5
DAY = timedelta(hours=24)
_MONTH = timedelta(days=30)
# By these, a log says that its results should not be used as they are.
_DOUBTS = frozenset({FormatCode.INVALIDATED.value})


def _refuse_disqualified(submission: Submission) -> None:
    if submission.disqualified_at is not None:
        raise WrongState(
            _("The organisers disqualified this result; it cannot be published or withdrawn: %(why)s")
            % {"why": submission.disqualification_reason}
        )


def must_be_confirmed(submission: Submission) -> bool:
    """Return whether the log of a result says that it should not be used as it is."""
    return any(warning.get("code") in _DOUBTS for warning in submission.warnings)


def refusal(submission: Submission, *, by: User, is_confirmed: bool = False) -> ServiceError | None:
    """Return why `by` may not publish this result of the team now; None where that is allowed.

    is_confirmed: whether the sender confirms a result that `must_be_confirmed`.

    A published result shows more than a new one does: figures by type, and all decimals. Callers that
    publish hold the row of the team locked.
    """
    board, team = submission.board, submission.team
    if board.is_unranked:
        return WrongState(_("A result on an unranked lane is never published."))
    if not is_confirmed and must_be_confirmed(submission):
        return ConfirmationNeeded(
            _(
                "The log marks samples as invalid, or was edited. Confirm that the result holds even so; "
                "then it is published."
            )
        )
    values = {"title": _(board.title)}
    if board.needs_approval and not TeamApproval.objects.is_approved(board, team):
        return ApprovalNeeded(
            _("The organisers of %(title)s approve a team before its first publication.") % values
        )
    # Approved teams need no verified address, here and when they submit: an organiser may have made the
    # account of a CI job.
    if board.access == Access.VERIFIED and settings.VERIFIES_EMAIL and not by.has_verified_email:
        return EmailUnverified(
            _("%(title)s publishes results of people with a verified email address. Verify yours first.")
            % values
        )
    limit = board.publication_limit
    now = timezone.now()
    others = Submission.objects.filter(of_same_senders(submission), board=board).exclude(pk=submission.pk)
    published = others.filter(published_at__gt=now - _MONTH).order_by("-published_at")
    if limit is None or len(newest := published.values_list("published_at", flat=True)[:limit]) < limit:
        return None
    oldest = [now, *newest][-1] or now
    text = _("Your team has published as many results on %(title)s in 30 days as it may (%(count)s).")
    seconds = max(1, math.ceil((oldest + _MONTH - now).total_seconds()))
    when = _("The next result may be published on %(when)s.") % {"when": end_of_wait(seconds, now)}
    return QuotaSpent(join_sentences([text % {**values, "count": limit}, when]), retry_after=seconds)


def of_same_senders(submission: Submission, prefix: str = "") -> Q:
    """Select what was sent by the same person or for the same team; itself included.

    Otherwise one person with several teams would have each limit several times. prefix: of the fields.
    """
    by_person = Q(**{f"{prefix}submitted_by": submission.submitted_by_id})
    return by_person | Q(**{f"{prefix}team": submission.team_id})


def disqualified_twin(submission: Submission) -> Submission | None:
    """Return a disqualified result on the board with the same records or a run in common.

    It may be of the team, of another team of the person who sent it, or of the team that handed it over.
    """
    others = Submission.objects.filter(
        of_same_senders(submission), board=submission.board_id, disqualified_at__isnull=False
    )
    for other in others.exclude(pk=submission.pk):
        if other.run_digests & submission.run_digests or store.hold_same_records(
            other.stored_as, submission.stored_as
        ):
            return other
    return None


def would_be_entry(submission: Submission) -> bool:
    """Return whether a scored result, were it published now, would be its system's row on the board."""
    rows = Submission.objects.filter(board=submission.board, system=submission.system)
    listed = rows.published() | rows.filter(pk=submission.pk)
    return listed.entry_first().values_list("pk", flat=True).first() == submission.pk


@transaction.atomic
def publish(
    *,
    submission_id: uuid.UUID,
    by: User,
    team: Team | None = None,
    is_confirmed: bool = False,
    public_traces: bool | None = None,
) -> Submission:
    """Publish a scored submission; publishing twice is harmless.

    team: the team that must own it; None where the caller found it among its own.
    public_traces: whether everyone may read its traces; None for no, or as before if it is published already.
    Raises NotFound, WrongState, ConfirmationNeeded, ApprovalNeeded, EmailUnverified, QuotaSpent.
    """
    # Lock these before the submission, as everywhere, so that publications of a person, and of the team, are
    # counted one by one.
    for of_submission in (User.objects, Team.objects):
        rows = of_submission.select_for_update(of=("self",), no_key=True).filter(submissions=submission_id)
        list(rows.values_list("pk"))
    submission = lock_submission(submission_id, team)
    if submission.status != Status.SCORED:
        raise WrongState(
            _("Only a scored submission can be published; this one is %(status)s.")
            % {"status": _(submission.status)}
        )
    _refuse_disqualified(submission)
    if not submission.is_published:
        if (twin := disqualified_twin(submission)) is not None:
            raise WrongState(
                _(
                    "The organisers disqualified a result of yours with the same records, so this one cannot "
                    "be published: %(why)s"
                )
                % {"why": twin.disqualification_reason}
            )
        published = AuditEvent.objects.filter(
            submission=submission, action=AuditEvent.Action.PUBLISHED, at__gt=timezone.now() - DAY
        )
        # Withdrawing needs no limit of its own: there is one withdrawal for each publication.
        if not by.is_staff and published.count() >= MOST_A_DAY:
            raise WrongState(
                _(
                    "This submission was published %(times)s times in the last 24 hours, which is the most "
                    "that it can be. Publish it again later."
                )
                % {"times": MOST_A_DAY}
            )
        if (refused := refusal(submission, by=by, is_confirmed=is_confirmed)) is not None:
            raise refused
        put_on_board(submission, by=by)
    if public_traces is not None:
        _share_traces(submission, is_public=public_traces, by=by)
    return Submission.objects.with_result().get(pk=submission_id)


def put_on_board(submission: Submission, *, by: User) -> None:
    """Publish a submission in the caller's transaction, which has it and its team locked."""
    submission.published_at, submission.withdrawn_at = timezone.now(), None
    submission.withdrawal_reason = ""
    submission.save(update_fields=["published_at", "withdrawn_at", "withdrawal_reason"])
    # Apply the facts before the row is written, since it has the facts of its system.
    system_facts.apply_waiting_facts(submission, by=by)
    standings.refresh_standings([submission], action=BoardAction.PUBLISHED)
    publish_verdicts(submission)
    audit.record(AuditEvent.Action.PUBLISHED, actor=by, submission=submission)


def _share_traces(submission: Submission, *, is_public: bool, by: User) -> None:
    """Make the traces of a locked submission public, or private again. Raises WrongState."""
    if is_public and not submission.board.offers_public_traces:
        raise WrongState(_("This leaderboard does not offer public traces."))
    if submission.public_traces != is_public:
        submission.public_traces = is_public
        submission.save(update_fields=["public_traces"])
        audit.record(AuditEvent.Action.TRACES_CHANGED, actor=by, submission=submission, is_public=is_public)


@transaction.atomic
def withdraw(*, submission_id: uuid.UUID, team: Team, by: User, reason: str = "") -> Submission:
    """Take a published submission off its leaderboard; another result of the system takes its place.

    Withdrawing twice is harmless. reason: shown in the public log, "" for none; cut to 300 characters.
    Raises NotFound, WrongState.
    """
    submission = lock_submission(submission_id, team)
    if submission.published_at is None:
        raise WrongState(_("Only a published submission can be withdrawn; this one is not published."))
    _refuse_disqualified(submission)
    if submission.withdrawn_at is None:
        submission.withdrawn_at = timezone.now()
        submission.withdrawal_reason = "".join(c for c in " ".join(reason.split()) if c.isprintable())[:300]
        submission.save(update_fields=["withdrawn_at", "withdrawal_reason"])
        standings.refresh_standings(
            [submission], action=BoardAction.WITHDRAWN, reason=submission.withdrawal_reason
        )
        audit.record(AuditEvent.Action.WITHDRAWN, actor=by, submission=submission)
        # Published again, it asks again.
        _share_traces(submission, is_public=False, by=by)
    return Submission.objects.with_result().get(pk=submission_id)
