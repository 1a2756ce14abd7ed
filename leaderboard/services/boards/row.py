"""A row of a board, with the figures that are visible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.models import Board, Kind, ProvenanceLevel, Standing, Trace
from leaderboard.services import visibility
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.ranks import print_rank
from leaderboard.services.record.past import Removal
from leaderboard.services.rows.lead_rules import LeadRule
from leaderboard.services.rows.means import Mean, mean_of
from leaderboard.services.statistics.p_values import PValue
from leaderboard.services.statistics.rank_statistics import Place
from leaderboard.services.text import percent_range
from leaderboard.services.visibility import GroupMean
from wardboard.scoring.benchmark import Metric
from wardboard.scoring.verdicts import Rate, Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row with the figures that are visible.

    ranks: the first and the last rank that it can have, whichever way answers turn out that a judge left
        open; without these the same. It is on the whole board, among the rows of its judge unless the board
        mixes judges; None for a baseline and for a row without a score
    unmet_rules: the rules of the board that keep it from a rank; none of a baseline, which never has one
    removal: for a row of a past board, its later removal from the board, if any
    """

    ranks: tuple[int, int] | None
    standing: Standing
    metrics: Mapping[str, float | None]
    place: Place
    unmet_rules: Sequence[LeadRule]
    board_at: BoardAt
    removal: Removal | None = None

    @property
    def board(self) -> Board:
        """The leaderboard as it graded the row, by an earlier declaration perhaps."""
        board = self.board_at.board
        evaluation = self.standing.evaluation if board.is_declared else None
        return board.as_graded_by(evaluation.scorer_version) if evaluation else board

    @property
    def models(self) -> tuple[str, ...]:
        """The names of its models, which are the same for all spellings that name one model."""
        return self.board_at.model_names.all_of(self.standing.model_names)

    @property
    def groups(self) -> dict[str, dict[str, Rate | Share]]:
        stored = self.standing.shown_breakdowns
        return visibility.visible_groups(self.board, stored, runs=self.runs or 1) if stored else {}

    @property
    def group_metrics(self) -> dict[str, dict[str, dict[str, GroupMean]]]:
        standing = self.standing
        return visibility.visible_group_metrics(
            self.board, standing.shown_group_metrics, is_printed=standing.evaluation is None
        )

    @property
    def p_next(self) -> PValue | None:
        """The adjusted p of its test against the next compared row; None without a test, and with filters."""
        statistics = self.board_at.statistics_for(self.standing.judge) if self.place.is_known else None
        return statistics.p_next(self.standing.system_id) if statistics else None

    @property
    def tasks(self) -> int | None:
        """The number of tasks that the figures are over; None where it is not known."""
        total = self.standing.total
        return total // (self.runs or 1) if total else None

    def mean(self, metric: Metric) -> Mean:
        """Return a figure as tables show it, with over how many tasks it is."""
        tasks = self.tasks if metric.over_key else None
        return mean_of(metric, self.metrics, tasks, self.standing.metrics.get(metric.key))

    @property
    def upper(self) -> float | None:
        """The upper end of the score, in 0..1, where the judge left tasks open; None elsewhere."""
        return visibility.upper_end(visibility.ranked_metric(self.board), self.standing.score, self.metrics)

    @property
    def rank(self) -> int | None:
        """The first rank that it can have."""
        return self.ranks and self.ranks[0]

    @property
    def rank_to(self) -> int | None:
        """The last rank that it can have."""
        return self.ranks and self.ranks[1]

    @property
    def rank_words(self) -> str:
        """The rank in print: its 95% interval, 2–4, or of open answers where nothing was tested; or ""."""
        return self.place.span if self.rank and self.place.is_known else print_rank(self.ranks)

    @property
    def score_words(self) -> str:
        """The score in print: 84.7%, or 75.0–88.0% where the judge left tasks open."""
        return percent_range(self.standing.score, self.upper)

    @property
    def runs(self) -> int | None:
        """The number of runs behind the figures; None where these were not computed here."""
        standing = self.standing
        return standing.evaluation.runs if standing.evaluation_id and standing.evaluation else None

    @property
    def why_unranked(self) -> str:
        """Why rules keep it from a rank, in the language of the reader; "" where none does."""
        rules, standing = self.board_at.lead_rules, self.standing
        return rules.why_unranked(self.unmet_rules, rules.open_share(standing.score, standing.metrics))

    @property
    def stated_runs(self) -> int | None:
        """The number of runs, for a row as published as its source states it; None where that is not known.

        Past boards have those computed here alone, since what is stated of a publication may be corrected.
        """
        if not self.is_reported:
            return self.runs
        cited = self.board_at.cited.get(self.standing.system_id)
        return cited.runs if cited else None

    @property
    def trace_label(self) -> str:
        """How much its file holds of the traces of its runs, in English; "" where that is not known."""
        return str(Trace(self.standing.trace).label) if self.standing.trace else ""

    @property
    def provenance(self) -> ProvenanceLevel | None:
        """How much is known about where the file behind it comes from; None without a file."""
        return ProvenanceLevel(self.standing.provenance) if self.standing.provenance else None

    @property
    def kind_words(self) -> str:
        """What it is beside verified rows, in English: "as published", "baseline"; "" for a verified one."""
        return "" if self.standing.kind == Kind.RESCORED else Kind(self.standing.kind).label.lower()

    @property
    def is_reported(self) -> bool:
        return self.standing.is_reported

    @property
    def is_baseline(self) -> bool:
        return self.standing.is_baseline

    @property
    def is_outdated(self) -> bool:
        """Whether the row was scored against another revision of the references than the board's."""
        evaluation = self.standing.evaluation if self.standing.evaluation_id else None
        return evaluation is not None and evaluation.revision_id != self.board_at.revision_id
