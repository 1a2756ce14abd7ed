"""Summarise boards in a few figures, for the front page and the top of a board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, OuterRef, Q, Subquery, Value, When

from leaderboard.models import Board, Kind, Standing
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging.judge import current_identity
from wardboard.scoring.benchmark import Breakdown, Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A board in a few figures.

    systems: the number of ranked rows
    leader: the first row of the compared judge, or of all where the board mixes them; None without rows
    """

    board_at: BoardAt
    metric: Metric
    systems: int
    leader: Standing | None

    @property
    def board(self) -> Board:
        return self.board_at.board


def summaries() -> list[Summary]:
    """Return the summary of every board whose benchmark is installed, in the order of the boards."""
    boards = [BoardAt(board) for board in Board.objects.without_references().installed()]
    leaders = _leaders(boards)
    return [
        Summary(
            board_at=board_at,
            metric=visibility.ranked_metric(board_at.board),
            systems=sum(board_at.census.judges.values()),
            leader=leaders.get(board_at.board.pk),
        )
        for board_at in boards
    ]


def _leaders(boards: Sequence[BoardAt]) -> Mapping[int, Standing]:
    """Return primary key of the board -> the row that is ranked first."""
    judges = [When(pk=board_at.board.pk, then=Value(board_at.compared_judge or "")) for board_at in boards]
    if not judges:
        return {}
    rules = Q()
    for board_at in boards:
        rules &= ~Q(board=board_at.board) | board_at.lead_rules.condition if board_at.lead_rules else Q()
    best = (
        Standing.objects.filter(board=OuterRef("pk"))
        .ranked()
        .filter(rules, Q(judge=OuterRef("main_judge")) | Q(board__mixes_judges=True))
    )
    first = (
        Board.objects.annotate(main_judge=Case(*judges, output_field=CharField()))
        .annotate(leader_id=Subquery(best.best_first().values("pk")[:1]))
        .order_by()
        .values("leader_id")
    )
    rows = Standing.objects.filter(pk__in=first)
    return {row.board_id: row for row in rows}


def judge_of_today(*, board: Board) -> str:
    """Return the identity of the judge of new submissions; "" if the board needs no judge."""
    return current_identity(board)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The number of tasks in each group of a breakdown.

    tasks: group -> number of tasks
    is_published: whether the numbers are from a publication and not from the ground truth
    """

    breakdown: Breakdown
    tasks: Mapping[str, int]
    is_published: bool

    @property
    def total(self) -> int:
        return sum(self.tasks.values())


def task_spreads(board: Board) -> list[Spread]:
    """Return how the tasks are spread over the groups that every system shares, where a row shows it."""
    fixed = [breakdown for breakdown in visibility.visible_breakdowns(board) if breakdown.fixed]
    return [spread for breakdown in fixed if (spread := _spread(board, breakdown))]


def _spread(board: Board, breakdown: Breakdown) -> Spread | None:
    """Return the sizes from a baseline, else a row of the active ground truth, else a reported one."""
    key, rows = breakdown.key, Standing.objects.filter(board=board).listed().order_by("pk")
    conditions = (
        Q(kind=Kind.BASELINE, breakdowns__has_key=key),
        Q(
            kind=Kind.RESCORED,
            evaluation__revision=board.active_revision_id,
            evaluation__breakdowns__has_key=key,
        ),
        Q(kind=Kind.REPORTED, breakdowns__has_key=key),
    )
    row = next((row for condition in conditions if (row := rows.filter(condition).first())), None)
    if row is None:
        return None
    runs = row.evaluation.runs if row.evaluation else 1
    groups = visibility.visible_groups(board, row.shown_breakdowns, runs=runs)[key]
    tasks = {group: rate.total // runs for group, rate in groups.items() if rate.total}
    # Before a board has a ground truth, its baselines are computed from published figures as well.
    is_published = row.is_reported or not board.is_open
    return Spread(breakdown=breakdown, tasks=tasks, is_published=is_published) if tasks else None
