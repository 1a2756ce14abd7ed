"""The sentence at the head of a board, supported by tests of all pairs or else by intervals."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.services.boards.head_sentence import Lead, PairedFinding
from leaderboard.services.judging.names import judge_name
from leaderboard.services.rows.filters import FILTER_BY_KEY
from leaderboard.services.statistics.rank_statistics import LeaderFacts
from leaderboard.services.text import join_sentences, percent, percent_range
from leaderboard.services.text_fitting import shorten
from leaderboard.web.templatetags.figures import p_words, since_when

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

# Of a name, in Latin letters: two names of 120 letters would push the rows off a small screen, and
# the rows have them in full.
_LETTERS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The main sentence and those that qualify it.

    rest: without which it would mislead
    details: the others, folded on pages
    is_tested: whether tests support it, so that a link to their explanation is shown
    """

    sentence: str
    rest: str = ""
    details: str = ""
    is_tested: bool = False


def describe_finding(
    finding: PairedFinding | Lead | None, *, judges: int = 1, filters: Mapping[str, str] | None = None
) -> Finding | None:
    """Describe the systems tied for first; None where no system is ranked.

    judges: the number of judges of the board's rows; of several, the text names the one it is about
    filters: parameter -> value of those that choose the rows, where `finding` is of a selection
    """
    if finding is None:
        return None
    finding = _with_short_names(finding)
    is_tested = isinstance(finding, PairedFinding)
    if isinstance(finding, PairedFinding):
        sentence, details = _describe_tests(finding), _test_details(finding)
        is_named = finding.facts.tied == 1 or _lead_of_tested(finding)
        caveats = ["" if is_named else _describe_highest(finding), _uncompared(finding.facts)]
    else:
        sentence, details = _describe_intervals(finding), _interval_details(finding, judges=judges)
        caveats = [_outdated(finding)]
    if judges > 1 and finding.judge is not None:
        name = judge_name(finding.judge)
        caveats.append(_("Only systems judged by “%(judge)s” are compared.") % {"judge": name})
    if scope := _scope(finding, filters or {}):
        sentence = _("%(scope)s: %(sentence)s") % {"scope": scope, "sentence": sentence}
    rest = join_sentences(caveat for caveat in caveats if caveat)
    return Finding(sentence=sentence, rest=rest, details=join_sentences(details), is_tested=is_tested)


def _with_short_names(finding: PairedFinding | Lead) -> PairedFinding | Lead:
    if isinstance(finding, Lead):
        return replace(finding, name=shorten(finding.name, _LETTERS))
    return replace(
        finding,
        first_name=shorten(finding.first_name, _LETTERS),
        highest=[shorten(name, _LETTERS) for name in finding.highest],
        next_name=shorten(finding.next_name, _LETTERS) if finding.next_name else "",
    )


def _scope(finding: PairedFinding | Lead, filters: Mapping[str, str]) -> str:
    """Name the systems that the sentence is about; "" for all of the board."""
    if finding.has_removed and finding.is_selection:
        return _("Among the systems that match the filters and were not removed since")
    if finding.has_removed:
        return _("Without the results removed since")
    if not finding.is_selection:
        return ""
    chosen = [(FILTER_BY_KEY[key], value) for key, value in filters.items() if key != "judge"]
    scopes = [each.scopes.get(value, "") for each, value in chosen]
    return _(scopes[0]) if len(scopes) == 1 and scopes[0] else _("Among the systems that match the filters")


def _describe_tests(finding: PairedFinding) -> str:
    """Describe the lead of the first system, as far as it is known, and the claim of the tests."""
    lead = _lead_of_tested(finding)
    is_tied = finding.facts.tied > 1
    claim = _describe_tie(finding) if is_tied else _describe_first(finding, is_named=bool(lead))
    if lead:
        return _("%(lead)s; %(claim)s.") % {"lead": lead, "claim": claim}
    is_whole = not (finding.is_selection or finding.has_removed)
    start = claim[:1].upper() if is_tied and is_whole else claim[:1]
    return _("%(sentence)s.") % {"sentence": start + claim[1:]}


def _lead_of_tested(finding: PairedFinding) -> str:
    """Return by how much the first system is ahead; "" where another one may have as high a score."""
    is_open = finding.first_upper is not None or finding.overlapping
    if finding.second_score is None or is_open or not finding.is_highest:
        return ""
    tests = {None: _("not tested"), False: _("not significant"), True: _("significant")}
    score, points = _score_and_runs(finding), _points(finding.first_score, finding.second_score)
    return _lead_in_points(finding.first_name, score, points, tests[finding.is_ahead])


