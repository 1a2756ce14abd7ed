"""Ranks of another list than the rest of a board: those of the judges that are not the compared one."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from leaderboard.models import Benchmark
from leaderboard.services.boards import summary
from leaderboard.services.boards.board import Query, Row, take_census
from leaderboard.services.text import join_with_semicolons
from scoring import registry


def other_lists(*, benchmark: Benchmark, judges: Mapping[str, int], query: Query) -> dict[str, int]:
    """Return judge -> how many systems its ranks are among, where `query` shows ranks of several. judges: so
    of all on the board."""
    if len(judges) < 2 or query.judge or not registry.get(benchmark.family).needs_judge:
        return {}
    compared = summary.compared_judge(benchmark=benchmark, judges=judges, moment=query.moment)
    return {} if compared is None else {judge: n for judge, n in judges.items() if judge != compared}


def size_of_other(row: Row) -> int | None:
    """Return how many systems the rank of `row` is among, where that is another list than the board's; None
    where it is the board's, or there is no rank."""
    if row.rank is None or not registry.get(row.benchmark.family).needs_judge:
        return None
    judges = take_census(benchmark=row.benchmark).judges
    return other_lists(benchmark=row.benchmark, judges=judges, query=Query()).get(row.standing.judge)


def named(lists: Mapping[str, int]) -> str:
    """Return `other_lists` as a list within a sentence."""
    one = _("%(name)s (%(short)s)")
    return join_with_semicolons(
        one % {"name": judge or _("judge not said"), "short": f"{number:,}"}
        for judge, number in lists.items()
    )


def in_words(judge: str, number: int) -> str:
    """Return which list a rank is of."""
    said = _("in another list, of %(n)s judged by %(judge)s") if judge else _("of %(n)s by another judge")
    return said % {"n": f"{number:,}", "judge": judge}
