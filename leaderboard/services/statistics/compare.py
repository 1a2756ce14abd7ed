"""Comparing two to four systems of a board, task by task, as far as the board's feedback level lets see.

overall   whether they are told apart at .05, each pair on its own: no count, p or interval, from which the
          counts could be worked back (`p_values`)
by-type   the counts over all tasks, exact p, intervals, differences by group and of other metrics
by-task   also which tasks only one of the two got right
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations

from django.core.cache import caches

from leaderboard.models import Benchmark, Standing
from leaderboard.models.evaluations import Kind
from leaderboard.services import visibility
from leaderboard.services.errors import ServiceError
from leaderboard.services.statistics import pair_tests
from leaderboard.services.statistics.compute import RESAMPLES
from leaderboard.services.statistics.known import WhyNot
from leaderboard.services.statistics.p_values import PValue, visible_adjusted_p, visible_p
from leaderboard.services.statistics.pair_tests import GroupDifference, PairTest
from scoring.statistics.pairs import PairedTable, holm
from scoring.statistics.resampling import Difference

FEWEST, MOST = 2, 4
_KEPT_FOR = 24 * 60 * 60
_LARGEST_KEY = 2**63 - 1


class NotComparable(ServiceError):
    """What was asked for cannot be compared."""

    code = "not-comparable"


class TooFew(NotComparable):
    """Fewer than two different systems."""

    code = "too-few-systems"


class TooMany(NotComparable):
    """More than four systems."""

    code = "too-many-systems"


class NotOnBoard(NotComparable):
    """One of the systems is not on the board, or not any more."""

    code = "not-on-board"


class Outcome(StrEnum):
    """What the data say of a pair at 5%: by its p after Holm's correction, where p may be seen."""

    A = "a"
    B = "b"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSystem:
    """A system with its row. why_not: why it takes no part in the tests; None where it does."""

    system_id: int
    standing: Standing
    why_not: WhyNot | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPair:
    """Systems `a` and `b`, by primary key, in the order that was asked for. difference: a's rate less b's.

    p_holm: after Holm's correction over the pairs of this comparison, or `p` where no p may be seen;
    `outcome` goes by it. As far as the feedback level allows: table; interval of the difference; groups:
    breakdown -> differences by group, in order, without empty groups; metrics: metric -> difference of the
    means (None: one of them has too few figures); only_a, only_b: ids of the tasks that only the one got
    right. None, or empty, where it does not.
    """

    a: int
    b: int
    outcome: Outcome
    p: PValue
    p_holm: PValue
    difference: float
    interval: tuple[float, float] | None = None
    table: PairedTable | None = None
    groups: Mapping[str, Sequence[GroupDifference]] = field(default_factory=dict)
    metrics: Mapping[str, Difference | None] = field(default_factory=dict)
    only_a: tuple[str, ...] | None = None
    only_b: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Untested:
    """A pair that is not tested, and why: what holds of one of the two, or OTHER_JUDGE of both."""

    a: int
    b: int
    why_not: WhyNot


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """sides: in the order that was asked for. tasks: how many the tests are about; 0 where nothing could be
    tested. resamples: of the intervals of `ComparedPair.metrics`."""

    benchmark: Benchmark
    sides: tuple[ComparedSystem, ...]
    pairs: tuple[ComparedPair, ...]
    untested: tuple[Untested, ...]
    tasks: int
    resamples: int


def compare(*, benchmark: Benchmark, systems: Sequence[int]) -> Comparison:
    """Compare two to four systems by primary key; one that is named twice counts once.

    Raises TooFew, TooMany, NotOnBoard. What is found for the same evaluations is kept for a day.
    """
    sides = _sides(benchmark, list(dict.fromkeys(systems)))
    pairs, untested = [], []
    for a, b in combinations(sides, 2):
        why = _why_not(benchmark, a, b)
        if why:
            untested.append(Untested(a=a.system_id, b=b.system_id, why_not=why))
        else:
            pairs.append((a.standing, b.standing))
    return Comparison(
        benchmark=benchmark,
        sides=tuple(sides),
        pairs=_compared(benchmark, pairs),
        untested=tuple(untested),
        tasks=next((side.standing.total or 0 for side in sides if side.why_not is None), 0),
        resamples=RESAMPLES,
    )


