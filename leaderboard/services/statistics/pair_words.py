"""The answer to a comparison in a sentence, as pages, charts and the API give it."""

from collections.abc import Mapping

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.statistics.compare import (
    ComparedPair,
    ComparedSystem,
    Comparison,
    Outcome,
    UntestedPair,
)
from leaderboard.services.statistics.p_values import format_p
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import points


def answers_of(comparison: Comparison) -> list[str]:
    """Return a sentence for each pair, in the active language."""
    sides = {side.system_id: side for side in comparison.sides}
    pairs: list[ComparedPair | UntestedPair] = [*comparison.pairs, *comparison.untested]
    return [answer_of(pair, sides) for pair in pairs]


def headline_of(comparison: Comparison) -> str:
    """Return the answer to a comparison of two systems; of more, say how many pairs differ significantly."""
    answers = answers_of(comparison)
    if len(answers) == 1:
        return answers[0]
    outcomes = [pair.outcome for pair in comparison.pairs] + [pair.by_rate for pair in comparison.untested]
    differing = sum(outcome in (Outcome.A, Outcome.B) for outcome in outcomes)
    return ngettext(
        "%(n)s of %(pairs)s pairs differs significantly",
        "%(n)s of %(pairs)s pairs differ significantly",
        differing,
    ) % {"n": differing, "pairs": len(answers)}


def answer_of(pair: ComparedPair | UntestedPair, sides: Mapping[int, ComparedSystem]) -> str:
    """Say which system of a pair is ahead and by how much, or that they cannot be distinguished."""
    a, b = sides[pair.a], sides[pair.b]
    if isinstance(pair, UntestedPair):
        return _answer_untested(pair, a, b)
    ahead, other = ahead_first(pair, a, b)
    values = {"name": ahead.name, "other": other.name, "by": _lead(pair, ahead, other)}
    if pair.outcome == Outcome.NEITHER:
        return _not_distinguished(pair, values)
    return _significantly_ahead({**values, "p": format_p(pair.p)})


def ahead_first(
    pair: ComparedPair | UntestedPair, a: ComparedSystem, b: ComparedSystem
) -> tuple[ComparedSystem, ComparedSystem]:
    """Return the two systems of a pair, the one with the higher score first."""
    difference = pair.difference if isinstance(pair, ComparedPair) else a.ends[0] - b.ends[0]
    return (b, a) if difference < 0 else (a, b)


def _significantly_ahead(values: Mapping[str, str]) -> str:
    template = (
        _("%(name)s is significantly ahead of %(other)s by %(by)s (%(p)s).")
        if values.get("p")
        else _("%(name)s is significantly ahead of %(other)s by %(by)s.")
    )
    return template % values


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


def _answer_untested(pair: UntestedPair, a: ComparedSystem, b: ComparedSystem) -> str:
    """Say what the leaderboard claims of a pair by its rates alone, or why it claims nothing."""
    if pair.by_rate is None:
        if pair.why_not == WhyNot.OTHER_JUDGE:
            return _("%(a)s and %(b)s cannot be compared: different judges decided on their answers.") % {
                "a": a.name,
                "b": b.name,
            }
        return _("%(a)s and %(b)s cannot be compared. %(why)s") % {
            "a": a.name,
            "b": b.name,
            "why": explain_untested(pair, a, b),
        }
    if pair.by_rate == Outcome.NEITHER:
        ahead, other = ahead_first(pair, a, b)
    else:
        ahead, other = (a, b) if pair.by_rate == Outcome.A else (b, a)
    by = _("%(points)s points") % {"points": unsigned(abs(a.ends[0] - b.ends[0]))}
    values = {"name": ahead.name, "other": other.name, "by": by}
    if pair.by_rate == Outcome.NEITHER:
        return _("%(name)s and %(other)s cannot be distinguished: %(by)s.") % values
    return _significantly_ahead(values)


def explain_untested(pair: UntestedPair, a: ComparedSystem, b: ComparedSystem) -> str:
    """Say which system of a pair is not tested task by task, and why."""
    if pair.why_not == WhyNot.OTHER_JUDGE:
        return ""
    return _("%(name)s: %(why)s") % {"name": (a if a.why_not else b).name, "why": _(pair.why_not.label)}
