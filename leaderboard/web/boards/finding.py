"""The sentence at the head of a board: what was tested, or what single intervals allow to say; no more."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.services.boards.summary import Lead, PairedFinding
from leaderboard.services.statistics.known import LeaderFacts
from leaderboard.services.text import join_sentences, percent
from leaderboard.web.templatetags.figures import p_words

_WORDS = (
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


# Who reads the head of a board wants to know what holds, not how it was found out.
_MOST = 3  # join_sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence, and what has to be said beside it. is_tested: it goes by paired tests, so that "how we
    know" has something to lead to."""

    sentence: str
    rest: str = ""
    is_tested: bool = False


def finding(found: PairedFinding | Lead | None, *, judges: int = 1) -> Finding | None:
    """Return what is known of who is first, in words; None where nobody is.

    judges: how many have decided on the rows of the board; the sentence is about one of them, and says so.
    """
    if found is None:
        return None
    is_tested = isinstance(found, PairedFinding)
    sentence = _tested(found) if is_tested else _of_intervals(found)
    needed = [_untested_near(found.facts)] if is_tested else [_outdated(found)]
    if judges > 1 and found.judge is not None:
        needed.append(_("Compared are systems judged by “%(judge)s” only.") % {"judge": found.judge})
    needed = [one for one in needed if one]
    beside = _beside_tests(found) if is_tested else _beside_intervals(found)
    # Three join_sentences in all; what the first would not be true without comes before what adds to it.
    rest = [*beside[: _MOST - 1 - len(needed)], *needed]
    return Finding(sentence=sentence, rest=join_sentences(rest), is_tested=is_tested)


def _tested(found: PairedFinding) -> str:
    facts = found.facts
    if not facts.like_first:
        return _leads(found)
    names = {"first": found.first_name, "count": _word(facts.like_first)}
    together = {"count": _word(facts.like_first + 1)}
    # Rows that could not be compared stand among these.
    if facts.in_a_row and facts.are_alike:
        if facts.fixed_near:
            return _("The data cannot tell the first %(count)s of the systems compared apart.") % together
        return _("The data cannot tell the first %(count)s apart.") % together
    if not facts.in_a_row:
        said = ngettext(
            "The data cannot tell one other system from %(first)s.",
            "The data cannot tell %(count)s other systems from %(first)s.",
            facts.like_first,
        )
    elif facts.fixed_near:
        said = ngettext(
            "The data cannot tell the next system compared from %(first)s.",
            "The data cannot tell the next %(count)s systems compared from %(first)s.",
            facts.like_first,
        )
    else:
        said = ngettext(
            "The data cannot tell the next system from %(first)s.",
            "The data cannot tell the next %(count)s systems from %(first)s.",
            facts.like_first,
        )
    return said % names


def _leads(found: PairedFinding) -> str:
    facts = found.facts
    if facts.fixed_above:
        said = ngettext(
            "Of the systems compared %(first)s leads, and the data tell it from the other.",
            "Of the systems compared %(first)s leads, and the data tell it from each of the other %(count)s.",
            facts.others,
        )
    elif facts.fixed or facts.left_out:
        said = ngettext(
            "%(first)s leads, and the data tell it from the other system compared.",
            "%(first)s leads, and the data tell it from each of the other %(count)s systems compared.",
            facts.others,
        )
    else:
        said = ngettext(
            "%(first)s leads, and the data tell it from the other system.",
            "%(first)s leads, and the data tell it from each of the other %(count)s systems.",
            facts.others,
        )
    return said % {"first": found.first_name, "count": _word(facts.others)}


def _untested_near(facts: LeaderFacts) -> str:
    """Say that rows rank as high that could not be compared; "" where none does."""
    if not facts.fixed_near:
        return ""
    said = ngettext(
        "One row that ranks no lower could not be compared.",
        "%(count)s rows that rank no lower could not be compared.",
        facts.fixed_near,
    )
    return said % {"count": _word(facts.fixed_near).capitalize()}


