"""What the data say of two systems, in words and as tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from leaderboard.models import Standing
from leaderboard.services.statistics.compare import ComparedPair, Outcome, Untested
from leaderboard.services.statistics.known import WhyNot
from leaderboard.services.statistics.p_values import ALPHA
from leaderboard.services.statistics.pair_tests import GroupDifference
from leaderboard.services.text import join_sentences
from leaderboard.web.templatetags.figures import p_words, points
from scoring.benchmark import Breakdown, Metric, Unit
from scoring.statistics.resampling import Difference

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
    """A pair. sentence: what the data say; rest: with which figures, in words; test: with which p, ""
    where none may be seen. metrics: other figures, each with its difference, None where one of the two has
    none. only_a, only_b: ids of tasks, where they may be seen."""

    pair: ComparedPair
    a: Lettered
    b: Lettered
    sentence: str
    rest: str
    test: str
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
        rest=join_sentences((_ahead(pair, a, b), *_split(pair, a, b, number))),
        test=_test(pair, number),
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


def _sentence(pair: ComparedPair, a: Lettered, b: Lettered, number: int) -> str:
    if pair.outcome == Outcome.NEITHER:
        # On its own it would be told apart, and its interval may say so.
        said = (
            _("Among the %(n)s pairs compared here, the data cannot tell %(a)s and %(b)s apart.")
            if pair.p.is_significant
            else _("The data cannot tell %(a)s and %(b)s apart.")
        )
        return said % {"a": a.name, "b": b.name, "n": number}
    better, other = (a, b) if pair.outcome == Outcome.A else (b, a)
    said = _("The data tell them apart: %(better)s is better than %(other)s.")
    return said % {"better": better.name, "other": other.name}


def _ahead(pair: ComparedPair, a: Lettered, b: Lettered) -> str:
    """Return how far apart the two are, seen from the one that is ahead."""
    sign = -1 if pair.difference < 0 else 1
    values = {
        "name": (b if sign < 0 else a).name,
        "difference": points(sign * pair.difference).lstrip("+"),
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
    return said % values


def _split(pair: ComparedPair, a: Lettered, b: Lettered, number: int) -> list[str]:
    """Return what the test goes by and what its p means, in words; nothing where these may not be seen."""
    table = pair.table
    if table is None or pair.p.exact is None:
        return []
    if not table.only_a and not table.only_b:
        return [_("Both are right on the same tasks.")]
    nothing = _("none")
    said = _("On %(only_a)s of the %(tasks)s tasks only %(a)s is right, on %(only_b)s only %(b)s.") % {
        "a": a.name,
        "b": b.name,
        "only_a": f"{table.only_a:,}" if table.only_a else nothing,
        "only_b": f"{table.only_b:,}" if table.only_b else nothing,
        "tasks": f"{sum(table):,}",
    }
    if pair.p.is_significant and pair.outcome == Outcome.NEITHER:
        alone = _("That would tell apart two that are compared alone; of %(n)s pairs, more is asked of each.")
        return [said, chance_words(pair.p.exact), alone % {"n": number}]
    return [said, chance_words(pair.p.exact)]


def chance_words(p: float) -> str:
    """Return what an exact p of a split means, rounded as `p_words` rounds it. p: in 0..1."""
    if p > 1 - 1e-9:
        return _("No split could be more even.")
    digits = 2 if p >= 0.0995 else 3
    rounded = float(f"{p:.{digits}f}")
    said = _(
        "If neither were better, a split at least that uneven would come by chance in about %(times)s of "
        "%(of)s such comparisons."
    )
    times, of = round(rounded * 10**digits), 10**digits
    # As p itself is never rounded to 0, to 1, or to the side of .05 where it is not.
    if p < 0.001 or p < ALPHA <= rounded:
        said = _(
            "If neither were better, a split at least that uneven would come by chance in fewer than "
            "%(times)s of %(of)s such comparisons."
        )
        times, of = (1, 1000) if p < 0.001 else (5, 100)
    elif times == of:
        said = _(
            "If neither were better, a split at least that uneven would come by chance in more than "
            "%(times)s of %(of)s such comparisons."
        )
        times = 99
    return said % {"times": times, "of": f"{of:,}"}


def _test(pair: ComparedPair, number: int) -> str:
    """Return by what test the two are told apart, with its p; "" where that may not be seen."""
    if pair.p.exact is None:
        return ""
    said = _("Exact McNemar test: %(p)s. Below .05 the data tell two systems apart.")
    if number > 1:
        said = _(
            "Exact McNemar test: %(p)s on its own, %(corrected)s after Holm's correction over the %(n)s "
            "pairs compared here. Below .05 after it the data tell two systems apart."
        )
    return said % {"p": p_words(pair.p), "corrected": p_words(pair.p_holm), "n": number}


def _groups(breakdown: Breakdown, lines: Sequence[GroupDifference]) -> Groups:
    ends = [abs(end) for line in lines for end in (line.difference.low, line.difference.high)]
    return Groups(
        breakdown=breakdown,
        lines=[(breakdown.groups[line.group], line) for line in lines],
        # Up to the next tenth, so that several pairs have axes that compare.
        reach=min(1.0, max(0.1, int(max(ends) * 10 + 0.9999) / 10)),
        has_small=any(line.is_small for line in lines),
    )
