"""Write and read files of records for an invented board of six questions."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from wardboard.scoring.benchmark import Reading
from wardboard.scoring.fhir_agentbench.reading.records import AnswerRecord, decode_record
from wardboard.scoring.fhir_agentbench.reading.submission import LIMITS, read_submission
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.packed_lines import kept_lines
from wardboard.scoring.reading.problems import Problem, SubmissionInvalid

IDS = tuple(f"{number:024x}" for number in range(0xABC0, 0xABC6))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOutcome:
    """Hold the result of reading a file; `reading` is None if it was rejected."""

    reading: Reading | None
    problems: list[Problem]
    warnings: list[Problem]
    records: list[AnswerRecord]

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """Return the code and pointer of every problem and warning, except for missing questions."""
        listed = [*self.problems, *self.warnings]
        return [(remark.code, remark.pointer) for remark in listed if remark.code != "questions.missing"]


def record(number: int = 0, **fields: Any) -> dict[str, Any]:
    """Return a record as the benchmark's runner writes it, with `fields` changed."""
    return {
        "question_id": IDS[number],
        "question": "What was the last heart rate?",
        "true_answer": "[[72]]",
        "assumption": float("nan"),
        "agent_answer": "72 per minute",
        "agent_fhir_resources": {"Observation": ["obs-1", "obs-2"], "error": []},
        "trace": [{"role": "user", "content": 'He said "[{" to me.'}],
        "error": None,
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "cost": 0.25},
        **fields,
    }


def array(*values: Any, **options: Any) -> bytes:
    return json.dumps(list(values), **options).encode()


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def table(*values: dict[str, Any], **options: Any) -> bytes:
    """Return `values` as CSV, as pandas would write it."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(values[0]), **options)
    writer.writeheader()
    writer.writerows(values)
    return out.getvalue().encode()


def read(
    source: bytes | io.RawIOBase | io.BytesIO, limits: Limits = LIMITS, ids: tuple[str, ...] = IDS
) -> ReadOutcome:
    file: Any = io.BytesIO(source) if isinstance(source, bytes) else source
    keep = io.BytesIO()
    try:
        reading = read_submission(file, task_ids=ids, limits=limits, keep=keep)
    except SubmissionInvalid as invalid:
        problems, warnings = invalid.problems.listed, invalid.warnings.listed
        return ReadOutcome(reading=None, problems=problems, warnings=warnings, records=[])
    keep.seek(0)
    records = [decode_record(line) for line in kept_lines(keep)]
    return ReadOutcome(reading=reading, problems=[], warnings=reading.warnings.listed, records=records)


def read_one(**fields: Any) -> ReadOutcome:
    """Return the result of reading a file of one record."""
    return read(array(record(**fields)))
