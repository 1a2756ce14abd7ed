"""Add, correct and remove results that were published elsewhere, and bring those of a release."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, Board, BoardAction, Kind, ReportedResult, Standing, System, User
from leaderboard.services import audit, background
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.disqualify import read_reason
from leaderboard.services.publishing.reported.fields import difference, groups_of, stated_of
from leaderboard.services.publishing.reported.read import StatedResult
from leaderboard.services.publishing.standing_facts import lock_systems, update_standings
from leaderboard.services.record import event_kinds, events
from wardboard.scoring import registry
from wardboard.scoring.facts import IN_ROWS
from wardboard.scoring.reported import ReportedRow


@background.deduplicated_statistics()
@transaction.atomic
def put_results(*, board: Board, results: Sequence[StatedResult], by: User) -> int:
    """Add and correct results as an organiser states them; return how many are new or changed.

    One that states what the board has already changes nothing. Raises WrongState for the name of another.
    """
    _lock(board)
    changed = _put(board, results, by=by, is_of_release=False)
    if changed:
        audit.record(AuditEvent.Action.REPORTED, actor=by, board=board, rows=changed)
    return changed


@transaction.atomic
def remove_result(*, result: ReportedResult, reason: str, by: User) -> None:
    """Remove a result, which stays in the log; twice is harmless. Raises ReasonRefused."""
    reason = read_reason(reason)
    board = _lock(result.board)
    listed = ReportedResult.objects.filter(pk=result.pk, removed_at=None).first()
    if listed is not None:
        _remove(board, listed, reason=reason, by=by)
        audit.record(AuditEvent.Action.REPORTED, actor=by, board=board, removed=listed.name, reason=reason)


@background.deduplicated_statistics()
@transaction.atomic
def load_reported(*, board: Board, by: User | None = None) -> int:
    """Bring the results that this release knows of the board's version; return the number of ranked ones.

    What an organiser corrected or removed stays so, and what the release no longer has is removed. Repeating
    it is harmless.
    """
    rows = registry.get(board.benchmark).reported_rows(board.version)
    if not rows:
        return 0
    _lock(board)
    known = {(result.source, result.name): result for result in ReportedResult.objects.filter(board=board)}
    stated = []
    for row in rows:
        result = known.pop((row.source, row.system), None)
        if not row.is_baseline and (result is None or (result.is_of_release and result.removed_at is None)):
            stated.append(StatedResult(row=row, result=result))
    # Those without a rank first: the newest lines of the log are about the rows of the table then.
    stated.sort(key=lambda each: not each.row.not_ranked)
    _put(board, stated, by=by, is_of_release=True)
    for result in known.values():
        if result.is_of_release and result.removed_at is None:
            _remove(board, result, reason="", by=None)
    # Rows of a release that had no such table, under a source that is now called otherwise.
    in_table = ReportedResult.objects.filter(board=board, removed_at=None, is_ranked=True).values("system")
    reported = Standing.objects.filter(board=board, kind=Kind.REPORTED)
    standings.take_off(rows=list(reported.exclude(system__in=in_table)))
    # Once there are references, baselines are computed from them.
    for row in rows if not board.is_open else ():
        if row.is_baseline:
            system, _is_new = System.objects.get_or_create(team=None, source=row.source, name=row.system)
            standings.put_reported(board=board, system=system, row=row, since=_since(row))
    ranked = sum(not row.not_ranked for row in rows if not (row.is_baseline and board.is_open))
    audit.record(AuditEvent.Action.REPORTED, actor=by, board=board, rows=len(rows))
    return ranked


def _lock(board: Board) -> Board:
    """Lock the board, so that two changes of its results come one after the other."""
    return Board.objects.select_for_update(of=("self",), no_key=True).without_references().get(pk=board.pk)


def _since(row: ReportedRow) -> datetime:
    assert row.published_on is not None, "a ranked result has a day"
    return datetime.combine(row.published_on, time.min, tzinfo=UTC)


def _put(board: Board, results: Iterable[StatedResult], *, by: User | None, is_of_release: bool) -> int:
    """Store results and make their rows; return how many are new or changed."""
    pairs = []
    for stated in map(partial(_resolve, board), results):
        system = None if stated.row.not_ranked else _system_of(stated.row)
        pairs.append((stated, system))
    systems = [system.pk for _, system in pairs if system]
    earlier = [stated.result.system_id for stated, _ in pairs if stated.result and stated.result.system_id]
    # Systems are locked before the state of a board, as everywhere.
    lock_systems(pk__in=[*systems, *earlier])
    renewed = [system.pk for stated, system in pairs if system and _copy_facts(system, stated.row)]
    if renewed:
        update_standings(pk__in=renewed, is_by_organiser=by is not None and not is_of_release)
    return sum(_store(board, stated, system, by, is_of_release) for stated, system in pairs)


def _resolve(board: Board, stated: StatedResult) -> StatedResult:
    """Return a result as the board has it now: another organiser may have stated it meanwhile.

    Raises WrongState where another result has its name.
    """
    row, result = stated.row, stated.result
    named = ReportedResult.objects.filter(
        board=board, source__iexact=row.source, name__iexact=row.system
    ).first()
    if result is None or named is None or named.pk == result.pk:
        return replace(stated, result=named or result)
    raise WrongState(_("Another result has this system and source already."))


def _system_of(row: ReportedRow) -> System:
    system = System.objects.filter(team=None, source=row.source, name__iexact=row.system).first()
    if system is None:
        system = System.objects.create(team=None, source=row.source, name=row.system, **_facts_of(row))
    return system


def _facts_of(row: ReportedRow) -> dict[str, Any]:
    facts = {fact.field: getattr(row, fact.field) for fact in IN_ROWS if hasattr(row, fact.field)}
    return {**facts, "model_names": [row.model] if row.model else [], "source_url": row.source_url}


def _copy_facts(system: System, row: ReportedRow) -> bool:
    """Bring the facts of a system up to date; return whether any changed."""
    changed = {name: value for name, value in _facts_of(row).items() if getattr(system, name) != value}
    for name, value in changed.items():
        setattr(system, name, value)
    if changed:
        system.save(update_fields=list(changed))
    return bool(changed)


def _store(
    board: Board, stated: StatedResult, system: System | None, by: User | None, is_of_release: bool
) -> bool:
    """Store one result with its row, and log what changed; return whether anything did."""
    row, result = stated.row, stated.result
    is_new = result is None or result.removed_at is not None
    if result is None:
        result = ReportedResult(board=board)
    changed = difference(result.stated or {}, stated_of(row, board=board))
    had_row, old_system = result.is_ranked and result.removed_at is None, result.system
    if not (is_new or changed) and had_row == (system is not None) and old_system == system:
        rows = _save_row(board, system, row)
        if rows:
            _log(board, row, system, rows, data=None)
        return bool(rows)
    result.name, result.source, result.is_ranked = row.system, row.source, system is not None
    result.stated = stated_of(row, board=board)
    # A form has no figures by group: those that the publication has stay.
    result.groups = groups_of(row) or result.groups
    result.system = system or old_system
    result.is_of_release, result.changed_by = is_of_release, by
    result.removed_at, result.removal_reason = None, ""
    result.save()
    is_by_organiser = not is_of_release
    if had_row and old_system is not None and old_system != system:
        data = {"kind": "result-renamed", "to": row.system, "by_organiser": is_by_organiser}
        if system is None:
            data = {"kind": "result-not-ranked", "reason": row.not_ranked, "by_organiser": is_by_organiser}
        standings.take_off(rows=_rows_of(board, old_system), data=data)
    rows = _save_row(board, system, row, groups=result.groups)
    if is_new:
        kind = "result-added" if system else "result-added-without-rank"
        _log(board, row, system, rows, data={"kind": kind, "by_organiser": is_by_organiser})
    elif (logged := [key for key in changed if key in event_kinds.REPORTED]) or rows:
        data = {"kind": "result-corrected", "changed": logged, "by_organiser": is_by_organiser}
        _log(board, row, system, rows, data=data)
    return True


def _save_row(
    board: Board, system: System | None, row: ReportedRow, *, groups: dict[str, Any] | None = None
) -> list[Standing]:
    if system is None:
        return []
    return standings.save_reported(board=board, system=system, row=row, since=_since(row), groups=groups)


def _rows_of(board: Board, system: System) -> list[Standing]:
    return list(Standing.objects.filter(board=board, system=system, kind=Kind.REPORTED))


def _log(
    board: Board, row: ReportedRow, system: System | None, rows: list[Standing], data: dict[str, Any] | None
) -> None:
    change = events.Change(
        action=BoardAction.REPORTED, system=system, system_name=row.system, data=data, rows=rows
    )
    events.record(change, board=board)


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
