"""The smallest possible benchmark: no breakdown, no strata, no judge, no baseline."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, BinaryIO

from wardboard.scoring.about import About
from wardboard.scoring.benchmark import Benchmark, Metric, Reading, Watch
from wardboard.scoring.judging import Judge
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Unreadable
from wardboard.scoring.reading.json_text import parse_json
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.messages import phrase
from wardboard.scoring.reading.packed_lines import keeping, kept_lines
from wardboard.scoring.reading.streams.text_stream import read_text
from wardboard.scoring.traces.trace_file import TraceWriter
from wardboard.scoring.verdicts import Rate, Scorecard, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactAnswer:
    task_id: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactReference:
    answer: str
    unusable: str | None = None


class ExactReason(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"


class ExactMatch(Benchmark):
    slug = "exact-match"
    title = "Exact match"
    scorer_version = "1"
    limits = Limits()
    metrics = (Metric(key="exact", label="Exact match", short="EM", public=True),)
    reasons = tuple(ExactReason)
    missing = ExactReason.MISSING
    about = About(asks=("Write down the one true answer.",), graded=("An answer is right if it is equal.",))

    def schemas(self) -> Mapping[str, Mapping[str, Any]]:
        row = {"type": "object", "required": ["id", "answer"]}
        return {"answers-1.0": {"title": "Answers", "type": "array", "items": row}}

    def read(
        self,
        file: BinaryIO,
        *,
        task_ids: Sequence[str],
        version: str,
        limits: Limits,
        keep: BinaryIO | None = None,
        patients: Collection[str] = (),
        texts: Mapping[str, str] | None = None,
        traces: TraceWriter | None = None,
    ) -> Reading:
        findings = Findings.under(limits)
        try:
            rows = parse_json(read_text(file.read(limits.body_bytes + 1), limits), findings)
        except Unreadable as error:
            findings.add_problem(error.problem)
            rows = []
        for place, row in enumerate(rows):
            texts = (row.get("id"), row.get("answer")) if isinstance(row, dict) else (None,)
            if not all(isinstance(text, str) for text in texts):
                message = phrase("write an object with the texts `id` and `answer`")
                findings.problem(DocumentCode.SYNTAX, (place,), message)
        findings.raise_if_invalid()
        with keeping(keep) as add:
            for row in rows:
                add(json.dumps([row["id"], row["answer"]]).encode())
        return Reading(version=None, format="list", count=len(rows), warnings=findings.warnings)

    def records(self, kept: BinaryIO) -> Iterable[ExactAnswer]:
        for line in kept_lines(kept):
            task_id, answer = json.loads(line)
            yield ExactAnswer(task_id=task_id, answer=answer)

    def plain_file(self, records: Iterable[ExactAnswer], *, version: str | None) -> str:
        return json.dumps([{"id": record.task_id, "answer": record.answer} for record in records])

    def score(
        self,
        records: Iterable[Any],
        references: Mapping[str, Any],
        *,
        judge: Judge | None = None,
        watch: Watch | None = None,
    ) -> Scorecard:
        answers = {record.task_id: record.answer for record in records}
        verdicts = {}
        for task_id, reference in references.items():
            reason = ExactReason.RIGHT if answers.get(task_id) == reference.answer else ExactReason.WRONG
            reason = reason if task_id in answers else ExactReason.MISSING
            verdicts[task_id] = Verdict(correct=reason is ExactReason.RIGHT, reason=reason)
        overall = Rate(right=sum(bool(verdict.correct) for verdict in verdicts.values()), total=len(verdicts))
        return Scorecard(overall=overall, metrics={"exact": overall.rate}, breakdowns={}, verdicts=verdicts)

    def dump_references(self, references: Mapping[str, Any]) -> bytes:
        answers = {task_id: reference.answer for task_id, reference in references.items()}
        return json.dumps(answers).encode()

    def load_references(self, data: bytes) -> Mapping[str, ExactReference]:
        return {task_id: ExactReference(answer=answer) for task_id, answer in json.loads(data).items()}

    def is_correct(self, reason: str) -> bool | None:
        return reason == ExactReason.RIGHT
