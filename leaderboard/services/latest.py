"""What changed last on all boards together, for the front page."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q

from leaderboard.models import Benchmark, BoardAction, BoardEvent
from leaderboard.services.changes import Entry
from leaderboard.services.history import why_gone

_LOOKED_AT = 30  # events of a board
# What a reader of all boards cares for; of the others each board tells.
_TOLD = (
    BoardAction.PUBLISHED,
    BoardAction.WITHDRAWN,
    BoardAction.DISQUALIFIED,
    BoardAction.REINSTATED,
    BoardAction.RESCORED,
    BoardAction.ACTIVATED,
)
# Many of these come at once: the newest stands for them.
_ONCE = (BoardAction.RESCORED, BoardAction.ACTIVATED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latest:
    """A change, and the board that it was on."""

    benchmark: Benchmark
    entry: Entry


def latest(*, boards: Sequence[Benchmark], count: int = 6) -> list[Latest]:
    """Return the last `count` changes of `boards`, each with its `state`, newest first. One query."""
    by_key = {board.pk: board for board in boards if not board.is_demo}
    if not by_key:
        return []
    recent = reduce(
        or_,
        (Q(benchmark=board.pk, number__gt=board.state.number - _LOOKED_AT) for board in by_key.values()),
    )
    events = BoardEvent.objects.filter(recent, action__in=_TOLD).select_related("submission")
    found, seen = [], set()
    for event in events.order_by("-at", "-number"):
        if event.action in _ONCE:
            if (event.benchmark_id, event.action) in seen:
                continue
            seen.add((event.benchmark_id, event.action))
        found.append(Latest(benchmark=by_key[event.benchmark_id], entry=_entry(event)))
        if len(found) == count:
            break
    return found


def _entry(event: BoardEvent) -> Entry:
    result = event.submission
    took_back = event.action in (BoardAction.WITHDRAWN, BoardAction.DISQUALIFIED)
    return Entry(
        number=event.number,
        at=event.at,
        action=BoardAction(event.action),
        system_id=event.system_id,
        system_name=event.system_name,
        reason=event.reason,
        right=event.right,
        total=event.total,
        score=event.score,
        before=None,
        submission_id=result.pk if result and result.is_published else None,
        stands=False,
        gone=None if result is None or took_back else why_gone(result),
    )
