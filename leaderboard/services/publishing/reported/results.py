"""Put the published results of an organiser's table on a board, and those of a release."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from django.db import transaction
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, BoardAction, Kind, ReportedResult, Standing, System, User
from leaderboard.services import audit, background
from leaderboard.services.errors import WrongState
from leaderboard.services.judging.references import references_of
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.change_settings import join_models
from leaderboard.services.publishing.disqualify import read_reason
from leaderboard.services.publishing.reported.table import RowForm, name_of
from leaderboard.services.publishing.standings import (
    lock_systems,
    save_changes,
    stored_breakdowns,
    stored_group_metrics,
    update_standings,
)
from leaderboard.services.record import event_kinds, events
from wardboard.scoring import registry
from wardboard.scoring.facts import IN_ROWS
from wardboard.scoring.reported import ReportedRow

_KEYS = (*RowForm.base_fields, "metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedChange:
    """What a table does to one result: add it, correct it or remove it.

    row: as the table states it; None where the result is removed
    result: the stored one; None where it was never listed. fields: keys of the values that are corrected
    """

    row: ReportedRow | None
    result: ReportedResult | None
    fields: Sequence[str] = ()

    @property
    def is_new(self) -> bool:
        """Whether the result is not listed now."""
        return self.result is None or self.result.removed_at is not None


def changes_of(*, board: Board, rows: Sequence[ReportedRow]) -> list[ReportedChange]:
    """Return what changes if a table holds exactly these rows, those that are removed at the end."""
    results = ReportedResult.objects.filter(board=board)
    known = {name_of(result.source, result.name): result for result in results}
    changes = []
    for row in rows:
        result = known.pop(name_of(row.source, row.system), None)
        change = _change_of(board, row, result)
        if change.is_new or change.fields:
            changes.append(change)
    removed = [result for result in known.values() if result.removed_at is None]
    return changes + [ReportedChange(row=None, result=result) for result in removed]


def digest_of(changes: Iterable[ReportedChange]) -> str:
    """Return a digest of which results change, and in what."""
    lines = [
        [change.row and name_of(change.row.source, change.row.system), change.is_new, *change.fields]
        if change.row
        else [change.result and str(change.result.pk)]
        for change in changes
    ]
    return hashlib.sha256(json.dumps(lines).encode()).hexdigest()


@background.deduplicated_statistics()
@transaction.atomic
def put_table(
    *, board: Board, rows: Sequence[ReportedRow], reason: str = "", previewed: str = "", by: User
) -> int:
    """List exactly these published results on a board; return how many are added, corrected or removed.

    reason: why results are removed, for the public log. Raises ReasonRefused where some are, without one.
    previewed: the digest of the changes that `by` has seen; "" for none. Raises WrongState where the table
        changes something else by now.
    """
    _lock(board)
    changes = changes_of(board=board, rows=rows)
    if previewed and previewed != digest_of(changes):
        raise WrongState("Published results have changed since. This is what the table changes now.")
    removed = [change.result for change in changes if change.row is None and change.result]
    reason = read_reason(reason) if removed else ""
    _put(board, [change for change in changes if change.row], by=by)
    for result in removed:
        _remove(board, result, reason=reason, by=by)
    if changes:
        details: dict[str, Any] = {"rows": len(changes)}
        if removed:
            details |= {"removed": [result.name for result in removed], "reason": reason}
        audit.record(AuditEvent.Action.REPORTED, actor=by, board=board, **details)
    return len(changes)


@background.deduplicated_statistics()
@transaction.atomic
def load_reported(*, board: Board, by: User | None = None) -> int:
    """List the results that this release knows, on a board without any; return the number of ranked ones.

    A board of other tasks than theirs gets none. The table of a board belongs to its organisers from then
    on. Repeating it is harmless.
    """
    benchmark, truth = registry.get(board.benchmark), board.active_revision
    rows = () if board.is_season else benchmark.reported_rows(board.version)
    if not rows or (truth and not benchmark.are_published(board.version, references_of(truth.full or truth))):
        return 0
    _lock(board)
    if not ReportedResult.objects.filter(board=board).exists():
        changes = [_change_of(board, row, None) for row in rows if not row.is_baseline]
        # Those without a rank first: the newest lines of the log are about the rows of the table then.
        changes.sort(key=lambda change: not (change.row and change.row.not_ranked))
        _put(board, changes, by=None)
        # Whoever made the release knows its sources.
        join_models(board=board)
    # Once there are references, baselines are computed from them.
    for row in rows if not board.is_open else ():
        if row.is_baseline:
            system, _is_new = System.objects.get_or_create(team=None, source=row.source, name=row.system)
            standings.put_baseline(
                board=board,
                system=system,
                card=row,
                judge=row.judge,
                since=_since(row),
                action=BoardAction.REPORTED,
            )
    ranked = sum(not row.not_ranked for row in rows if not (row.is_baseline and board.is_open))
    audit.record(AuditEvent.Action.REPORTED, actor=by, board=board, rows=len(rows))
    return ranked


def _change_of(board: Board, row: ReportedRow, result: ReportedResult | None) -> ReportedChange:
    before, after = result.stated if result else {}, _stated_of(row, board=board)
    fields = [key for key in _KEYS if _rounded(before.get(key)) != _rounded(after.get(key))]
    return ReportedChange(row=row, result=result, fields=fields)


def _rounded(value: Any) -> Any:
    """Return a stored value with its shares rounded to fewer digits than the table prints."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return round(value, 9) if isinstance(value, float) else value


