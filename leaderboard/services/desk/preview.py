"""Work out what a change of an organiser's would do to the ranks of a board, without changing anything.

Ranks are those of the table by score, among the rows of the same judge (or of all, where the board mixes
judges), from the first to the last that undecided answers allow.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from leaderboard.models import Board, Status, Submission
from leaderboard.services import visibility
from leaderboard.services.boards.ranks import ranks_among
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.text import percent_range


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A row of a board that was scored here. judge: its identity, "" for none

    score, upper: the ends of its score, 0..1; upper is None where the judge left no answer undecided
    """

    name: str
    team: str
    judge: str
    score: float
    upper: float | None
    has_rank: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange:
    """What a change does to a row, which is None while it is not on the table.

    rank_before, rank_after: the first and the last rank; None without one
    """

    name: str
    team: str
    before: ScoredRow | None
    after: ScoredRow | None
    rank_before: tuple[int, int] | None
    rank_after: tuple[int, int] | None


def scored_rows(board_at: RecordedBoard) -> dict[int, ScoredRow]:
    """Return the rows of a board that were scored here, by system, best first."""
    fields = ("system_id", "name", "team_name", "organisation", "judge", "score", "metrics")
    metric = visibility.ranked_metric(board_at.board)
    ranked = set(board_at.ranked_rows.values_list("system_id", flat=True))
    rows = board_at.rows.ranked().best_first().values_list(*fields)
    return {
        pk: ScoredRow(
            name=name,
            team=team or organisation,
            judge=judge,
            score=score or 0.0,
            upper=visibility.upper_end(metric, score, metrics),
            has_rank=pk in ranked,
        )
        for pk, name, team, organisation, judge, score, metrics in rows
    }


def _ranks_of(rows: Mapping[int, ScoredRow], *, is_mixed: bool) -> dict[int, tuple[int, int]]:
    scores = {pk: (row.judge, row.score, row.upper) for pk, row in rows.items() if row.has_rank}
    ranks = ranks_among(((*score, 1) for score in scores.values()), is_mixed=is_mixed)
    return {pk: ranks.of_score(*score) for pk, score in scores.items()}


def rank_changes(
    board: Board,
    before: Mapping[int, ScoredRow],
    after: Mapping[int, ScoredRow],
    *,
    will_mix: bool | None = None,
) -> list[RankChange]:
    """Return the rows whose rank or score differs, by their rank afterwards; those that go come last."""
    ranks_before = _ranks_of(before, is_mixed=board.mixes_judges)
    ranks_after = _ranks_of(after, is_mixed=board.mixes_judges if will_mix is None else will_mix)
    changes = []
    for pk, row in {**before, **after}.items():
        old, new = before.get(pk), after.get(pk)
        change = RankChange(
            name=row.name,
            team=row.team,
            rank_before=ranks_before.get(pk),
            rank_after=ranks_after.get(pk),
            before=old,
            after=new,
        )
        scores = [each and percent_range(each.score, each.upper) for each in (old, new)]
        if change.rank_before != change.rank_after or scores[0] != scores[1]:
            changes.append(change)
    return sorted(
        changes,
        key=lambda change: (change.rank_after is None, change.rank_after or change.rank_before or (0, 0)),
    )


def preview_disqualification(submission: Submission, *, is_disqualified: bool) -> list[RankChange]:
    """Return what changes in the table if a result is disqualified, or is not any more."""
    if submission.published_at is None:
        return []
    board, system_id = submission.board, submission.system_id
    others, this = Q(disqualified_at=None), Q(pk=submission.pk)
    counted = Submission.objects.filter(
        others & ~this if is_disqualified else others | this,
        board=board,
        system=system_id,
        status=Status.SCORED,
        published_at__isnull=False,
        withdrawn_at=None,
    )
    chosen = counted.select_related("evaluation", "system", "team").entry_first().first()
    board_at = RecordedBoard(board)
    before = scored_rows(board_at)
    after = dict(before)
    after.pop(system_id, None)
    if chosen is not None and chosen.evaluation is not None:
        score = chosen.evaluation.right / chosen.evaluation.total
        after[system_id] = ScoredRow(
            name=chosen.system.name,
            team=chosen.team.name,
            judge=chosen.evaluation.judge,
            score=score,
            upper=visibility.upper_end(visibility.ranked_metric(board), score, chosen.evaluation.metrics),
            has_rank=not board_at.lead_rules.unmet_by_result(chosen),
        )
    return rank_changes(board, before, after)


def preview_settings(board: Board, changed: Board) -> list[RankChange]:
    """Return what changes in the table with other settings. changed: the board with these, unsaved"""
    before, after = (scored_rows(RecordedBoard(each)) for each in (board, changed))
    return rank_changes(board, before, after, will_mix=changed.mixes_judges)
