"""The sentence at the head of a board, supported by paired tests or else by intervals."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.services.boards.summary import Lead, PairedFinding
from leaderboard.services.statistics.known import LeaderFacts
from leaderboard.services.text import join_sentences, percent
from leaderboard.web.templatetags.figures import p_words

_NUMBER_WORDS = (
    gettext_lazy("no"),
    gettext_lazy("one"),
    gettext_lazy("two"),
    gettext_lazy("three"),
    gettext_lazy("four"),
    gettext_lazy("five"),
    gettext_lazy("six"),
    gettext_lazy("seven"),
    gettext_lazy("eight"),
    gettext_lazy("nine"),
    gettext_lazy("ten"),
)

# Readers of the first lines want the result; the About page explains the method.
_MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The main sentence and the sentences that qualify it.

    is_tested: whether paired tests support it, so that a link to their explanation is shown
    """

    sentence: str
    rest: str = ""
    is_tested: bool = False


def describe_finding(finding: PairedFinding | Lead | None, *, judges: int = 1) -> Finding | None:
    """Describe the leading system in at most three sentences; None where no system is ranked.

    judges: the number of judges of the board's rows; of several, the text names the one it is about
    """
    if finding is None:
        return None
    is_tested = isinstance(finding, PairedFinding)
    if isinstance(finding, PairedFinding):
        sentence, details = _describe_tests(finding), _test_details(finding)
        caveats = [_untested_near(finding.facts)]
    else:
        sentence, details = _describe_intervals(finding), _interval_details(finding)
        caveats = [_outdated(finding)]
    if judges > 1 and finding.judge is not None:
        caveats.append(_("Compared are systems judged by “%(judge)s” only.") % {"judge": finding.judge})
    caveats = [caveat for caveat in caveats if caveat]
    # The sentence would mislead without its caveats, so details make room for them.
    rest = [*details[: _MOST_SENTENCES - 1 - len(caveats)], *caveats]
    return Finding(sentence=sentence, rest=join_sentences(rest), is_tested=is_tested)


def _describe_tests(finding: PairedFinding) -> str:
    facts = finding.facts
    if not facts.like_first:
        return _describe_clear_lead(finding)
    values = {"first": finding.first_name, "count": _number_word(facts.like_first)}
    group = {"count": _number_word(facts.like_first + 1)}
    # fixed_near: rows that could not be compared rank among these.
    if facts.in_a_row and facts.are_alike:
        if facts.fixed_near:
            return _("The data cannot tell the first %(count)s of the systems compared apart.") % group
        return _("The data cannot tell the first %(count)s apart.") % group
    if not facts.in_a_row:
        template = ngettext(
            "The data cannot tell one other system from %(first)s.",
            "The data cannot tell %(count)s other systems from %(first)s.",
            facts.like_first,
        )
    elif facts.fixed_near:
        template = ngettext(
            "The data cannot tell the next system compared from %(first)s.",
            "The data cannot tell the next %(count)s systems compared from %(first)s.",
            facts.like_first,
        )
    else:
        template = ngettext(
            "The data cannot tell the next system from %(first)s.",
            "The data cannot tell the next %(count)s systems from %(first)s.",
            facts.like_first,
        )
    return template % values


def _describe_clear_lead(finding: PairedFinding) -> str:
    facts = finding.facts
    if facts.fixed_above:
        template = ngettext(
            "Of the systems compared %(first)s leads, and the data tell it from the other.",
            "Of the systems compared %(first)s leads, and the data tell it from each of the other %(count)s.",
            facts.others,
        )
    elif facts.fixed or facts.left_out:
        template = ngettext(
            "%(first)s leads, and the data tell it from the other system compared.",
            "%(first)s leads, and the data tell it from each of the other %(count)s systems compared.",
            facts.others,
        )
    else:
        template = ngettext(
            "%(first)s leads, and the data tell it from the other system.",
            "%(first)s leads, and the data tell it from each of the other %(count)s systems.",
            facts.others,
        )
    return template % {"first": finding.first_name, "count": _number_word(facts.others)}


def _untested_near(facts: LeaderFacts) -> str:
    """Mention rows that rank as high but could not be compared; "" without such rows."""
    if not facts.fixed_near:
        return ""
    template = ngettext(
        "One row that ranks no lower could not be compared.",
        "%(count)s rows that rank no lower could not be compared.",
        facts.fixed_near,
    )
    return template % {"count": _number_word(facts.fixed_near).capitalize()}


