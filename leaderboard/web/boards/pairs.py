"""The comparison of two systems in words and tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.services.charts.form import inner
from leaderboard.services.statistics.compare import ComparedPair, Outcome, UntestedPair
from leaderboard.services.statistics.p_values import ALPHA, print_bound, visible_p
from leaderboard.services.statistics.pair_tests import GroupDifference
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import join_sentences, percent_range
from leaderboard.services.visibility import upper_end
from leaderboard.web.templatetags.figures import p_words, points
from leaderboard.web.templatetags.languages import translated
from wardboard.scoring.benchmark import Benchmark, Breakdown, Metric, Unit
from wardboard.scoring.statistics.resampling import Difference

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestMethod:
    """The test of pairs in words.

    name: of the test
    scope: what the claim is about, in a sentence
    """

    name: str
    scope: str


def method_of(benchmark: Benchmark, *, is_clustered: bool, has_runs: bool = False) -> TestMethod:
    """Return the test by which systems of a board of `benchmark` are compared.

    has_runs: whether a compared result is a mean over several runs
    """
    strata = next((b for b in benchmark.breakdowns if b.key == benchmark.strata), None)
    of_runs = [
        _("Between different numbers of runs, p is at least that of an exact test within tasks.")
    ] * has_runs
    if is_clustered:
        scope = _("Tasks that share a cluster, such as a patient, may depend on each other in this test.")
        return TestMethod(name=_("Cluster-robust t-test"), scope=join_sentences((scope, *of_runs)))
    if strata is None:
        scope = _("The claim is about tasks like these.")
    else:
        scope = _("The claim is about tasks of these %(n)s groups (%(label)s), and about no others.") % {
            "n": len(strata.groups),
            "label": inner(translated(strata.label)),
        }
    name = _("Paired t-test, and mid-p McNemar between single runs") if has_runs else _("Mid-p McNemar test")
    return TestMethod(name=name, scope=join_sentences((scope, *of_runs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSide:
    """A system of a comparison and the letter that names it there."""

    letter: str
    row: Standing
    metric: Metric
    why_not: WhyNot | None

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of its score, in 0..1, which differ where a judge left answers open."""
        score = self.row.score or 0.0
        return score, upper_end(self.metric, score, self.row.metrics) or score

    @property
    def score_words(self) -> str:
        """The score in print, as its row has it."""
        return percent_range(self.row.score, upper_end(self.metric, self.row.score, self.row.metrics))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifferences:
    """Differences by the groups of a breakdown.

    lines: label and difference of each group
    reach: half the length of the drawn axis, which runs from -reach to reach; 0.1 to 1
    has_small: whether any group has few tasks
    left_out: labels of the groups that are left out for too few tasks
    """

    breakdown: Breakdown
    lines: Sequence[tuple[str, GroupDifference]]
    reach: float
    has_small: bool
    left_out: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReport:
    """A compared pair in words and tables.

    sentence: the result; rest: the figures behind it, in sentences
    why_hidden: why counts and p-value are left out though the feedback level shows them; "" if not
    test: the test with its p-value, and what it generalises to; "" where that is not visible
    rests_on: says that the difference rests on one group of tasks; "" where it does not, or is not shown
    equal: of the means over several runs, the number of tasks on which neither is higher
    metrics: other figures with their difference; None where either system lacks the figure
    only: ids of the tasks that only one side has right, by side; empty where they are not visible
    """

    pair: ComparedPair
    a: PairSide
    b: PairSide
    sentence: str
    rest: str
    why_hidden: str
    test: str
    rests_on: str
    equal: int
    groups: Sequence[GroupDifferences]
    metrics: Sequence[tuple[Metric, Difference | None]]
    only: Sequence[tuple[PairSide, Sequence[str]]]


