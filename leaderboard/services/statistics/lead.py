"""Find since when the first system of a board has led significantly, and through how many new entries."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.models import BoardStatistics
from leaderboard.services.statistics.stored import Results, unpack


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLead:
    """How long one system has been significantly better than every other that was compared.

    The claim held each time that the board was tested. Changes that came at once were tested once.

    since: time of the first event of that time
    new_entries: number of systems that are compared now, and were not compared at that event
    """

    system_id: int
    since: datetime
    new_entries: int


def leader_of(results: Results) -> int | None:
    """Return the system that is significantly better than every other compared one; None without one."""
    others = len(results.systems) - 1
    return results.systems[0] if others > 0 and results.worse[0] == others else None


def trace_lead(*, board_id: int, judge: str, number: int, results: Results) -> tuple[int | None, int]:
    """Return `leads_since` and `leads_through` of the statistics of one judge at one event.

    results: of that event
    """
    leader = leader_of(results)
    if leader is None:
        return None, 0
    stored = BoardStatistics.objects.filter(board=board_id, judge=judge)
    before = stored.filter(number__lt=number).order_by("-number").first()
    if before is None:
        return number, 0
    if before.method != BoardStatistics.METHOD:
        return None, 0  # another release computed it, so whether the claim held is not known
    if leader_of(results_of(before)) != leader:
        return number, 0
    if before.leads_since is None:
        return None, 0
    start = results_of(stored.get(number=before.leads_since))
    return before.leads_since, len(set(results.systems) - set(start.systems))


def results_of(row: BoardStatistics) -> Results:
    """Return the results of stored statistics. Of rows with the same digest, only the first stores them."""
    rows = BoardStatistics.objects.filter(board=row.board_id, digest=row.digest)
    return unpack(bytes(row.payload or rows.earliest("pk").payload))
