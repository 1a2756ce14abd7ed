"""Find what the sentence at the head of a board says: who is first, and what supports it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.db.models import Count, F, IntegerField, Min, Q, Value

from leaderboard.models import ReferenceRevision, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.models.record import boards_without_statistics
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query, of_part
from leaderboard.services.boards.sections import chosen_rows, number_of_chosen
from leaderboard.services.judging.task_groups import load_task_groups
from leaderboard.services.statistics import disclosure
from leaderboard.services.statistics.all_pairs import compare_all
from leaderboard.services.statistics.entrants import read_entrants, upper_end_of
from leaderboard.services.statistics.rank_statistics import LeaderFacts, leader_facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The row that is ranked first, and the rows near it according to their intervals alone.

    score, low, high: in 0..1; the ends of the 95% interval are None if it is not known
    tied: the number of rows with the leader's score, including itself
    others: the number of other ranked rows with an interval
    near: the number of other rows whose interval overlaps the leader's
    in_a_row: whether the near rows follow the leader without a gap
    judge: whose rows are compared; None for the rows of all judges
    without: the number of other ranked rows without an interval
    is_outdated: whether the leader was scored against another ground truth than the board's
    outdated: the number of other rows that were scored so
    is_selection: whether only the rows that filters choose are compared
    is_to_be_tested: whether tests of rows of the board are due, and not done yet
    """

    name: str
    score: float
    low: float | None
    high: float | None
    tied: int
    others: int
    near: int
    in_a_row: bool
    judge: str | None = None
    without: int = 0
    is_outdated: bool = False
    outdated: int = 0
    is_selection: bool = False
    is_to_be_tested: bool = False


MOST_CHOSEN = 300  # rows that are tested among themselves while a page is made


def lead(board_at: BoardAt, *, judge: str | None) -> Lead | None:
    """Return the first row and the number of rows near it, cached until the board changes.

    None if no row is ranked. The database counts, so the size of the result does not depend on the number
    of rows.

    judge: whose rows are compared; None for the rows of all judges
    """
    name = f"lead:{judge is None:d}:{judge or ''}"
    return board_at.remember(
        name, lambda: _lead(board_at, of_part(board_at.rows, board_at, judge=judge), judge)
    )


def _lead(
    board_at: BoardAt,
    rows: StandingQuerySet[Standing],
    judge: str | None,
    first_rows: StandingQuerySet[Standing] | None = None,
) -> Lead | None:
    """Return `lead` of one judge's `rows`. first_rows: a query for them that finds the first ones sooner."""
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
        for chosen in (rows if first_rows is None else first_rows, rows)
    )
    first = best.only("name", "score", "low", "high").first()
    if first is None or first.score is None:
        return None
    # If the leader has no interval, no other can overlap it. What a judge left open may all be right, so the
    # interval of another row reaches further up by its share.
    overlaps = Q(pk__in=[]) if first.low is None else Q(reach__gte=first.low)
    others, is_outdated = all_rows.exclude(pk=first.pk), Q(revision__isnull=False) & ~Q(revision=revision)
    counts = others.aggregate(
        others=Count("pk", filter=Q(low__isnull=False)),
        without=Count("pk", filter=Q(low__isnull=True)),
        tied=Count("pk", filter=Q(score=first.score)),
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
        tied=counts["tied"] + 1,
        others=counts["others"],
        near=counts["near"],
        in_a_row=not gap,
        judge=judge,
        without=counts["without"],
        is_outdated=first.revision not in (None, revision),
        outdated=counts["outdated"],
    )