def _stated_of(row: ReportedRow, *, board: Board) -> dict[str, Any]:
    """Return what a row states, as JSON, without its figures by group."""
    ranked = registry.get(board.benchmark).metrics[0].key
    values = {key: getattr(row, key) for key in RowForm.base_fields if hasattr(row, key)}
    return {
        **{key: value.isoformat() if isinstance(value, date) else value for key, value in values.items()},
        "score": row.overall.rate,
        "correct": row.overall.right,
        "tasks": row.overall.total or None,
        "metrics": {key: value for key, value in row.metrics.items() if value is not None and key != ranked},
    }


def _lock(board: Board) -> Board:
    """Lock the board, so that two changes of its results come one after the other. Raises WrongState."""
    if board.is_season:
        raise WrongState("Only what was sealed enters the table of a season.")
    return Board.objects.select_for_update(of=("self",), no_key=True).without_references().get(pk=board.pk)


def _since(row: ReportedRow) -> datetime:
    assert row.published_on is not None, "a ranked result has a day"
    return datetime.combine(row.published_on, time.min, tzinfo=UTC)


def _put(board: Board, changes: Iterable[ReportedChange], *, by: User | None) -> None:
    """Store results and make their rows, and log what changed."""
    pairs = [
        (change, change.row, None if change.row.not_ranked else _system_of(change.row))
        for change in changes
        if change.row
    ]
    systems = [system.pk for _, _, system in pairs if system]
    earlier = [change.result.system_id for change, _, _ in pairs if change.result]
    # Systems are locked before the state of a board, as everywhere.
    lock_systems(pk__in=[*systems, *filter(None, earlier)])
    renewed = [system.pk for _, row, system in pairs if system and save_changes(system, _facts_of(row))]
    if renewed:
        update_standings(pk__in=renewed, is_by_organiser=by is not None)
    for change, row, system in pairs:
        _store(board, change, row, system, by=by)


def _system_of(row: ReportedRow) -> System:
    named = System.objects.filter(team=None, source__iexact=row.source, name__iexact=row.system)
    return named.first() or System.objects.create(
        team=None, source=row.source, name=row.system, **_facts_of(row)
    )


def _facts_of(row: ReportedRow) -> dict[str, Any]:
    facts = {fact.field: getattr(row, fact.field) for fact in IN_ROWS if hasattr(row, fact.field)}
    return {**facts, "model_names": [row.model] if row.model else [], "source_url": row.source_url}


def _store(
    board: Board,
    change: ReportedChange,
    row: ReportedRow,
    system: System | None,
    *,
    by: User | None,
) -> None:
    result = change.result or ReportedResult(board=board)
    is_new, old_system = change.is_new, result.system
    result.name, result.source, result.is_ranked = row.system, row.source, system is not None
    result.stated = _stated_of(row, board=board)
    # A table has no figures by group: those that the publication has stay.
    if row.breakdowns or row.group_metrics:
        breakdowns, means = stored_breakdowns(row.breakdowns), stored_group_metrics(row)
        result.groups = {"breakdowns": breakdowns, "group_metrics": means}
    result.system = system or old_system
    result.changed_by = by
    result.removed_at, result.removal_reason = None, ""
    result.save()
    source = {"by_organiser": by is not None}
    if system is None and old_system is not None:
        data = {"kind": "result-not-ranked", "reason": row.not_ranked, **source}
        standings.take_off(rows=_rows_of(board, old_system), data=data)
    rows = []
    if system is not None:
        rows = standings.save_reported(
            board=board, system=system, row=row, since=_since(row), groups=result.groups
        )
    if is_new:
        data = {"kind": "result-added" if system else "result-added-without-rank", **source}
    else:
        data = {"kind": "result-corrected", **source}
        # Of facts alone the event before this one tells.
        if not rows and not {*change.fields} - event_kinds.FACTS.keys():
            return
    event = events.Change(
        action=BoardAction.REPORTED, system=system, system_name=row.system, data=data, rows=rows
    )
    events.record(event, board=board)


def _rows_of(board: Board, system: System) -> list[Standing]:
    return list(Standing.objects.filter(board=board, system=system, kind=Kind.REPORTED))


def _remove(board: Board, result: ReportedResult, *, reason: str, by: User | None) -> None:
    result.removed_at, result.removal_reason, result.changed_by = timezone.now(), reason, by
    result.save()
    data = {"kind": "result-removed", "reason": reason, "by_organiser": by is not None}
    rows = _rows_of(board, result.system) if result.is_ranked and result.system else []
    if rows:
        standings.take_off(rows=rows, data=data)
    else:
        change = events.Change(action=BoardAction.UNLISTED, system_name=result.name, data=data)
        events.record(change, board=board)
