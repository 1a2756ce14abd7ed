"""Write the files of the demonstration: `python -m tools.demo.fhir_agentbench.build`."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.demo.fhir_agentbench import mistakes
from tools.demo.fhir_agentbench.demo_question import DemoQuestion
from tools.demo.fhir_agentbench.malformed_file import malformed_text
from tools.demo.fhir_agentbench.questions import make_questions
from tools.demo.fhir_agentbench.submissions import make_records
from wardboard.scoring.fhir_agentbench.demo import FOLDER, GOOD, MALFORMED, NOISY, QUESTIONS

VERSION = "demo"

_COLUMNS = (
    "question_id",
    "question",
    "assumption",
    "patient_fhir_id",
    "true_answer",
    "true_fhir_ids",
    "template",
)


def questions_csv(questions: Sequence[DemoQuestion]) -> str:
    """Return the text of the question file, in the benchmark's layout."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for question in questions:
        # Without gold resources the cell is either empty or `{}`, so that both forms occur.
        ids = question.true_ids or ("" if question.true_answer == "[]" else {})
        writer.writerow(
            [
                question.question_id,
                question.text,
                question.assumption or "",
                question.patient_fhir_id,
                question.true_answer,
                ids,
                question.template,
            ]
        )
    return text.getvalue()


def write(folder: Path = FOLDER) -> None:
    """Write all files of the demonstration into `folder`, byte for byte the same each time."""
    questions = make_questions()
    _write(folder / QUESTIONS.name, questions_csv(questions))
    _write(folder / GOOD.name, _json(make_records(questions, mistakes.GOOD)))
    _write(folder / NOISY.name, _json(make_records(questions, mistakes.NOISY)))
    _write(folder / MALFORMED.name, malformed_text(make_records(questions, {})))


def _json(value: Any) -> str:
    # The text has bare NaN, as the benchmark's runner writes it.
    return json.dumps(value, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


if __name__ == "__main__":
    write()
