"""Read from the public record what the last activation of a revision changed in a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.models import Board, BoardAction, BoardEvent
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.head_sentence import Lead, PairedFinding, finding_of
from leaderboard.services.boards.query import Query
from leaderboard.services.desk.preview import RankChange, rank_changes, ranked_rows
from leaderboard.services.record.as_of import find_as_of

# An activation writes these in one transaction, and what is rescored later adds to them.
_OF_ACTIVATION = (BoardAction.ACTIVATED, BoardAction.BASELINE, BoardAction.RESCORED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activation:
    """The table before an activation and after it.

    before, after: the findings at its head; None where no system is ranked
    is_to_be_tested: whether the tests behind the second are not computed yet
    """

    changes: Sequence[RankChange]
    before: PairedFinding | Lead | None
    after: PairedFinding | Lead | None

    @property
    def is_to_be_tested(self) -> bool:
        return isinstance(self.after, Lead) and self.after.is_to_be_tested


def last_activation(board: Board) -> Activation | None:
    """Return what making the active revision the active one changed; None for the first one of a board."""
    events = BoardEvent.objects.filter(board=board)
    event = events.filter(action=BoardAction.ACTIVATED).order_by("-number").first()
    if event is None:
        return None
    later = events.filter(number__gt=event.number).exclude(action__in=_OF_ACTIVATION).order_by("number")
    following = later.first()
    last = following.number - 1 if following else board.state.number
    before, after = (find_as_of(board=board, text=str(number)) for number in (event.number - 1, last))
    if before is None or after is None or before.event.revision_id is None:
        return None
    old, new = BoardAt(board, before), BoardAt(board, after)
    return Activation(
        changes=rank_changes(board, ranked_rows(old), ranked_rows(new)),
        before=finding_of(Query(board_at=old)),
        after=finding_of(Query(board_at=new)),
    )
