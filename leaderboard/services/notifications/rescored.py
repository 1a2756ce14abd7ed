"""Find published results whose score or rank changed when their board was rescored.

A board is rescored one result after another, so ranks mean something only once it is done: the results that
were rescored since the last email are compared at once, with what the board showed before them and shows now.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core.cache import caches
from django.db.models import Max

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    EmailKind,
    Notification,
    RescoringOrder,
    Standing,
)
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.notifications.collect import TeamEvent, write
from leaderboard.services.record.as_of import find_as_of

_LOOKS_BACK = timedelta(days=1)
# After so long without another result a board without an order counts as done.
_DONE_AFTER = timedelta(minutes=5)
_cache = caches["boards"]


def collect_rescored(now: datetime) -> int:
    """Write the emails about published results that changed; return how many are new."""
    events = BoardEvent.objects.filter(action=BoardAction.RESCORED, at__gt=now - _LOOKS_BACK).order_by()
    count = 0
    for pk, last, at in events.values_list("board").annotate(last=Max("number"), at=Max("at")):
        key = f"rescored-compared:{pk}:{last}"
        is_done = at <= now - _DONE_AFTER and not RescoringOrder.objects.filter(board=pk).exists()
        # If nobody gets an email, nothing records that the results were compared.
        if is_done and _cache.add(key, True, _LOOKS_BACK.total_seconds()):
            count += write(_events_of(pk, last, now), now)
    return count


def _events_of(pk: int, last: int, now: datetime) -> Iterator[TeamEvent]:
    board = Board.objects.without_references().select_related("state").get(pk=pk)
    prefix = f"rescored:{pk}:"
    names = Notification.objects.filter(event__startswith=prefix).values_list("event", flat=True).distinct()
    last_sent = max((int(name.split(":")[2]) for name in names), default=0)
    rescored = BoardEvent.objects.filter(
        board=pk,
        action=BoardAction.RESCORED,
        number__gt=last_sent,
        number__lte=last,
        at__gt=now - _LOOKS_BACK,
        system__isnull=False,
    )
    first = rescored.order_by("number").first()
    before = find_as_of(board=board, text=str(first.number - 1)) if first else None
    after = find_as_of(board=board, text=str(last))
    if before is None or after is None:
        return
    columns = rescored.values_list("system", "submission", "submission__team").distinct()
    changes = _changes(BoardAt(board, before), BoardAt(board, after), {row[0]: row[1:] for row in columns})
    for team, lines in changes.items():
        yield TeamEvent(
            event=f"{prefix}{last}:{team}",
            kind=EmailKind.RESCORED,
            board=pk,
            teams=frozenset({team}),
            data={"lines": lines},
        )


def _changes(before: BoardAt, after: BoardAt, rescored: dict[Any, Any]) -> dict[int, list[dict[str, Any]]]:
    """Return team -> its systems whose row shows another score or rank. rescored: system -> result, team."""
    was, now = (_rows(board, rescored) for board in (before, after))
    changes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for system, (submission, team) in rescored.items():
        old, new = was.get(system), now.get(system)
        # Another result may stand for the system: then nothing that readers see was rescored.
        if old is None or new is None or new.evaluation is None or new.evaluation.submission_id != submission:
            continue
        scores, ranks = zip(
            _public_score_and_rank(before, old), _public_score_and_rank(after, new), strict=True
        )
        if scores[0] != scores[1] or ranks[0] != ranks[1]:
            changes[team].append({"system": new.name, "scores": scores, "ranks": ranks})
    return changes


def _rows(board_at: BoardAt, systems: dict[Any, Any]) -> dict[int, Standing]:
    rows = board_at.rows.filter(system__in=systems).select_related("evaluation").with_submission()
    return {
        row.system_id: row for row in rows.defer("evaluation__verdicts", "evaluation__details").order_by("pk")
    }


def _public_score_and_rank(board_at: BoardAt, row: Standing) -> tuple[float | None, int | None]:
    """Return the score and the rank that the board shows to everyone."""
    return visibility.visible_score(row.score, row.kind), board_at.rank_of(row)
