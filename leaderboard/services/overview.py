"""What the boards say as a whole: the front page, and who stands near the top of one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, CharField, Count, Max, Min, OuterRef, Q, QuerySet, Subquery, Value, When

from leaderboard.models import Benchmark, Kind, Standing
from leaderboard.services import feedback, judging
from scoring.benchmark import Metric

_RANKED = Q(score__isnull=False) & ~Q(kind=Kind.BASELINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A board in a few figures. leader: the row that is ranked first, of the judge that the board's finding
    is about; None on an empty board."""

    benchmark: Benchmark
    metric: Metric
    systems: int
    leader: Standing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Who is ranked first, and who is near: score in 0..1 with the ends of its 95% interval.

    tied: rows with the leader's score, itself among them. others: ranked rows beside the leader. near: of
    these, how many have an interval that overlaps the leader's. in_a_row: whether they are those that come
    next. judge: whose rows are compared; None: those of all.
    """

    name: str
    score: float
    low: float
    high: float
    tied: int
    others: int
    near: int
    in_a_row: bool
    judge: str | None = None


def boards() -> QuerySet[Benchmark]:
    """Boards with their active revision; its hidden content stays in the database."""
    return Benchmark.objects.select_related("active_revision").defer("active_revision__content")


def summaries() -> list[Summary]:
    """Return every board, in order."""
    listed = list(boards().order_by("position", "slug"))
    judges: dict[int, dict[str, int]] = {board.pk: {} for board in listed}
    rows = Standing.objects.exclude(kind=Kind.BASELINE).values_list("benchmark", "judge")
    for board, judge, number in rows.annotate(n=Count("pk")).order_by("benchmark", "judge"):
        judges[board][judge] = number
    leaders = _leaders(listed, judges)
    return [
        Summary(
            benchmark=board,
            metric=feedback.ranked_metric(board),
            systems=sum(judges[board.pk].values()),
            leader=leaders.get(board.pk),
        )
        for board in listed
    ]


def _leaders(listed: list[Benchmark], judges: Mapping[int, Mapping[str, int]]) -> Mapping[int, Standing]:
    """Return board -> the row that is ranked first."""
    main = [
        When(pk=board.pk, then=Value(compared_judge(benchmark=board, judges=judges[board.pk]) or ""))
        for board in listed
    ]
    if not main:
        return {}
    best = Standing.objects.filter(_RANKED, benchmark=OuterRef("pk")).filter(
        Q(judge=OuterRef("main_judge")) | Q(benchmark__mixes_judges=True)
    )
    first = (
        Benchmark.objects.annotate(main_judge=Case(*main, output_field=CharField()))
        .annotate(leader_id=Subquery(best.order_by("-score", "since", "pk").values("pk")[:1]))
        .order_by()
        .values("leader_id")
    )
    rows = Standing.objects.filter(pk__in=first).select_related("system")
    return {row.benchmark_id: row for row in rows}


def judge_of_today(*, benchmark: Benchmark) -> str:
    """Return the identity of what decides on the board's next file; "" where nothing has to be judged."""
    return judging.identity_of(benchmark)


def compared_judge(*, benchmark: Benchmark, judges: Mapping[str, int]) -> str | None:
    """Return the judge whose rows may be compared: the board's of today, or, where it has no row, the one
    with the most in `judges` (judge -> ranked rows). None: rows of all judges, as the board mixes them."""
    if benchmark.mixes_judges:
        return None
    today = judging.identity_of(benchmark)
    if today in judges or not judges:
        return today
    return max(judges, key=lambda judge: (judges[judge], judge))


def lead(*, benchmark: Benchmark, judge: str | None) -> Lead | None:
    """Return who is first among the rows of `judge` (None: of all), and how many are near; None: nobody.

    The database counts: what comes back is of one size, whatever the board's.
    """
    rows = Standing.objects.filter(_RANKED, benchmark=benchmark, low__isnull=False)
    rows = rows if judge is None else rows.filter(judge=judge)
    first = rows.order_by("-score", "since", "pk").select_related("system")
    first = first.only("system__name", "score", "low", "high").first()
    if first is None:
        return None
    overlaps = Q(high__gte=first.low)
    others = rows.exclude(pk=first.pk)
    found = others.aggregate(
        others=Count("pk"),
        tied=Count("pk", filter=Q(score=first.score)),
        near=Count("pk", filter=overlaps),
        lowest=Min("score", filter=overlaps),
    )
    # Boards may hold intervals of unequal width, so one further up may end below the leader's.
    gap = found["near"] and others.filter(~overlaps, score__gt=found["lowest"]).exists()
    return Lead(
        name=first.system.name,
        score=first.score,
        low=first.low,
        high=first.high,
        tied=found["tied"] + 1,
        others=found["others"],
        near=found["near"],
        in_a_row=not gap,
        judge=judge,
    )


def last_change(*, benchmark: Benchmark) -> datetime | None:
    """When a rescored row last came to the board; None where there is none."""
    rescored = Standing.objects.filter(benchmark=benchmark, kind=Kind.RESCORED)
    return rescored.aggregate(at=Max("since"))["at"]
