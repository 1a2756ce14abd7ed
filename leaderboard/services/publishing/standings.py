"""Standings: one row a system and board, kept up in the transaction that changes what is published."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import F, FloatField
from django.db.models.functions import Cast

from leaderboard.models import (
    Benchmark,
    BoardAction,
    BoardEvent,
    Evaluation,
    Kind,
    Standing,
    Submission,
    System,
)
from leaderboard.services.publishing.standing_facts import facts_for_standing, lock_systems
from leaderboard.services.record import events
from scoring.benchmark import ReportedRow
from scoring.verdicts import Rate, Scorecard, Share


@transaction.atomic
def refresh_standing(*, submission: Submission, action: BoardAction, reason: str = "") -> BoardEvent:
    """Make the row of the submission's system its best published evaluation (of equals, the one published
    first), or none, and record `action`, which changed what is published."""
    benchmark = submission.benchmark
    # Locked first: two of the system's submissions may be published at once.
    (system,) = lock_systems(pk=submission.system_id)
    was = Standing.objects.filter(benchmark=benchmark, system=system).first()
    best = _best(benchmark, system)
    rows, gone = [], []
    if best is not None:
        rows = _put(was, benchmark, system, _rescored(best.evaluation, since=best.published_at))
    elif was is not None:
        gone = [was]
        Standing.objects.filter(pk=was.pk).delete()
    return events.record(
        benchmark=benchmark,
        action=action,
        system=system,
        submission=submission,
        reason=reason,
        rows=rows,
        gone=gone,
    )


def _best(benchmark: Benchmark, system: System) -> Submission | None:
    # As floats, which are equal for equal rates; decimals of a database are cut.
    rate = Cast("evaluation__right", FloatField()) / F("evaluation__total")
    published = Submission.objects.filter(benchmark=benchmark, system=system).published()
    ranked = published.select_related("evaluation").annotate(rate=rate)
    return ranked.order_by("-rate", "published_at", "pk").first()


def _put(was: Standing | None, benchmark: Benchmark, system: System, figures: dict) -> list[Standing]:
    """Write the system's row where it is another than `was`; return the rows that changed, one or none."""
    told = {**facts_for_standing(system), **figures}
    if was is None:
        return [Standing.objects.create(benchmark=benchmark, system=system, **told)]
    changed = [name for name, value in told.items() if getattr(was, name) != value]
    for name in changed:
        setattr(was, name, told[name])
    if changed:
        was.save(update_fields=changed)
    return [was] if changed else []


def _rescored(evaluation: Evaluation, *, since) -> dict[str, Any]:
    return {
        **_figures(Rate(right=evaluation.right, total=evaluation.total)),
        "kind": Kind.RESCORED,
        "judge": evaluation.judge,
        "evaluation_id": evaluation.pk,
        "metrics": evaluation.metrics,
        # Those of its evaluation are shown.
        "breakdowns": {},
        "group_metrics": {},
        "since": since,
    }


def put_reported(*, benchmark: Benchmark, system: System, row: ReportedRow, since) -> None:
    """Write the row of a published result that nobody rescored, and record it where it is new."""
    figures = {
        **_listed(row),
        "kind": Kind.BASELINE if row.is_baseline else Kind.REPORTED,
        "judge": row.judge,
        "since": since,
    }
    _list(benchmark, system, figures, BoardAction.REPORTED)


def put_baseline(*, benchmark: Benchmark, system: System, card: Scorecard, judge: str, since) -> None:
    """Write the row of an agent that needs no model; it is shown among the others and has no rank."""
    figures = {**_listed(card), "kind": Kind.BASELINE, "judge": judge, "since": since}
    _list(benchmark, system, figures, BoardAction.BASELINE)


@transaction.atomic
def take_off(*, rows: Iterable[Standing]) -> None:
    """Take rows, none of them rescored, off their boards."""
    for row in rows:
        (system,) = lock_systems(pk=row.system_id)
        Standing.objects.filter(pk=row.pk).delete()
        events.record(benchmark=row.benchmark, action=BoardAction.UNLISTED, system=system, gone=[row])


@transaction.atomic
def _list(benchmark: Benchmark, system: System, figures: dict, action: BoardAction) -> None:
    (system,) = lock_systems(pk=system.pk)
    was = Standing.objects.filter(benchmark=benchmark, system=system).first()
    # Imports are repeated: what is there already is no event.
    if rows := _put(was, benchmark, system, figures):
        events.record(benchmark=benchmark, action=action, system=system, rows=rows)


def _listed(found: ReportedRow | Scorecard) -> dict[str, Any]:
    return {
        **_figures(found.overall),
        "metrics": dict(found.metrics),
        "breakdowns": _stored(found.breakdowns),
        "group_metrics": {
            name: {group: dict(figures) for group, figures in groups.items()}
            for name, groups in found.group_metrics.items()
        },
    }


def _figures(overall: Rate | Share) -> dict[str, Any]:
    low, high = overall.interval or (None, None)
    return {"right": overall.right, "total": overall.total, "score": overall.rate, "low": low, "high": high}


def _stored(breakdowns: Mapping[str, Mapping[str, Rate | Share]]) -> dict:
    """Return [right, total] for each group; of a share without a count [null, total, share]."""
    return {
        name: {
            key: [None, rate.total, rate.rate] if isinstance(rate, Share) else [rate.right, rate.total]
            for key, rate in groups.items()
        }
        for name, groups in breakdowns.items()
    }
