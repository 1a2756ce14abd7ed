"""The answer to a comparison in a sentence, as pages give it."""

from django.utils.translation import gettext as _

from leaderboard.services.statistics.compare import ComparedPair, Comparison
from leaderboard.services.statistics.p_values import format_p
from leaderboard.services.statistics.rank_statistics import WhyNot
from leaderboard.services.text import join_sentences, join_with_and, lead_words, unsigned


def answer_of(comparison: Comparison) -> str:
    """Say which system is ahead and by how much, or that they do not differ or are not tested."""
    pair = comparison.pair
    if pair is None:
        return _answer_untested(comparison)
    ahead, other = comparison.ahead_first
    values = {
        "name": ahead.name,
        "other": other.name,
        "by": lead_words(ahead.ends, other.ends),
        "p": format_p(pair.p),
        "n": f"{pair.family.pairs:,}",
    }
    if not pair.p.is_significant:
        return _without_significance(pair, values)
    if values["p"]:
        return _("%(name)s is significantly ahead of %(other)s by %(by)s (%(p)s).") % values
    return _("%(name)s is significantly ahead of %(other)s by %(by)s.") % values


def _without_significance(pair: ComparedPair, values: dict[str, str]) -> str:
    # As the lead of the system with the higher score. It is not known where both ends are one.
    low, high = pair.interval or (0.0, 0.0)
    low, high = (-high, -low) if pair.difference < 0 else (low, high)
    values |= {"low": unsigned(low), "high": unsigned(high), "most": unsigned(max(-low, high))}
    if low > 0:
        return (
            _(
                "%(name)s is ahead of %(other)s by %(by)s (%(low)s to %(high)s); not significant among %(n)s "
                "pairs (alone %(p)s)."
            )
            % values
        )
    if pair.table is not None and not pair.has_open and not pair.table.only_a and not pair.table.only_b:
        template = (
            _("%(name)s and %(other)s did equally well on every task over their runs.")
            if pair.has_runs
            else _("%(name)s and %(other)s solved exactly the same tasks.")
        )
        unknown = _("Their difference is not known to better than ±%(most)s points.")
        if low == high:
            unknown = _("These tasks show no difference between them.")
        return join_sentences((template % values, unknown % values))
    if low == high:
        # Which side of 0 a hidden interval is on is hidden too, so nothing is said of it.
        return _("%(name)s and %(other)s do not differ significantly: %(by)s.") % values
    return _("%(name)s and %(other)s do not differ significantly: %(by)s (%(low)s to %(high)s).") % values


def _answer_untested(comparison: Comparison) -> str:
    a, b = comparison.ahead_first
    scores = join_with_and([a.score_words, b.score_words])
    values = {"a": a.name, "b": b.name, "by": lead_words(a.ends, b.ends), "scores": scores}
    if comparison.why_not is None or comparison.why_not == WhyNot.OTHER_JUDGE:
        return _("%(a)s and %(b)s cannot be compared: different judges decided on their answers.") % values
    whys = [(side.name, _(side.why_not.label)) for side in comparison.sides if side.why_not]
    why = join_sentences(_("%(name)s: %(why)s") % {"name": name, "why": label} for name, label in whys)
    if a.why_not == b.why_not:
        why = whys[0][1]
    return _("%(a)s and %(b)s are %(by)s apart (%(scores)s); not tested. %(why)s") % {**values, "why": why}
