"""Tell organisers what newly needs them: one email a board, and an hour, at most."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.core.cache import caches

from leaderboard.models import (
    ApprovalStatus,
    Board,
    Doubt,
    DoubtState,
    EmailKind,
    Notification,
    Submission,
    TeamApproval,
    User,
)
from leaderboard.services.desk import attention
from leaderboard.services.desk.attention import NeedKind
from leaderboard.services.desk.submissions import condition
from leaderboard.services.judging.budget import today
from leaderboard.services.notifications.choices import organisers_of, wants

_EVERY = timedelta(hours=1)
# Seconds between two looks at the boards: the comparison of files takes some of them.
_LOOKS_EVERY = 300
# Organisers are reminded of a nearly used limit each time this many more percent are used.
_STEP = 5
JUDGE, DISK = "judge", "disk"
KIND_OF = {
    NeedKind.APPROVALS.value: EmailKind.ASKED,
    NeedKind.DOUBTS.value: EmailKind.ASKED,
    NeedKind.FAILED.value: EmailKind.FAILURES,
    NeedKind.STUCK.value: EmailKind.FAILURES,
    NeedKind.SUSPECTS.value: EmailKind.SUSPECTS,
    NeedKind.NAMESAKES.value: EmailKind.SUSPECTS,
    NeedKind.SIMILAR.value: EmailKind.SUSPECTS,
    NeedKind.STORAGE.value: EmailKind.LIMITS,
    JUDGE: EmailKind.LIMITS,
    DISK: EmailKind.LIMITS,
}
# Need -> names of the things that cause it, by which repeats are recognised, and the number to state.
_Needs = Mapping[str, tuple[set[str], int]]


def collect_digests(now: datetime) -> int:
    """Write the emails about what newly needs organisers; return how many."""
    if not caches["boards"].add("organisers-looked", True, _LOOKS_EVERY):
        return 0
    count = 0
    boards: Iterable[Board | None] = [None, *Board.objects.without_references().installed()]
    for board in boards:
        people = organisers_of(board)
        needs: _Needs = {}
        if people:
            needs = _of_service() if board is None else _of_board(board, now)
        count += sum(_write(user, board, needs, now) for user in people)
    return count


def _write(user: User, board: Board | None, needs: _Needs, now: datetime) -> bool:
    wanted = {need: found for need, found in needs.items() if wants(user, KIND_OF[need])}
    things = {thing for found, _ in wanted.values() for thing in found}
    earlier = Notification.objects.filter(user=user, board=board, kind=EmailKind.DESK)
    last = earlier.order_by("-created_at").first()
    if last is not None and (last.created_at > now - _EVERY or things <= set(last.data["things"])):
        return False
    if not things:
        return False
    _, is_new = Notification.objects.get_or_create(
        user=user,
        event=f"desk:{board.pk if board else 'all'}:{now:%Y%m%d%H}",
        defaults={
            "kind": EmailKind.DESK,
            "board": board,
            "data": {
                "things": sorted(things),
                "needs": [[need, count] for need, (found, count) in wanted.items() if found],
            },
            "created_at": now,
            "due_at": now,
        },
    )
    return is_new


def _of_board(board: Board, now: datetime) -> _Needs:
    needs: dict[str, tuple[set[str], int]] = {}
    for need, state in attention.STATE_OF_NEED.items():
        rows = Submission.objects.filter(condition(state, now), board=board)
        things = {f"{need}:{pk}:{at:%Y%m%d%H%M%S}" for pk, at in rows.values_list("pk", "moved_at")}
        needs[need] = things, len(things)
    requests = TeamApproval.objects.filter(board=board, status=ApprovalStatus.REQUESTED)
    names = {f"asked:{pk}" for pk in requests.values_list("pk", flat=True)}
    needs[NeedKind.APPROVALS] = names, len(names)
    doubts = Doubt.objects.filter(board=board, state=DoubtState.OPEN)
    reports = {f"doubt:{pk}" for pk in doubts.values_list("pk", flat=True)}
    needs[NeedKind.DOUBTS] = reports, len(reports)
    families = attention.unreviewed_families(board)
    members = {f"similar:{submission.pk}" for family in families for submission in family.submissions}
    needs[NeedKind.SIMILAR] = members, len(families)
    if (room := attention.room_of(board)).is_nearly_spent and room.share is not None:
        percent = int(100 * room.share)
        needs[NeedKind.STORAGE] = {f"storage:{percent // _STEP}"}, percent
    return needs


def _of_service() -> _Needs:
    state, needs = attention.service_state(), {}
    shares = [use.share or 0.0 for use in (state.judge_calls, state.judge_cost) if use.is_nearly_spent]
    if shares:
        percent = int(100 * max(shares))
        needs[JUDGE] = {f"judge:{today()}:{min(percent, 100) // 20}"}, percent
    if state.is_disk_nearly_full:
        needs[DISK] = {f"disk:{today():%G-%V}"}, 1
    return needs
