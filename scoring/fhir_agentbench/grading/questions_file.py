"""Read the questions with their reference answers: the CSV file of the benchmark's authors."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from wardboard.scoring.fhir_agentbench.grading.references import FhirReference
from wardboard.scoring.fhir_agentbench.reading.literals import parse_literal
from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.formats.rows.table import NULLS
from wardboard.scoring.reading.messages import Phrase, phrase, phrase_n
from wardboard.scoring.reading.problems import Problem, counted, pointer, quote

_REQUIRED = ("question_id", "question", "assumption", "true_answer")
_IDS = "true_fhir_ids"
_QUESTION_ID = re.compile(r"[0-9a-f]{24}")
_SEPARATORS = {";": phrase("semicolons"), "\t": phrase("tabs"), "|": phrase("bars")}
_MOST_LISTED = 50  # problems in the text of the exception


class QuestionCode(ProblemCode):
    """Problems of the table, then of its rows. No message quotes a reference answer."""

    COLUMNS = (
        "questions.columns",
        "The questions lack a column or have one twice, are not separated by commas, or have no rows.",
        phrase("Take the file of the benchmark’s authors, whole, with commas and the names of its columns."),
    )
    IDS_MISSING = (
        "questions.ids-missing",
        "The questions lack the column with the gold resources.",
        phrase("Add the column, or go on without it (`--allow-missing-ids`): only answers are scored then."),
    )
    ROW = (
        "questions.row",
        "A row cannot be read as CSV, or has another number of cells than the head.",
        phrase("Look for a quotation mark that is missing or too many in this row or the one before."),
    )
    ID = (
        "question.id",
        "A question_id is not 24 hexadecimal digits, or is there twice.",
        phrase("Take the id from the file of the benchmark’s authors, and keep one row of each."),
    )
    IDS = (
        "question.ids",
        "The gold resources of a row cannot be read.",
        phrase("Write a Python literal such as `{'Patient': ['…']}`, a list of ids for each resource type."),
    )
    EMPTY = (
        "question.empty",
        "A row has no question, or gold resources and no true_answer.",
        phrase("Fill in the cell, or remove the row."),
    )


class QuestionsInvalid(ValueError):
    """The file cannot be used. problems: all of them, each with its line; none quotes anything hidden."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = "; ".join(f"line {problem.line}: {problem.message}" for problem in problems[:_MOST_LISTED])
        more = len(problems) - _MOST_LISTED
        super().__init__(f"{listed}; and {counted(more, 'more problem')}" if more > 0 else listed)
        self.problems = tuple(problems)


class IdsUnreadable(ValueError):
    """The gold resources cannot be read. Its argument, a Phrase, says why."""


def read_questions(
    file: Path | str | BinaryIO, *, allow_missing_ids: bool = False
) -> dict[str, FhirReference]:
    """Return {question id: FhirReference} in the order of the file, a CSV in UTF-8.

    - Required columns: question_id, question, assumption, true_answer, true_fhir_ids. patient_fhir_id and
      template are read if present; other columns are ignored.
    - true_fhir_ids: a Python literal, {type: [ids]}; an empty cell means {}.
    - allow_missing_ids: accept a file without that column. Its questions then have no retrieval figures,
      and their reference answers are taken as they are.

    Raises QuestionsInvalid with every problem, and OSError.
    """
    raw = Path(file).read_bytes() if isinstance(file, Path | str) else file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = _problem(DocumentCode.NOT_UTF_8, line, phrase("this is not UTF-8"))
        raise QuestionsInvalid([problem]) from None
    problems: list[Problem] = []
    references: dict[str, FhirReference] = {}
    lines: dict[str, int] = {}
    for line, row in _rows(text, problems, allow_missing_ids=allow_missing_ids):
        reference, faults = _reference(row, line, with_ids=_IDS in row)
        problems += faults
        if reference.task_id in lines:
            message = phrase(
                "question_id {id} is already used in line {line:,}",
                id=quote(reference.task_id),
                line=lines[reference.task_id],
            )
            problems.append(_problem(QuestionCode.ID, line, message, "question_id"))
        lines.setdefault(reference.task_id, line)
        references[reference.task_id] = reference
    if not problems and not references:
        problems.append(_problem(QuestionCode.COLUMNS, 1, phrase("there are no questions below the head")))
    if problems:
        raise QuestionsInvalid(problems)
    return references


