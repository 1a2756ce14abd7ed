"""Work out the sentence at the head of a board as it would be without a row, or with another result in it.

Nothing is stored: the queue alone computes the statistics that readers see.
"""

import hashlib
import json
from dataclasses import dataclass, replace

from django.core.cache import caches

from leaderboard.models import Submission
from leaderboard.models.evaluations import Kind
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.head_sentence import PairedFinding, finding_of
from leaderboard.services.boards.query import Query
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.statistics.all_pairs import compare_all
from leaderboard.services.statistics.entrants import Entrant, Entrants, entrants_of, upper_end_of
from leaderboard.services.statistics.rank_statistics import Claims, LeaderFacts, ReadResults
from leaderboard.services.statistics.stored import Results

_cache = caches["boards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What the sentence names of a row. upper: the highest score that it can have"""

    name: str
    score: float
    upper: float
    is_reported: bool = False
    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadChange:
    """The findings above the table, as they are and as they would be; equal where nothing changes."""

    before: PairedFinding
    after: PairedFinding


def head_change(submission: Submission, chosen: Submission | None) -> HeadChange | None:
    """Return what the head of the board says if the result of a system becomes `chosen`, or it has none.

    None where the head goes by no tests, before or afterwards.
    """
    board = submission.board
    board_at = BoardAt(type(board).objects.with_task_ids().get(pk=board.pk))
    before = finding_of(Query(board_at=board_at))
    judge = None if board_at.mixes_judges else board_at.compared_judge
    statistics = board_at.statistics_for(judge)
    entrants = next((one for one in entrants_of(board=board_at.board) if one.judge == (judge or "")), None)
    if not isinstance(before, PairedFinding) or statistics is None or entrants is None:
        return None
    rows = _rows(board_at)
    changed = _without(entrants, submission.system_id)
    if chosen is not None and chosen.evaluation is not None:
        evaluation = chosen.evaluation
        if judge is None or evaluation.judge == judge:
            score = evaluation.right / evaluation.total
            upper = visibility.upper_end(visibility.ranked_metric(board), score, evaluation.metrics)
            row = _Row(name=chosen.system.name, score=score, upper=upper or score, runs=evaluation.runs)
            rows[chosen.system_id] = row
            is_by_task = evaluation.revision_id == board.active_revision_id
            key = evaluation.pk if is_by_task else None
            entrant = Entrant(chosen.system_id, key, score, evaluation.tasks, row.upper)
            changed.compared = sorted([entrant, *changed.compared], key=lambda one: -one.score)
    if changed.compared == entrants.compared:
        return HeadChange(before=before, after=before)
    if not changed.by_task:
        return None
    claims = Claims(
        board=board_at.board,
        results=ReadResults(_results(board_at, changed)),
        low_coverage=statistics.claims.low_coverage,
    )
    facts = claims.facts
    if facts is None:
        return None
    ranked = {one.system for one in changed.compared}
    found = _with_names({key: row for key, row in rows.items() if key in ranked}, facts, claims)
    return HeadChange(before=before, after=replace(found, judge=before.judge))


def _without(entrants: Entrants, system_id: int) -> Entrants:
    compared = [one for one in entrants.compared if one.system != system_id]
    return replace(entrants, compared=compared)


def _rows(board_at: BoardAt) -> dict[int, _Row]:
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    columns = ("system_id", "name", "score", "upper_end", "kind", "evaluation__runs")
    return {
        pk: _Row(name=name, score=score, upper=upper, is_reported=kind == Kind.REPORTED, runs=runs)
        for pk, name, score, upper, kind, runs in rows.values_list(*columns)
    }


def _results(board_at: BoardAt, entrants: Entrants) -> Results:
    """Test all pairs, or read the results of the same input from the cache."""
    board, revision_id = board_at.board, board_at.board.ground_truth.pk
    inputs = json.dumps([revision_id, entrants.compared, entrants.uncompared, entrants.left_out])
    key = f"head-after:{board.pk}:{hashlib.sha256(inputs.encode()).hexdigest()}"
    results: Results | None = _cache.get(key)
    if results is None:
        groups = load_task_groups(board=board, revision_id=revision_id)
        results = compare_all(
            benchmark_slug=board.benchmark, revision_id=revision_id, groups=groups, entrants=entrants
        )
        _cache.set(key, results, 3600)
    return results


def _with_names(rows: dict[int, _Row], facts: LeaderFacts, claims: Claims) -> PairedFinding:
    """Return the finding about rows that are not stored as they would be."""
    first, lowest = rows[facts.first], rows[facts.lowest]
    following = rows.get(facts.next or 0)
    others = [row for key, row in rows.items() if key != facts.first]
    lower = [key for key, row in rows.items() if row.score < first.score]
    second = max(lower, key=lambda key: rows[key].score, default=None)
    equal = [row.name for row in others if row.score == first.score]
    has_open = any(row.upper > row.score for row in rows.values())
    return PairedFinding(
        facts=facts,
        first_name=first.name,
        first_score=first.score,
        first_upper=first.upper if first.upper > first.score else None,
        lowest_score=lowest.score,
        highest_score=max(rows[system].upper for system in claims.tied_systems),
        highest=[first.name, *equal[:2]],
        highest_count=1 + len(equal),
        overlapping=sum(row.score <= first.score < row.upper for row in others) if has_open else 0,
        is_highest=all(row.score <= first.score for row in others),
        second_score=None if second is None or equal else rows[second].score,
        is_ahead=None if second is None or equal else claims.is_better(facts.first, second),
        next_name=following.name if following else "",
        next_score=following.score if following else 0.0,
        next_upper=following.upper if following and following.upper > following.score else None,
        runs=first.runs if facts.is_first_by_task else None,
        judge=None,
        is_reported=first.is_reported,
    )
