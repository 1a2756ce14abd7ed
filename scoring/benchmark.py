"""What a benchmark provides. The leaderboard knows a benchmark by this and by nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from scoring.limits import Limits
from scoring.problems import Remarks
from scoring.verdicts import Rate, Scorecard


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One figure of a board, in 0..1, higher is better. `public` ones may be shown at every
    feedback level; the others only where figures by type may be."""

    key: str
    label: str
    short: str
    public: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """One way to group the tasks: group keys in order, with what to call each."""

    key: str
    label: str
    groups: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A file that can be scored: its records, and what was noticed about it."""

    version: str | None
    format: str
    records: Sequence[Any]
    warnings: Remarks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRow:
    """A published result that nobody rescored. metrics: in 0..1; overall: rebuilt from the rate and n."""

    system: str
    model: str
    open_weights: bool | None
    size: str
    overall: Rate
    metrics: Mapping[str, float | None]
    source: str
    source_url: str
    published_on: date


class Benchmark(Protocol):
    """One family of benchmarks (all versions of MedAgentBench, say)."""

    slug: str
    title: str
    scorer_version: str
    metrics: tuple[Metric, ...]
    breakdowns: tuple[Breakdown, ...]

    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the released JSON Schemas by name; the first is that of a result file."""

    def read(self, raw: bytes, *, task_ids: Sequence[str], version: str, limits: Limits) -> Reading:
        """Return what `raw` holds. Raises SubmissionInvalid with every problem at once."""

    def score(self, records: Sequence[Any], references: Mapping[str, Any]) -> Scorecard:
        """Grade `records` against `references`; pure, and every task of `references` counts."""

    def dump_references(self, references: Mapping[str, Any]) -> bytes:
        """Return `references` as bytes, the same for the same content."""

    def load_references(self, data: bytes) -> Mapping[str, Any]:
        """Return what `dump_references` took."""

    def reason(self, code: int) -> str:
        """Return the grading reason that the number `code` stands for."""

    def reason_code(self, reason: str) -> int:
        """Return a number in 0..255 for a grading reason, the same for ever."""

    def reported(self, version: str) -> Sequence[ReportedRow]:
        """Return the published results of `version` that are shown beside rescored ones."""
