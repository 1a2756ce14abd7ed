"""Boards in a few figures: the front page, and the top of one board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, Count, F, Min, OuterRef, Q, Subquery, Value, When

from leaderboard.models import Benchmark, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging import judge as judging
from leaderboard.services.statistics.known import LeaderFacts
from scoring.benchmark import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A board in a few figures.

    systems: the number of ranked rows
    leader: the first row of the compared judge; None on an empty board
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
    """The row that is ranked first, and the rows near it, by their intervals alone.

    score, low, high: in 0..1; the ends of the 95% interval are None where it is not known
    tied: the number of rows with the leader's score, including itself
    others: the number of other ranked rows with an interval; without: of those without one
    near: the number of others whose interval overlaps the leader's
    in_a_row: whether those rank directly below the leader
    judge: whose rows are compared; None for those of all judges
    is_outdated: whether the leader was scored against an earlier ground truth
    outdated: the number of other rows that were
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
    """Return every board, in order."""
    listed = [BoardAt(benchmark) for benchmark in Benchmark.objects.without_references()]
    leaders = _leaders(listed)
    return [
        Summary(
            board=board,
            metric=visibility.ranked_metric(board.benchmark),
            systems=sum(board.census.judges.values()),
            leader=leaders.get(board.benchmark.pk),
        )
        for board in listed
    ]


def _leaders(listed: Sequence[BoardAt]) -> Mapping[int, Standing]:
    """Return board -> the row that is ranked first."""
    main = [When(pk=board.benchmark.pk, then=Value(board.compared_judge or "")) for board in listed]
    if not main:
        return {}
    best = (
        Standing.objects.filter(benchmark=OuterRef("pk"))
        .ranked()
        .filter(Q(judge=OuterRef("main_judge")) | Q(benchmark__mixes_judges=True))
    )
    first = (
        Benchmark.objects.annotate(main_judge=Case(*main, output_field=CharField()))
        .annotate(leader_id=Subquery(best.best_first().values("pk")[:1]))
        .order_by()
        .values("leader_id")
    )
    rows = Standing.objects.filter(pk__in=first)
    return {row.benchmark_id: row for row in rows}


def judge_of_today(*, benchmark: Benchmark) -> str:
    """Return the identity of the judge of the next file; "" where nothing has to be judged."""
    return judging.current_identity(benchmark)


def lead(board: BoardAt, *, judge: str | None) -> Lead | None:
    """Return who is first among the rows of `judge` (None: of all), and how many are near; None: nobody.

    The database counts: the answer is of one size, whatever the board's. Kept until the board changes.
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
    # Without an interval of the leader's there is nothing to overlap.
    overlaps = Q(pk__in=[]) if first.low is None else Q(high__gte=first.low)
    others, is_outdated = rows.exclude(pk=first.pk), Q(revision__isnull=False) & ~Q(revision=revision)
    found = others.aggregate(
        others=Count("pk", filter=Q(low__isnull=False)),
        without=Count("pk", filter=Q(low__isnull=True)),
        tied=Count("pk", filter=Q(score=first.score)),
        near=Count("pk", filter=overlaps),
        lowest=Min("score", filter=overlaps),
        outdated=Count("pk", filter=is_outdated),
    )
    # Intervals differ in width, so that of a higher row may end below the leader's.
    gap = found["near"] and others.filter(score__gt=found["lowest"]).exclude(overlaps).exists()
    return Lead(
        name=first.name,
        score=first.score,
        low=first.low,
        high=first.high,
        tied=found["tied"] + 1,
        others=found["others"],
        near=found["near"],
        in_a_row=not gap,
        judge=judge,
        without=found["without"],
        is_outdated=first.revision not in (None, revision),
        outdated=found["outdated"],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFinding:
    """The results of paired tests on the first system, with names.

    next_name: the highest system that differs significantly from the first, "" without one
    judge: whose rows were tested; None for those of all judges
    """

    facts: LeaderFacts
    first_name: str
    next_name: str
    judge: str | None


def finding_of(board: BoardAt, *, judge: str | None) -> PairedFinding | Lead | None:
    """Return what is known of the first among the rows of `judge` (None: of all, as always where the board
    mixes judges).

    By single intervals while the tests are being worked out, and where fewer than two rows can take part.
    None: nobody is first.
    """
    if board.mixes_judges:
        judge = None
    known = board.statistics_for(judge)
    if known is None or known.systems < 2:
        return lead(board, judge=judge)
    facts = known.finding
    rows = board.rows.filter(system__in=[facts.first, facts.next])
    names = dict(rows.values_list("system_id", "name"))
    return PairedFinding(
        facts=facts,
        first_name=names.get(facts.first, ""),
        next_name=names.get(facts.next, "") if facts.next is not None else "",
        judge=judge,
    )
