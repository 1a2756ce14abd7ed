"""Find what the sentence at the head of a board says: who is first, and what supports it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, F, IntegerField, Max, Min, Q, Value

from leaderboard.models import ReferenceRevision, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.models.record import boards_without_statistics
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, of_part
from leaderboard.services.boards.read_rows import claims_of, shown_rows
from leaderboard.services.boards.sections import chosen_rows
from leaderboard.services.statistics.entrants import upper_end_of
from leaderboard.services.statistics.rank_statistics import Claims, LeaderFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The row that is ranked first, and the rows near it according to their intervals alone.

    score, low, high: in 0..1; the ends of the 95% interval are None if it is not known
    second_score: the highest score below it; None without one
    equal: the number of rows with the leader's score, including itself
    others: the number of other ranked rows with an interval
    near: the number of other rows whose interval overlaps the leader's
    in_a_row: whether the near rows follow the leader without a gap
    judge: whose rows are compared; None for the rows of all judges
    without: the number of other ranked rows without an interval
    is_outdated: whether the leader was scored against another ground truth than the board's
    is_reported: whether the leader was published elsewhere, and not rescored here
    outdated: the number of other rows that were scored so
    is_selection: whether only the rows that filters choose are compared
    has_removed: whether rows of a past board that were removed since are left out
    is_to_be_tested: whether tests of rows of the board are due, and not done yet
    """

    name: str
    score: float
    low: float | None
    high: float | None
    second_score: float | None
    equal: int
    others: int
    near: int
    in_a_row: bool
    judge: str | None = None
    without: int = 0
    is_outdated: bool = False
    is_reported: bool = False
    outdated: int = 0
    is_selection: bool = False
    has_removed: bool = False
    is_to_be_tested: bool = False


_CLOSE = 1e-9  # scores that differ by less are equal but for rounding


def lead(board_at: BoardAt, *, judge: str | None) -> Lead | None:
    """Return the first row and the number of rows near it, cached until the board changes.

    judge: whose rows are compared; None for the rows of all judges
    """
    rows = of_part(board_at.rows, board_at, judge=judge)
    name = f"lead:{judge is None:d}:{judge or ''}"
    return board_at.remember(name, lambda: _lead(board_at, rows, judge, rows))


def _lead(
    board_at: BoardAt,
    rows: StandingQuerySet[Standing],
    judge: str | None,
    first_rows: StandingQuerySet[Standing],
) -> Lead | None:
    """Return the first row and the number of rows near it; None if no row is ranked.

    The database counts, so the size of the result does not depend on the number of rows.

    rows: of one judge; first_rows: a query for them that finds the first ones sooner
    """
    revision = board_at.revision_id
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    # On a board with a single revision no row is outdated, so evaluations need not be joined.
    own_revision = (
        F("evaluation__revision") if _has_several_revisions(board_at) else Value(revision, IntegerField())
    )
    best, all_rows = (
        chosen.ranked()
        .filter(board_at.lead_rules.condition)
        .best_first()
        .annotate(revision=own_revision, reach=F("high") + upper_end_of(upper_key) - F("score"))
        for chosen in (first_rows, rows)
    )
    first = best.only("name", "score", "low", "high", "kind").first()
    if first is None or first.score is None:
        return None
    # If the leader has no interval, no other can overlap it. What a judge left open may all be right, so the
    # interval of another row reaches further up by its share.
    overlaps = Q(pk__in=[]) if first.low is None else Q(reach__gte=first.low)
    others, is_outdated = all_rows.exclude(pk=first.pk), Q(revision__isnull=False) & ~Q(revision=revision)
    counts = others.aggregate(
        others=Count("pk", filter=Q(low__isnull=False)),
        without=Count("pk", filter=Q(low__isnull=True)),
        equal=Count("pk", filter=Q(score=first.score)),
        second=Max("score", filter=Q(score__lt=first.score)),
        near=Count("pk", filter=overlaps),
        lowest=Min("score", filter=overlaps),
        outdated=Count("pk", filter=is_outdated),
    )
    # Intervals differ in width, so a row may have no overlap with the leader although a lower row has.
    apart = best.exclude(pk=first.pk).exclude(overlaps)
    gap = counts["near"] and apart.filter(score__gt=counts["lowest"]).exists()
    return Lead(
        name=first.name,
        score=first.score,
        low=first.low,
        high=first.high,
        second_score=counts["second"],
        equal=counts["equal"] + 1,
        others=counts["others"],
        near=counts["near"],
        in_a_row=not gap,
        judge=judge,
        without=counts["without"],
        is_outdated=first.revision not in (None, revision),
        is_reported=first.is_reported,
        outdated=counts["outdated"],
    )


