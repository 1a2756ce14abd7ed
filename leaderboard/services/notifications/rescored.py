"""Find published results whose score changed when their board was rescored.

A board is rescored one result after another, so that a team gets one email once it is done.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, OuterRef, QuerySet, Subquery

from leaderboard.models import (
    BoardAction,
    BoardEvent,
    EmailKind,
    Kind,
    Notification,
    PastStanding,
    RescoringOrder,
)
from leaderboard.services.notifications.collect import LOOKS_BACK, TeamEvent, write
from leaderboard.services.visibility import visible_score

# After so long without another result a board without an order counts as done.
_DONE_AFTER = timedelta(minutes=5)


def collect_rescored(now: datetime) -> None:
    """Write the emails about published results that changed."""
    events = BoardEvent.objects.filter(
        action=BoardAction.RESCORED, at__gt=now - LOOKS_BACK, submission__isnull=False
    )
    boards = events.order_by().values_list("board").annotate(last=Max("number"), at=Max("at"))
    write(
        [
            team_event
            for pk, last, at in boards
            if at <= now - _DONE_AFTER and not RescoringOrder.objects.filter(board=pk).exists()
            for team_event in _events_of(pk, last, events.filter(board=pk))
        ],
        now,
    )


def _events_of(pk: int, last: int, rescored: QuerySet[BoardEvent]) -> Iterator[TeamEvent]:
    prefix = f"rescored:{pk}:"
    names = Notification.objects.filter(event__startswith=prefix).values_list("event", flat=True).distinct()
    last_sent = max((int(name.split(":")[2]) for name in names), default=0)
    for team, lines in _changes(rescored.filter(number__gt=last_sent)).items():
        yield TeamEvent(
            event=f"{prefix}{last}:{team}",
            kind=EmailKind.DECISION,
            board=pk,
            teams=frozenset({team}),
            data={"what": "rescored", "lines": lines},
        )


def _changes(rescored: QuerySet[BoardEvent]) -> dict[int, list[dict[str, Any]]]:
    """Return team -> its results that stand for their systems, and have another score after the events."""
    earlier = PastStanding.objects.filter(
        board=OuterRef("board"),
        system=OuterRef("system"),
        number__lt=OuterRef("number"),
        is_gone=False,
        evaluation__submission=OuterRef("submission"),
    )
    events = rescored.annotate(before=Subquery(earlier.order_by("-number").values("score")[:1]))
    columns = ("submission", "submission__team", "system_name", "before", "score")
    firsts: dict[Any, float | None] = {}
    lasts: dict[Any, tuple[int, str, float | None]] = {}
    for result, team, system, before, score in events.order_by("number").values_list(*columns):
        firsts.setdefault(result, before)
        lasts[result] = team, system, score
    changes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for result, (team, system, score) in lasts.items():
        before, now = visible_score(firsts[result], Kind.RESCORED), visible_score(score, Kind.RESCORED)
        if before is not None and before != now:
            changes[team].append({"system": system, "before": before, "now": now})
    return changes