def _lead_in_points(first: str, score: str, points: str, test: str) -> str:
    """Return how far the first is ahead. test: of the difference, in words."""
    values = {"first": first, "score": score, "points": points, "test": test}
    return _("%(first)s (%(score)s) is %(points)s points ahead of the next (%(test)s)") % values


def _points(score: float, second_score: float) -> str:
    """Print the difference of two scores as they are printed, which reveals no more than they do."""
    points = 100 * (round(score, 3) - round(second_score, 3))
    return f"{points:.1f}" if points > 0.01 else "<0.1"


def _describe_tie(finding: PairedFinding) -> str:
    facts = finding.facts
    count = _number_word(facts.tied)
    if facts.tied <= facts.others:
        return _("%(count)s systems are tied for first") % {"count": count}
    if facts.uncompared or facts.left_out:
        return _("the %(count)s systems compared are tied for first") % {"count": count}
    if facts.tied == 2:
        return _("both systems are tied for first")
    return _("all %(count)s systems are tied for first") % {"count": count}


def _describe_first(finding: PairedFinding, *, is_named: bool) -> str:
    """Describe a system that is tied with no other. No single run is described as leading.

    is_named: whether the sentence names it before
    """
    facts = finding.facts
    # A language may quote the name, and not the pronoun.
    first = _("it") if is_named else _("%(name)s") % {"name": finding.first_name}
    values = {"first": first, "count": _number_word(facts.others)}
    if facts.worse < facts.others:
        template = ngettext(
            "%(first)s is tied for first with no other system",
            "%(first)s is tied for first with no other system: each of the other %(count)s is significantly "
            "worse than at least one system",
            facts.others,
        )
    elif facts.uncompared or facts.left_out:
        template = ngettext(
            "%(first)s scores significantly higher than the other system compared, judged by these tasks",
            "%(first)s scores significantly higher than each of the other %(count)s systems compared, judged "
            "by these tasks",
            facts.others,
        )
    else:
        template = ngettext(
            "%(first)s scores significantly higher than the other system, judged by these tasks",
            "%(first)s scores significantly higher than each of the other %(count)s systems, judged by these "
            "tasks",
            facts.others,
        )
    return template % values


def _with_source(score: str, *, is_reported: bool) -> str:
    return _("%(score)s as published") % {"score": score} if is_reported else score


def _uncompared(facts: LeaderFacts) -> str:
    """Mention ranked rows that could not be compared; "" without such rows."""
    if not facts.uncompared:
        return ""
    template = ngettext(
        "One ranked system could not be compared: its number of tasks is not known.",
        "%(count)s ranked systems could not be compared: their numbers of tasks are not known.",
        facts.uncompared,
    )
    return template % {"count": _number_word(facts.uncompared).capitalize()}


def _test_details(finding: PairedFinding) -> list[str]:
    facts = finding.facts
    sentences = []
    if facts.lead is not None and facts.lead.new_entries:
        sentences.append(_("The claim has held %(since)s.") % {"since": since_when(facts.lead)})
    values = {
        "next": finding.next_name,
        "score": percent_range(finding.next_score, finding.next_upper),
        "p": p_words(facts.next_p) if facts.next_p else "",
    }
    if facts.next_p is not None and facts.next_p.exact is not None:
        template = _("%(next)s (%(score)s, %(p)s) is the first that is significantly lower.")
        sentences.append(template % values)
    elif facts.next is not None and facts.tied > 1:
        sentences.append(_("%(next)s (%(score)s) is the first that is significantly lower.") % values)
    return sentences if facts.tied == 1 else [*sentences, _("Tied does not mean equal.")]


def _describe_highest(finding: PairedFinding) -> str:
    """Name the systems with the highest score of those compared."""
    sentence = _name_highest(finding)
    if finding.is_highest:
        return sentence
    return _("Of the systems compared, %(sentence)s") % {"sentence": sentence}


def _name_highest(finding: PairedFinding) -> str:
    score = _with_source(percent(finding.first_score), is_reported=finding.is_reported)
    values = {"first": finding.first_name, "score": score}
    if finding.overlapping:
        values |= {"score": _score_and_runs(finding), "count": _number_word(finding.overlapping)}
        template = ngettext(
            "%(first)s is listed first (%(score)s); undecided answers leave its order with one other open.",
            "%(first)s is listed first (%(score)s); undecided answers leave its order with %(count)s others "
            "open.",
            finding.overlapping,
        )
        return template % values
    if finding.highest_count == 1:
        values["score"] = _score_and_runs(finding)
        return _("%(first)s scores highest (%(score)s).") % values
    if finding.highest_count == 2:
        values["second"] = finding.highest[1]
        return _("%(first)s and %(second)s score highest (%(score)s).") % values
    values["count"] = _number_word(finding.highest_count - 1)
    return _("%(first)s and %(count)s others score highest (%(score)s).") % values


