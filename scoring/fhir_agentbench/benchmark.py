"""FHIR-AgentBench, by the interface that every benchmark has."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from wardboard.scoring.answer_forms import AnswerForms
from wardboard.scoring.benchmark import (
    Baseline,
    Benchmark,
    Breakdown,
    Clusters,
    Metric,
    PublishedClusters,
    Reading,
    Watch,
    read_texts,
)
from wardboard.scoring.benchmark_cli import BenchmarkCli
from wardboard.scoring.fhir_agentbench import boards
from wardboard.scoring.fhir_agentbench.cli import FhirAgentBenchCli
from wardboard.scoring.fhir_agentbench.grading import explain
from wardboard.scoring.fhir_agentbench.grading.baselines import BASELINES
from wardboard.scoring.fhir_agentbench.grading.breakdowns import BREAKDOWNS, are_published, fixed_groups
from wardboard.scoring.fhir_agentbench.grading.clusters import CLUSTERS, PUBLISHED_CLUSTERS, cluster_labels
from wardboard.scoring.fhir_agentbench.grading.figures import f1, f1_share, unpack
from wardboard.scoring.fhir_agentbench.grading.reasons import FAILURES, REMARKS, FhirReason, is_correct
from wardboard.scoring.fhir_agentbench.grading.references import (
    FhirReference,
    dump_references,
    load_references,
)
from wardboard.scoring.fhir_agentbench.grading.score import score
from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, decode_record, write_records
from wardboard.scoring.fhir_agentbench.reading.schema_check import schemas
from wardboard.scoring.fhir_agentbench.reading.submission import (
    AGENTBEATS,
    JSON_ARRAY,
    JSON_LINES,
    JSON_OBJECT,
    LIMITS,
    TABLE,
    read_submission,
)
from wardboard.scoring.fhir_agentbench.reported_rows import reported_rows
from wardboard.scoring.ground_truth import ImportChoice, ImportFile
from wardboard.scoring.judging import Judge, Ledger
from wardboard.scoring.reading.formats.table import LOG_NAMES
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.packed_lines import kept_lines
from wardboard.scoring.reading.places import RecordLayout
from wardboard.scoring.trace import RecordTrace
from wardboard.scoring.traces.trace_file import TraceWriter
from wardboard.scoring.verdicts import Scorecard

# `coverage` is not a column: nearly every row has answers to all questions.
_ABOUT, _METRICS = read_texts(Path(__file__).with_name("about.json"))


class FhirAgentBench(Benchmark):
    slug = "fhir-agentbench"
    title = "FHIR-AgentBench"
    scorer_version = "1.1.0"
    needs_judge = True
    limits = LIMITS
    layout: RecordLayout = RecordLayout(id_field="question_id")
    metrics: tuple[Metric, ...] = _METRICS
    breakdowns: tuple[Breakdown, ...] = BREAKDOWNS
    strata = "resource_type"
    clusters: tuple[Clusters, ...] = CLUSTERS
    published_clusters: PublishedClusters | None = PUBLISHED_CLUSTERS
    about = _ABOUT
    reasons = tuple(FhirReason)
    missing = FhirReason.MISSING
    remarks: Mapping[str, str] = REMARKS
    failures: Mapping[str, str] = FAILURES
    elsewhere = (FhirCode.OTHER_BENCHMARK,)
    formats: Mapping[str, str] = MappingProxyType(
        {
            JSON_ARRAY: "a JSON array",
            JSON_LINES: "JSON Lines",
            TABLE: "CSV",
            JSON_OBJECT: "a list within an object",
            AGENTBEATS: "results of AgentBeats",
            **LOG_NAMES,
        }
    )
    baselines: tuple[Baseline, ...] = BASELINES
    published_boards = (boards.PUBLISHED_BOARD,)
    demonstrations = (boards.DEMONSTRATION,)
    has_traces = True
    import_files: tuple[ImportFile, ...] = (
        ImportFile(option="questions", label="Questions with reference answers, a CSV file"),
    )
    import_choices: tuple[ImportChoice, ...] = (
        ImportChoice(
            option="allow_missing_ids",
            label="Import without the column true_fhir_ids",
            explains="Only answers are scored then, and questions without an answer are not distinguished.",
        ),
    )
    schemas = staticmethod(schemas)
    instruction = staticmethod(explain.instruction)
    failed_check = staticmethod(explain.failed_check)
    expected_work = staticmethod(explain.expected_work)
    groups = staticmethod(fixed_groups)
    cluster_labels = staticmethod(cluster_labels)
    dump_references = staticmethod(dump_references)
    load_references = staticmethod(load_references)
    is_correct = staticmethod(is_correct)
    reported_rows = staticmethod(reported_rows)
    are_published = staticmethod(are_published)
    read_ground_truth = staticmethod(boards.read_ground_truth)

    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        limits: Limits,
        keep: BinaryIO | None = None,
        patients: Collection[str] = (),
        traces: TraceWriter | None = None,
        **_: Any,
    ) -> Reading:
        # No file states a version.
        return read_submission(
            file, task_ids=task_ids, limits=limits, keep=keep, patients=patients, traces=traces
        )

    def records(self, kept: BinaryIO) -> Iterable[Any]:
        return map(decode_record, kept_lines(kept))

    def graded_part(self, record: AnswerRecord) -> Any:
        if record.failed or (record.answer is None and not record.resources):
            return None
        return [record.answer, record.resources]

    def trace(self, record: AnswerRecord) -> RecordTrace:
        # The agents of this benchmark only read, and the runner writes a conversation as a whole.
        return RecordTrace(
            is_answered=record.answer is not None,
            reads=record.has_trace,
            writes=False,
            is_conversation=record.has_trace,
        )

    def plain_file(self, records: Iterable[AnswerRecord], *, version: str | None) -> str:
        return write_records(records)

    def score(
        self,
        records: Iterable[Any],
        references: Mapping[str, FhirReference],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        if judge is None:
            raise ValueError("FHIR-AgentBench cannot be scored without a judge")
        return score(records, references, judge=judge, watch=watch)

    def patients(self, references: Mapping[str, FhirReference]) -> frozenset[str]:
        questions = references.values()
        # If a question names no patient, the others may not name all patients.
        if any(question.patient_fhir_id is None for question in questions):
            return frozenset()
        patient_ids = {
            patient for question in questions for patient in (question.true_ids or {}).get("Patient", ())
        }
        return frozenset(patient_ids | {question.patient_fhir_id or "" for question in questions})

    def figures(self, details: bytes, count: int) -> Mapping[str, Sequence[float | None]]:
        return unpack(details, count) if details else {}

    def derived(self, metrics: Mapping[str, float | None]) -> Mapping[str, float | None]:
        return {"f1": f1(metrics.get("precision"), metrics.get("recall")), "f1_share": f1_share(metrics)}

    def judge(self, mode: str, *, options: Mapping[str, Any], ledger: Ledger | None) -> Judge:
        # Import them here: the judges take long to import, and only judging needs them.
        from wardboard.scoring.fhir_agentbench.judge import make_judge  # noqa: PLC0415

        return make_judge(mode, options, ledger)

    def answer_forms(self, records: Iterable[Any], *, seconds: float) -> AnswerForms:
        from wardboard.scoring.fhir_agentbench.judge.rules.form import count_forms  # noqa: PLC0415

        return count_forms(records, seconds=seconds)

    def agreement(self, judge: str) -> str:
        # Import them here: showing a leaderboard does not otherwise need the judges' rules.
        from wardboard.scoring.fhir_agentbench.judge.agreement_text import agreement_sentence  # noqa: PLC0415

        return agreement_sentence(judge)

    def cli(self) -> BenchmarkCli:
        return FhirAgentBenchCli(self.load_references)
