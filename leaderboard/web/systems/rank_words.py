"""What a page says of the rank of a system, and of its uncertainty."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.services.boards.row import Row


def describe_rank(row: Row) -> str:
    """Describe the rank of the row, and how certain it is."""
    if row.unmet_rules:
        return _("It is listed without a rank: %(why)s.") % {"why": row.why_unranked}
    if row.rank is None:
        return _("It has no rank.")
    place = row.place
    statistics = row.board_at.statistics_for(row.standing.judge)
    if not place.is_known or (statistics and len(statistics.stored.systems) < 2):
        is_final = place.is_known or place.why_not is not None
        return _("It was not compared with other systems, so its rank has no interval.") if is_final else ""
    # The interval of the rank, in words.
    better, worse = place.better, place.worse or 0
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
