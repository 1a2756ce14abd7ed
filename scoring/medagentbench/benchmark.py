"""MedAgentBench, by the interface that every benchmark has, and the scoring of a whole submission."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from wardboard.scoring.benchmark import Baseline, Benchmark, Breakdown, Metric, Reading, read_texts
from wardboard.scoring.benchmark_cli import BenchmarkCli
from wardboard.scoring.ground_truth import ImportChoice, ImportFile
from wardboard.scoring.medagentbench import boards
from wardboard.scoring.medagentbench.cli import MedAgentBenchCli
from wardboard.scoring.medagentbench.grading import explain
from wardboard.scoring.medagentbench.grading.baselines import BASELINES
from wardboard.scoring.medagentbench.grading.graders import grade
from wardboard.scoring.medagentbench.grading.queries import queries_for
from wardboard.scoring.medagentbench.grading.references import (
    Reference,
    TaskType,
    dump_references,
    load_references,
)
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.records import (
    AGENTBEATS,
    ANSWER_LINES,
    OVERALL,
    RESULT_FILE,
    RUN_LINES,
    TaskResult,
    decode_result,
    encode_result,
    write_result_file,
)
from wardboard.scoring.medagentbench.reading.schema_check import schemas
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import PUBLISHED, are_published
from wardboard.scoring.medagentbench.reasons import FAILURES, REMARKS, Reason
from wardboard.scoring.medagentbench.reported_rows import reported_rows
from wardboard.scoring.reading.formats.table import LOG_NAMES
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.packed_lines import keeping, kept_lines
from wardboard.scoring.reading.places import RecordLayout
from wardboard.scoring.trace import RecordTrace
from wardboard.scoring.traces.conversation import messages_of
from wardboard.scoring.traces.trace_file import TraceWriter
from wardboard.scoring.verdicts import Rate, Scorecard, Unscorable, Verdict

_ABOUT, _METRICS = read_texts(Path(__file__).with_name("about.json"))
_TASK_LABELS: Mapping[str, str] = {
    TaskType.TASK1: "Patient by name and birth date",
    TaskType.TASK2: "Age",
    TaskType.TASK3: "Record a blood pressure",
    TaskType.TASK4: "Last magnesium within 24 h",
    TaskType.TASK5: "Replace magnesium if low",
    TaskType.TASK6: "Mean glucose over 24 h",
    TaskType.TASK7: "Last glucose",
    TaskType.TASK8: "Orthopaedic referral",
    TaskType.TASK9: "Replace potassium and recheck if low",
    TaskType.TASK10: "Last HbA1c, new test if old",
}

# Breakdown key -> its label, and group key -> the numbers of the task types in it.
# Source: the MedAgentBench paper; a task that may end in an order is an action.
_BREAKDOWNS: Mapping[str, tuple[str, Mapping[str, Sequence[int]]]] = {
    "task_type": ("Task type", {str(kind): (number,) for number, kind in enumerate(TaskType, 1)}),
    "kind": ("Query or action", {"query": (1, 2, 4, 6, 7), "action": (3, 5, 8, 9, 10)}),
    "difficulty": ("Difficulty", {"easy": (1, 2, 4, 7), "medium": (3, 6, 8), "hard": (5, 9, 10)}),
}
# Breakdown key -> group key -> the task types in it.
_GROUPS = {
    key: {group: frozenset(TaskType(f"task{n}") for n in numbers) for group, numbers in groups.items()}
    for key, (_, groups) in _BREAKDOWNS.items()
}


def score(records: Iterable[TaskResult], references: Mapping[str, Reference]) -> Scorecard:
    """Grade `records`, at most one a task, against every task of `references`.

    All tasks of the list count: a missing task is wrong (MISSING), and so is a null answer
    (NO_ANSWER), which the official harness never grades. A record of another task is ignored.
    Raises Unscorable.
    """
    by_task = {record.task_id: record for record in records}
    verdicts = {}
    answered = 0
    for task_id, reference in references.items():
        record = by_task.get(task_id)
        if record is None:
            verdicts[task_id] = Verdict(correct=False, reason=Reason.MISSING)
        elif record.answer is None:
            verdicts[task_id] = Verdict(correct=False, reason=Reason.NO_ANSWER)
        else:
            answered += record.fingerprint is not None
            try:
                verdict = grade(reference, answer=record.answer, post_history=record.post_history)
            except (ArithmeticError, RecursionError) as error:
                # The graders take any value, so this is one that nobody foresaw.
                raise Unscorable(task_id) from error
            verdicts[task_id] = verdict
    return _scorecard(verdicts, references, answered)


def _scorecard(
    verdicts: Mapping[str, Verdict], references: Mapping[str, Reference], answered: int
) -> Scorecard:
    right, total = dict.fromkeys(TaskType, 0), dict.fromkeys(TaskType, 0)
    for task_id, verdict in verdicts.items():
        kind = references[task_id].task_type
        right[kind] += bool(verdict.correct)
        total[kind] += 1
    breakdowns = {
        key: {
            group: Rate(right=sum(right[kind] for kind in kinds), total=sum(total[kind] for kind in kinds))
            for group, kinds in groups.items()
        }
        for key, groups in _GROUPS.items()
    }
    overall = Rate(right=sum(right.values()), total=len(verdicts))
    metrics = {
        "success_rate": overall.rate,
        "query_success_rate": breakdowns["kind"]["query"].rate,
        "action_success_rate": breakdowns["kind"]["action"].rate,
        "coverage": Rate(right=answered, total=len(verdicts)).rate,
    }
    return Scorecard(overall=overall, metrics=metrics, breakdowns=breakdowns, verdicts=verdicts)


class MedAgentBench(Benchmark):
    slug = "medagentbench"
    title = "MedAgentBench"
    scorer_version = "1.0.1"
    limits = Limits()
    layout: RecordLayout = RecordLayout(path=("results",), id_field="task_id")
    about = _ABOUT
    reasons = tuple(Reason)
    missing = Reason.MISSING
    remarks: Mapping[str, str] = REMARKS
    failures: Mapping[str, str] = FAILURES
    elsewhere = (Code.OTHER_BENCHMARK, Code.VERSION_MISMATCH)
    formats: Mapping[str, str] = MappingProxyType(
        {
            RESULT_FILE: "a result file",
            RUN_LINES: "lines of runs.jsonl",
            OVERALL: "the harness’s overall.json",
            ANSWER_LINES: "lines with an answer each",
            AGENTBEATS: "results of AgentBeats",
            **LOG_NAMES,
        }
    )
    metrics: tuple[Metric, ...] = _METRICS
    breakdowns: tuple[Breakdown, ...] = tuple(
        Breakdown(
            key=key,
            label=label,
            is_known=True,
            groups={group: _TASK_LABELS.get(group, group.capitalize()) for group in groups},
        )
        for key, (label, groups) in _BREAKDOWNS.items()
    )
    strata = "task_type"
    baselines: tuple[Baseline, ...] = BASELINES
    published_boards = (boards.PUBLISHED_BOARD,)
    public_files = json.loads(Path(__file__).with_name("public_files.json").read_text(encoding="utf-8"))
    demonstrations = (boards.DEMONSTRATION,)
    has_traces = True
    import_files: tuple[ImportFile, ...] = (
        ImportFile(option="tasks", label="Task file of the benchmark’s authors, JSON"),
        ImportFile(
            option="fhir_recording", label="Recording of the FHIR server, made with manage.py record_fhir"
        ),
    )
    import_choices: tuple[ImportChoice, ...] = (
        ImportChoice(
            option="all_pages",
            label="Read all pages of a search",
            explains="Where the server divides a list of results into pages, the official grader reads the "
            "first alone, and so does the import. The origin of the revision says of how many searches.",
        ),
    )
    schemas = staticmethod(schemas)
    own_work = staticmethod(explain.own_work)
    failed_check = staticmethod(explain.failed_check)
    expected_work = staticmethod(explain.expected_work)
    compared_posts = staticmethod(explain.compared_posts)
    dump_references = staticmethod(dump_references)
    load_references = staticmethod(load_references)
    reported_rows = staticmethod(reported_rows)
    are_published = staticmethod(are_published)
    add_import_arguments = staticmethod(boards.add_import_arguments)
    read_ground_truth = staticmethod(boards.read_ground_truth)

    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        version: str,
        limits: Limits,
        keep: BinaryIO | None = None,
        texts: Mapping[str, str] = MappingProxyType({}),
        traces: TraceWriter | None = None,
        **_: Any,
    ) -> Reading:
        reading = read_submission(
            file, task_ids=task_ids, version=version, texts=texts, limits=limits, traces=traces
        )
        with keeping(keep) as add:
            for record in reading.records:
                add(encode_result(record))
                if traces:
                    # Of a log, more than the history was added while it was read.
                    traces.add(record.task_id, messages_of(record.post_history))
        return reading

    def records(self, kept: BinaryIO) -> Iterable[Any]:
        return map(decode_result, kept_lines(kept))

    def plain_file(self, records: Iterable[TaskResult], *, version: str | None) -> str:
        results = list(records)
        ids = {result.task_id for result in results}
        # A log states no version; the first whose tasks these are is as good as any.
        fitting = (name for name, tasks in PUBLISHED.items() if ids <= tasks)
        return write_result_file(results, version=version or next(fitting, "1"))

    def trace(self, record: TaskResult) -> RecordTrace:
        sent = (item["content"].lstrip() for item in record.post_history if item["role"] == "agent")
        # Without the fence of a code block, as the harness reads a command.
        commands = [text.removeprefix("```tool_code").removeprefix("```").lstrip() for text in sent]
        reads = record.is_whole or any(command.startswith("GET") for command in commands)
        return RecordTrace(
            is_answered=record.answer is not None,
            reads=reads,
            writes=any(command.startswith("POST") for command in commands),
            is_conversation=reads or any(command.startswith("FINISH") for command in commands),
        )

    def graded_part(self, record: TaskResult) -> Any:
        if record.answer is None and not record.post_history:
            return None
        return [record.answer, record.post_history]

    def score(
        self, records: Iterable[TaskResult], references: Mapping[str, Reference], **_: Any
    ) -> Scorecard:
        return score(records, references)

    def groups(self, references: Mapping[str, Reference]) -> Mapping[str, Mapping[str, str]]:
        return {
            breakdown: {
                task_id: key
                for task_id, reference in references.items()
                for key, kinds in groups.items()
                if reference.task_type in kinds
            }
            for breakdown, groups in _GROUPS.items()
        }

    def is_correct(self, reason: str) -> bool | None:
        return reason == Reason.CORRECT

    def fhir_queries(self, tasks: Any) -> Sequence[tuple[str, Mapping[str, str]]]:
        return [query for task in tasks for query in queries_for(task)]

    def cli(self) -> BenchmarkCli:
        return MedAgentBenchCli(self.load_references)
