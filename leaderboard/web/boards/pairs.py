"""A comparison in words: what is beside its answer, and below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.models import Board
from leaderboard.services import visibility
from leaderboard.services.rows.conditions import differ_in_harness
from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem, Comparison
from leaderboard.services.statistics.p_values import format_p, print_bound
from leaderboard.services.text import join_sentences, join_with_and
from wardboard.scoring.benchmark import Breakdown, Unit
from wardboard.scoring.statistics.pairs import Difference


def note_of(comparison: Comparison) -> str:
    """Return the sentences beside the answer: the tasks, and what else the difference may come from."""
    pair = comparison.pair
    return join_sentences(
        (
            _("Same %(n)s tasks.") % {"n": f"{comparison.tasks:,}"} if pair else "",
            _about_harness(comparison.sides),
            _("The result holds however undecided answers are counted.") if pair and pair.has_open else "",
            _alone(pair) if pair else "",
        )
    )


def _about_harness(sides: Sequence[ComparedSystem]) -> str:
    """Say that the difference may come from the harness; "" where both ran under the same."""
    rows = [side.standing for side in sides]
    if differ_in_harness(rows):
        return _("Different harnesses: part of this may be the harness.")
    without = [row.name for row in rows if not row.harness]
    if not without:
        return ""
    return _("%(names)s: no harness stated, so part of this may be the harness.") % {
        "names": join_with_and(without)
    }


def _alone(pair: ComparedPair) -> str:
    """Say that the difference would be significant if its pair were the only one; "" if it would not."""
    if not pair.differs_alone:
        return ""
    template = _("Alone %(p)s; not significant among all %(n)s pairs of the leaderboard.")
    return template % {"n": f"{pair.family.pairs:,}", "p": format_p(pair.p)}


def hidden_of(comparison: Comparison) -> str:
    """Return what a comparison hides to protect the reference answers, as a sentence; "" for nothing."""
    if comparison.pair is None:
        return ""
    if not visibility.by_group(comparison.board):
        return _("Only overall scores are shown, to protect the reference answers.")
    return _(comparison.pair.why_hidden.label) if comparison.pair.why_hidden else ""


class Line(NamedTuple):
    """The lead of the system ahead: over all tasks, by another metric, or on a group of tasks.

    The one ahead has the higher score over all tasks, so another lead may be negative.

    breakdown: of the group; None for other lines
    counts: number of tasks that each solved; None where they are not counted
    is_small: whether the group has few tasks
    """

    label: str
    lead: Difference
    breakdown: Breakdown | None = None
    tasks: int | None = None
    counts: tuple[int | None, int | None] = (None, None)
    is_small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """A tested pair in words and numbers.

    names: of the system ahead, and of the other
    lines: the differences, that over all tasks first; empty where they are hidden
    text: the counts behind the test, and the test, in sentences
    only: name of a system, and ids of the tasks that only it solved; empty where they are not visible
    """

    names: Sequence[str]
    lines: Sequence[Line]
    text: str
    has_runs: bool
    only: Sequence[tuple[str, Sequence[str]]]

    @property
    def axis(self) -> tuple[float, float]:
        """The ends of an axis that has all of the intervals, and 0 in its middle."""
        reach = max((abs(end) for line in self.lines for end in line.lead[1:]), default=1.0)
        # To a whole point, as the drawn ends are rounded.
        reach = ceil(100 * reach or 1) / 100
        return -reach, reach


def report_of(comparison: Comparison) -> PairReport | None:
    """Return the test of a comparison in words and numbers; None where the two are not tested."""
    pair = comparison.pair
    if pair is None:
        return None
    a, b = comparison.sides
    has_tasks = pair.only_a is not None and pair.only_b is not None
    return PairReport(
        names=[side.name for side in comparison.ahead_first],
        lines=_lines_of(comparison.board, pair, is_a_ahead=comparison.ahead_first[0] is a),
        text=join_sentences((_describe_split(pair, a, b), _test(pair))),
        has_runs=pair.has_runs,
        only=[(a.name, pair.only_a or ()), (b.name, pair.only_b or ())] if has_tasks else [],
    )


def _lines_of(board: Board, pair: ComparedPair, *, is_a_ahead: bool) -> list[Line]:
    if pair.interval is None:
        return []

    def in_order(a: int, b: int) -> tuple[int, int]:
        return (a, b) if is_a_ahead else (b, a)

    def turned(difference: Difference) -> Difference:
        value, low, high = difference
        return difference if is_a_ahead else Difference(-value, -high, -low)

    all_tasks = Line(
        label=_("All tasks"),
        lead=turned(Difference(pair.difference, *pair.interval)),
        tasks=sum(pair.table) if pair.table else None,
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
            )
            for breakdown in visibility.visible_breakdowns(board)
            for group in pair.groups.get(breakdown.key, ())
        ),
    ]


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


def _test(pair: ComparedPair) -> str:
    """Describe the test with its p-value; "" where that is hidden."""
    if pair.p.exact is None:
        return ""
    if pair.is_clustered:
        name = _("Sign flips of whole clusters of tasks")
    elif pair.has_runs:
        name = _("Paired t-test, and mid-p McNemar between single runs")
    else:
        name = _("Mid-p McNemar test")
    values, family = {"test": name, "p": format_p(pair.p)}, pair.family
    if family.undecided <= 1:
        return _("%(test)s: %(p)s.") % values
    sentence = _(
        "%(test)s: %(p)s on its own; significant below %(bound)s, which allows for all %(n)s pairs of "
        "the leaderboard (Holm)."
    )
    return sentence % {**values, "bound": print_bound(family.bound), "n": f"{family.pairs:,}"}
