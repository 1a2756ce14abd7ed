"""Writing the public record of a board, in the transaction that changes it.

Order of locks, for who needs several: submission, systems by key, then the state of the board. So numbers
follow the order in which changes are committed.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from itertools import chain
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from leaderboard.models import (
    Benchmark,
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

_ROW = tuple(field.attname for field in Standing._meta.concrete_fields if not field.primary_key)
# Settings that a reader of the board should know to have changed, as they are called in the record.
_SETTINGS = {
    "title": gettext_noop("title"),
    "question": gettext_noop("question"),
    "feedback": gettext_noop("feedback level"),
    "judge_mode": gettext_noop("judge"),
    "mixes_judges": gettext_noop("ranking across judges"),
    "daily_limit": gettext_noop("daily limit"),
    "is_demo": gettext_noop("demonstration"),
}
_OF_A_ROW = (BoardAction.REPORTED, BoardAction.UNLISTED, BoardAction.BASELINE)


@transaction.atomic
def touch(*, benchmark: Benchmark) -> None:
    """Say that pages of the board show something new, for which there is no event."""
    state = _locked(benchmark)
    _advance(state, _now(state))


@transaction.atomic
def record(
    *,
    benchmark: Benchmark,
    action: BoardAction,
    system: System | None = None,
    submission: Submission | None = None,
    reason: str = "",
    rows: Iterable[Standing] = (),
    gone: Iterable[Standing] = (),
    is_reranked: bool | None = None,
) -> BoardEvent:
    """Append an event to the board's record, with the rows that changed by it.

    Called where the change is made, in its transaction. submission: the result that it is about, with its
    evaluation of now. rows: as they are from now on. gone: as they last were. reason: public, up to 300
    characters. is_reranked: whether ranks may be others now; unless said, where rows changed.
    """
    rows, gone = list(rows), list(gone)
    state = _locked(benchmark)
    # Read after the lock: who holds the benchmark may have read it before the last change.
    board = Benchmark.objects.get(pk=benchmark.pk)
    if is_reranked is None:
        is_reranked = bool(rows or gone) and action != BoardAction.FACTS
    number = state.number + 1
    event = BoardEvent.objects.create(
        benchmark_id=board.pk,
        number=number,
        rows_number=number if is_reranked else state.rows_number,
        at=_now(state),
        action=action,
        system=system,
        system_name=system.name if system else "",
        submission=submission,
        evaluation=submission.evaluation if submission else None,
        reason=reason[:300],
        revision_id=board.active_revision_id,
        mixes_judges=board.mixes_judges,
        feedback=board.feedback,
        judge=judge.current_identity(board),
        **_figures(action, submission, [*rows, *gone]),
    )
    copies = chain((copy_of(row, event) for row in rows), (copy_of(row, event, is_gone=True) for row in gone))
    PastStanding.objects.bulk_create(copies, batch_size=500)
    _advance(state, event.at, number=number, rows_number=event.rows_number)
    if is_reranked:
        background.enqueue_statistics(benchmark_id=board.pk)
    return event


@transaction.atomic
def record_settings(*, benchmark: Benchmark, changed: Collection[str]) -> None:
    """Record that fields of the benchmark, saved already, changed: those that its readers should know of."""
    words = [word for name, word in _SETTINGS.items() if name in changed]
    if words:
        record(
            benchmark=benchmark,
            action=BoardAction.SETTINGS,
            reason=", ".join(words),
            is_reranked="mixes_judges" in changed,
        )
    elif changed:
        touch(benchmark=benchmark)


def copy_of(row: Standing, event: BoardEvent, *, is_gone: bool = False) -> PastStanding:
    """Return `row`, unsaved, as it is from `event` on."""
    held = {name: getattr(row, name) for name in _ROW}
    return PastStanding(**held, event=event, number=event.number, is_gone=is_gone)


def _locked(benchmark: Benchmark) -> BoardState:
    return BoardState.objects.select_for_update(no_key=True).get(benchmark=benchmark.pk)


def _now(state: BoardState) -> datetime:
    # A clock that was put back must not put events out of order.
    return max(timezone.now(), state.changed_at)


def _advance(state: BoardState, at: datetime, **counters: int) -> None:
    BoardState.objects.filter(pk=state.pk).update(revision=state.revision + 1, changed_at=at, **counters)


def _figures(action: BoardAction, submission: Submission | None, rows: list[Standing]) -> dict[str, Any]:
    """Return the figures of the result that an event is about; none where it is about none."""
    if submission is not None and submission.evaluation is not None:
        right, total = submission.evaluation.right, submission.evaluation.total
        return {"right": right, "total": total, "score": right / total}
    if action in _OF_A_ROW and rows:
        return {"right": rows[0].right, "total": rows[0].total, "score": rows[0].score}
    return {}