def _sides(benchmark: Benchmark, systems: list[int]) -> list[ComparedSystem]:
    if len(systems) < FEWEST:
        raise TooFew("Choose at least two different systems to compare.")
    if len(systems) > MOST:
        raise TooMany(f"At most {MOST} systems can be compared at once; you chose {len(systems)}.")
    rows = Standing.objects.filter(
        benchmark=benchmark, system__in=[key for key in systems if 0 < key <= _LARGEST_KEY]
    )
    found = {row.system_id: row for row in rows.listed()}
    if len(found) < len(systems):
        # Without saying which: a system that was never published must not be found out.
        raise NotOnBoard("Not all of these systems are on this board; one may have been withdrawn.")
    return [
        ComparedSystem(system_id=key, standing=found[key], why_not=_takes_no_part(benchmark, found[key]))
        for key in systems
    ]


def _takes_no_part(benchmark: Benchmark, row: Standing) -> WhyNot | None:
    if row.evaluation is None:
        return WhyNot.BASELINE if row.kind == Kind.BASELINE else WhyNot.REPORTED
    is_of_today = row.evaluation.revision_id == benchmark.active_revision_id
    return None if is_of_today else WhyNot.OTHER_REFERENCES


def _why_not(benchmark: Benchmark, a: ComparedSystem, b: ComparedSystem) -> WhyNot | None:
    judges_differ = a.standing.judge != b.standing.judge and not benchmark.mixes_judges
    return a.why_not or b.why_not or (WhyNot.OTHER_JUDGE if judges_differ else None)


def _compared(benchmark: Benchmark, pairs: list[tuple[Standing, Standing]]) -> tuple[ComparedPair, ...]:
    if not pairs:
        return ()
    tested = _tested(benchmark, [(_evaluation_id(a), _evaluation_id(b)) for a, b in pairs])
    adjusted = holm([one.p for one in tested])
    return tuple(
        _pair(benchmark, a.system_id, b.system_id, one, p_holm)
        for (a, b), one, p_holm in zip(pairs, tested, adjusted, strict=True)
    )


def _evaluation_id(row: Standing) -> int:
    if row.evaluation_id is None:
        raise ValueError("only rows with an evaluation are tested")
    return row.evaluation_id


def _tested(benchmark: Benchmark, pairs: list[tuple[int, int]]) -> list[PairTest]:
    """Return what the tests say of pairs of evaluations, which never change."""
    said = [pair_tests.METHOD, benchmark.active_revision_id, benchmark.feedback, pairs]
    key = f"compared-{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"
    known: list[PairTest] | None = caches["boards"].get(key)
    if known is not None:
        return known
    found = pair_tests.tested_pairs(
        benchmark=benchmark,
        pairs=pairs,
        # What may not be seen is not even kept.
        by_group=visibility.by_group(benchmark),
        by_task=visibility.by_task(benchmark),
    )
    caches["boards"].set(key, found, _KEPT_FOR)
    return found


def _pair(benchmark: Benchmark, a: int, b: int, tested: PairTest, p_holm: float) -> ComparedPair:
    told = visible_adjusted_p(tested.p, p_holm, benchmark)
    better = Outcome.A if tested.difference > 0 else Outcome.B
    pair = ComparedPair(
        a=a,
        b=b,
        outcome=better if told.is_significant else Outcome.NEITHER,
        p=visible_p(tested.p, benchmark),
        p_holm=told,
        difference=tested.difference,
    )
    if not visibility.by_group(benchmark):
        return pair
    visible = {metric.key for metric in visibility.visible_metrics(benchmark)}
    pair = replace(
        pair,
        interval=tested.interval,
        table=tested.table,
        groups={
            one.key: tested.groups[one.key] for one in visibility.visible_breakdowns(benchmark) if one.fixed
        },
        metrics={key: one for key, one in tested.metrics.items() if key in visible},
    )
    return (
        replace(pair, only_a=tested.only_a, only_b=tested.only_b) if visibility.by_task(benchmark) else pair
    )