def describe_pair(
    pair: ComparedPair,
    a: PairSide,
    b: PairSide,
    *,
    method: TestMethod,
    breakdowns: Mapping[str, Breakdown],
    metrics: Mapping[str, Metric],
) -> PairReport:
    """Describe a pair. method: the test."""
    only = [(a, pair.only_a), (b, pair.only_b)] if pair.only_a is not None and pair.only_b is not None else []
    return PairReport(
        pair=pair,
        a=a,
        b=b,
        sentence=_sentence(pair, a, b),
        rest=join_sentences((_describe_margin(pair, a, b), *_describe_split(pair, a, b))),
        why_hidden=_(pair.why_hidden.label) if pair.why_hidden else "",
        test=_test(pair, method),
        rests_on=_describe_group(pair, breakdowns),
        equal=pair.table.both + pair.table.neither if pair.table else 0,
        groups=[
            _group_differences(breakdowns[key], lines, pair.left_out.get(key, ()))
            for key, lines in pair.groups.items()
            if lines or pair.left_out.get(key)
        ],
        metrics=[
            (metrics[key], difference)
            for key, difference in pair.metrics.items()
            if key in metrics and metrics[key].unit == Unit.SHARE
        ],
        only=only,
    )


def explain_untested(untested: UntestedPair, a: PairSide, b: PairSide) -> str:
    """Explain why two systems are not tested against each other."""
    reason = _(untested.why_not.label)
    if untested.why_not == WhyNot.OTHER_JUDGE:
        template = _(
            "%(a)s and %(b)s are not tested against each other: different judges decided on their answers."
        )
        return template % {"a": a.name, "b": b.name}
    if untested.by_rate is not None:
        better = {Outcome.A: (a, b), Outcome.B: (b, a)}.get(untested.by_rate)
        claim = (
            _("%(a)s and %(b)s are not significantly different.") % {"a": a.name, "b": b.name}
            if better is None
            else _("%(better)s scores significantly higher than %(other)s, judged by these tasks.")
            % {"better": better[0].name, "other": better[1].name}
        )
        tested = _("The leaderboard tests the two by their rates and numbers of tasks alone.")
        excluded = a if a.why_not else b
        why = _("%(name)s: %(why)s") % {"name": excluded.name, "why": reason}
        return join_sentences((claim, tested, why))
    excluded = a if a.why_not else b
    template = _("%(a)s and %(b)s are not tested against each other, as %(name)s takes no part. %(why)s")
    return template % {"a": a.name, "b": b.name, "name": excluded.name, "why": reason}


def _sentence(pair: ComparedPair, a: PairSide, b: PairSide) -> str:
    if pair.outcome == Outcome.NEITHER:
        # Tested alone the pair would differ significantly, and its interval may show that.
        template = (
            _(
                "Allowing for all %(n)s pairs of the leaderboard, %(a)s and %(b)s are not significantly "
                "different."
            )
            if _differs_alone(pair)
            else _("%(a)s and %(b)s are not significantly different.")
        )
        return template % {"a": a.name, "b": b.name, "n": f"{pair.family.pairs:,}"}
    better, other = (a, b) if pair.outcome == Outcome.A else (b, a)
    template = _("%(better)s scores significantly higher than %(other)s, judged by these tasks.")
    return template % {"better": better.name, "other": other.name}


def _differs_alone(pair: ComparedPair) -> bool:
    """Return whether a visible p is below .05, but not once it allows for all pairs of the leaderboard."""
    return not pair.p.is_significant and pair.p.exact is not None and pair.p.exact < ALPHA


def _describe_margin(pair: ComparedPair, a: PairSide, b: PairSide) -> str:
    """Describe the difference as the margin of the better system."""
    sign = -1 if pair.difference < 0 else 1
    ahead, other = (b, a) if sign < 0 else (a, b)
    if pair.has_open:
        return _describe_open_margin(pair, ahead, other, sign)
    values = {
        "name": ahead.name,
        "difference": points(sign * pair.difference).lstrip("+"),
    }
    if pair.interval:
        low, high = sorted(sign * end for end in pair.interval)
        values |= {"low": points(low), "high": points(high)}
        if pair.difference:
            template = _("%(name)s is ahead by %(difference)s points (95%% interval %(low)s to %(high)s).")
        else:
            template = _(
                "Their rates are the same (95%% interval of the difference %(low)s to %(high)s points)."
            )
    else:
        template = (
            _("%(name)s is ahead by %(difference)s points.")
            if pair.difference
            else _("Their rates are the same.")
        )
    return template % values


