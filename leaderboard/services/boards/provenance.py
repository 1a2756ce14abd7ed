"""The provenance of a board's figures: event, ground truth, scorer and statistics."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.utils.crypto import salted_hmac

from leaderboard.models import Board, BoardEvent, ReferenceRevision
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.rank_statistics import RankStatistics
from wardboard.scoring import registry

METHOD = (
    "95% interval of each rank: from 1 + the number of systems significantly better, to the number of all "
    "systems - those significantly worse, by tests of all pairs, Holm-adjusted over all pairs, so that all "
    "intervals hold at once. "
    "Tied for first: two or more systems than which no other is significantly better. {test}; "
    "between different numbers of runs, p is at least that of an exact test within tasks. Rows as published "
    "are tested with nothing.{open_answers}"
)
_OPEN_ANSWERS = (
    " Open answers of the system ahead count as not right in each test, and those of the other as right, so "
    "that a claim holds whichever way they turn out."
)
_TESTS = {
    False: "Tests by task: mid-p McNemar",
    True: "Tests by cluster of tasks: sign flips of whole clusters, mid-p",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The provenance of a table.

    event: number of the board's last event, which retrieves the same table later; 0 without one
    outdated: number of rows that were scored against another one, and not again since
    """

    event: int
    at: datetime | None
    revision: ReferenceRevision | None
    outdated: int
    scorer_version: str


def describe_method(statistics: Collection[RankStatistics]) -> str:
    """Return the method of the rank intervals in words. statistics: one for each judge"""
    return METHOD.format(
        test=_TESTS[any(run.stored.is_clustered for run in statistics)],
        open_answers=_OPEN_ANSWERS if any(run.stored.has_open for run in statistics) else "",
    )


def public_digest(statistics: RankStatistics) -> str:
    """Return a keyed digest of all input of the statistics.

    Without the key someone who knows all references but one could test guesses with it.
    """
    return salted_hmac("wardboard.statistics", statistics.digest, algorithm="sha256").hexdigest()


def read_provenance(board_at: RecordedBoard) -> Provenance:
    board = board_at.board
    # The counter was read with the board, so the event is never newer than the table.
    last = BoardEvent.objects.filter(board=board, number=board.state.number)
    event = board_at.as_of.event if board_at.as_of else last.first()
    revision = read_revision(event.revision_id if event else board_at.board.active_revision_id)
    rescored = board_at.rows.filter(evaluation__isnull=False)
    return Provenance(
        event=event.number if event else 0,
        at=event.at if event and event.number else None,
        revision=revision,
        outdated=rescored.exclude(evaluation__revision=revision).count(),
        scorer_version=scorer_of(board_at),
    )


def scorer_of(board_at: RecordedBoard) -> str:
    """Return the version of the scorer; for a past board, the versions that scored its rows."""
    today = registry.get(board_at.board.benchmark).scorer_version
    if not board_at.is_past:
        return today
    rows = board_at.rows.filter(evaluation__isnull=False).order_by()
    versions = rows.values_list("evaluation__scorer_version", flat=True).distinct()
    return board_at.remember("scorer", lambda: ", ".join(sorted(versions)) or today)


def revisions_of(board: Board) -> dict[int, tuple[int, str]]:
    """Return primary key -> number and digest of each revision of the board's references."""
    rows = ReferenceRevision.objects.filter(board=board).order_by()
    return {key: (number, digest) for key, number, digest in rows.values_list("pk", "number", "digest")}


def read_revision(key: int | None) -> ReferenceRevision | None:
    """Return a revision without its references; None for no key."""
    return None if key is None else ReferenceRevision.objects.without_references().get(pk=key)
