"""The sentence at the head of a board: who leads, or how many are tied for first."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.boards.summary import Claim, Summary, SummaryRow
from leaderboard.services.judging.names import judge_name
from leaderboard.services.text import join_names, join_sentences, lead_words, percent_range, tasks_words
from leaderboard.services.text_fitting import shorten
from leaderboard.web.templatetags.languages import day

# Of a name, in Latin letters: two names of 120 letters would push the rows off a small screen, and
# the rows have them in full.
_LETTERS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The main sentence, and the rest, without which it would mislead."""

    sentence: str
    rest: str = ""


def describe_finding(summary: Summary | None, *, is_one_look: bool = False) -> Finding | None:
    """Describe the summary of a board; None where no system has a score.

    is_one_look: whether it is of a season as it was revealed, whose pairs are tested once
    """
    if summary is None:
        return None
    values = {"first": shorten(summary.first.name, _LETTERS), "score": _score(summary.first)}
    caveats = [_("Tied does not mean equal.")] if summary.claim is Claim.TIED else []
    if is_one_look and summary.claim in (Claim.TIED, Claim.LEADS):
        caveats.append(
            _("One look at all pairs: the chance that any difference here is false is 5% at most.")
        )
    if summary.claim is Claim.TIED and summary.second is None and summary.first.upper > summary.first.score:
        listed = _("%(first)s is listed first (%(score)s, a range: the judge left answers undecided).")
        caveats.append(listed % {**values, "score": percent_range(summary.first.score, summary.first.upper)})
    if summary.uncompared:
        caveats.append(
            ngettext(
                "%(n)s ranked system was not compared: it was scored against earlier reference answers.",
                "%(n)s ranked systems were not compared: they were scored against earlier reference answers.",
                summary.uncompared,
            )
            % {"n": summary.uncompared}
        )
    if summary.judge is not None:
        name = judge_name(summary.judge)
        caveats.append(_("Only systems judged by “%(judge)s” are compared.") % {"judge": name})
    return Finding(sentence=_sentence(summary, values), rest=join_sentences(caveats))


def _sentence(summary: Summary, values: dict[str, str]) -> str:
    lead = _lead(summary)
    match summary.claim:
        case Claim.TIED:
            tied = _("%(n)s systems are tied for first.") % {"n": f"{summary.tied:,}"}
            return join_sentences((tied, lead))
        case Claim.LEADS:
            return lead or _("%(first)s (%(score)s) is tied for first with no other system.") % values
        case Claim.PENDING | Claim.TOO_FEW:
            pending = _("%(first)s (%(score)s) is listed first among ranked systems; the tests are pending.")
            too_few = _("%(first)s (%(score)s) is listed first among ranked systems, too few to compare.")
            return (pending if summary.claim is Claim.PENDING else too_few) % values
        case Claim.NOTHING_SCORED:
            tasks, since = tasks_words(summary.first.tasks), day(summary.first.since)
            values["score"] = percent_range(summary.first.score, None)
            values["of"] = join_names(filter(None, [tasks, since]))
            nothing = _("Nothing was scored here yet.")
            best = _("The best listed published result is %(score)s (%(first)s; %(of)s).")
            return join_sentences((nothing, best % values))


def _lead(summary: Summary) -> str:
    """Say by how much the first system is ahead; "" where another one may have as high a score."""
    if summary.second is None:
        return ""
    tests = {None: _("not tested"), False: _("not significant"), True: _("significant")}
    return _("%(first)s leads by %(lead)s (%(test)s).") % {
        "first": shorten(summary.first.name, _LETTERS),
        "lead": lead_words((summary.first.score, summary.first.upper), summary.second),
        "test": tests[summary.is_ahead],
    }


def _score(row: SummaryRow) -> str:
    """Print a score with the number of runs that it is the mean of, because runs differ."""
    score = percent_range(row.score, row.upper if row.upper > row.score else None)
    if row.runs is None:
        return score
    if row.runs == 1:
        return _("%(score)s in a single run") % {"score": score}
    return _("%(score)s, mean of %(runs)s runs") % {"score": score, "runs": row.runs}
