"""What a page says of the rank of a system: its uncertainty, and the distance to the next system."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.boards.row import Row
from leaderboard.services.boards.system import OnBoard
from leaderboard.services.statistics.p_values import PValue, format_p
from leaderboard.services.text import join_names, join_sentences, points
from leaderboard.web.templatetags.figures import since_when


def describe_rank(on_board: OnBoard, row: Row) -> str:
    """Describe the rank of the row, how certain it is, and how far away the next system is."""
    if row.unmet_rules:
        asked = row.board_at.lead_rules.sentences
        rules = join_names(asked[rule] for rule in row.unmet_rules)
        return _("It is listed without a rank, which takes %(rules)s.") % {"rules": rules}
    if row.rank is None:
        return _("It has no rank.") if row.is_baseline else _("It has no score, and so no rank.")
    place = row.place
    if not place.is_known:
        is_final = place.why_not is not None
        return _("It was not compared with other systems, so its rank has no interval.") if is_final else ""
    return join_sentences((_count(place.better, place.worse or 0), _describe_next(on_board, row)))


def _count(better: int, worse: int) -> str:
    """Count the systems that are significantly better and worse: the interval of the rank, in words."""
    if better:
        template = ngettext(
            "%(count)s system is significantly better", "%(count)s systems are significantly better", better
        )
    else:
        template = _("No system is significantly better")
    first = template % {"count": f"{better:,}"}
    if worse:
        template = ngettext("%(count)s is significantly worse", "%(count)s are significantly worse", worse)
    else:
        template = _("none is significantly worse")
    return _("%(better)s, %(worse)s.") % {"better": first, "worse": template % {"count": f"{worse:,}"}}


def _describe_next(on_board: OnBoard, row: Row) -> str:
    """Say how far ahead of the next system the row is, and whether the difference is significant."""
    p, following = row.p_next, on_board.next
    if p is None or following is None or following.standing.score is None or row.standing.score is None:
        return ""
    ahead = row.standing.score - following.standing.score
    values = {
        "name": following.standing.name,
        "points": points(ahead).lstrip("+"),
        "verdict": _describe_difference(p),
    }
    if ahead < 0 or any(_has_open_answers(each) for each in (row, following)):
        return _("The next is %(name)s: %(verdict)s.") % values
    if not ahead:
        return _("The next, %(name)s, has the same score: %(verdict)s.") % values
    return _("It is %(points)s points ahead of the next, %(name)s: %(verdict)s.") % values


def _has_open_answers(row: Row) -> bool:
    """Return whether answers that a judge left open could raise the score."""
    return row.upper is not None and row.upper != row.standing.score


def _describe_difference(p: PValue) -> str:
    if not p.is_significant:
        return _("no significant difference")
    printed = format_p(p)
    return (
        _("a significant difference (%(p)s)") % {"p": printed} if printed else _("a significant difference")
    )


def describe_lead(row: Row) -> str:
    """Say since when no other system has been as good; "" where that is not claimed, or not known."""
    statistics = row.board_at.statistics_for(row.standing.judge)
    lead = statistics.lead if statistics else None
    if lead is None or lead.system_id != row.standing.system_id:
        return ""
    sentence = _("It has scored significantly higher than every other system compared %(since)s.")
    return sentence % {"since": since_when(lead)}
