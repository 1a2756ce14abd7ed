"""Read the rows of a board for exports and tables as tuples, which are cheaper than model instances."""

from collections import namedtuple
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from leaderboard.models import Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet
from leaderboard.models.systems import NamedFacts
from wardboard.scoring.facts import IN_ROWS, RELEASE


class ExportEvaluation(NamedTuple):
    """The columns of an evaluation that exports show."""

    revision_id: int
    scorer_version: str
    runs: int


class _Columns(NamedTuple):
    """The columns of a row, beside its facts, that exports and tables show, named as in `Standing`."""

    pk: int
    kind: str
    judge: str
    right: int | None
    total: int | None
    score: float | None
    low: float | None
    high: float | None
    metrics: dict[str, float | None]
    since: datetime
    chosen_before_score: bool | None
    designation: int | None
    repeated_runs: int | None
    most_rounds: int | None
    files_of_system: int | None
    files_of_team: int | None
    system_id: int
    team_name: str
    trace: str | None
    provenance: str | None
    repository: str | None
    source: str
    source_url: str
    evaluation_id: int | None
    evaluation__revision_id: int | None
    evaluation__scorer_version: str | None
    evaluation__runs: int | None


if TYPE_CHECKING:

    class _Row(_Columns, NamedFacts):
        pass

else:
    _Row = namedtuple("_Row", (*_Columns._fields, *(fact.field for fact in (*IN_ROWS, *RELEASE))))


class ExportRow(_Row):
    """The columns of a row that exports and tables show, its facts among them."""

    __slots__ = ()

    @property
    def is_reported(self) -> bool:
        return self.kind == Kind.REPORTED

    @property
    def is_baseline(self) -> bool:
        return self.kind == Kind.BASELINE

    @property
    def evaluation(self) -> ExportEvaluation:
        return ExportEvaluation(
            self.evaluation__revision_id or 0,
            self.evaluation__scorer_version or "",
            self.evaluation__runs or 1,
        )


def export_rows(rows: StandingQuerySet[Standing], *, chunk_size: int | None = None) -> Iterator[ExportRow]:
    """Yield `rows` in their order, reading `chunk_size` of them at a time, or all at once.

    On PostgreSQL chunks take four statements and more, of which each waits for the server.
    """
    columns = rows.with_submission().values_list(*ExportRow._fields)
    return map(ExportRow._make, columns.iterator(chunk_size=chunk_size) if chunk_size else columns)
