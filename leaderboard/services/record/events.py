"""Write events to the public log of a board, in the transaction that changes the board.

Code that needs several locks takes them in this order: submission, systems by key, state of the board. Event
numbers therefore follow the order in which changes are committed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    BoardState,
    PastStanding,
    Standing,
    Submission,
    System,
)
from leaderboard.services import background
from leaderboard.services.judging import judge
from leaderboard.services.record import chain, event_kinds
from leaderboard.services.rows.lead_rules import LeadRule, LeadRules

_ROW_FIELDS = tuple(field.attname for field in Standing._meta.concrete_fields if not field.primary_key)
_WITH_ROW_FIGURES = (BoardAction.REPORTED, BoardAction.UNLISTED, BoardAction.BASELINE)


@transaction.atomic
def touch(*, board: Board) -> None:
    """Mark the pages of the board as changed, without an event."""
    state = _locked(board)
    _advance(state, _now(state))


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an event states, with the rows that it changed.

    system_name: of an event about a system that has no row, and had none
    submission: the result that the event is about, with its current evaluation
    rows: new and changed rows, as they are from now on
    removed: rows no longer on the board, as they last were
    reason: the words of a person; public, cut after 300 characters
    data: in place of a reason, of a kind in `event_kinds`; public
    is_reranked: whether ranks may have changed; None for true if rows did, unless only their facts
    """

    action: BoardAction
    system: System | None = None
    system_name: str = ""
    submission: Submission | None = None
    reason: str = ""
    data: Mapping[str, Any] | None = None
    rows: Sequence[Standing] = ()
    removed: Sequence[Standing] = ()
    is_reranked: bool | None = None

    @property
    def may_rerank(self) -> bool:
        if self.is_reranked is not None:
            return self.is_reranked
        return bool(self.rows or self.removed) and self.action != BoardAction.FACTS


@transaction.atomic
def record(*changes: Change, board: Board) -> list[BoardEvent]:
    """Append events to the board's log, in the transaction of the changes. Raises ValueError."""
    for change in changes:
        if change.data is not None:
            event_kinds.check(change.action, change.data)
    state = _locked(board)
    # Read the board after the lock: the caller may have read it before the last change.
    board = Board.objects.without_references().get(pk=board.pk)
    at, number, rows_number = _now(state), state.number, state.rows_number
    identity = judge.current_identity(board)
    entries = []
    for change in changes:
        number += 1
        if change.may_rerank:
            rows_number = number
        event = BoardEvent(
            board=board,
            number=number,
            rows_number=rows_number,
            at=at,
            action=change.action,
            system=change.system,
            system_name=change.system.name if change.system else change.system_name,
            submission=change.submission,
            evaluation=change.submission.evaluation if change.submission else None,
            reason=change.reason[:300],
            data=change.data,
            revision=board.active_revision,
            mixes_judges=board.mixes_judges,
            feedback=board.feedback,
            judge=identity,
            **_figures(change.action, change.submission, [*change.rows, *change.removed]),
        )
        rows = [copy_row(row, event) for row in change.rows]
        rows += [copy_row(row, event, is_gone=True) for row in change.removed]
        entries.append((event, rows))
    chain.link(entries)
    events = [event for event, _ in entries]
    BoardEvent.objects.bulk_create(events, batch_size=500)
    PastStanding.objects.bulk_create([row for _, rows in entries for row in rows], batch_size=500)
    _advance(state, at, number=number, rows_number=rows_number)
    if any(change.may_rerank for change in changes):
        background.enqueue_statistics(board_id=board.pk)
    return events


@transaction.atomic
def record_settings(*, board: Board, changed: Collection[str], was: LeadRules | None = None) -> None:
    """Record changes of saved settings that the board's readers should know of. was: the rules before."""
    logged = [name for name in event_kinds.SETTINGS if name in changed]
    rules = {*LeadRule} & {*changed}
    if logged:
        both = {"rules": LeadRules.of(board).as_json(), "was": (was or LeadRules()).as_json()}
        data = {"kind": "rules", **both} if rules else {"kind": "settings"}
        change = Change(
            action=BoardAction.SETTINGS,
            data=data | {"changed": logged},
            is_reranked="mixes_judges" in changed or bool(rules),
        )
        record(change, board=board)
    elif changed:
        touch(board=board)


def copy_row(row: Standing, event: BoardEvent, *, is_gone: bool = False) -> PastStanding:
    """Return an unsaved copy of `row`, valid from `event` on."""
    values = {name: getattr(row, name) for name in _ROW_FIELDS}
    return PastStanding(**values, event=event, number=event.number, is_gone=is_gone)


def _locked(board: Board) -> BoardState:
    return BoardState.objects.select_for_update(no_key=True).get(board=board.pk)


def _now(state: BoardState) -> datetime:
    # The order of events must survive a clock that was set back.
    return max(timezone.now(), state.changed_at)


def _advance(state: BoardState, at: datetime, **counters: int) -> None:
    BoardState.objects.filter(pk=state.pk).update(revision=state.revision + 1, changed_at=at, **counters)


def _figures(action: BoardAction, submission: Submission | None, rows: list[Standing]) -> dict[str, Any]:
    """Return the figures of the event's result; empty for an event without one."""
    if submission is not None and submission.evaluation is not None:
        right, total = submission.evaluation.right, submission.evaluation.total
        return {"right": right, "total": total, "score": right / total}
    if action in _WITH_ROW_FIGURES and rows:
        return {"right": rows[0].right, "total": rows[0].total, "score": rows[0].score}
    return {}
