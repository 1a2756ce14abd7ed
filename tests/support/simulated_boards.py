"""Simulated boards of every kind, and what their views claim, by the functions that pages use, in English.

A board has one list of 1 to 12 systems for each of one or two judges. Systems may be equal, or have the same
answers; answers may be open, tasks clustered, rows published without results by task or even without their
number, and rows beyond the most that are compared. Each list is viewed as a whole, under a filter, and as a
past table from which rows were removed since.
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

from leaderboard.models import Board, Feedback, Kind
from leaderboard.services.boards.head_sentence import Head, HeadRow, tested_head
from leaderboard.services.boards.ranks import Ranks, place_of
from leaderboard.services.judging.task_groups import TaskGroupNumbers
from leaderboard.services.statistics import all_pairs
from leaderboard.services.statistics.compare import Family
from leaderboard.services.statistics.entrants import Entrant, Entrants, Scores
from leaderboard.services.statistics.rank_statistics import Claims, RankStatistics, ReadResults
from leaderboard.services.statistics.stored import pack, unpack
from leaderboard.web.boards.head_sentence import describe_finding
from leaderboard.web.boards.rows import line_of, with_lines
from leaderboard.web.systems.rank_words import describe_rank
from tests.support.claims import RowClaims, View
from wardboard.scoring.statistics.open_answers import claim_p

_UPPER_KEY = "upper"
_Generator = np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedList:
    """The rows of one judge, best first, with their scores by task.

    rows: standings; those without an evaluation have no scores
    better: the two systems of each pair that was compared by task -> the one that is significantly better
        when the two alone are compared; "" for neither
    """

    board: Board
    rows: Sequence[SimpleNamespace]
    better: Mapping[frozenset[str], str]
    statistics: RankStatistics
    ranks: Ranks


def simulated_views(rng: _Generator) -> Iterator[View]:
    """Yield the views of a new board."""
    board = Board(
        benchmark="fhir-agentbench", feedback=rng.choice(Feedback.values), is_demo=bool(rng.random() < 0.5)
    )
    for judge in ("", "rules 3")[: rng.integers(1, 3)]:
        simulated = _simulate(rng, board, judge)
        if simulated is None:
            continue
        everyone = [row.system_id for row in simulated.rows]
        yield _view(simulated, everyone, removed=set())
        some = [system for system in everyone if rng.random() < rng.choice([0.2, 0.5, 0.9])]
        yield _view(simulated, some, removed=set())
        removed = {system for system in everyone if rng.random() < rng.choice([0.1, 0.4])}
        yield _view(simulated, everyone, removed=removed)
        yield _view(simulated, some, removed=removed)


def _simulate(rng: _Generator, board: Board, judge: str) -> SimulatedList | None:
    systems, tasks = int(rng.integers(1, 13)), int(rng.choice([5, 20, 50, 120]))
    lower, upper = _answers(rng, systems, tasks)
    clusters = [rng.integers(0, max(2, tasks // 5), tasks).astype(np.uint32)] if rng.random() < 0.3 else None
    rows = [
        _row(rng, number, judge, low, high)
        for number, (low, high) in enumerate(zip(lower, upper, strict=True))
    ]
    rows.sort(key=lambda row: (-row.score, row.system_id))
    compared = [row for row in rows if row.total and not row.is_baseline]
    left_out: list[SimpleNamespace] = []
    # Of the many rows of a board on which rows are left out, some have open answers if any has.
    has_open_first = not (upper > lower).any() or any(row.upper > row.score for row in compared[:2])
    if rng.random() < 0.15 and len(compared) > 2 and has_open_first:
        cut = int(rng.integers(2, len(compared)))
        compared, left_out = compared[:cut], compared[cut:]
    if not any(row.kind == Kind.RESCORED for row in compared):
        return None
    scores = {row.system_id: (lower[row.system_id], upper[row.system_id]) for row in compared}
    entrants = Entrants(
        judge=judge,
        compared=[
            Entrant(
                row.system_id,
                row.system_id if row.kind == Kind.RESCORED else None,
                row.score,
                row.total,
                row.upper,
            )
            for row in compared
        ],
        uncompared=sum(not row.total and not row.is_baseline for row in rows),
        left_out=len(left_out),
    )

    def scores_of(_slug: str, evaluations: Sequence[int], *_: Any) -> Scores:
        low, high = (np.array([scores[key][end] for key in evaluations]) for end in (0, 1))
        return Scores(low, high if (high > low).any() else low, np.ones(len(low), dtype=np.int64))

    groups = TaskGroupNumbers(
        breakdowns={},
        strata=np.zeros(tasks, dtype=np.uint8),
        clusters={} if clusters is None else {"patient": clusters[0]},
    )
    with mock.patch.object(all_pairs, "scores_of", scores_of):
        results = all_pairs.compare_all(
            benchmark_slug=board.benchmark, revision_id=1, groups=groups, entrants=entrants
        )
    statistics = RankStatistics(
        judge=judge,
        is_current=True,
        computed_at=datetime(2026, 1, 1, tzinfo=UTC),
        method=0,
        digest="",
        claims=Claims(board=board, results=ReadResults(unpack(pack(results))), low_coverage=frozenset()),
    )
    by_task = [row for row in compared if row.kind == Kind.RESCORED]
    return SimulatedList(
        board=board,
        rows=rows,
        better=dict(_outcomes(statistics, by_task, scores, clusters)),
        statistics=statistics,
        ranks=_ranks(rows, judge),
    )


def _answers(
    rng: _Generator, systems: int, tasks: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return which tasks each system has right, and which it has right or open."""
    ability = rng.choice([0.0, 0.5, 2.0]) * rng.normal(size=(systems, 1)) + rng.normal()
    difficulty = rng.normal(size=tasks)
    right = (rng.logistic(size=(systems, tasks)) < ability - difficulty).astype(float)
    if systems > 1 and rng.random() < 0.3:
        right[1] = right[0]
    is_open = (rng.random((systems, tasks)) < rng.choice([0.0, 0.05, 0.4])) & (rng.random((systems, 1)) < 0.6)
    return np.where(is_open, 0.0, right), np.where(is_open, 1.0, right)