def _test_details(finding: PairedFinding) -> list[str]:
    facts = finding.facts
    values = {
        "first": finding.first_name,
        "next": finding.next_name,
        "low": facts.place.rank_low,
        "high": facts.place.rank_high,
    }
    sentences = [_rank_template(facts) % values]
    if facts.next_p is None:
        return sentences
    if facts.next_p.exact is None:
        if facts.like_first:
            sentences.append(_("The highest that the data tell from %(first)s is %(next)s.") % values)
        return sentences
    values["p"] = p_words(facts.next_p)
    if facts.like_first:
        template = _("The highest that the data tell from %(first)s is %(next)s (exact McNemar test, %(p)s).")
    else:
        template = _("The next system compared is %(next)s (exact McNemar test, %(p)s).")
    return [*sentences, template % values]


def _rank_template(facts: LeaderFacts) -> str:
    """Return the sentence on the rank of the first system.

    Where its rank is more or less certain than the tests, the sentence says why: the two would otherwise
    seem to contradict each other.
    """
    place = facts.place
    is_more_certain = place.rank_high < 1 + facts.fixed_above + facts.like_first
    if place.rank_low == place.rank_high:
        if is_more_certain:
            return _(
                "%(first)s ranks %(low)s in at least 95%% of resamples of the tasks; the test asks for more "
                "than that to tell two systems apart."
            )
        return _("%(first)s ranks %(low)s in at least 95%% of resamples of the tasks.")
    if is_more_certain:
        return _(
            "%(first)s ranks %(low)s to %(high)s in at least 95%% of resamples of the tasks; the test asks "
            "for more than that to tell two systems apart."
        )
    if place.rank_high > 1 + facts.fixed_near + facts.like_first:
        return _(
            "%(first)s ranks %(low)s to %(high)s in at least 95%% of resamples of the tasks; a rank is among "
            "all systems, a test between two."
        )
    return _("%(first)s ranks %(low)s to %(high)s in at least 95%% of resamples of the tasks.")


def _describe_intervals(lead: Lead) -> str:
    values = {"name": lead.name, "score": percent(lead.score), "count": _number_word(lead.near)}
    if not lead.others and not lead.without:
        return _("One system is ranked so far.")
    if lead.low is None or not lead.others:
        return _("%(name)s is ranked first, at %(score)s; how sure that is cannot be said.") % values
    if not lead.near:
        if lead.without:
            return _("%(name)s leads: its 95%% interval lies above every other that is known.") % values
        return _("%(name)s leads: its 95%% interval lies above that of every other system.") % values
    # Across a gap "the next" would be wrong, so the sentence only counts.
    if lead.without or (not lead.in_a_row and lead.near < lead.others):
        template = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of one other system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of %(count)s other systems.",
            lead.near,
        )
    elif lead.near == lead.others:
        template = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of the other system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of all %(count)s other systems.",
            lead.near,
        )
    else:
        template = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of the next system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of the next %(count)s systems.",
            lead.near,
        )
    return template % values


def _outdated(lead: Lead) -> str:
    """Mention rows scored against an earlier ground truth; "" without such rows."""
    rest = lead.others + lead.without
    if lead.is_outdated and rest and lead.outdated == rest:
        return _("All were scored against an earlier ground truth.")
    if lead.is_outdated:
        return _("%(name)s was scored against an earlier ground truth.") % {"name": lead.name}
    if not lead.outdated:
        return ""
    template = ngettext(
        "One other system was scored against an earlier ground truth.",
        "%(count)s other systems were scored against an earlier ground truth.",
        lead.outdated,
    )
    return template % {"count": _number_word(lead.outdated).capitalize()}


def _interval_details(lead: Lead) -> list[str]:
    values = {"name": lead.name, "score": percent(lead.score), "count": _number_word(lead.tied).capitalize()}
    if lead.low is None:
        return [_("Its number of tasks is not known, so it has no interval.")]
    values |= {"low": percent(lead.low), "high": percent(lead.high)}
    if not lead.others and not lead.without:
        return [
            _(
                "It is %(name)s, at %(score)s (95%% interval %(low)s to %(high)s); there is nothing yet to "
                "compare it with."
            )
            % values
        ]
    if not lead.near:
        return [
            _("It stands at %(score)s (%(low)s to %(high)s).") % values,
            _("This goes by single intervals; nothing was tested."),
        ]
    sentences = [_("Nothing was tested; intervals that overlap do not show that systems are equal.")]
    if lead.tied > 1:
        sentences.insert(0, _("%(count)s systems share the first rank.") % values)
    return sentences


def _number_word(number: int) -> str:
    return str(_NUMBER_WORDS[number]) if number < len(_NUMBER_WORDS) else f"{number:,}"
