"""A board at one point of its log, with all that pages read of it: worked out once a request."""

from collections.abc import Mapping
from functools import cached_property

from leaderboard.models import ReferenceRevision, Standing
from leaderboard.services.boards import choices, provenance, ranks
from leaderboard.services.boards.census import Census, compared_judge, take_census
from leaderboard.services.boards.choices import FilterChoices
from leaderboard.services.boards.export_row import ExportRow
from leaderboard.services.boards.provenance import Provenance
from leaderboard.services.boards.ranks import Place, Ranks
from leaderboard.services.record.board_at import RecordedBoard
from leaderboard.services.statistics.known import RankStatistics, known_by_judge


class BoardAt(RecordedBoard):
    """A board as it is now or as it was, for one request. Properties are read on first use."""

    @cached_property
    def census(self) -> Census:
        """How many rows of each kind and judge there are."""
        return take_census(self)

    @cached_property
    def compared_judge(self) -> str | None:
        """The judge whose rows may be compared; None: rows of all judges, as the board mixes them."""
        return compared_judge(self, self.census.judges)

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks of the whole board."""
        return ranks.ranks(self)

    @cached_property
    def statistics(self) -> Mapping[str, RankStatistics]:
        """Judge -> what paired tests say of its rows, "" for all where the board mixes judges."""
        return known_by_judge(self)

    def statistics_for(self, judge: str | None) -> RankStatistics | None:
        """Return what paired tests say of the rows of `judge`; None where nothing is worked out.

        judge: None for all, on a board that mixes judges.
        """
        return self.statistics.get("" if judge is None or self.mixes_judges else judge)

    def place_of(self, standing: Standing | ExportRow) -> Place:
        """Return how sure the rank of a row of the board is. Nothing is worked out here."""
        return ranks.place_of(standing, self.statistics_for(standing.judge))

    @cached_property
    def filter_choices(self) -> FilterChoices:
        """The models and organisations that rows may be filtered by."""
        return choices.filter_choices(self)

    @cached_property
    def provenance(self) -> Provenance:
        """What the figures rest on."""
        return provenance.provenance_of(self)

    @cached_property
    def revision(self) -> ReferenceRevision | None:
        """The ground truth; None where the board had none."""
        return provenance.revision_of(self)

    @cached_property
    def scorer_version(self) -> str:
        """The version of the scorer; of a past board those that scored its rows."""
        return provenance.scorer_of(self)
