"""Read the rows of a board for exports and tables as tuples, which are cheaper than model instances."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple

from leaderboard.models import Kind, Standing
from leaderboard.models.evaluations import StandingQuerySet


class ExportEvaluation(NamedTuple):
    """The columns of an evaluation that exports show."""

    revision_id: int
    scorer_version: str
    runs: int


class ExportRow(NamedTuple):
    """The columns of a row that exports and tables show, named as in `Standing`."""

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
    files_of_system: int | None
    files_of_team: int | None
    system_id: int
    name: str
    model_names: list[str]
    team_name: str
    organisation: str
    interaction: str
    retrieval: str
    reasoning: str
    open_weights: bool | None
    harness: str
    harness_name: str
    tools: str
    task_memory: bool | None
    trained_on_benchmark: bool | None
    cost_per_task: float | None
    seconds_per_task: float | None
    run_on: date | None
    fhir_image: str
    trace: str | None
    provenance: str | None
    repository: str | None
    version: str | None
    commit: str | None
    run_url: str | None
    note: str | None
    source: str
    source_url: str
    evaluation_id: int | None
    evaluation__revision_id: int | None
    evaluation__scorer_version: str | None
    evaluation__runs: int | None

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
