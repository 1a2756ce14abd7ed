"""Work out what a change of an organiser's would do to the ranks of a board, without changing anything.

Ranks are those of the table: one more than the number of rows of the same judge (or of all, where the board
mixes judges) with a higher score.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.db.models import Q

from leaderboard.models import Board, Status, Submission
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.visibility import round_figure
from wardboard.scoring.statistics.open_answers import rank_bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """A row of a board that has a rank.

    judge: its identity, "" for none
    score: 0..1; the lowest that it can be where answers are open. highest: the highest then, else None
    """

    system_id: int
    name: str
    team: str
    judge: str
    score: float
    highest: float | None = None

    @property
    def upper(self) -> float:
        """The highest score that it can have."""
        return self.score if self.highest is None else self.highest


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange:
    """What a change does to a row, which has no rank and no score while it is not on the table.

    rank_after, worst_after: the best and the worst rank that it can have; they differ only where answers of
        it or of others are open
    score_after, highest_after: likewise the lowest and the highest score
    """

    name: str
    team: str
    rank_before: int | None
    rank_after: int | None
    worst_after: int | None
    score_before: float | None
    score_after: float | None
    highest_after: float | None


def ranked_rows(board_at: RecordedBoard) -> dict[int, RankedRow]:
    """Return the ranked rows of a board, by system."""
    fields = ("system_id", "name", "team_name", "organisation", "judge", "score")
    return {
        pk: RankedRow(system_id=pk, name=name, team=team or organisation, judge=judge, score=score)
        for pk, name, team, organisation, judge, score in board_at.ranked_rows.values_list(*fields)
        if score is not None
    }


def ranks_of(rows: Iterable[RankedRow], *, is_mixed: bool) -> dict[int, tuple[int, int]]:
    """Return the best and the worst rank of each row, from 1, by system.

    is_mixed: whether all judges share one ranking.
    """
    by_judge = defaultdict[str, list[RankedRow]](list)
    for row in rows:
        by_judge["" if is_mixed else row.judge].append(row)
    ranks: dict[int, tuple[int, int]] = {}
    for group in by_judge.values():
        best, worst = rank_bounds([row.score for row in group], [row.upper for row in group])
        ranks |= {row.system_id: (int(best[i]), int(worst[i])) for i, row in enumerate(group)}
    return ranks


def rank_changes(
    board: Board,
    before: Mapping[int, RankedRow],
    after: Mapping[int, RankedRow],
    *,
    will_mix: bool | None = None,
) -> list[RankChange]:
    """Return the rows whose rank or score differs, by their rank afterwards; those that go come last.

    will_mix: whether judges share one ranking afterwards; None for as now
    """
    ranks_before = ranks_of(before.values(), is_mixed=board.mixes_judges)
    ranks_after = ranks_of(after.values(), is_mixed=board.mixes_judges if will_mix is None else will_mix)
    changes = []
    for pk in before.keys() | after.keys():
        old, new = before.get(pk), after.get(pk)
        row = new or old
        is_same = old is not None and new is not None and old.score == new.score == new.upper
        if row is None or (is_same and ranks_before[pk] == ranks_after[pk]):
            continue
        best, worst = ranks_after.get(pk, (None, None))
        changes.append(
            RankChange(
                name=row.name,
                team=row.team,
                rank_before=ranks_before[pk][0] if old else None,
                rank_after=best,
                worst_after=worst,
                score_before=round_figure(old.score) if old else None,
                score_after=round_figure(new.score) if new else None,
                highest_after=round_figure(new.upper) if new else None,
            )
        )
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
    before = ranked_rows(RecordedBoard(board))
    after = dict(before)
    current = after.pop(system_id, None)
    if chosen is not None and chosen.evaluation is not None:
        evaluation = chosen.evaluation
        row = RankedRow(
            system_id=system_id,
            name=chosen.system.name,
            team=chosen.team.name,
            judge=evaluation.judge,
            score=evaluation.right / evaluation.total,
        )
        after[system_id] = replace(current, judge=row.judge, score=row.score) if current else row
    return rank_changes(board, before, after)


def preview_settings(board: Board, changed: Board) -> list[RankChange]:
    """Return what changes in the table with other settings. changed: the board with these, unsaved"""
    before, after = (ranked_rows(RecordedBoard(each)) for each in (board, changed))
    return rank_changes(board, before, after, will_mix=changed.mixes_judges)