def _row(
    rng: _Generator, number: int, judge: str, low: npt.NDArray[np.float64], high: npt.NDArray[np.float64]
) -> SimpleNamespace:
    kind = str(rng.choice([Kind.RESCORED, Kind.REPORTED, Kind.BASELINE], p=[0.75, 0.18, 0.07]))
    score, upper = float(low.mean()), float(high.mean())
    return SimpleNamespace(
        system_id=number,
        name=f"S{number:02}",
        kind=kind,
        judge=judge,
        score=score,
        upper=upper,
        low=max(0.0, score - 0.1),
        high=min(1.0, score + 0.1),
        total=None if kind == Kind.REPORTED and rng.random() < 0.3 else len(low),
        metrics={_UPPER_KEY: upper},
        is_baseline=kind == Kind.BASELINE,
        is_reported=kind == Kind.REPORTED,
    )


def _ranks(rows: Sequence[SimpleNamespace], judge: str) -> Ranks:
    ranked = [row for row in rows if not row.is_baseline]
    lows, highs = sorted(row.score for row in ranked), sorted(row.upper for row in ranked)
    return Ranks(
        is_mixed=False, upper_key=_UPPER_KEY, lows={judge: array("d", lows)}, highs={judge: array("d", highs)}
    )


def _view(simulated: SimulatedList, systems: Sequence[int], removed: set[int]) -> View:
    """Return the view of the rows of `systems`, of which some were removed since."""
    statistics, shown = simulated.statistics, [row for row in simulated.rows if row.system_id in systems]
    ranked = [row for row in shown if not row.is_baseline and row.system_id not in removed]
    part = statistics.part_of(
        [row.system_id for row in ranked],
        all_rows=len(ranked),
        uncompared=sum(not row.total for row in ranked),
    )
    claims = replace(statistics.claims, part=part)
    rows = [_shown_row(simulated, row, claims, removed) for row in shown]
    table = SimpleNamespace(
        line=line_of(claims, has_removed=bool(removed)),
        removals=dict.fromkeys(removed, "withdrawn"),
        own=(),
    )
    lines = [line for _, _, line in with_lines(rows, table)]  # type: ignore[arg-type]
    tested = frozenset(row.standing.name for row in rows if row.place.is_tested)
    head = _head(
        simulated, claims, ranked, has_removed=bool(removed), is_selection=len(shown) < len(simulated.rows)
    )
    described = describe_finding(head, judges=2, filters={"q": "x"})
    sentences = [f"{described.sentence} {described.rest}"] if described else []
    return View(
        rows=[_row_claims(row, removed) for row in rows],
        sentences=" ".join(sentences),
        line=next((number for number, line in enumerate(lines) if line), None),
        counts={} if part else dict(_counts(rows)),
        better={pair: better for pair, better in simulated.better.items() if pair <= tested},
        tested=tested,
    )