def _beside_tests(found: PairedFinding) -> list[str]:
    facts = found.facts
    about = {
        "first": found.first_name,
        "next": found.next_name,
        "low": facts.place.rank_low,
        "high": facts.place.rank_high,
    }
    said = [_rank(facts) % about]
    if facts.next_p is None:
        return said
    if facts.next_p.exact is None:
        if facts.like_first:
            said.append(_("The highest that the data tell from %(first)s is %(next)s.") % about)
        return said
    about["p"] = p_words(facts.next_p)
    if facts.like_first:
        told = _("The highest that the data tell from %(first)s is %(next)s (exact McNemar test, %(p)s).")
    else:
        told = _("The next system compared is %(next)s (exact McNemar test, %(p)s).")
    return [*said, told % about]


def _rank(facts: LeaderFacts) -> str:
    """Say where the first ranks, and why that is surer or less sure than the tests are, where it is: the two
    would look like a contradiction."""
    place = facts.place
    is_surer = place.rank_high < 1 + facts.fixed_above + facts.like_first
    if place.rank_low == place.rank_high:
        if is_surer:
            return _(
                "%(first)s ranks %(low)s in at least 95%% of resamples of the tasks; the test asks for more "
                "than that to tell two systems apart."
            )
        return _("%(first)s ranks %(low)s in at least 95%% of resamples of the tasks.")
    if is_surer:
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


def _of_intervals(lead: Lead) -> str:
    about = {"name": lead.name, "score": percent(lead.score), "count": _word(lead.near)}
    if not lead.others and not lead.without:
        return _("One system is ranked so far.")
    if lead.low is None or not lead.others:
        return _("%(name)s is ranked first, at %(score)s; how sure that is cannot be said.") % about
    if not lead.near:
        if lead.without:
            return _("%(name)s leads: its 95%% interval lies above every other that is known.") % about
        return _("%(name)s leads: its 95%% interval lies above that of every other system.") % about
    # A count that reaches past a gap is said as a count, not as "the next".
    if lead.without or (not lead.in_a_row and lead.near < lead.others):
        said = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of one other system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of %(count)s other systems.",
            lead.near,
        )
    elif lead.near == lead.others:
        said = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of the other system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of all %(count)s other systems.",
            lead.near,
        )
    else:
        said = ngettext(
            "The 95%% interval of %(name)s, at %(score)s, overlaps that of the next system.",
            "The 95%% interval of %(name)s, at %(score)s, overlaps those of the next %(count)s systems.",
            lead.near,
        )
    return said % about


def _outdated(lead: Lead) -> str:
    """Say of whom the figures are of an earlier ground truth; "" where of nobody."""
    rest = lead.others + lead.without
    if lead.is_outdated and rest and lead.outdated == rest:
        return _("All were scored against an earlier ground truth.")
    if lead.is_outdated:
        return _("%(name)s was scored against an earlier ground truth.") % {"name": lead.name}
    if not lead.outdated:
        return ""
    said = ngettext(
        "One other system was scored against an earlier ground truth.",
        "%(count)s other systems were scored against an earlier ground truth.",
        lead.outdated,
    )
    return said % {"count": _word(lead.outdated).capitalize()}


def _beside_intervals(lead: Lead) -> list[str]:
    about = {"name": lead.name, "score": percent(lead.score), "count": _word(lead.tied).capitalize()}
    if lead.low is None:
        return [_("Its number of tasks is not known, so it has no interval.")]
    about |= {"low": percent(lead.low), "high": percent(lead.high)}
    if not lead.others and not lead.without:
        return [
            _(
                "It is %(name)s, at %(score)s (95%% interval %(low)s to %(high)s); there is nothing yet to "
                "compare it with."
            )
            % about
        ]
    if not lead.near:
        return [
            _("It stands at %(score)s (%(low)s to %(high)s).") % about,
            _("This goes by single intervals; nothing was tested."),
        ]
    said = [_("Nothing was tested; intervals that overlap do not show that systems are equal.")]
    if lead.tied > 1:
        said.insert(0, _("%(count)s systems share the first rank.") % about)
    return said


def _word(number: int) -> str:
    return str(_WORDS[number]) if number < len(_WORDS) else f"{number:,}"
