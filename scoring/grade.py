"""Grade a whole set of answers from Python, by the graders of the service."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import Any, BinaryIO

from wardboard.scoring import registry
from wardboard.scoring.benchmark import Benchmark
from wardboard.scoring.ground_truth import HiddenReference
from wardboard.scoring.judging import Judge
from wardboard.scoring.verdicts import Scorecard


def read_answers(
    benchmark: str | Benchmark, file: bytes | BinaryIO, references: Mapping[str, HiddenReference]
) -> list[Any]:
    """Return the answers in a result file, for `grade_all`, after all checks that the service makes.

    - benchmark: "medagentbench", "fhir-agentbench", or a benchmark
    - file: in any format that the benchmark takes (docs/formats.md); seekable, at its start
    - references: task id -> reference; the file may have answers to these tasks alone

    Raises SubmissionInvalid, whose `problems` have code, place, message and fix; LookupError for a benchmark
    that does not exist.
    """
    reader = registry.get(benchmark) if isinstance(benchmark, str) else benchmark
    opened = BytesIO(file) if isinstance(file, bytes) else file
    version = reader.cli().stated_version(opened)
    kept = BytesIO()
    reader.read(opened, task_ids=tuple(references), version=version, limits=reader.limits, keep=kept)
    kept.seek(0)
    return list(reader.records(kept))


def grade_all(
    benchmark: str | Benchmark,
    answers: Iterable[Any],
    references: Mapping[str, HiddenReference],
    *,
    judge: Judge | None = None,
) -> Scorecard:
    """Return the verdict on every task of `references`, and the figures over all of them.

    - benchmark: "medagentbench", "fhir-agentbench", or a benchmark
    - answers: at most one a task, from `read_answers`, or made as the benchmark's TaskResult or AnswerRecord
    - references: task id -> reference; all of them count, so that a task without an answer is wrong
    - judge: of answers in words; by default the rules, which are free and leave open what they do not read

    A verdict whose `correct` is None is undecided, which is not wrong. An answer to another task is ignored.
    Raises ValueError for two answers to one task, Unscorable for a value that cannot be graded, and
    LookupError for a benchmark that does not exist.
    """
    grader = registry.get(benchmark) if isinstance(benchmark, str) else benchmark
    records = list(answers)
    seen: set[str] = set()
    for record in records:
        if record.task_id in seen:
            raise ValueError(f"there are two answers to {record.task_id}: keep one for each task")
        seen.add(record.task_id)
    return grader.score(records, references, judge=judge or judge_by_rules(grader))


def judge_by_rules(benchmark: Benchmark) -> Judge | None:
    """Return the judge that needs no model, after which nobody decides; None if nothing has to be judged."""
    return benchmark.judge("rules", options={}, ledger=None) if benchmark.needs_judge else None
