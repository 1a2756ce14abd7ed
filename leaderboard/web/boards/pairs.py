"""A comparison in words: what is beside its answer, and below it."""

from collections.abc import Sequence
from math import ceil, inf, prod
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from leaderboard.services import visibility
from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem, Comparison
from leaderboard.services.statistics.p_values import ALPHA, format_p, print_bound
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import join_sentences, join_with_and, lead_ends, percent, points
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Breakdown, Unit
from wardboard.scoring.facts import Harness
from wardboard.scoring.runs import MOST_RUNS
from wardboard.scoring.statistics.pairs import PairedTable
from wardboard.scoring.statistics.power import ASSUMED_DISCORDANT, tasks_to_detect
from wardboard.scoring.statistics.rates import Estimate


def note_of(comparison: Comparison) -> str:
    """Return the sentences beside the answer: the tasks, and what else the difference may come from."""
    pair = comparison.pair
    judges = {side.standing.judge for side in comparison.sides if not side.standing.is_baseline}
    # The answer above the note may be about the judges alone.
    differ_in_judge = len(judges) > 1 and comparison.why_not != WhyNot.OTHER_JUDGE
    is_apart = pair is not None and not pair.p.is_significant and prod(pair.interval or (0,)) > 0
    holds = pair is not None and pair.has_open and pair.p.is_significant
    return join_sentences(
        (
            _("Same %(n)s tasks.") % {"n": f"{comparison.tasks:,}"} if pair else "",
            _("Different judges: part of any difference may be the judge.") if differ_in_judge else "",
            _about_harness(comparison.sides),
            _("The result holds however undecided answers are counted.") if holds else "",
            _("The interval is of this pair alone; the test allows for all pairs.") if is_apart else "",
        )
    )


def _about_harness(sides: Sequence[ComparedSystem]) -> str:
    """Say that the difference may come from the harness; "" where both are known to have run under one."""
    rows = [side.standing for side in sides if not side.standing.is_baseline]
    kinds = {row.harness for row in rows if row.harness}
    names = {row.harness_name.casefold() for row in rows if row.harness_name}
    if len(kinds) > 1 or len(names) > 1:
        return _("Different harnesses: part of any difference may be the harness.")
    without = [row.name for row in rows if not (row.harness_name or row.harness == Harness.OFFICIAL)]
    if not without:
        return ""
    return _("%(names)s: no harness named, so part of any difference may be the harness.") % {
        "names": join_with_and(without)
    }


def hidden_of(comparison: Comparison) -> str:
    """Return what a comparison hides to protect the reference answers, as a sentence; "" for nothing."""
    if comparison.pair is None:
        return ""
    if not visibility.by_group(comparison.board):
        return _("Only overall scores are shown, to protect the reference answers.")
    return _(comparison.pair.why_hidden.label) if comparison.pair.why_hidden else ""


