"""Enforce how many files a team may send, and how much the store keeps of them.

How many bounds what can be learnt about the references: docs/organisers.md says in bits what the fields of
Board bound. Callers that spend hold the row of the team locked.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Greatest
from django.utils.translation import gettext, gettext_noop

from leaderboard.models import Board, Status, Submission, Team, TeamApproval, User
from leaderboard.services.errors import ApprovalNeeded, EmailUnverified, QuotaSpent, StorageSpent
from leaderboard.services.submissions.grade import FILE_FAULT
from leaderboard.services.text import end_of_wait, file_size, join_sentences
from wardboard.scoring.reading.problems import Problem

FREE_RUNS = 3  # of a submission, which count as one file for every limit
_DAY = timedelta(hours=24)
_MONTH = timedelta(days=30)


class LimitKind(StrEnum):
    """What a limit counts."""

    DAY = "day"
    MONTH = "month"
    REVISION = "revision"
    BEFORE_APPROVAL = "before-approval"
    ADDRESS = "address"
    STORAGE = "storage"

    @property
    def counts_bytes(self) -> bool:
        """Whether it counts bytes, and not files."""
        return self is LimitKind.STORAGE


# How long a file counts; for the others it counts for good.
_WINDOWS = {LimitKind.DAY: _DAY, LimitKind.MONTH: _MONTH, LimitKind.ADDRESS: _MONTH}
# Leave out the team's name: a personal team has its owner's, which may be any word.
_REACHED = {
    LimitKind.DAY: gettext_noop(
        "Your team has sent as many files to %(title)s in the last 24 hours as it may (%(count)s)."
    ),
    LimitKind.MONTH: gettext_noop(
        "Your team has sent as many files to %(title)s in the last 30 days as it may (%(count)s)."
    ),
    LimitKind.REVISION: gettext_noop(
        "As many files of your team as may be (%(count)s) were scored against these reference answers of "
        "%(title)s."
    ),
    LimitKind.BEFORE_APPROVAL: gettext_noop(
        "Your team has sent as many files to %(title)s as it may (%(count)s) before its organisers approve "
        "the team. Ask them for approval on the page where files are submitted."
    ),
    LimitKind.ADDRESS: gettext_noop(
        "New teams at your network address have sent as many files to %(title)s in the last 30 days as they "
        "may (%(count)s). Approved teams have no such limit."
    ),
    LimitKind.STORAGE: gettext_noop(
        "The files of your team take %(used)s of %(allowed)s: there is too little room for this one."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit on scored files, or on the bytes that are kept of them, and how much of it is used.

    renewals: when each file that counts no longer does, so that one more may be sent, in order; empty where
        none counts, and where waiting does not help.
    """

    kind: LimitKind
    allowed: int
    used: int
    renewals: Sequence[datetime] = ()

    @property
    def renews_at(self) -> datetime | None:
        """When the oldest file that counts no longer does; None without `renewals`."""
        return self.renewals[0] if self.renewals else None

    @property
    def left(self) -> int:
        return max(0, self.allowed - self.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What a team may still send to a board."""

    limits: Sequence[Limit]
    needs_verified_email: bool
    is_new_team: bool

    @property
    def left(self) -> int | None:
        """Files that are accepted for scoring now; None for no limit."""
        if self.needs_verified_email or any(limit.kind.counts_bytes for limit in self.exhausted):
            return 0
        return min((limit.left for limit in self.limits if not limit.kind.counts_bytes), default=None)

    @property
    def exhausted(self) -> list[Limit]:
        return [limit for limit in self.limits if not limit.left]


def allowance(board: Board, team: Team | None, user: User, now: datetime, *, digest: str = "") -> Allowance:
    """Return what a team may still have scored on a board; what `user` sent for other teams counts too.

    team: None for a user who has not submitted anything yet.
    """
    is_approved = board.needs_approval and team is not None and TeamApproval.objects.is_approved(board, team)
    rows = _files_that_count(board).filter(_of(team, user))
    limits = _team_limits(board, rows, now)
    if not is_approved:
        limits += _new_team_limits(board, rows, now, digest)
    return Allowance(
        limits=limits + _storage_limits(team, user),
        needs_verified_email=board.needs_verified_email
        and not is_approved
        and settings.VERIFIES_EMAIL
        and not user.has_verified_email,
        is_new_team=board.needs_approval and not is_approved,
    )


def _storage_limits(team: Team | None, user: User) -> list[Limit]:
    """Return what is kept of the files of team and user on all boards, in bytes; nothing without a limit."""
    if not (allowed := settings.UPLOAD_TEAM_BYTES):
        return []
    used = kept_bytes(Submission.objects.filter(_of(team, user)))
    return [Limit(kind=LimitKind.STORAGE, allowed=allowed, used=used)]


def kept_bytes(submissions: QuerySet[Submission]) -> int:
    """Return how many bytes are kept of `submissions`."""
    return submissions.order_by().aggregate(sum=Sum("kept_bytes"))["sum"] or 0


def spend_storage(board: Board, team: Team, user: User, size: int) -> None:
    """Check that `size` more bytes may be kept. Raises StorageSpent."""
    _require_room(_storage_limits(team, user), board, size)


def _require_room(limits: Sequence[Limit], board: Board, size: int) -> None:
    if exceeded := [limit for limit in limits if limit.left < size]:
        hint = gettext("Compress the file with gzip, or ask the organisers for more room.")
        problems = [
            Problem(code="storage.spent", pointer="/file", message=_describe(limit, board), hint=hint)
            for limit in exceeded
        ]
        raise StorageSpent(problems, join_sentences([*(problem.message for problem in problems), hint]))


def spend_submission(
    board: Board,
    team: Team,
    user: User,
    now: datetime,
    *,
    digest: str,
    size: int,
    runs: int = 1,
) -> None:
    """Check that the team may have one more file scored, and that its `size` bytes may be kept.

    runs: that the submission declares. It is one file for every limit but that of the ground truth, for which
    it is as many as `weight_of` says.
    Locks the board where a limit counts the files of several teams, so that they are counted one by one.
    Raises EmailUnverified, ApprovalNeeded, QuotaSpent, StorageSpent, each with every limit that is exhausted.
    """
    if board.address_limit is not None:
        # Do not lock the state of the board: that is locked after systems are.
        Board.objects.select_for_update(no_key=True).values_list("pk").get(pk=board.pk)
    require(allowance(board, team, user, now, digest=digest), board, now, size=size, runs=runs)


def require(current: Allowance, board: Board, now: datetime, *, size: int, runs: int) -> None:
    """Check that an allowance has room for a file; raises what `spend_submission` does."""
    if current.needs_verified_email:
        raise EmailUnverified(
            gettext("%(title)s scores files of people with a verified email address. Verify yours first.")
            % {"title": gettext(board.title)}
        )
    exhausted = [
        limit
        for limit in current.limits
        if not limit.kind.counts_bytes
        and limit.left < (weight_of(runs) if limit.kind == LimitKind.REVISION else 1)
    ]
    if not exhausted:
        _require_room([limit for limit in current.limits if limit.kind.counts_bytes], board, size)
        return
    reasons = [_describe(limit, board) for limit in exhausted]
    checks = gettext("Checking a file without submitting it is not counted.")
    if any(limit.kind == LimitKind.BEFORE_APPROVAL for limit in exhausted):
        raise ApprovalNeeded(join_sentences([*reasons, checks]))
    if seconds := _seconds_to_wait(exhausted, now):
        when = gettext("The next file may be sent on %(when)s.")
        reasons.append(when % {"when": end_of_wait(seconds, now)})
    raise QuotaSpent(join_sentences([*reasons, checks]), retry_after=seconds)


def weight_of(runs: int) -> int:
    """Return how many files a submission of `runs` runs is for the limit of the ground truth.

    Each run beyond the third counts as one more: before publication the runs tell together what one file
    does, and a published spread tells a little more the more runs it is of.
    """
    return max(1, runs - (FREE_RUNS - 1))


def _team_limits(board: Board, rows: QuerySet[Submission], now: datetime) -> list[Limit]:
    periods = ((LimitKind.DAY, board.daily_limit), (LimitKind.MONTH, board.monthly_limit))
    limits = [_limit_in(kind, allowed, rows, now) for kind, allowed in periods if allowed is not None]
    if (per_revision := board.revision_limit) is not None:
        # A file rescored against a new ground truth reveals something about that one too.
        is_of_revision = Q(evaluation=None) | Q(evaluation__revision=board.active_revision_id)
        weight = Greatest(F("runs") - (FREE_RUNS - 1), 1)
        used = rows.filter(is_of_revision).aggregate(sum=Sum(weight))["sum"] or 0
        limits.append(Limit(kind=LimitKind.REVISION, allowed=per_revision, used=used))
    return limits


def _new_team_limits(board: Board, rows: QuerySet[Submission], now: datetime, digest: str) -> list[Limit]:
    limits = []
    if board.needs_approval and board.newcomer_limit is not None:
        used = rows.count()
        limits.append(Limit(kind=LimitKind.BEFORE_APPROVAL, allowed=board.newcomer_limit, used=used))
    if board.address_limit is not None and digest:
        approved = TeamApproval.objects.approved().filter(board=board, team=OuterRef("team"))
        of_new_teams = _files_that_count(board).filter(~Exists(approved)).exclude(address_digest="")
        at_address = of_new_teams.filter(address_digest=digest)
        allowed = board.address_limit
        if board.needs_approval and board.newcomer_limit is not None:
            # One person can have many addresses. So only the first file of each is free of what others send;
            # of further ones, all addresses together have as many as one new team may send.
            recent = of_new_teams.filter(received_at__gt=now - _MONTH).order_by()
            further = recent.aggregate(n=Count("pk") - Count("address_digest", distinct=True))["n"]
            own = recent.filter(address_digest=digest).count()
            allowed = min(allowed, max(1, own) + max(0, board.newcomer_limit - further))
        limits.append(_limit_in(LimitKind.ADDRESS, allowed, at_address, now))
    return limits


def _of(team: Team | None, user: User) -> Q:
    """Return what is sent for a team, and what `user` sends for any: several teams allow no more files."""
    sent = Q(submitted_by=user)
    return sent | Q(team=team) if team else sent


def _files_that_count(board: Board) -> QuerySet[Submission]:
    """Select the files that count.

    Rejected ones were not scored. Failed ones count if a judge was paid, or if it was the file's own fault:
    as they cost us the same, they would be a way round the limit.
    """
    rows = Submission.objects.filter(board=board).exclude(status=Status.REJECTED)
    return rows.exclude(~Q(failure=FILE_FAULT), status=Status.FAILED, work__judge_calls=0)


def _limit_in(kind: LimitKind, allowed: int, rows: QuerySet[Submission], now: datetime) -> Limit:
    period = _WINDOWS[kind]
    # Take the newest, up to the limit: another is allowed once the oldest of them is past the period.
    newest = list(
        rows.filter(received_at__gt=now - period)
        .order_by("-received_at")
        .values_list("received_at", flat=True)[:allowed]
    )
    renewals = [at + period for at in reversed(newest)] or ([] if allowed else [now + period])
    return Limit(kind=kind, allowed=allowed, used=len(newest), renewals=renewals)


def _seconds_to_wait(exhausted: Sequence[Limit], now: datetime) -> int | None:
    """Return the seconds until every exhausted limit has renewed; None where waiting does not help."""
    if any(limit.renews_at is None for limit in exhausted):
        return None
    renewed = max(limit.renews_at for limit in exhausted if limit.renews_at)
    return max(1, math.ceil((renewed - now).total_seconds()))


def _describe(limit: Limit, board: Board) -> str:
    return gettext(_REACHED[limit.kind]) % {
        "count": limit.allowed,
        "title": gettext(board.title),
        "used": file_size(limit.used),
        "allowed": file_size(limit.allowed),
    }
