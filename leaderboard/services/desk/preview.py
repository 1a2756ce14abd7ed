"""Work out what a change of an organiser's would do to the ranks of a board, without changing anything.

Ranks are those of the table: one more than the number of rows of the same judge (or of all, where the board
mixes judges) with a higher score.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from django.db.models import Q

from leaderboard.models import Board, Status, Submission
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.visibility import round_figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A row of a board that was scored here. judge: its identity, "" for none; score: 0..1

    has_rank: whether it meets the rules for a rank
    """

    name: str
    team: str
    judge: str
    score: float
    has_rank: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange:
    """What a change does to a row, which has no rank and no score while it is not on the table."""

    name: str
    team: str
    rank_before: int | None
    rank_after: int | None
    score_before: float | None
    score_after: float | None


def scored_rows(board_at: RecordedBoard) -> dict[int, ScoredRow]:
    """Return the rows of a board that were scored here, by system."""
    fields = ("system_id", "name", "team_name", "organisation", "judge", "score")
    ranked = set(board_at.ranked_rows.values_list("system_id", flat=True))
    return {
        pk: ScoredRow(
            name=name, team=team or organisation, judge=judge, score=score or 0.0, has_rank=pk in ranked
        )
        for pk, name, team, organisation, judge, score in board_at.rows.ranked().values_list(*fields)
    }


def _ranks_of(rows: Mapping[int, ScoredRow], *, is_mixed: bool) -> dict[int, int]:
    ranked = {pk: ("" if is_mixed else row.judge, row.score) for pk, row in rows.items() if row.has_rank}
    scores = sorted(ranked.values())
    return {
        pk: 1 + bisect_right(scores, (judge, inf)) - bisect_right(scores, (judge, score))
        for pk, (judge, score) in ranked.items()
    }


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
            score_before=round_figure(old.score) if old else None,
            score_after=round_figure(new.score) if new else None,
        )
        if (change.rank_before, change.score_before) != (change.rank_after, change.score_after):
            changes.append(change)
    return sorted(
        changes, key=lambda change: (change.rank_after is None, change.rank_after or change.rank_before or 0)
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
        after[system_id] = ScoredRow(
            name=chosen.system.name,
            team=chosen.team.name,
            judge=chosen.evaluation.judge,
            score=chosen.evaluation.right / chosen.evaluation.total,
            has_rank=not board_at.lead_rules.unmet_by_result(chosen),
        )
    return rank_changes(board, before, after)


def preview_settings(board: Board, changed: Board) -> list[RankChange]:
    """Return what changes in the table with other settings. changed: the board with these, unsaved"""
    before, after = (scored_rows(RecordedBoard(each)) for each in (board, changed))
    return rank_changes(board, before, after, will_mix=changed.mixes_judges)