def _shown_row(
    simulated: SimulatedList, row: SimpleNamespace, claims: Claims, removed: set[int]
) -> SimpleNamespace:
    first, last = simulated.ranks.of(row) or (None, None)  # type: ignore[arg-type]
    return SimpleNamespace(
        standing=row,
        rank=first,
        rank_to=last,
        is_baseline=row.is_baseline,
        is_reported=row.is_reported,
        upper=row.upper if row.upper > row.score else None,
        score_words=f"{row.score:.1%}",
        unmet_rules=[],
        removal="withdrawn" if row.system_id in removed else None,
        place=place_of(row, simulated.statistics, claims),  # type: ignore[arg-type]
        # No past is simulated, so nothing is known of since when the first has led.
        board_at=SimpleNamespace(statistics_for=lambda _: None),
    )


def _row_claims(row: SimpleNamespace, removed: set[int]) -> RowClaims:
    low, _, high = row.place.span.partition("–")
    return RowClaims(
        name=row.standing.name,
        rank=row.rank,
        rank_to=row.rank_to,
        low=low.removesuffix("+"),
        high="" if low.endswith("+") else high or low,
        is_marked=bool(row.place.tie),
        is_tied=row.place.is_tied_for_first,
        score=row.standing.score,
        upper=row.standing.upper,
        is_removed=row.standing.system_id in removed,
    )


def _head(
    simulated: SimulatedList,
    claims: Claims,
    ranked: Sequence[SimpleNamespace],
    *,
    has_removed: bool,
    is_selection: bool,
) -> Head | None:
    facts = claims.facts
    if facts is None:
        return None
    first = next(row for row in ranked if row.system_id == facts.first)
    others = [row for row in ranked if row is not first]
    second = None
    if all(row.upper <= first.score and row.score < first.score for row in others):
        second = max(others, key=lambda row: row.score, default=None)
    head = tested_head(
        facts=facts,
        claims=claims,
        first=HeadRow(name=first.name, score=first.score, upper=first.upper, runs=1),
        second=second and (second.system_id, second.score),
    )
    return replace(head, judge=simulated.statistics.judge, is_selection=is_selection, has_removed=has_removed)


def _counts(rows: Sequence[SimpleNamespace]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each tested system with the numbers of better and worse ones that its page has in words."""
    for row in rows:
        if row.place.is_known:
            words = describe_rank(SimpleNamespace(next=None), row)  # type: ignore[arg-type]
            # "No system" and "none" have no digits.
            better, worse = (int("0" + "".join(filter(str.isdigit, part))) for part in words.split(", "))
            yield row.standing.name, (better, worse)


def _outcomes(
    statistics: RankStatistics,
    rows: Sequence[SimpleNamespace],
    scores: Mapping[int, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]],
    clusters: list[npt.NDArray[np.uint32]] | None,
) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the systems of each pair with the one that is better when the two alone are compared."""
    family = Family(pairs=math.comb(statistics.systems, 2), undecided=statistics.undecided)
    for place, a in enumerate(rows):
        for b in rows[:place]:
            lower, upper = (np.array([scores[row.system_id][end] for row in (a, b)]) for end in (0, 1))
            p = float(claim_p(lower, upper, clusters)[0, 1])
            ahead = a if lower[0].mean() > lower[1].mean() else b
            yield frozenset({a.name, b.name}), ahead.name if family.is_significant(p) else ""
