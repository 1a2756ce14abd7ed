"""Summarise boards in a few figures, for the front page and the top of a board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, Count, F, Min, OuterRef, Q, Subquery, Value, When

from leaderboard.models import Benchmark, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging.judge import current_identity
from leaderboard.services.statistics.known import LeaderFacts
from scoring.benchmark import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A board in a few figures.

    systems: the number of ranked rows
    leader: the first row of the compared judge, or of all where the board mixes them; None without rows
    """

    board: BoardAt
    metric: Metric
    systems: int
    leader: Standing | None

    @property
    def benchmark(self) -> Benchmark:
        return self.board.benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The row that is ranked first, and the rows near it according to their intervals alone.

    score, low, high: in 0..1; the ends of the 95% interval are None if it is not known
    tied: the number of rows with the leader's score, including itself
    others: the number of other ranked rows with an interval
    near: the number of other rows whose interval overlaps the leader's
    in_a_row: whether the near rows follow the leader without a gap
    judge: whose rows are compared; None for the rows of all judges
    without: the number of other ranked rows without an interval
    is_outdated: whether the leader was scored against another ground truth than the board's
    outdated: the number of other rows that were scored so
    """

    name: str
    score: float
    low: float | None
    high: float | None
    tied: int
    others: int
    near: int
    in_a_row: bool
    judge: str | None = None
    without: int = 0
    is_outdated: bool = False
    outdated: int = 0


def summaries() -> list[Summary]:
    """Return the summary of every board, in the order of the boards."""
    boards = [BoardAt(benchmark) for benchmark in Benchmark.objects.without_references()]
    leaders = _leaders(boards)
    return [
        Summary(
            board=board,
            metric=visibility.ranked_metric(board.benchmark),
            systems=sum(board.census.judges.values()),
            leader=leaders.get(board.benchmark.pk),
        )
        for board in boards
    ]


def _leaders(boards: Sequence[BoardAt]) -> Mapping[int, Standing]:
    """Return primary key of the board -> the row that is ranked first."""
    judges = [When(pk=board.benchmark.pk, then=Value(board.compared_judge or "")) for board in boards]
    if not judges:
        return {}
    best = (
        Standing.objects.filter(benchmark=OuterRef("pk"))
        .ranked()
        .filter(Q(judge=OuterRef("main_judge")) | Q(benchmark__mixes_judges=True))
    )
    first = (
        Benchmark.objects.annotate(main_judge=Case(*judges, output_field=CharField()))
        .annotate(leader_id=Subquery(best.best_first().values("pk")[:1]))
        .order_by()
        .values("leader_id")
    )
    rows = Standing.objects.filter(pk__in=first)
    return {row.benchmark_id: row for row in rows}


def judge_of_today(*, benchmark: Benchmark) -> str:
    """Return the identity of the judge of new submissions; "" if the board needs no judge."""
    return current_identity(benchmark)


def lead(board: BoardAt, *, judge: str | None) -> Lead | None:
    """Return the first row and the number of rows near it, cached until the board changes.

    None if no row is ranked. The database counts, so the size of the result does not depend on the number
    of rows.

    judge: whose rows are compared; None for the rows of all judges
    """
    name = f"lead:{judge is None:d}:{judge or ''}"
    return board.remember(name, lambda: _lead(board.rows, judge, board.revision_id))


def _lead(rows: StandingQuerySet[Standing], judge: str | None, revision: int | None) -> Lead | None:
    rows = rows.ranked()
    rows = rows if judge is None else rows.filter(judge=judge)
    rows = rows.best_first().annotate(revision=F("evaluation__revision"))
    first = rows.only("name", "score", "low", "high").first()
    if first is None or first.score is None:
        return None
    # If the leader has no interval, no other can overlap it.
    overlaps = Q(pk__in=[]) if first.low is None else Q(high__gte=first.low)
    others, is_outdated = rows.exclude(pk=first.pk), Q(revision__isnull=False) & ~Q(revision=revision)
    counts = others.aggregate(
        others=Count("pk", filter=Q(low__isnull=False)),
        without=Count("pk", filter=Q(low__isnull=True)),
        tied=Count("pk", filter=Q(score=first.score)),
        near=Count("pk", filter=overlaps),
        lowest=Min("score", filter=overlaps),
        outdated=Count("pk", filter=is_outdated),
    )
    # Intervals differ in width, so a row may have no overlap with the leader although a lower row has.
    gap = counts["near"] and others.filter(score__gt=counts["lowest"]).exclude(overlaps).exists()
    return Lead(
        name=first.name,
        score=first.score,
        low=first.low,
        high=first.high,
        tied=counts["tied"] + 1,
        others=counts["others"],
        near=counts["near"],
        in_a_row=not gap,
        judge=judge,
        without=counts["without"],
        is_outdated=first.revision not in (None, revision),
        outdated=counts["outdated"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFinding:
    """The results of paired tests on the first system, with names.

    next_name: the highest system that differs significantly from the first, "" without one
    judge: whose rows were tested; None for the rows of all judges
    """

    facts: LeaderFacts
    first_name: str
    next_name: str
    judge: str | None


def finding_of(board: BoardAt, *, judge: str | None) -> PairedFinding | Lead | None:
    """Return the results on the first row; None if no row is ranked.

    They are from paired tests or, while these are being computed and if fewer than two rows can be tested,
    from single intervals.

    judge: whose rows are compared; None for the rows of all judges, as always on a board that mixes judges
    """
    if board.mixes_judges:
        judge = None
    statistics = board.statistics_for(judge)
    if statistics is None or statistics.systems < 2:
        return lead(board, judge=judge)
    facts = statistics.finding
    rows = board.rows.filter(system__in=[facts.first, facts.next])
    names = dict(rows.values_list("system_id", "name"))
    return PairedFinding(
        facts=facts,
        first_name=names.get(facts.first, ""),
        next_name=names.get(facts.next, "") if facts.next is not None else "",
        judge=judge,
    )
