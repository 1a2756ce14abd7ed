"""Ranks of another list than the rest of a table: those of the judges that are not the compared one."""

from collections.abc import Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from leaderboard.models import Benchmark
from leaderboard.services import overview
from leaderboard.services.board import Query
from leaderboard.services.joining import listed_apart
from scoring import registry


def other_lists(*, benchmark: Benchmark, judges: Mapping[str, int], query: Query) -> dict[str, int]:
    """Return judge -> how many systems its ranks are among, where `query` shows ranks of several. judges: so
    of all on the board."""
    if len(judges) < 2 or query.judge or not registry.get(benchmark.family).needs_judge:
        return {}
    compared = overview.compared_judge(benchmark=benchmark, judges=judges, moment=query.moment)
    return {} if compared is None else {judge: n for judge, n in judges.items() if judge != compared}


def named(lists: Mapping[str, int]) -> str:
    """Return `other_lists` as a list within a sentence."""
    one = _("%(name)s (%(short)s)")
    return listed_apart(
        one % {"name": judge or _("judge not said"), "short": f"{number:,}"}
        for judge, number in lists.items()
    )


def heard(lists: Mapping[str, int]) -> dict[str, SafeString]:
    """Return judge -> what is heard after a rank in parentheses, which alone would be one of the rest."""
    said, not_said = _("in another list, of %(n)s judged by %(judge)s"), _("of %(n)s by another judge")
    return {
        judge: format_html(
            '<span class="visually-hidden"> {}</span>',
            (said if judge else not_said) % {"n": f"{number:,}", "judge": judge},
        )
        for judge, number in lists.items()
    }
