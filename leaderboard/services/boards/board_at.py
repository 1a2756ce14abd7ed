"""Read a board at one point of its log, each part once for a request."""

from collections.abc import Mapping
from functools import cached_property

from leaderboard.services.boards import provenance, ranks
from leaderboard.services.boards.census import Census, compared_judge, take_census
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.ranks import Ranks
from leaderboard.services.boards.reported.cited import Cited, cited_rows
from leaderboard.services.record.recorded_board import RecordedBoard
from leaderboard.services.statistics.rank_statistics import RankStatistics, statistics_by_judge


class BoardAt(RecordedBoard):
    """A board as it is now or was after a past event. Each property is read once, on first use."""

    @cached_property
    def census(self) -> Census:
        """The number of rows of each kind and judge."""
        return self.remember("census", lambda: take_census(self))

    @cached_property
    def compared_judge(self) -> str | None:
        """The judge whose rows may be compared; None on a board that mixes judges."""
        return compared_judge(self, self.census.leading)

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of the whole board."""
        return self.remember(f"ranks:{self.mixes_judges:d}", lambda: ranks.compute_ranks(self))

    @cached_property
    def statistics(self) -> Mapping[str, RankStatistics]:
        """Judge -> the results of paired tests; the judge is "" on a board that mixes judges."""
        return statistics_by_judge(self)

    @cached_property
    def cited(self) -> Mapping[int, Cited]:
        """System -> what is stated of its row, which was published elsewhere; empty for a past board."""
        return cited_rows(self)

    def statistics_for(self, judge: str | None) -> RankStatistics | None:
        """Return the results of paired tests for the rows of `judge`; None if there are none yet.

        judge: None for the rows of all judges, on a board that mixes them
        """
        return self.statistics.get("" if judge is None or self.mixes_judges else judge)

    @cached_property
    def provenance(self) -> Provenance:
        """The provenance of the figures."""
        return self.remember("provenance", lambda: provenance.read_provenance(self))
