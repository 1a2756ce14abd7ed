"""What a board's data say of who is first: by paired tests where they are known, else by single intervals."""

from dataclasses import dataclass

from leaderboard.models import Benchmark
from leaderboard.services import overview
from leaderboard.services.overview import Lead
from leaderboard.services.record import past
from leaderboard.services.record.past import Moment
from leaderboard.services.statistics.known import Facts, known


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedFinding:
    """What paired tests say, with names. next_name: "" where none differs from the first. judge: whose rows
    were tested; None: those of all."""

    facts: Facts
    first_name: str
    next_name: str
    judge: str | None


def finding_of(
    *, benchmark: Benchmark, judge: str | None, moment: Moment | None = None
) -> PairedFinding | Lead | None:
    """Return what is known of who is first among the rows of `judge` (None: of all, as always where the
    board mixes judges), today or at `moment`.

    By single intervals while the tests are being worked out, and where fewer than two rows can take part.
    None: nobody is first.
    """
    if past.mixes_judges(benchmark, moment):
        judge = None
    found = known(benchmark=benchmark, judge=judge, moment=moment)
    if found is None or found.systems < 2:
        return overview.lead(benchmark=benchmark, judge=judge, moment=moment)
    facts = found.finding
    rows = past.rows_at(benchmark=benchmark, moment=moment).filter(system__in=[facts.first, facts.next])
    names = dict(rows.values_list("system_id", "name"))
    return PairedFinding(
        facts=facts,
        first_name=names.get(facts.first, ""),
        next_name=names.get(facts.next, ""),
        judge=judge,
    )
