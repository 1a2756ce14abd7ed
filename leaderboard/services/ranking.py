"""Standings: one row a system and board, kept up in the transaction that changes what is published."""

from django.db.models import F

from leaderboard.models import Benchmark, Standing, Submission, System
from scoring.benchmark import ReportedRow
from scoring.verdicts import Rate


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
            "evaluation": evaluation,
            "metrics": evaluation.metrics,
            "breakdowns": evaluation.breakdowns,
            "since": best.published_at,
        },
    )


def put_reported(*, benchmark: Benchmark, system: System, row: ReportedRow, since) -> None:
    """Write the row of a published result that nobody rescored."""
    Standing.objects.update_or_create(
        benchmark=benchmark,
        system=system,
        defaults={**_figures(row.overall), "metrics": dict(row.metrics), "since": since},
    )


def _figures(overall: Rate) -> dict:
    low, high = overall.interval or (None, None)
    return {"right": overall.right, "total": overall.total, "score": overall.rate, "low": low, "high": high}