def _describe_open_margin(pair: ComparedPair, ahead: PairSide, other: PairSide, sign: int) -> str:
    """Describe the difference, from the ends of both scores, since open answers may turn out either way.

    sign: of the difference from the view of `ahead`
    """
    least, most = ahead.ends[0] - other.ends[1], ahead.ends[1] - other.ends[0]
    values = {"name": ahead.name, "most": points(most).lstrip("+")}
    if least > 0:
        values["least"] = points(least).lstrip("+")
        template = _(
            "%(name)s is ahead by %(least)s to %(most)s points, whichever way open answers turn out."
        )
    else:
        values["least"] = points(-least).lstrip("+")
        template = _(
            "%(name)s is between %(least)s points behind and %(most)s ahead: open answers leave the order "
            "open."
        )
    sentences = [template % values]
    if pair.interval:
        low, high = sorted(sign * end for end in pair.interval)
        template = _("The 95%% interval of the difference is %(low)s to %(high)s points.")
        sentences.append(template % {"low": points(low), "high": points(high)})
    return join_sentences(sentences)


def _describe_split(pair: ComparedPair, a: PairSide, b: PairSide) -> list[str]:
    """Describe the table behind the test and the meaning of its p; [] where they are hidden."""
    table = pair.table
    if table is None or pair.p.exact is None:
        return []
    if not table.only_a and not table.only_b:
        same = (
            _("On every task, both solved it in the same share of their runs.")
            if pair.has_runs
            else _("Both solved exactly the same tasks.")
        )
        return [same, *_describe_open(pair)]
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
    if _differs_alone(pair):
        template = _(
            "Tested alone, the two would differ significantly; the leaderboard tests %(n)s pairs, and some "
            "of these would by chance."
        )
        return [split, template % {"n": f"{pair.family.pairs:,}"}]
    return [split, *_describe_open(pair)]


def _describe_open(pair: ComparedPair) -> list[str]:
    """Say that open answers count against the claim; [] where there are none."""
    if not pair.has_open:
        return []
    if pair.is_undone_by_open:
        return [
            _(
                "Tested alone, the two would differ significantly if every answer that the judge left open "
                "were wrong, but not whichever way they turn out."
            )
        ]
    return [_("The test and the interval hold whichever way the answers turn out that the judge left open.")]


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


def _describe_group(pair: ComparedPair, breakdowns: Mapping[str, Breakdown]) -> str:
    """Say that the difference rests on one group of tasks; "" if it does not, or that is not shown."""
    deciding_group = pair.rests_on
    if deciding_group is None or deciding_group.breakdown not in breakdowns:
        return ""
    group = translated(breakdowns[deciding_group.breakdown].groups[deciding_group.group])
    if deciding_group.p is None:
        template = _(
            "This difference rests on one group of tasks, “%(group)s”: on all other tasks the two are not "
            "significantly different."
        )
        return template % {"group": group}
    p = p_words(visible_p(deciding_group.p, is_exact=True))
    template = _(
        "This difference rests on one group of tasks, “%(group)s”: on all other tasks the two are not "
        "significantly different (%(p)s)."
    )
    return template % {"group": group, "p": p}


def _group_differences(
    breakdown: Breakdown, lines: Sequence[GroupDifference], left_out: Sequence[str]
) -> GroupDifferences:
    ends = [abs(end) for line in lines for end in (line.difference.low, line.difference.high)]
    return GroupDifferences(
        breakdown=breakdown,
        lines=[(breakdown.groups[line.group], line) for line in lines],
        # Round up to a tenth, so that the axes of several pairs can be compared.
        reach=min(1.0, max(0.1, int(max(ends, default=0.0) * 10 + 0.9999) / 10)),
        has_small=any(line.is_small for line in lines),
        left_out=[breakdown.groups[group] for group in left_out],
    )
