"""What a team and its organisers do with a sealed file, and what its page and receipt say."""

import hashlib
import uuid
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import (
    AuditEvent,
    Board,
    BoardAction,
    BoardEvent,
    SealedFile,
    Season,
    Status,
    Submission,
    Team,
    User,
)
from leaderboard.models.seasons import entries_of, hold_open, rows_of_system
from leaderboard.services import audit, visibility
from leaderboard.services.access import lock_submission
from leaderboard.services.errors import WrongState
from leaderboard.services.record import events
from leaderboard.services.record.events import Change
from leaderboard.services.record.keys import signer
from leaderboard.services.seasons.score import open_result
from leaderboard.services.visibility import VisibleResult
from wardboard.scoring.receipts.entries import format_time
from wardboard.scoring.receipts.signatures import sign

LONGEST_STATEMENT = 5_000  # characters
LONGEST_EMBARGO = timedelta(days=730)


@transaction.atomic
def lodge(*, submission_id: uuid.UUID, team: Team, **values: Any) -> SealedFile:
    """Keep a team's `statement` with its sealed file, and `embargo_until`, when its system gets its name.

    values: one or both of them; what is left out stays as it is.
    They hold for all files of the system, so that they outlast one that is replaced.
    Raises NotFound, and WrongState once the season is closed, or where it hides no names.
    """
    submission = lock_submission(submission_id, team)
    now = timezone.now()
    if submission.status != Status.SEALED or (closed := hold_open(submission.board, now)):
        raise WrongState(closed if submission.status == Status.SEALED else _("This file is not sealed."))
    season, until = submission.board.season, values.get("embargo_until")
    if until and not season.hides_names:
        raise WrongState(_("In this season every system has its name from the reveal on."))
    if until and not season.reveals_at.date() < until <= (now + LONGEST_EMBARGO).date():
        raise WrongState(_("A name is hidden until a day after the reveal, and for two years at most."))
    if len(values.get("statement", "")) > LONGEST_STATEMENT:
        raise WrongState(_("A statement has %(n)s characters at most.") % {"n": f"{LONGEST_STATEMENT:,}"})
    rows_of_system(submission).update(**values)
    return SealedFile.objects.update_or_create(submission=submission, defaults=values)[0]


def receipt_of_sealed(submission: Submission) -> bytes:
    """Return the signed receipt of a sealed file as canonical JSON: what came, and when, without a score."""
    board, revision = submission.board, submission.board.ground_truth
    sealed = SealedFile.objects.filter(pk=submission.pk).first()
    content = {
        "board": board.slug,
        "benchmark": {"family": board.family, "version": board.version},
        "submission": str(submission.pk),
        "file": {"sha256": submission.sha256, "bytes": submission.size_bytes},
        "references": {"revision": revision.number, "commitment": revision.commitment or None},
        "sealed": {
            "answered": submission.count,
            "statement_sha256": digest_of(sealed.statement if sealed else "") or None,
        },
        "times": {
            "received": format_time(submission.received_at.replace(microsecond=0)),
            "reveals": format_time(board.season.reveals_at),
        },
        "boards": {},
    }
    return sign("receipt", content, signer())


@transaction.atomic
def open_for_fault(*, submission: Submission, by: User, reason: str) -> VisibleResult | None:
    """Show an organiser the result of a sealed file, and log publicly that it was opened, and why.

    None where it has no result yet, which is logged alike. Raises WrongState for a file that is not sealed.
    """
    if submission.status != Status.SEALED:
        raise WrongState(_("This file is not sealed."))
    data = {"kind": "season-file-opened", "sha256": submission.sha256, "reason": reason[:300]}
    events.record(Change(action=BoardAction.SEASON, data=data), board=submission.board)
    audit.record(AuditEvent.Action.SEAL_OPENED, actor=by, submission=submission, reason=reason)
    sealed = SealedFile.objects.exclude(result="").filter(pk=submission.pk).first()
    evaluation = open_result(sealed)[0] if sealed else None
    return visibility.visible_result(submission, evaluation=evaluation, to_organiser=True)


def opened(season: Season, **data: str) -> int:
    """Return how many sealed files organisers opened; data: of the events, such as the digest of one file."""
    events_of = BoardEvent.objects.filter(board=season.board_id, data__kind="season-file-opened")
    return events_of.filter(**{f"data__{name}": value for name, value in data.items()}).count()


def unscored(board: Board) -> int:
    """Return how many entries of a season have no result yet, as organisers should know before the reveal."""
    return entries_of(board.season).exclude(sealed__scored_by__gt="").count() if board.is_season else 0


def is_entry(submission: Submission) -> bool:
    """Return whether a sealed file is the entry of its system as it is now."""
    return entries_of(submission.board.season).filter(pk=submission.pk).exists()


def statements_of(season: Season) -> list[dict[str, Any]]:
    """Return the statements of a revealed season, with the systems that they are of."""
    rows = SealedFile.objects.filter(
        submission__board=season.board_id, submission__published_at__isnull=False
    )
    rows = (
        rows.exclude(statement="").select_related("submission__system").order_by("submission__system__name")
    )
    return [
        {"system": row.submission.system, "statement": row.statement, "digest": digest_of(row.statement)}
        for row in rows
    ]


def logged(season: Season, kind: str, key: str) -> list[Any]:
    """Return what an event of a season lists: `files` of its close, `named` of its reveal; [] before it."""
    event = BoardEvent.objects.filter(board=season.board_id, data__kind=kind).first()
    return event.data[key] if event and event.data else []


def digest_of(statement: str) -> str:
    """Return the SHA-256 of a statement, as hexadecimal digits; "" without one."""
    return hashlib.sha256(statement.encode()).hexdigest() if statement else ""


def sealed_lines(season: Season) -> list[tuple[str, str]]:
    """Return the digests of the file and of the statement of each entry, sorted by the file."""
    rows = entries_of(season).values_list("sha256", "sealed__statement")
    return sorted((sha256, digest_of(statement or "")) for sha256, statement in rows)


def seasons_of(board: Board) -> list[Season]:
    """Return the seasons of a leaderboard, the latest first."""
    rows = Season.objects.filter(board__season_of=board).select_related("board__season_of")
    return list(rows.order_by("-opens_at", "-pk"))
