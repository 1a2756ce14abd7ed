"""Compute in the background how certain a board's ranks are; `known` reads the results.

The computation holds no lock and no transaction. All results of a board at one event are stored at once, so a
killed worker leaves nothing half done, and the second of two concurrent workers stores nothing.
"""

import hashlib
import json
from time import perf_counter

from django.db import IntegrityError, transaction

from leaderboard.models import Board, BoardState, BoardStatistics, ReferenceRevision
from leaderboard.services.judging import task_groups
from leaderboard.services.record import events
from leaderboard.services.statistics.all_pairs import compare_all
from leaderboard.services.statistics.entrants import Entrants, entrants_of, scores_of
from leaderboard.services.statistics.stored import Results, pack

_TRIES = 5


def compute_statistics(*, board_id: int) -> bool:
    """Compute the statistics of the current board; return whether any were stored.

    Does nothing if they exist, the board has no references, or no row can be tested.
    """
    for _ in range(_TRIES):
        board = Board.objects.with_task_ids().filter(pk=board_id).first()
        if board is None or not board.is_open:
            return False
        number = board.state.rows_number
        if BoardStatistics.objects.filter(board=board, number=number, method=BoardStatistics.METHOD).exists():
            return False
        entrants = entrants_of(board=board)
        # If rows changed while they were read, read them again; the evaluations themselves never change.
        if BoardState.objects.values_list("rows_number", flat=True).get(pk=board_id) == number:
            return bool(entrants) and _store(board, [_row(board, number, judged) for judged in entrants])
    # The next change of the board enqueues it again.
    return False


def _store(board: Board, rows: list[BoardStatistics]) -> bool:
    try:
        with transaction.atomic():
            BoardStatistics.objects.filter(board=board, number=rows[0].number).forget_other_methods()
            BoardStatistics.objects.bulk_create(rows)
            events.touch(board=board)
    except IntegrityError:
        return False  # another worker was there first
    return True


def _row(board: Board, number: int, entrants: Entrants) -> BoardStatistics:
    """Return the row to store for one judge. What the same input gave before is not computed again."""
    started = perf_counter()
    digest = digest_of(board.ground_truth, entrants)
    known = BoardStatistics.objects.filter(board=board, digest=digest).first()
    return BoardStatistics(
        board=board,
        number=number,
        judge=entrants.judge,
        digest=digest,
        method=BoardStatistics.METHOD,
        systems=len(entrants.compared),
        payload=known.payload if known else pack(compute_results(board, entrants)),
        seconds=round(perf_counter() - started, 3),
    )


def digest_of(revision: ReferenceRevision, entrants: Entrants) -> str:
    """Return the SHA-256 of all input of the results, as hexadecimal digits."""
    inputs = [
        BoardStatistics.METHOD,
        revision.pk,
        revision.digest,
        entrants.compared,
        entrants.uncompared,
        entrants.left_out,
    ]
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def compute_results(board: Board, entrants: Entrants) -> Results:
    """Test all pairs of `entrants`."""
    revision_id = board.ground_truth.pk
    groups = task_groups.load_task_groups(board=board, revision_id=revision_id)
    scores = scores_of(board.benchmark, [row.evaluation for row in entrants.compared], len(groups.strata))
    return compare_all(revision_id=revision_id, groups=groups, entrants=entrants, scores=scores)