def _score_and_runs(finding: PairedFinding) -> str:
    """Write the first score with the number of runs that it is the mean of, because runs differ."""
    runs = finding.runs
    score = percent_range(finding.first_score, finding.first_upper)
    values = {"score": score, "runs": runs}
    if finding.is_reported or runs is None:
        return _with_source(score, is_reported=finding.is_reported)
    if runs == 1:
        return _("%(score)s in a single run") % values
    return _("%(score)s, mean of %(runs)s runs") % values


def _describe_intervals(lead: Lead) -> str:
    is_part = lead.is_selection or lead.has_removed
    if not lead.others and not lead.without:
        return _("one ranked system.") if is_part else _("One system is ranked so far.")
    score = _with_source(percent(lead.score), is_reported=lead.is_reported)
    if lead.low is None or not lead.others:
        values = {"name": lead.name, "score": score}
        return _("%(name)s is ranked first (%(score)s); the uncertainty cannot be estimated.") % values
    test = _("test pending") if lead.is_to_be_tested else _("not tested")
    if lead.equal == 1 and lead.second_score is not None:
        start = _lead_in_points(lead.name, score, _points(lead.score, lead.second_score), test)
    else:
        count = _number_word(lead.equal)
        values = {"count": count if is_part else count.capitalize(), "score": score, "test": test}
        start = _("%(count)s systems share the first rank (%(score)s; %(test)s)") % values
    return _("%(sentence)s.") % {"sentence": start}


def _compare_intervals(lead: Lead) -> str:
    values = {"name": lead.name, "count": _number_word(lead.near)}
    return _template_on_intervals(lead) % values


def _template_on_intervals(lead: Lead) -> str:
    if not lead.near:
        if lead.without:
            return _("The 95%% interval of %(name)s lies above every other that is known.")
        return _("The 95%% interval of %(name)s lies above that of every other system.")
    # Across a gap "the next" would be wrong, so the sentence only counts.
    if lead.without or (not lead.in_a_row and lead.near < lead.others):
        return ngettext(
            "The 95%% interval of %(name)s overlaps that of one other system.",
            "The 95%% interval of %(name)s overlaps those of %(count)s other systems.",
            lead.near,
        )
    if lead.near == lead.others == 2:
        return _("The 95%% interval of %(name)s overlaps those of both other systems.")
    if lead.near == lead.others:
        return ngettext(
            "The 95%% interval of %(name)s overlaps that of the other system.",
            "The 95%% interval of %(name)s overlaps those of all %(count)s other systems.",
            lead.near,
        )
    return ngettext(
        "The 95%% interval of %(name)s overlaps that of the next system.",
        "The 95%% interval of %(name)s overlaps those of the next %(count)s systems.",
        lead.near,
    )


def _outdated(lead: Lead) -> str:
    """Mention rows scored against an earlier ground truth; "" without such rows."""
    rest = lead.others + lead.without
    if lead.is_outdated and rest and lead.outdated == rest:
        return _("All were scored against earlier reference answers.")
    if lead.is_outdated:
        return _("%(name)s was scored against earlier reference answers.") % {"name": lead.name}
    if not lead.outdated:
        return ""
    template = ngettext(
        "One other system was scored against earlier reference answers.",
        "%(count)s other systems were scored against earlier reference answers.",
        lead.outdated,
    )
    return template % {"count": _number_word(lead.outdated).capitalize()}


def _interval_details(lead: Lead, *, judges: int) -> list[str]:
    values = {"name": lead.name, "score": percent(lead.score)}
    if lead.low is None:
        return [_("Its number of tasks is not known, so it has no interval.")]
    values |= {"low": percent(lead.low), "high": percent(lead.high)}
    if not lead.others and not lead.without:
        # Systems of another judge may match too.
        if lead.is_selection and judges == 1:
            template = _(
                "It is %(name)s, at %(score)s (95%% interval %(low)s to %(high)s); no other system matches "
                "the filters."
            )
        else:
            template = _(
                "It is %(name)s, at %(score)s (95%% interval %(low)s to %(high)s); there is nothing yet to "
                "compare it with."
            )
        return [template % values]
    sentences = [_compare_intervals(lead)]
    return [*sentences, _("Overlap does not mean equal.")] if lead.near else sentences


def _number_word(number: int) -> str:
    return str(_NUMBER_WORDS[number]) if number < len(_NUMBER_WORDS) else f"{number:,}"
