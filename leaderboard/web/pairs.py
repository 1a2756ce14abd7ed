"""What the data say of two systems, in words and as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.services.comparing import ComparedPair, Outcome, Untested
from leaderboard.services.joining import sentences
from leaderboard.services.p_values import PValue, in_figures
from leaderboard.services.paired_tests import GroupDifference
from leaderboard.services.statistics import Difference, WhyNot
from leaderboard.web.templatetags.differences import points
from scoring.benchmark import Breakdown, Metric, Unit

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lettered:
    """A system of a comparison, with the letter that it goes by there."""

    letter: str
    row: Standing
    why_not: WhyNot | None

    @property
    def name(self) -> str:
        return self.row.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Differences by the groups of a breakdown. reach: how far from 0 the drawn axis goes, in 0.1..1."""

    breakdown: Breakdown
    lines: Sequence[tuple[str, GroupDifference]]
    reach: float
    has_small: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A pair. sentence: what the data say; rest: with which figures. metrics: other figures, each with its
    difference, None where one of the two has none. only_a, only_b: ids of tasks, where they may be seen."""

    pair: ComparedPair
    a: Lettered
    b: Lettered
    sentence: str
    rest: str
    groups: Sequence[Groups]
    metrics: Sequence[tuple[Metric, Difference | None]]
    only: Sequence[tuple[Lettered, Sequence[str]]]


def told_pair(
    pair: ComparedPair,
    a: Lettered,
    b: Lettered,
    *,
    number: int,
    breakdowns: Mapping[str, Breakdown],
    metrics: Mapping[str, Metric],
) -> Told:
    """Return what is said of `pair`. number: of pairs that were tested together."""
    only = [(a, pair.only_a), (b, pair.only_b)] if pair.only_a is not None and pair.only_b is not None else []
    return Told(
        pair=pair,
        a=a,
        b=b,
        sentence=_sentence(pair, a, b, number),
        rest=_rest(pair, a, b, number),
        groups=[_groups(breakdowns[key], lines) for key, lines in pair.groups.items() if lines],
        metrics=[
            (metrics[key], one)
            for key, one in pair.metrics.items()
            if key in metrics and metrics[key].unit == Unit.SHARE
        ],
        only=only,
    )


def told_untested(untested: Untested, a: Lettered, b: Lettered) -> str:
    """Return why the two are not tested, in a sentence."""
    why = _(untested.why_not.label)
    if untested.why_not == WhyNot.OTHER_JUDGE:
        said = _(
            "%(a)s and %(b)s are not tested against each other: different judges decided on their answers."
        )
        return said % {"a": a.name, "b": b.name}
    of = a if a.why_not else b
    said = _("%(a)s and %(b)s are not tested against each other, as %(name)s takes no part. %(why)s")
    return said % {"a": a.name, "b": b.name, "name": of.name, "why": why}


def p_words(p: PValue) -> str:
    """Return p as it is written; where it may not be told, what it says."""
    return in_figures(p) or (_("told apart") if p.tells else _("not told apart"))


def _sentence(pair: ComparedPair, a: Lettered, b: Lettered, number: int) -> str:
    if pair.outcome == Outcome.NEITHER:
        # On its own it would be told apart, and its interval may say so.
        said = (
            _("Among the %(n)s pairs compared here, the data cannot tell %(a)s and %(b)s apart.")
            if pair.p.tells
            else _("The data cannot tell %(a)s and %(b)s apart.")
        )
        return said % {"a": a.name, "b": b.name, "n": number}
    better, other = (a, b) if pair.outcome == Outcome.A else (b, a)
    said = _("The data tell them apart: %(better)s is better than %(other)s.")
    return said % {"better": better.name, "other": other.name}


def _rest(pair: ComparedPair, a: Lettered, b: Lettered, number: int) -> str:
    """Return how far apart the two are, seen from the one that is ahead, and the p of the test."""
    sign = -1 if pair.difference < 0 else 1
    values = {
        "name": (b if sign < 0 else a).name,
        "difference": points(sign * pair.difference).lstrip("+"),
        "p": p_words(pair.p),
        "corrected": p_words(pair.p_holm),
        "n": number,
    }
    if pair.interval:
        low, high = sorted(sign * end for end in pair.interval)
        values |= {"low": points(low), "high": points(high)}
        if pair.difference:
            said = _("%(name)s is ahead by %(difference)s points (95%% interval %(low)s to %(high)s).")
        else:
            said = _("Their rates are the same (95%% interval of the difference %(low)s to %(high)s points).")
    else:
        said = (
            _("%(name)s is ahead by %(difference)s points.")
            if pair.difference
            else _("Their rates are the same.")
        )
    if pair.p.exact is None:
        return said % values
    tested = _("Exact McNemar: %(p)s.")
    if number > 1:
        tested = _(
            "Exact McNemar: %(p)s on its own; %(corrected)s after Holm's correction over the %(n)s pairs "
            "compared here."
        )
    return sentences((said % values, tested % values))


def _groups(breakdown: Breakdown, lines: Sequence[GroupDifference]) -> Groups:
    ends = [abs(end) for line in lines for end in (line.difference.low, line.difference.high)]
    return Groups(
        breakdown=breakdown,
        lines=[(breakdown.groups[line.group], line) for line in lines],
        # Up to the next tenth, so that several pairs have axes that compare.
        reach=min(1.0, max(0.1, int(max(ends) * 10 + 0.9999) / 10)),
        has_small=any(line.is_small for line in lines),
    )
