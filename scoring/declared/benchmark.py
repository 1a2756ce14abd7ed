"""The benchmark that a declaration makes, by the interface that every benchmark has."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, BinaryIO

from wardboard.scoring.about import About, Work
from wardboard.scoring.benchmark import Benchmark, Breakdown, Clusters, Metric, Reading, Watch
from wardboard.scoring.declared.declaration import Declaration
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.traces.trace_file import TraceWriter
from wardboard.scoring.verdicts import Scorecard


class DeclaredReason(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"


class Declared(Benchmark):
    """A declared benchmark. Only what its declaration says differs from another one."""

    limits = Limits()
    reasons = tuple(DeclaredReason)
    missing = DeclaredReason.MISSING

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.slug, self.title = declaration.slug, declaration.title
        self.scorer_version = f"1 {declaration.digest[:12]}"
        self.needs_judge = declaration.judge is not None
        source = declaration.source
        self.about = About(
            asks=tuple(filter(None, map(str.strip, declaration.description.split("\n\n")))),
            graded=(),
            caveats=declaration.caveats,
            works=(Work(title=source.title, url=source.url),) if source else (),
        )
        self.metrics: tuple[Metric, ...] = (
            Metric(key="exact_match", label="Exact match", short="EM", public=True),
        )
        self.breakdowns = tuple(
            Breakdown(key=each.key, label=each.label, groups=each.groups, is_known=each.is_known)
            for each in declaration.breakdowns
        )
        self.clusters = tuple(
            Clusters(key=each.key, label=each.label, singular=each.singular) for each in declaration.clusters
        )

    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        return {"answers": {}}

    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        version: str,
        limits: Limits,
        keep: BinaryIO | None = None,
        patients: Collection[str] = (),
        texts: Mapping[str, str] = MappingProxyType({}),
        traces: TraceWriter | None = None,
    ) -> Reading:
        raise NotImplementedError

    def records(self, kept: BinaryIO) -> Iterable[Any]:
        raise NotImplementedError

    def plain_file(self, records: Iterable[Any], *, version: str | None) -> str:
        raise NotImplementedError

    def score(
        self,
        records: Iterable[Any],
        references: Mapping[str, Any],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        raise NotImplementedError

    def dump_references(self, references: Mapping[str, Any]) -> bytes:
        raise NotImplementedError

    def load_references(self, data: bytes) -> Mapping[str, HiddenReference]:
        raise NotImplementedError

    def is_correct(self, reason: str) -> bool | None:
        return reason == DeclaredReason.RIGHT
