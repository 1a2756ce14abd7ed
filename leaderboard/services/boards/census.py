"""Count the rows of a board by kind and judge."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from leaderboard.models import Kind
from leaderboard.services.judging.judge import current_identity, is_by
from leaderboard.services.record.recorded_board import RecordedBoard

Part = tuple[str, str]  # kind and judge of rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """The numbers of rows on a whole board.

    judges: judge -> rows that are not baselines, most first. gaps: rows without a score
    """

    kinds: Mapping[str, int]
    judges: Mapping[str, int]
    parts: Mapping[Part, int]
    gaps: int = 0

    @property
    def total(self) -> int:
        return sum(self.kinds.values())

    @property
    def systems(self) -> int:
        """The number of rows that are not baselines."""
        return self.total - self.kinds[Kind.BASELINE]

    @property
    def leading(self) -> Mapping[str, int]:
        """Judge -> verified rows or, on a board without any, rows as published."""
        verified = {judge: number for (kind, judge), number in self.parts.items() if kind == Kind.RESCORED}
        return verified or self.judges


def take_census(board_at: RecordedBoard) -> Census:
    """Return the number of rows of each kind and judge."""
    kinds: Counter[str] = Counter(dict.fromkeys(Kind.values, 0))
    judges: Counter[str] = Counter()
    parts: dict[Part, int] = {}
    gaps = 0
    counted = board_at.rows.values_list("judge", "kind").annotate(number=Count("pk"), scored=Count("score"))
    for judge, kind, number, scored in counted.order_by("judge", "kind"):
        parts[kind, judge] = number
        kinds[kind] += number
        gaps += number - scored
        if kind != Kind.BASELINE:
            judges[judge] += number
    return Census(kinds=dict(kinds), judges=dict(judges.most_common()), parts=parts, gaps=gaps)


def compared_judge(board_at: RecordedBoard, judges: Mapping[str, int]) -> str | None:
    """Return the judge whose rows may be compared; None on a board that mixes judges.

    This is the board's own judge or, if that has no rows, the one with the most; rows of a judge that is not
    stated may be of several. A past board has the judge of its event, or today's judge if the event does not
    name one.

    judges: judge -> number of the rows that count
    """
    if board_at.mixes_judges:
        return None
    own = (board_at.as_of.event.judge if board_at.as_of else "") or current_identity(board_at.board)
    ours = [judge for judge in judges if is_by(judge, own)]
    if own in judges or not judges:
        return own
    return max(ours or judges, key=lambda judge: (bool(judge), judges[judge], judge))
