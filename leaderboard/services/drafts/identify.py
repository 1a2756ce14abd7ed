"""Find the leaderboards that a file can be submitted to."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from django.conf import settings

from leaderboard.models import Board
from leaderboard.services import turns
from leaderboard.services.files.arrivals import StoredFile
from leaderboard.services.files.read import check_file, seconds_of_check
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Reading
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.problems import FoundSystem, SubmissionInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A leaderboard that a file can go to.

    reading: None where reading the file takes too long for a request; it is checked once it is submitted.
    """

    board: Board
    reading: Reading | None

    @property
    def share(self) -> float:
        """The share of the leaderboard's tasks that the file answers, 0..1, or more with several runs."""
        return self.reading.count / self.board.ground_truth.file_task_count if self.reading else 0.0


class NotScorable(Exception):
    """The file can go to no leaderboard.

    closest: the one that it is most likely meant for. rejection: every problem that it has there.
    """

    def __init__(self, closest: Board | None, rejection: SubmissionInvalid) -> None:
        super().__init__(str(rejection))
        self.closest = closest
        self.rejection = rejection


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """What a file is.

    matches: the leaderboards that it can go to, the likeliest first; none where it holds several `systems`
    """

    matches: Sequence[Match]
    systems: Sequence[FoundSystem] = ()

    @property
    def likeliest(self) -> Match | None:
        """The match that is more likely than every other one; None where two are as likely."""
        first, *others = self.matches
        return None if others and _likelihood(others[0]) == _likelihood(first) else first


def identify(
    file: StoredFile, boards: Sequence[Board], *, preferred: str = "", has_account: bool, is_large: bool
) -> Identified:
    """Read a file for each of `boards`, which are open and at least one. Raises NotScorable, Busy.

    preferred: slug of the leaderboard whose report is wanted where the file has problems everywhere.
    has_account: whether the sender is signed in, and so may have the service read for longer.
    is_large: whether its check is left to the background where it takes longer than a moment.
    """
    seconds = settings.REQUEST_SECONDS if is_large else seconds_of_check(has_account=has_account)
    ends = monotonic() + seconds
    with turns.take_to_read(has_account=has_account):
        outcomes = [_read(board, file, ends - monotonic(), has_account=has_account) for board in boards]
    matches, rejections = [], []
    for board, outcome in zip(boards, outcomes, strict=True):
        if isinstance(outcome, Reading):
            matches.append(Match(board=board, reading=outcome))
        elif (
            has_account
            and is_large
            and {each.code for each in outcome.problems.listed} <= {DocumentCode.TOO_SLOW}
        ):
            matches.append(Match(board=board, reading=None))
        else:
            rejections.append((board, outcome))
    if matches:
        matches.sort(key=_likelihood)
        return Identified(matches=matches)
    closest, rejection = min(
        rejections,
        key=lambda pair: (_belongs_elsewhere(*pair), pair[0].slug != preferred, pair[1].problems.total),
    )
    raise NotScorable(closest, rejection)


def _read(
    board: Board, file: StoredFile, seconds: float, *, has_account: bool
) -> Reading | SubmissionInvalid:
    try:
        return check_file(board=board, file=file, seconds=seconds, has_account=has_account)
    except SubmissionInvalid as rejection:
        return rejection


def _likelihood(match: Match) -> tuple[bool, float]:
    """Sort leaderboards of hidden references first, then by how many of their tasks the file answers."""
    return match.board.is_demo, -match.share


def _belongs_elsewhere(board: Board, rejection: SubmissionInvalid) -> int:
    """Return 0 for a file of the board, 1 for one of other tasks, 2 for one of another benchmark."""
    elsewhere = registry.get(board.benchmark).elsewhere
    codes = {problem.code for problem in rejection.problems.listed if problem.code in elsewhere}
    return max((1 + code.endswith(".other-benchmark") for code in codes), default=0)
