"""What the boards say as a whole: the front page, and who stands near the top of one."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from leaderboard.models import Benchmark, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A board in a few figures. leader: the row that is ranked first, None on an empty board."""

    benchmark: Benchmark
    systems: int
    leader: Standing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A ranked row: its success rate in 0..1 and the ends of its 95% interval."""

    name: str
    score: float
    low: float
    high: float


def boards() -> QuerySet[Benchmark]:
    """Boards with their active revision; its hidden content stays in the database."""
    return Benchmark.objects.select_related("active_revision").defer("active_revision__content")


def summaries() -> list[Summary]:
    """Return every board, in order."""
    best = Standing.objects.filter(benchmark=OuterRef("pk"), score__isnull=False)
    listed = list(
        boards()
        .annotate(
            systems=Count("standings"),
            leader_id=Subquery(best.order_by("-score", "since", "pk").values("pk")[:1]),
        )
        .order_by("position", "slug")
    )
    leaders = (
        Standing.objects.select_related("system", "evaluation")
        .defer("evaluation__verdicts")
        .in_bulk([board.leader_id for board in listed if board.leader_id])
    )
    return [
        Summary(benchmark=board, systems=board.systems, leader=leaders.get(board.leader_id))
        for board in listed
    ]


def contenders(*, benchmark: Benchmark) -> list[Contender]:
    """Return the ranked rows of the whole board, best first."""
    rows = Standing.objects.filter(benchmark=benchmark, score__isnull=False, low__isnull=False)
    values = rows.order_by("-score", "since", "pk").values_list("system__name", "score", "low", "high")
    return [Contender(name=name, score=score, low=low, high=high) for name, score, low, high in values]


def last_change(*, benchmark: Benchmark) -> datetime | None:
    """When a rescored row last came to the board; None where there is none."""
    rescored = Standing.objects.filter(benchmark=benchmark, evaluation__isnull=False)
    return rescored.aggregate(at=Max("since"))["at"]
