"""A comparison in words: what is beside its answers, and below them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services import visibility
from leaderboard.services.charts.form import inner
from leaderboard.services.rows.conditions import differ_in_harness
from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem, Comparison
from leaderboard.services.statistics.p_values import print_bound, visible_p
from leaderboard.services.statistics.pair_words import ahead_first, explain_untested
from leaderboard.services.text import join_sentences, join_with_and
from leaderboard.web.boards.pair_lines import PairLines, hidden_groups, lines_of
from leaderboard.web.templatetags.figures import p_words
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark


@dataclass(frozen=True, slots=True, kw_only=True)
class TestMethod:
    """The test of pairs in words.

    scope: the tasks to which the result applies, in a sentence
    """

    name: str
    scope: str


def method_of(comparison: Comparison) -> TestMethod:
    """Return the test by which the systems of a comparison are compared."""
    has_runs = any(pair.has_runs for pair in comparison.pairs)
    of_runs = [
        _("Between different numbers of runs, p is at least that of an exact test within tasks.")
    ] * has_runs
    if any(pair.is_clustered for pair in comparison.pairs):
        scope = _("Tasks that share a cluster, such as a patient, may depend on each other in this test.")
        return TestMethod(name=_("Cluster-robust t-test"), scope=join_sentences((scope, *of_runs)))
    scope = _scope(registry.get(comparison.board.benchmark))
    name = _("Paired t-test, and mid-p McNemar between single runs") if has_runs else _("Mid-p McNemar test")
    return TestMethod(name=name, scope=join_sentences((scope, *of_runs)))


def _scope(benchmark: Benchmark) -> str:
    strata = next((b for b in benchmark.breakdowns if b.key == benchmark.strata), None)
    if strata is None:
        return _("Applies to tasks like these.")
    return _("Applies to these %(n)s groups only (%(label)s).") % {
        "n": len(strata.groups),
        "label": inner(translated(strata.label)),
    }


def note_of(comparison: Comparison) -> str:
    """Return the sentences beside the answers: the tasks, and what else the difference may come from."""
    return join_sentences(
        (
            _("Same %(n)s tasks.") % {"n": f"{comparison.tasks:,}"} if comparison.pairs else "",
            *_by_rates(comparison),
            _about_harness(comparison.sides),
            *_open_answers(comparison.pairs),
            _alone(comparison),
        )
    )


def _by_rates(comparison: Comparison) -> list[str]:
    by_rate = [pair for pair in comparison.untested if pair.by_rate is not None]
    if not by_rate:
        return []
    sides = {side.system_id: side for side in comparison.sides}
    whys = dict.fromkeys(explain_untested(pair, sides[pair.a], sides[pair.b]) for pair in by_rate)
    return [*whys, _("So the test is of rates and numbers of tasks alone.")]


def _about_harness(sides: Sequence[ComparedSystem]) -> str:
    """Say that the difference may come from the harness; "" where all ran under the same."""
    rows = [side.standing for side in sides]
    if differ_in_harness(rows):
        return _("Different harnesses: part of this may be the harness.")
    without = [row.name for row in rows if not row.harness]
    if not without:
        return ""
    if len(without) > 2:
        return _("Not all state a harness: part of this may be the harness.")
    return _("%(names)s: no harness stated, so part of this may be the harness.") % {
        "names": join_with_and(without)
    }


def _open_answers(pairs: Sequence[ComparedPair]) -> list[str]:
    if any(pair.is_undone_by_open for pair in pairs):
        return [
            _(
                "Tested alone, the difference would be significant if every undecided answer were wrong, but "
                "not however they turn out."
            )
        ]
    if any(pair.has_open for pair in pairs):
        return [_("The result holds however undecided answers are counted.")]
    return []


def _alone(comparison: Comparison) -> str:
    """Say that a difference would be significant if its pair were the only one; "" if none would."""
    alone = [pair for pair in comparison.pairs if pair.differs_alone]
    if not alone:
        return ""
    values = {"n": f"{alone[0].family.pairs:,}", "p": p_words(alone[0].p), "alone": len(alone)}
    if len(comparison.pairs) == 1:
        template = _("Alone %(p)s; not significant among all %(n)s pairs of the leaderboard.")
    else:
        template = ngettext(
            "%(alone)s pair would be significant alone, but not among all %(n)s pairs of the leaderboard.",
            "%(alone)s pairs would be significant alone, but not among all %(n)s pairs of the leaderboard.",
            len(alone),
        )
    return template % values


def hidden_of(comparison: Comparison) -> str:
    """Say what is hidden to protect the reference answers; "" if nothing is."""
    if not comparison.pairs:
        return ""
    if not visibility.by_group(comparison.board):
        return _("Only overall scores are shown, to protect the reference answers.")
    whys = [pair.why_hidden for pair in comparison.pairs if pair.why_hidden]
    if whys and len(comparison.pairs) > 1:
        template = ngettext(
            "Details of %(n)s pair are hidden to protect the reference answers.",
            "Details of %(n)s pairs are hidden to protect the reference answers.",
            len(whys),
        )
        return template % {"n": len(whys)}
    if whys:
        return _(whys[0].label)
    return _hidden_types(comparison.pairs)


def _hidden_types(pairs: Sequence[ComparedPair]) -> str:
    hidden = max(map(hidden_groups, pairs))
    if not hidden:
        return ""
    if len(pairs) > 1:
        return _("Types with small counts are hidden to protect the reference answers.")
    return ngettext(
        "%(n)s type with small counts is hidden to protect the reference answers.",
        "%(n)s types with small counts are hidden to protect the reference answers.",
        hidden,
    ) % {"n": hidden}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """A tested pair in words and numbers.

    title: the names of the two
    lines: the differences; None where they are hidden
    text: the counts behind the test, and the test, in sentences
    rests_on: says that the difference rests on one group of tasks; "" where it does not, or is not shown
    needed: what it would take to distinguish the two; "" where they are, or that is not shown
    only: name of a system, and ids of the tasks that only it solved; empty where they are not visible
    """

    title: str
    lines: PairLines | None
    text: str
    rests_on: str
    needed: str
    has_runs: bool
    only: Sequence[tuple[str, Sequence[str]]]


def report_pairs(comparison: Comparison, method: TestMethod) -> list[PairReport]:
    return [_report(comparison, pair, method) for pair in comparison.pairs]


def _report(comparison: Comparison, pair: ComparedPair, method: TestMethod) -> PairReport:
    sides = {side.system_id: side for side in comparison.sides}
    a, b = sides[pair.a], sides[pair.b]
    ahead, other = ahead_first(pair, a, b)
    has_tasks = pair.only_a is not None and pair.only_b is not None
    return PairReport(
        title=join_with_and([ahead.name, other.name]),
        lines=lines_of(comparison.board, pair, ahead, other) if pair.interval else None,
        text=join_sentences((_describe_split(pair, a, b), _test(pair, method))),
        rests_on=_describe_group(comparison, pair),
        needed=_say_needed(pair, ahead, other),
        has_runs=pair.has_runs,
        only=[(a.name, pair.only_a or ()), (b.name, pair.only_b or ())] if has_tasks else [],
    )


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


def _test(pair: ComparedPair, method: TestMethod) -> str:
    """Describe the test with its p-value; "" where that is hidden."""
    if pair.p.exact is None:
        return ""
    family = pair.family
    values = {"test": method.name, "p": p_words(pair.p)}
    if family.undecided > 1:
        sentence = _(
            "%(test)s: %(p)s on its own; significant below %(bound)s, which allows for all %(n)s pairs of "
            "the leaderboard (Holm)."
        )
        values |= {"bound": print_bound(family.bound), "n": f"{family.pairs:,}"}
    else:
        sentence = _("%(test)s: %(p)s.")
    return join_sentences((sentence % values, method.scope))


def _describe_group(comparison: Comparison, pair: ComparedPair) -> str:
    """Say that the difference rests on one group of tasks; "" if it does not, or that is not shown."""
    deciding = pair.rests_on
    breakdowns = {breakdown.key: breakdown for breakdown in visibility.visible_breakdowns(comparison.board)}
    if deciding is None or deciding.breakdown not in breakdowns:
        return ""
    values = {"group": translated(breakdowns[deciding.breakdown].groups[deciding.group])}
    if deciding.p is None:
        template = _(
            "The difference rests on “%(group)s”: on all other tasks the two are not significantly different."
        )
        return template % values
    return _(
        "The difference rests on “%(group)s”: on all other tasks the two are not significantly different "
        "(%(p)s)."
    ) % {**values, "p": p_words(visible_p(deciding.p, is_exact=True))}


def _say_needed(pair: ComparedPair, ahead: ComparedSystem, other: ComparedSystem) -> str:
    needed = pair.needed
    if needed is None:
        return ""
    values = {"a": ahead.name, "b": other.name, "tasks": f"{needed.tasks or 0:,}", "runs": needed.runs}
    return _NEEDED[needed.tasks is not None, needed.runs is not None, needed.knows_runs]() % values


# By whether more tasks would do, whether more runs would, and whether it is known how much runs vary.
_NEEDED: Mapping[tuple[bool, bool, bool], Callable[[], str]] = {
    (True, True, True): lambda: _(
        "To distinguish %(a)s and %(b)s you would need about %(tasks)s more tasks, or %(runs)s runs each."
    ),
    (True, False, True): lambda: _(
        "To distinguish %(a)s and %(b)s you would need about %(tasks)s more tasks; more runs would not do."
    ),
    (True, False, False): lambda: _(
        "To distinguish %(a)s and %(b)s you would need about %(tasks)s more tasks."
    ),
    (False, True, True): lambda: _(
        "To distinguish %(a)s and %(b)s you would need %(runs)s runs each; more tasks would not do."
    ),
    (False, False, True): lambda: _(
        "Neither more tasks nor more runs would distinguish %(a)s and %(b)s: they are too close."
    ),
    (False, False, False): lambda: _(
        "No feasible number of tasks would distinguish %(a)s and %(b)s: they are too close."
    ),
}
