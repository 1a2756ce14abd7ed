"""Ranks on the whole of a board, worked out for the rows of one page."""

from collections.abc import Iterable

from django.db.models import Case, Count, IntegerField, Q, When

from leaderboard.models import Benchmark, Kind, Standing


def ranks_of(benchmark: Benchmark, standings: Iterable[Standing]) -> dict[int, int]:
    """Return primary key -> rank, for those of `standings` that have one: 1 and how many rows of the same
    judge are better, so that equal ones share a rank. Where the board mixes judges, of all rows.

    A baseline has no rank and takes none from others.
    """
    mixed = benchmark.mixes_judges
    ranked = [row for row in standings if row.score is not None and not row.is_baseline]
    scores: dict[str, set[float]] = {}
    for row in ranked:
        scores.setdefault("" if mixed else row.judge, set()).add(row.score)
    better = _counts_above(benchmark, scores, mixed)
    return {row.pk: better["" if mixed else row.judge, row.score] + 1 for row in ranked}


def every_rank(benchmark: Benchmark) -> dict[tuple[str, float], int]:
    """Return (judge, score) -> rank for the whole board; the judge is "" where the board mixes them.

    For exports: it grows with the board, as `ranks_of` does not.
    """
    mixed = benchmark.mixes_judges
    rows = Standing.objects.filter(benchmark=benchmark, score__isnull=False).exclude(kind=Kind.BASELINE)
    keys = ["score"] if mixed else ["judge", "score"]
    counted = rows.values_list(*keys).annotate(n=Count("pk"))
    ranks, above, judge_before = {}, 0, None
    for *judge, score, number in counted.order_by(*keys[:-1], "-score"):
        of = judge[0] if judge else ""
        above = above if of == judge_before else 0
        ranks[of, score] = above + 1
        above, judge_before = above + number, of
    return ranks


def _counts_above(
    benchmark: Benchmark, scores: dict[str, set[float]], mixed: bool
) -> dict[tuple[str, float], int]:
    """Return (judge, score) -> how many ranked rows of that judge lie above that score."""
    steps = [(judge, score) for judge, known in scores.items() for score in sorted(known, reverse=True)]
    if not steps:
        return {}

    def of(judge: str, score: float) -> Q:
        return Q(score__gt=score) if mixed else Q(judge=judge, score__gt=score)

    # One query, which reads no further down than the page's lowest row: each row above that falls to the
    # first step that it lies above.
    wanted = Q()
    for judge, known in scores.items():
        wanted |= of(judge, min(known))
    rows = Standing.objects.filter(wanted, benchmark=benchmark).exclude(kind=Kind.BASELINE)
    step = Case(
        *(When(of(*asked), then=number) for number, asked in enumerate(steps)), output_field=IntegerField()
    )
    found = dict(rows.annotate(step=step).values_list("step").annotate(n=Count("pk")).order_by())
    above, so_far, judge_before = {}, 0, None
    for number, (judge, score) in enumerate(steps):
        so_far = found.get(number, 0) + (so_far if judge == judge_before else 0)
        above[judge, score], judge_before = so_far, judge
    return above
