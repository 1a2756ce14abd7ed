"""Standings: one row a system and board, kept up in the transaction that changes what is published."""

from collections.abc import Mapping

from django.db.models import F

from leaderboard.models import Benchmark, Kind, Standing, Submission, System
from scoring.benchmark import ReportedRow
from scoring.verdicts import Rate, Scorecard, Share


def refresh_standing(*, benchmark: Benchmark, system: System) -> None:
    """Make the system's row its best published evaluation (of equals, the one published first), or none."""
    # Locked first: two of the system's submissions may be published at once.
    System.objects.select_for_update().get(pk=system.pk)
    best = (
        Submission.objects.filter(benchmark=benchmark, system=system)
        .published()
        .select_related("evaluation")
        .annotate(rate=F("evaluation__right") * 1.0 / F("evaluation__total"))
        .order_by("-rate", "published_at", "pk")
        .first()
    )
    if best is None:
        Standing.objects.filter(benchmark=benchmark, system=system).delete()
        return
    evaluation = best.evaluation
    figures = _figures(Rate(right=evaluation.right, total=evaluation.total))
    Standing.objects.update_or_create(
        benchmark=benchmark,
        system=system,
        defaults={
            **figures,
            "kind": Kind.RESCORED,
            "judge": evaluation.judge,
            "evaluation": evaluation,
            "metrics": evaluation.metrics,
            "breakdowns": evaluation.breakdowns,
            "group_metrics": evaluation.group_metrics,
            "since": best.published_at,
        },
    )


def put_reported(*, benchmark: Benchmark, system: System, row: ReportedRow, since) -> None:
    """Write the row of a published result that nobody rescored."""
    Standing.objects.update_or_create(
        benchmark=benchmark,
        system=system,
        defaults={
            **_figures(row.overall),
            "kind": Kind.BASELINE if row.is_baseline else Kind.REPORTED,
            "judge": row.judge,
            "metrics": dict(row.metrics),
            "breakdowns": _stored(row.breakdowns),
            "group_metrics": {name: dict(groups) for name, groups in row.group_metrics.items()},
            "since": since,
        },
    )


def _figures(overall: Rate | Share) -> dict:
    low, high = overall.interval or (None, None)
    return {"right": overall.right, "total": overall.total, "score": overall.rate, "low": low, "high": high}


def put_baseline(*, benchmark: Benchmark, system: System, card: Scorecard, judge: str, since) -> None:
    """Write the row of an agent that needs no model; it is shown among the others and has no rank."""
    Standing.objects.update_or_create(
        benchmark=benchmark,
        system=system,
        defaults={
            **_figures(card.overall),
            "kind": Kind.BASELINE,
            "judge": judge,
            "metrics": dict(card.metrics),
            "breakdowns": _stored(card.breakdowns),
            "group_metrics": {name: dict(groups) for name, groups in card.group_metrics.items()},
            "since": since,
        },
    )


def _stored(breakdowns: Mapping[str, Mapping[str, Rate | Share]]) -> dict:
    """Return [right, total] for each group; of a share without a count [null, total, share]."""
    return {
        name: {
            key: [None, rate.total, rate.rate] if isinstance(rate, Share) else [rate.right, rate.total]
            for key, rate in groups.items()
        }
        for name, groups in breakdowns.items()
    }