def needed_of(comparison: Comparison, points: float) -> str:
    """Say how many tasks, or runs, find a true difference of so many points between the two in 80% of cases.

    "" where they are not tested. Never of the measured difference: the power for that says no more than its p
    (Hoenig and Heisey, Am. Stat. 55 (2001) 19).
    """
    pair, benchmark = comparison.pair, registry.get(comparison.board.benchmark)
    clusters = benchmark.published_clusters
    if pair is None:
        return ""
    share, basis = ASSUMED_DISCORDANT, _("Assumed: only one of the two solves %(taken)s of the tasks.")
    if pair.table is not None and not (pair.has_runs or pair.has_open):
        share = (pair.table.only_a + pair.table.only_b) / sum(pair.table)
        like = _("Only one of the two solved %(share)s of these tasks; others are taken to be like them.")
        less = _("Only one of the two solved %(share)s of these tasks: %(points)s points cannot occur there.")
        basis = like if share >= points / 100 else join_sentences((less, basis))
    taken = max(share, points / 100)
    needed = [tasks_to_detect(points / 100, taken, level=1 - p) for p in (ALPHA, pair.family.bound)]
    numbers = [clusters.tasks_worth(number) if clusters else number for number in needed]
    alone, among = (f"{10 * ceil(number / 10):,}" if number < inf else "" for number in numbers)
    # The fewest, as if nothing depended on the tasks.
    runs = ceil(needed[1] / comparison.tasks)
    find = _("Tested alone, about %(alone)s tasks find a difference of %(points)s points in 80%% of cases.")
    find_not = _("Tested alone, more tasks on the benchmark's %(kind)s cannot find %(points)s points.")
    all_find = _("Tested among the %(pairs)s pairs of the leaderboard, it takes about %(among)s tasks.")
    all_not = _("Among all %(pairs)s pairs, more tasks on the benchmark's %(kind)s cannot find it.")
    worth = _("As a public agent's correlate, tasks on these %(kind)s are worth %(worth)s independent ones.")
    repeated = _("Repeating them takes at least %(runs)s runs of each system; a submission holds %(most)s.")
    sentences = (
        find if alone else find_not,
        "" if pair.family.pairs == 1 else all_find if among else all_not,
        _("This leaderboard has %(tasks)s tasks."),
        repeated if runs > 1 and among else "",
        basis,
        worth if clusters else "",
    )
    values = {"points": f"{points:g}", "pairs": f"{pair.family.pairs:,}", "share": percent(share)}
    values |= {"alone": alone, "among": among, "tasks": f"{comparison.tasks:,}", "taken": percent(taken)}
    values |= {"runs": f"{runs:,}", "most": str(MOST_RUNS)}
    if clusters:
        values["kind"] = next(_(kind.label) for kind in benchmark.clusters if kind.key == clusters.kind)
        values["worth"] = f"{clusters.clusters / clusters.correlation:,.0f}"
    return join_sentences(sentence % values for sentence in sentences)


class Line(NamedTuple):
    """The lead of the system ahead: over all tasks, by another metric, or on a group of tasks.

    The one ahead has the higher score over all tasks, so another lead may be negative.

    lead: with one value as both ends where nothing shows how much it varies
    breakdown: of the group; None for other lines
    counts: number of tasks that each solved; None where they are not counted
    is_small: whether the group has few tasks
    printed: the lead in points, where it is that of the printed scores
    """

    label: str
    lead: Estimate
    breakdown: Breakdown | None = None
    tasks: int | None = None
    counts: tuple[int | None, int | None] = (None, None)
    is_small: bool = False
    printed: str = ""

    @property
    def words(self) -> str:
        """The lead in print, in points."""
        return self.printed or points(self.lead.figure)


def _axis(lines: Sequence[Line]) -> tuple[float, float]:
    """Return the ends of an axis that has all of the intervals, and 0 in its middle."""
    reach = max((abs(end) for line in lines for end in line.lead[1:]), default=1.0)
    # To a whole point, as the drawn ends are rounded.
    reach = ceil(100 * reach or 1) / 100
    return -reach, reach


def report_of(comparison: Comparison) -> dict[str, Any] | None:
    """Return the test of a comparison in words and numbers; None where the two are not tested.

    names: of the system ahead, and of the other
    lines: the differences, that over all tasks first; empty where they are hidden
    axis, axis_of_all_tasks: the ends of the axis of all lines, and of the first
    text: the counts behind the test, and the test, in sentences
    only: name of a system, and ids of the tasks that only it solved; empty where they are not visible
    """
    pair = comparison.pair
    if pair is None:
        return None
    a, b = comparison.sides
    has_tasks = pair.only_a is not None and pair.only_b is not None
    lines = _lines_of(comparison, pair)
    return {
        "names": [side.name for side in comparison.ahead_first],
        "lines": lines,
        "axis": _axis(lines),
        "axis_of_all_tasks": _axis(lines[:1]),
        "text": join_sentences((_describe_split(pair, a, b), _test(pair, a, b))),
        "has_runs": pair.has_runs,
        "only": [(a.name, pair.only_a or ()), (b.name, pair.only_b or ())] if has_tasks else [],
    }


