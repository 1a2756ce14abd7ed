"""Summarise boards in a few figures, for the front page and the top of a board."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Case, CharField, OuterRef, Q, Subquery, Value, When

from leaderboard.models import Board, Standing
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.judging.judge import current_identity
from wardboard.scoring.benchmark import Metric


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
