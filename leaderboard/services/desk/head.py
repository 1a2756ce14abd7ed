"""Test what the head of a board would say, were its rows scored otherwise. Nothing is stored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from django.utils import timezone

from leaderboard.models import Board, ReferenceRevision
from leaderboard.services.boards.census import compared_judge
from leaderboard.services.boards.summary import Summary, SummaryRow, summarise
from leaderboard.services.desk.preview import ScoredRow
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.all_pairs import compare_all
from leaderboard.services.statistics.entrants import MOST, Entrant, Entrants, scores_by_verdicts
from leaderboard.services.statistics.rank_statistics import RankStatistics, ReadResults


def summary_after(
    board: Board,
    revision: ReferenceRevision,
    rows: Mapping[int, ScoredRow],
    verdicts: Mapping[int, bytes],
) -> Summary | None:
    """Return what the tests would say; None where there are fewer than two rows to test.

    verdicts: of those that are scored by the revision, as an evaluation has them
    """
    judges = Counter(row.judge for row in rows.values() if row.has_rank)
    judge = compared_judge(RecordedBoard(board), judges)
    ranked = {pk: row for pk, row in rows.items() if row.has_rank and judge in (None, row.judge)}
    compared = [Entrant(pk, 0, row.score) for pk, row in ranked.items() if pk in verdicts]
    if not 1 < len(compared) <= MOST:
        return None
    entrants = Entrants(judge=judge or "", compared=compared, uncompared=len(ranked) - len(compared))
    groups, tasks = load_task_groups(board=board, revision_id=revision.pk), len(revision.task_ids)
    of_rows = enumerate(verdicts[row.system] for row in compared)
    scores = scores_by_verdicts(board.benchmark, of_rows, len(compared), tasks)
    tests = compare_all(revision_id=revision.pk, groups=groups, entrants=entrants, scores=scores)
    now = timezone.now()
    claims = RankStatistics(board=board, judge=entrants.judge, computed_at=now, results=ReadResults(tests))
    leader = claims.tied[0]
    uppers = {pk: row.upper or row.score for pk, row in ranked.items()}
    name, score, runs = ranked[leader].name, ranked[leader].score, len(verdicts[leader]) // tasks
    first = SummaryRow(name=name, score=score, upper=uppers.pop(leader), since=now, tasks=tasks, runs=runs)
    ends = max(ranked[pk].score for pk in uppers), max(uppers.values())
    summary = summarise(claims, first, ends, lambda low: [pk for pk, up in uppers.items() if up >= low])
    return replace(summary, judge=judge if len(judges) > 1 else None)
