"""The answer to a comparison in a sentence, as pages give it."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from leaderboard.services.statistics.compare import ComparedPair, ComparedSystem, Comparison, Outcome
from leaderboard.services.statistics.p_values import format_p
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import points


def answer_of(comparison: Comparison) -> str:
    """Say which system is ahead and by how much, or that the two cannot be distinguished or compared."""
    pair = comparison.pair
    if pair is None:
        return _answer_untested(comparison)
    ahead, other = comparison.ahead_first
    values = {"name": ahead.name, "other": other.name, "by": _lead(pair, ahead, other), "p": format_p(pair.p)}
    if pair.outcome == Outcome.NEITHER:
        return _not_distinguished(pair, values)
    if values["p"]:
        return _("%(name)s is significantly ahead of %(other)s by %(by)s (%(p)s).") % values
    return _("%(name)s is significantly ahead of %(other)s by %(by)s.") % values


def _not_distinguished(pair: ComparedPair, values: Mapping[str, str]) -> str:
    if pair.table is not None and not pair.has_open and not pair.table.only_a and not pair.table.only_b:
        template = (
            _("%(name)s and %(other)s cannot be distinguished: equal on every task over their runs.")
            if pair.has_runs
            else _("%(name)s and %(other)s cannot be distinguished: they solved exactly the same tasks.")
        )
        return template % values
    if pair.interval is None:
        return _("%(name)s and %(other)s cannot be distinguished: %(by)s.") % values
    low, high = interval_of(pair)
    return _("%(name)s and %(other)s cannot be distinguished: %(by)s, 95%% interval %(low)s to %(high)s.") % {
        **values,
        "low": unsigned(low),
        "high": unsigned(high),
    }


def interval_of(pair: ComparedPair) -> tuple[float, float]:
    """Return the interval of a pair that shows one, as the lead of the system with the higher score."""
    if pair.interval is None:
        raise ValueError("the interval of this pair is hidden")
    low, high = pair.interval
    return (-high, -low) if pair.difference < 0 else (low, high)


def _lead(pair: ComparedPair, ahead: ComparedSystem, other: ComparedSystem) -> str:
    """Say how large a lead is: "12.3 points", with undecided answers from the least to the most."""
    if not pair.has_open:
        return _("%(points)s points") % {"points": unsigned(abs(pair.difference))}
    least, most = ahead.ends[0] - other.ends[1], ahead.ends[1] - other.ends[0]
    return _("%(least)s to %(most)s points") % {
        "least": unsigned(least),
        "most": unsigned(most),
    }


def unsigned(difference: float) -> str:
    """Format a difference in points, with a sign only where it is negative."""
    return points(difference).lstrip("+")


def _answer_untested(comparison: Comparison) -> str:
    a, b = comparison.sides
    if comparison.why_not is None or comparison.why_not == WhyNot.OTHER_JUDGE:
        return _("%(a)s and %(b)s cannot be compared: different judges decided on their answers.") % {
            "a": a.name,
            "b": b.name,
        }
    why = _("%(name)s: %(why)s") % {
        "name": (a if a.why_not else b).name,
        "why": _(comparison.why_not.label),
    }
    return _("%(a)s and %(b)s are not tested task by task. %(why)s") % {"a": a.name, "b": b.name, "why": why}
