"""Search the audit log of the boards that an organiser has, and export it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Q, QuerySet

from leaderboard.models import AuditEvent, Board
from leaderboard.services.access import Reader, managed_boards, may_manage_all
from leaderboard.services.desk.search import holds_text, within_days
from leaderboard.services.exports.csv_json import neutralise, write_csv

_SEARCHED = ("actor__email", "submission__system__name", "submission__team__name")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedEvents:
    """Which events an organiser wants; each field narrows, None and "" do not.

    since, until: days (UTC), both included
    text: part of the actor's address, of the system's or team's name, or the id of a submission
    """

    board: Board | None = None
    action: str = ""
    since: date | None = None
    until: date | None = None
    text: str = ""


def select_events(reader: Reader, wanted: WantedEvents) -> QuerySet[AuditEvent]:
    """Return the wanted events of the boards that a reader may manage, newest first.

    Events of no board, such as of API tokens, are for those who may manage all boards.
    """
    is_visible = Q(board__in=managed_boards(reader).values("pk"))
    if may_manage_all(reader):
        is_visible |= Q(board=None)
    rows = AuditEvent.objects.filter(is_visible)
    if wanted.board is not None:
        rows = rows.filter(board=wanted.board)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    rows = rows.filter(within_days("at", wanted.since, wanted.until))
    if wanted.text:
        rows = rows.filter(holds_text(wanted.text, fields=_SEARCHED, key="submission"))
    joined = rows.select_related("actor", "board", "submission__system", "submission__team")
    return joined.defer("submission__problems", "submission__warnings").order_by("-at", "-pk")


_COLUMNS = ("at", "action", "actor", "leaderboard", "submission", "system", "team", "data")


def events_as_csv(rows: QuerySet[AuditEvent]) -> Iterator[str]:
    """Yield the lines of a CSV file of events; `data` is JSON."""
    return write_csv(map(_line, rows.iterator(chunk_size=500)), names=_COLUMNS)


def _line(event: AuditEvent) -> Mapping[str, Any]:
    submission = event.submission
    return {
        "at": event.at.isoformat(),
        "action": event.action,
        "actor": neutralise(event.actor.email) if event.actor else "",
        "leaderboard": event.board.slug if event.board else "",
        "submission": str(submission.pk) if submission else "",
        "system": neutralise(submission.system.name) if submission else "",
        "team": neutralise(submission.team.name) if submission else "",
        "data": neutralise(json.dumps(event.data, ensure_ascii=False, sort_keys=True)),
    }