def _lines_of(comparison: Comparison, pair: ComparedPair) -> list[Line]:
    if pair.interval is None:
        return []
    board, (ahead, other) = comparison.board, comparison.ahead_first
    is_a_ahead = ahead is comparison.sides[0]

    def in_order(a: int, b: int) -> tuple[int, int]:
        return (a, b) if is_a_ahead else (b, a)

    def turned(difference: Estimate) -> Estimate:
        value, low, high = difference
        return difference if is_a_ahead else Estimate(-value, -high, -low)

    def from_to(worst: Sequence[PairedTable]) -> str:
        leads = sorted((1 if is_a_ahead else -1) * (way.only_a - way.only_b) / sum(way) for way in worst)
        return _printed(*leads) if leads else ""

    all_tasks = Line(
        label=_("All tasks"),
        lead=turned(Estimate(pair.difference, *pair.interval)),
        tasks=sum(pair.table) if pair.table else None,
        printed=_printed(*lead_ends(ahead.ends, other.ends)),
    )
    # Of several runs, a table does not count tasks as right or wrong.
    if pair.table and not pair.has_runs:
        both, only_a, only_b, _neither = pair.table
        all_tasks = all_tasks._replace(counts=in_order(both + only_a, both + only_b))
    shares = [metric for metric in visibility.visible_metrics(board) if metric.unit == Unit.SHARE]
    return [
        all_tasks,
        *(Line(_(m.label), turned(lead)) for m in shares if (lead := pair.metrics.get(m.key))),
        *(
            Line(
                label=_(breakdown.groups[group.group]),
                lead=turned(group.difference),
                breakdown=breakdown,
                tasks=group.tasks,
                counts=in_order(group.right_a, group.right_b),
                is_small=group.is_small,
                printed=from_to(group.worst),
            )
            for breakdown in visibility.visible_breakdowns(board)
            for group in pair.groups.get(breakdown.key, ())
        ),
    ]


def _printed(least: float, most: float) -> str:
    if least == most:
        return points(most)
    return _("%(low)s to %(high)s") % {"low": points(least), "high": points(most)}


def _describe_split(pair: ComparedPair, a: ComparedSystem, b: ComparedSystem) -> str:
    """Describe the table behind the test; "" where it is hidden."""
    table = pair.table
    if table is None or pair.p.exact is None:
        return ""
    none = _("none")
    template = (
        _(
            "Over its runs, %(a)s did better on %(only_a)s of the %(tasks)s tasks; %(b)s did better on "
            "%(only_b)s."
        )
        if pair.has_runs
        else _("Only %(a)s solved %(only_a)s of the %(tasks)s tasks; only %(b)s solved %(only_b)s.")
    )
    split = template % {
        "a": a.name,
        "b": b.name,
        "only_a": f"{table.only_a:,}" if table.only_a else none,
        "only_b": f"{table.only_b:,}" if table.only_b else none,
        "tasks": f"{sum(table):,}",
    }
    undecided = _("Counts take undecided answers as incorrect; the intervals allow for either.")
    return join_sentences((split, undecided)) if pair.has_open else split


def _test(pair: ComparedPair, *sides: ComparedSystem) -> str:
    """Describe the test with its p-value; "" where that is hidden."""
    if pair.p.exact is None:
        return ""
    if pair.is_clustered:
        name = _("Sign flips of whole clusters of tasks")
    elif pair.has_runs:
        name = _("Paired t-test (mid-p McNemar where all runs agree)")
    else:
        name = _("Mid-p McNemar test")
    if len({side.standing.evaluation.runs for side in sides if side.standing.evaluation}) > 1:
        name = _("%(test)s and exact test within tasks, the larger p") % {"test": name}
    values, family = {"test": name, "p": format_p(pair.p)}, pair.family
    if family.undecided <= 1:
        return _("%(test)s: %(p)s.") % values
    sentence = _(
        "%(test)s: %(p)s on its own; significant below %(bound)s, which allows for all %(n)s pairs of "
        "the leaderboard (Holm)."
    )
    return sentence % {**values, "bound": print_bound(family.bound), "n": f"{family.pairs:,}"}