def _has_several_revisions(board_at: BoardAt) -> bool:
    revisions = ReferenceRevision.objects.filter(board=board_at.board)
    return board_at.remember("has-several-revisions", lambda: revisions.count() > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFinding:
    """The systems that are tied for first by the tests of all pairs, with names and scores.

    first_score, lowest_score: of the first of them, and of the lowest, in 0..1
    highest: names of the systems with the first score, at most three of `highest_count`
    next_name, next_score: the highest system that is significantly worse than the first, "" without one
    runs: number of runs behind the first system's score; None where it is not known
    judge: whose rows were tested; None for the rows of all judges
    is_selection: whether only the rows that filters choose were tested
    """

    facts: LeaderFacts
    first_name: str
    first_score: float
    lowest_score: float
    highest: Sequence[str]
    highest_count: int
    next_name: str
    next_score: float
    runs: int | None
    judge: str | None
    is_selection: bool = False


def finding_of(board_at: BoardAt, *, judge: str | None) -> PairedFinding | Lead | None:
    """Return the results on the first rows; None if no row is ranked.

    They are from the tests of all pairs or, while these are being computed and if fewer than two rows can be
    compared, from single intervals.

    judge: whose rows are compared; None for the rows of all judges, as always on a board that mixes judges
    """
    if board_at.mixes_judges:
        judge = None
    statistics = board_at.statistics_for(judge)
    if statistics is None or statistics.systems < 2:
        first = lead(board_at, judge=judge)
        return first and replace(first, is_to_be_tested=_is_to_be_tested(board_at))
    return _with_names(board_at.ranked_rows, statistics.finding, judge)


def _is_to_be_tested(board_at: BoardAt) -> bool:
    """Return whether the current rows are still to be tested, as just after a change."""
    if board_at.is_past or board_at.statistics:
        return False
    of_board = boards_without_statistics().filter(board=board_at.board)
    return board_at.remember("is-to-be-tested", lambda: of_board.exists() and board_at.ranked_rows.exists())


def finding_of_query(query: Query) -> PairedFinding | Lead | None:
    """Return `finding_of` the ranked rows that the filters of `query` choose, tested among themselves.

    A judge, if it is the only filter, chooses between tests that are stored. Other choices are tested here,
    once for each revision of the board; rows beyond MOST_CHOSEN are not tested, and neither are any where
    the feedback level hides counts, since each choice would narrow them down (`statistics.p_values`).
    """
    board_at = query.board_at
    judge = None if board_at.mixes_judges else query.judge or board_at.compared_judge
    if not query.filters.keys() - {"judge"}:
        name = f"finding:{judge is None:d}:{judge or ''}"
        return board_at.remember(name, lambda: finding_of(board_at, judge=judge))
    name = f"finding-of:{judge is None:d}:{json.dumps([judge, query.filters], sort_keys=True)}"
    return board_at.remember(name, lambda: _finding_of_choice(query, judge))


def _finding_of_choice(query: Query, judge: str | None) -> PairedFinding | Lead | None:
    board_at = query.board_at
    rows = chosen_rows(query, judge=judge).filter(board_at.lead_rules.condition)
    facts = _test(board_at, rows) if number_of_chosen(query, judge=judge) <= MOST_CHOSEN else None
    if facts is not None:
        return replace(_with_names(rows, facts, judge), is_selection=True)
    lead_of_choice = _lead(board_at, rows, judge, chosen_rows(query, judge=judge, in_order_of_ranks=True))
    return lead_of_choice and replace(lead_of_choice, is_selection=True)


def _test(board_at: BoardAt, rows: StandingQuerySet[Standing]) -> LeaderFacts | None:
    """Test all pairs of `rows`; None if the feedback level forbids it, or too few rows can be tested."""
    board, revision_id = board_at.board, board_at.revision_id
    if revision_id is None or not visibility.by_group(board):
        return None
    everyone = read_entrants(
        rows,
        revision_id=revision_id,
        mixes_judges=True,
        upper_key=visibility.ranked_metric(board).upper_key,
    )
    entrants = next(iter(everyone), None)
    if entrants is None or len(entrants.compared) < 2:
        return None
    low_coverage: frozenset[int] = frozenset()
    if disclosure.needs_coverage(board):
        low_coverage = disclosure.systems_of_low_coverage(rows)
        # A system that answered few tasks is compared by its public rate, whichever rows a reader chooses.
        entrants.compared = [
            row._replace(evaluation=None) if row.system in low_coverage else row for row in entrants.compared
        ]
    if not entrants.by_task:
        return None
    groups = load_task_groups(board=board, revision_id=revision_id)
    results = compare_all(
        benchmark_slug=board.benchmark,
        revision_id=revision_id,
        groups=groups,
        entrants=entrants,
        # A reader who chooses the pairs would move the bound for those whose counts are hidden.
        shown_of=partial(disclosure.pairs_shown, board),
    )
    return leader_facts(board, results, low_coverage)


def _with_names(rows: StandingQuerySet[Standing], facts: LeaderFacts, judge: str | None) -> PairedFinding:
    named = rows.filter(system__in=[facts.first, facts.lowest, facts.next])
    by_system = {
        system: (name, score, runs)
        for system, name, score, runs in named.values_list("system_id", "name", "score", "evaluation__runs")
    }
    first_name, first_score, first_runs = by_system.get(facts.first, ("", 0.0, None))
    others = rows.ranked().filter(score=first_score).exclude(system=facts.first).best_first()
    names = list(others.values_list("name", flat=True)[:2])
    next_name, next_score, _ = by_system.get(facts.next or 0, ("", 0.0, None))
    return PairedFinding(
        facts=facts,
        first_name=first_name,
        first_score=first_score or 0.0,
        lowest_score=by_system.get(facts.lowest, ("", 0.0, None))[1] or 0.0,
        highest=[first_name, *names],
        highest_count=1 + (others.count() if len(names) == 2 else len(names)),
        next_name=next_name,
        next_score=next_score or 0.0,
        runs=first_runs if facts.is_first_by_task else None,
        judge=judge,
    )
