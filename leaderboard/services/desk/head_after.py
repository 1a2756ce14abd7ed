"""Work out the sentence at the head of a board as it would be with other results in its rows, or without one.

Nothing is stored: the queue alone computes the statistics that readers see.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.core.cache import caches

from leaderboard.models import Board, Evaluation, ReferenceRevision, Standing, Submission
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
from leaderboard.services.submissions import rescore

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What the head of a board goes by now.

    judge: whose rows are compared; None for the rows of all judges
    rows: by system
    """

    board_at: BoardAt
    finding: PairedFinding
    judge: str | None
    entrants: Entrants
    low_coverage: frozenset[int]
    rows: dict[int, _Row]

    @property
    def systems(self) -> list[int]:
        """The compared systems."""
        return [one.system for one in self.entrants.compared]


def head_change(board: Board, system_id: int, chosen: Submission | None) -> HeadChange | None:
    """Return what the head of the board says if the result of a system becomes `chosen`, or it has none.

    None where the head goes by no tests, before or afterwards, and where the row that goes may be one that
    the tests leave out.
    """
    head = _read(board)
    if head is None:
        return None
    if chosen is None and head.entrants.uncompared and system_id not in head.systems:
        return None
    evaluation = chosen.evaluation if chosen else None
    return _change(head, {system_id: evaluation}, head.board_at.board.ground_truth.pk)


def head_by_revision(revision: ReferenceRevision, *, kept: int) -> HeadChange | None:
    """Return what the head of a board says once a revision, by which results are scored, is active.

    kept: how many systems keep their present scores, since the revision cannot score their files
    None where others are not scored yet, and where the head goes by no tests, before or afterwards.
    """
    head = _read(revision.board)
    if head is None:
        return None
    rescored = Standing.objects.filter(
        board=revision.board, system__in=head.systems, evaluation__isnull=False
    )
    submissions = dict(rescored.values_list("system_id", "evaluation__submission"))
    stored = rescore.scores_by(revision.board, revision).defer("verdicts", "details")
    scores = {score.submission_id: score for score in stored}
    replaced = {system: scores[pk] for system, pk in submissions.items() if pk in scores}
    if len(submissions) - len(replaced) > kept:
        return None
    return _change(head, replaced, revision.pk)


def head_by_settings(board: Board, changed: Board) -> HeadChange | None:
    """Return what the head of a board says with other settings. changed: the board with these, unsaved

    None where the head goes by no tests, before or afterwards, and where judges would be ranked otherwise.
    """
    head = _read(board)
    if head is None or board.mixes_judges != changed.mixes_judges:
        return None
    by_judge = {entrants.judge: entrants for entrants in entrants_of(board=changed)}
    entrants = by_judge.get(head.judge or "")
    if entrants is None:
        return None
    return _test(head, entrants, _rows(BoardAt(changed)), board.ground_truth.pk)


def _read(board: Board) -> _Head | None:
    board_at = BoardAt(Board.objects.with_task_ids().get(pk=board.pk))
    finding = finding_of(Query(board_at=board_at))
    judge = None if board_at.mixes_judges else board_at.compared_judge
    statistics = board_at.statistics_for(judge)
    entrants = next((one for one in entrants_of(board=board_at.board) if one.judge == (judge or "")), None)
    if not isinstance(finding, PairedFinding) or statistics is None or entrants is None:
        return None
    return _Head(
        board_at=board_at,
        finding=finding,
        judge=judge,
        entrants=entrants,
        low_coverage=statistics.claims.low_coverage,
        rows=_rows(board_at),
    )


def _change(head: _Head, replaced: Mapping[int, Evaluation | None], revision_id: int) -> HeadChange | None:
    """Return the change of the head if systems get other scores. replaced: system -> score; None for none"""
    board, rows = head.board_at.board, dict(head.rows)
    compared: list[Entrant] = []
    present = {one.system: one for one in head.entrants.compared}
    for system in [*(replaced.keys() - present.keys()), *present]:
        if system not in replaced:
            # Scores by task are compared only where they are by the same references.
            is_same = revision_id == board.active_revision_id
            compared.append(present[system] if is_same else present[system]._replace(evaluation=None))
            continue
        evaluation = replaced[system]
        if evaluation is None or (head.judge is not None and evaluation.judge != head.judge):
            continue
        score = evaluation.right / evaluation.total
        upper = visibility.upper_end(visibility.ranked_metric(board), score, evaluation.metrics) or score
        name = rows[system].name if system in rows else evaluation.submission.system.name
        rows[system] = _Row(name=name, score=score, upper=upper, runs=evaluation.runs)
        key = evaluation.pk if evaluation.revision_id == revision_id else None
        compared.append(Entrant(system, key, score, evaluation.tasks, upper))
    compared.sort(key=lambda one: -one.score)
    return _test(head, replace(head.entrants, compared=compared), rows, revision_id)


def _test(head: _Head, changed: Entrants, rows: Mapping[int, _Row], revision_id: int) -> HeadChange | None:
    """Return the change of the head if these are compared. rows: theirs, and perhaps others"""
    board = head.board_at.board
    if changed == head.entrants:
        return HeadChange(before=head.finding, after=head.finding)
    if not changed.by_task:
        return None
    claims = Claims(
        board=board,
        results=ReadResults(_results(board, revision_id, changed)),
        low_coverage=head.low_coverage,
    )
    facts = claims.facts
    if facts is None:
        return None
    named = {one.system: rows[one.system] for one in changed.compared}
    after = replace(_with_names(named, facts, claims), judge=head.finding.judge)
    return HeadChange(before=head.finding, after=after)


def _rows(board_at: BoardAt) -> dict[int, _Row]:
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = board_at.ranked_rows.annotate(upper_end=upper_end_of(upper_key))
    columns = ("system_id", "name", "score", "upper_end", "kind", "evaluation__runs")
    return {
        pk: _Row(name=name, score=score, upper=upper, is_reported=kind == Kind.REPORTED, runs=runs)
        for pk, name, score, upper, kind, runs in rows.values_list(*columns)
    }


def _results(board: Board, revision_id: int, entrants: Entrants) -> Results:
    """Test all pairs, or read the results of the same input from the cache."""
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
    first = rows[facts.first]
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