def _problem(code: ProblemCode, line: int, message: Phrase, column: str = "") -> Problem:
    place = pointer(column) if column else ""
    return Problem(code=code, pointer=place, line=line, message=message, hint=code.fix)


def _rows(
    text: str, problems: list[Problem], *, allow_missing_ids: bool
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield each row with the number of its first line; add layout problems to `problems`."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        head = next(reader, [])
        if faults := _head_faults(head, allow_missing_ids=allow_missing_ids):
            problems += faults
            return
        line = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(head):
                message = phrase_n(
                    "{n:,} cell where the head has {head:,}",
                    "{n:,} cells where the head has {head:,}",
                    len(cells),
                    head=len(head),
                )
                problems.append(_problem(QuestionCode.ROW, line, message))
            elif cells:
                yield line, dict(zip(head, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        message = phrase("the row that begins here cannot be read: {why}", why=str(error))
        problems.append(_problem(QuestionCode.ROW, line, message))


def _head_faults(head: Sequence[str], *, allow_missing_ids: bool) -> list[Problem]:
    if len(head) == 1 and (
        separator := next((separator for separator in _SEPARATORS if separator in head[0]), "")
    ):
        message = phrase("the cells are separated by {separator}", separator=_SEPARATORS[separator])
        return [_problem(QuestionCode.COLUMNS, 1, message)]
    faults = [
        _problem(QuestionCode.COLUMNS, 1, phrase("there is no column {name}", name=name))
        for name in _REQUIRED
        if name not in head
    ]
    if _IDS not in head and not allow_missing_ids:
        message = phrase("there is no column {name}, without which retrieval cannot be scored", name=_IDS)
        faults.append(_problem(QuestionCode.IDS_MISSING, 1, message))
    for name in sorted(name for name, times in Counter(head).items() if times > 1):
        message = phrase("there are several columns {name}", name=quote(name))
        faults.append(_problem(QuestionCode.COLUMNS, 1, message))
    return faults


def _reference(row: Mapping[str, str], line: int, *, with_ids: bool) -> tuple[FhirReference, list[Problem]]:
    """Return the reference in `row` and its faults; only one without faults may be used."""
    faults = []
    if not _QUESTION_ID.fullmatch(row["question_id"]):
        message = phrase("question_id {id} is not 24 hexadecimal digits", id=quote(row["question_id"]))
        faults.append(_problem(QuestionCode.ID, line, message, "question_id"))
    if row["question"].strip() in NULLS:
        faults.append(_problem(QuestionCode.EMPTY, line, phrase("the question is missing"), "question"))
    true_ids: dict[str, tuple[str, ...]] | None = None
    if with_ids:
        try:
            true_ids = _true_ids(row[_IDS])
        except IdsUnreadable as error:
            faults.append(_problem(QuestionCode.IDS, line, error.args[0], _IDS))
    # Without gold resources the reference answer is `no answer`, whatever the cell holds.
    if _cell(row, "true_answer") is None and true_ids != {}:
        faults.append(_problem(QuestionCode.EMPTY, line, phrase("the true_answer is missing"), "true_answer"))
    reference = FhirReference(
        task_id=row["question_id"],
        question=row["question"],
        assumption=_cell(row, "assumption"),
        patient_fhir_id=_cell(row, "patient_fhir_id"),
        true_answer=_cell(row, "true_answer") or "",
        true_ids=true_ids,
        template=_cell(row, "template"),
    )
    return reference, faults


def _cell(row: Mapping[str, str], name: str) -> str | None:
    value = row.get(name, "")
    return None if value.strip() in NULLS else value


def _true_ids(text: str) -> dict[str, tuple[str, ...]]:
    """Parse the Python literal `text`. Raises IdsUnreadable with a message that quotes nothing."""
    if text.strip() in NULLS:
        return {}
    try:
        value: Any = parse_literal(text)
    except ValueError:
        raise IdsUnreadable(phrase("true_fhir_ids is not a Python literal")) from None
    if not isinstance(value, dict) or not all(isinstance(kind, str) for kind in value):
        raise IdsUnreadable(phrase("true_fhir_ids is not an object of lists by resource type"))
    for ids in value.values():
        if not isinstance(ids, list | tuple) or not all(isinstance(id_, str) and id_ for id_ in ids):
            raise IdsUnreadable(phrase("true_fhir_ids has a resource type whose value is not a list of ids"))
    return {kind: tuple(ids) for kind, ids in value.items()}