def _has_several_revisions(board_at: BoardAt) -> bool:
    revisions = ReferenceRevision.objects.filter(board=board_at.board)
    return board_at.remember("has-several-revisions", lambda: revisions.count() > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFinding:
    """The systems that are tied for first by the tests of all pairs, with names and scores.

    first_score: of the first of them, in 0..1
    first_upper, next_upper: the upper end of a score whose judge left tasks open; None for any other
    overlapping: number of other rows whose range of scores, with open answers, overlaps that of the first
    is_highest: whether no row that could not be compared has a higher score
    highest: names of the systems with the first score, at most three of `highest_count`
    second_score: of the next one; None where the first is alone, or shares its score
    is_ahead: whether the first is significantly better than the next one; None where they were not compared
    next_name, next_score: the highest system that is significantly worse than the first, "" without one
    runs: number of runs behind the first system's score; None where it is not known
    judge: whose rows were tested; None for the rows of all judges
    is_reported: whether the first was published elsewhere, and not rescored here
    is_selection: whether only the rows that filters choose are compared
    has_removed: whether rows of a past board that were removed since are left out
    """

    facts: LeaderFacts
    first_name: str
    first_score: float
    first_upper: float | None
    highest: Sequence[str]
    highest_count: int
    overlapping: int
    is_highest: bool
    second_score: float | None
    is_ahead: bool | None
    next_name: str
    next_score: float
    next_upper: float | None
    runs: int | None
    judge: str | None
    is_reported: bool = False
    is_selection: bool = False
    has_removed: bool = False


def finding_of(query: Query) -> PairedFinding | Lead | None:
    """Return the results on the first rows of those shown; None if none of them is ranked.

    They are from the tests of all pairs or, while these are being computed and if fewer than two rows were
    compared, from single intervals. On a past board, rows that were removed since are not among them.
    """
    board_at = query.board_at
    judge = None if board_at.mixes_judges else query.judge or board_at.compared_judge
    name = f"finding:{json.dumps([judge, query.filters], sort_keys=True)}"
    return board_at.remember(name, lambda: _finding_of(query, judge))


def _finding_of(query: Query, judge: str | None) -> PairedFinding | Lead | None:
    board_at = query.board_at
    claims = claims_of(query, judge)
    facts = claims.facts if claims else None
    has_removed = bool(board_at.removals) and _has_removed(query, judge)
    found: PairedFinding | Lead | None
    if facts is not None:
        assert claims is not None, "facts are read from claims"
        found = _with_names(board_at, shown_rows(query, judge=judge), facts, claims, judge)
    else:
        rows, first_rows = (
            _standing(board_at, chosen_rows(query, judge=judge, in_order_of_ranks=in_order))
            for in_order in (False, True)
        )
        found = _lead(board_at, rows, judge, first_rows)
        found = found and replace(found, is_to_be_tested=_is_to_be_tested(board_at))
    return found and replace(found, is_selection=query.is_selection, has_removed=has_removed)


def _standing(board_at: BoardAt, rows: StandingQuerySet[Standing]) -> StandingQuerySet[Standing]:
    """Return the rows that were not removed since."""
    return rows.exclude(system__in=list(board_at.removals)) if board_at.removals else rows


def _has_removed(query: Query, judge: str | None) -> bool:
    rows = chosen_rows(query, judge=judge).ranked().filter(query.board_at.lead_rules.condition)
    return rows.filter(system__in=list(query.board_at.removals)).exists()


def _is_to_be_tested(board_at: BoardAt) -> bool:
    """Return whether the current rows are still to be tested, as just after a change."""
    if board_at.is_past or board_at.statistics:
        return False
    of_board = boards_without_statistics().filter(board=board_at.board)
    return board_at.remember("is-to-be-tested", lambda: of_board.exists() and board_at.ranked_rows.exists())


def _with_names(
    board_at: BoardAt,
    rows: StandingQuerySet[Standing],
    facts: LeaderFacts,
    claims: Claims,
    judge: str | None,
) -> PairedFinding:
    upper_key = visibility.ranked_metric(board_at.board).upper_key
    rows = rows.annotate(upper_end=upper_end_of(upper_key))
    named = {row.system_id: row for row in rows.filter(system__in=[facts.first, facts.next])}
    first, following = named[facts.first], named.get(facts.next or 0)
    score = first.score or 0.0
    others = rows.ranked().exclude(system=facts.first)
    equal = others.filter(score=score).best_first()
    names = list(equal.values_list("name", flat=True)[:2])
    second = None if names else others.filter(score__lt=score).best_first().only("system", "score").first()
    return PairedFinding(
        facts=facts,
        first_name=first.name,
        is_reported=first.is_reported,
        first_score=score,
        first_upper=_upper_of(board_at, first),
        highest=[first.name, *names],
        highest_count=1 + (equal.count() if len(names) == 2 else len(names)),
        overlapping=others.filter(score__lte=score, upper_end__gt=score + _CLOSE).count() if upper_key else 0,
        is_highest=not others.filter(score__gt=score).exists(),
        second_score=second.score if second else None,
        is_ahead=claims.is_better(facts.first, second.system_id) if second else None,
        next_name=following.name if following else "",
        next_score=(following.score or 0.0) if following else 0.0,
        next_upper=_upper_of(board_at, following) if following else None,
        runs=first.evaluation.runs if facts.is_first_by_task and first.evaluation else None,
        judge=judge,
    )


def _upper_of(board_at: BoardAt, row: Standing) -> float | None:
    return visibility.upper_end(visibility.ranked_metric(board_at.board), row.score, row.metrics)
