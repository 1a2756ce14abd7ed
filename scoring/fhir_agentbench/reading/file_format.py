"""Recognise files that are not a list of FHIR-AgentBench records, and explain what they are."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import OTHER_NAMES
from wardboard.scoring.fhir_agentbench.reading.fields import RUNNER_FIELDS as FIELDS
from wardboard.scoring.fhir_agentbench.reading.table import column_names
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import pointer, quote

# The answers of several systems to each question are reported with their names.
_BY_ID = re.compile(
    r'\{\s{0,200}"[0-9a-f]{24}"\s{0,200}:(?!\s{0,200}\{\s{0,200}"[^"]{1,200}"\s{0,200}:\s{0,200}\{)'
)
_MEDAGENTBENCH = re.compile(r'"results"\s{0,200}:\s{0,200}\[\s{0,200}\{[^{}]{0,2000}"task_id"')
# How pandas writes a table unless asked for records: by column, by row number, or split into parts.
_BY_COLUMN = re.compile(
    rf'\{{\s{{0,200}}"(?:{"|".join(sorted(FIELDS))})"\s{{0,200}}:\s{{0,200}}\{{\s{{0,200}}"\d+"'
)
_BY_ROW = re.compile(r'\{\s{0,200}"\d+"\s{0,200}:\s{0,200}\{')
_IN_PARTS = re.compile(r'\{\s{0,200}"columns"\s{0,200}:\s{0,200}\[[^\]]{0,4000}"question_id"')
_SCORES = frozenset(
    {"answer_correctness", "precision", "recall", "f1", "f1_score", "accuracy", "overall", "overall_accuracy"}
)
_HEAD_LENGTH = 4096
_MOST_PATHS = 3  # that a message names


def reject_wrapping_object(text: str) -> None:
    """Raise Unreadable if `text`, which begins with a brace, is an object that holds no list of records."""
    head = text[:_HEAD_LENGTH]
    if _BY_COLUMN.match(head) or _BY_ROW.match(head) or _IN_PARTS.match(head):
        raise _pandas_frame()
    if _MEDAGENTBENCH.search(head):
        raise _other_benchmark(phrase("the file is a MedAgentBench result file"))
    if _BY_ID.match(head):
        hint = phrase('Write a list, with "question_id" in each record: [{"question_id": ..., ...}].')
        message = phrase("the file is an object with the question ids as keys")
        raise Unreadable(FhirCode.LAYOUT, message, hint=hint)


def looks_like_table(text: str) -> bool:
    """Check whether `text` begins like a table of records.

    Raises Unreadable for a table whose cells are not separated by commas.
    """
    first = text.partition("\n")[0].rstrip("\r")
    names = column_names(first)
    if len(names) == 1 and any(mark in first and "question_id" in first for mark in ";\t|"):
        message = phrase("the first line is “{line}”", line=quote(first))
        hint = phrase("Write the table with commas (in Python: DataFrame.to_csv without `sep`).")
        raise Unreadable(FhirCode.TABLE_BROKEN, message, hint=hint, line=1)
    return "question_id" in names or (len(names) > 1 and not FIELDS.isdisjoint(names))


def unknown_format(text: str) -> Unreadable:
    """Return the problem of a text that begins like none of the formats."""
    kind = text_kind(text, 0)
    if kind and kind[0] is DocumentCode.CSV:
        message = phrase("the first line of the table names no column of the format")
        return Unreadable(FhirCode.COLUMNS_MISSING, message, line=1)
    if kind:
        return Unreadable(*kind, line=1)
    first = text[:_HEAD_LENGTH].partition("\n")[0]
    return Unreadable(FhirCode.LAYOUT, phrase("the file begins with “{line}”", line=quote(first)))


def reject_foreign_record(value: Any) -> None:
    """Raise Unreadable if `value`, the first in the file, shows that it holds something else."""
    if isinstance(value, dict) and (
        _is_column(value.get("question_id")) or {"columns", "data"} <= value.keys()
    ):
        raise _pandas_frame()
    if not isinstance(value, dict) or "question_id" in value:
        return
    if "task_id" in value and "answer" in value:
        raise _other_benchmark(phrase("the file is a list of MedAgentBench results"))
    if ("results" in value and "version" in value) or ("index" in value and "output" in value):
        raise _other_benchmark(phrase("the file has the layout of MedAgentBench"))
    if value.keys() & _SCORES and value.keys().isdisjoint({*OTHER_NAMES, *OTHER_NAMES.values()}):
        score_fields = ", ".join(f"`{quote(key)}`" for key in sorted(value.keys() & _SCORES))
        message = phrase("the file holds {fields}, and no answers", fields=score_fields)
        hint = phrase("Upload the file that was evaluated, as the runner wrote it.")
        raise Unreadable(FhirCode.LAYOUT, message, hint=hint)


def _is_column(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(key.isdecimal() for key in value)


def _pandas_frame() -> Unreadable:
    message = phrase(
        "the file is an object of columns or rows, as DataFrame.to_json writes a table by itself"
    )
    return Unreadable(FhirCode.LAYOUT, message, hint=phrase('Write df.to_json(path, orient="records").'))


def path_of_records(document: Any) -> tuple[str | int, ...] | None:
    """Return the path to the one list of records in an object around it; None without one.

    It may be one or two levels down, as AgentBeats writes it under `results`. Raises Unreadable where there
    are several lists of records.
    """
    if not isinstance(document, dict) or "question_id" in document:
        return None
    # This reads no more paths than the message names: a hostile file can have a million.
    paths = list(islice(_paths_of_records(document, (), levels=4), _MOST_PATHS))
    if len(paths) > 1:
        named = ", ".join(f"`{quote(pointer(*path))}`" for path in paths)
        message = phrase("there are several lists of records: {paths}", paths=named)
        hint = phrase(
            "Upload one list, as the runner writes it: [{...}, {...}]; several runs are several files."
        )
        raise Unreadable(FhirCode.LAYOUT, message, hint=hint)
    return paths[0] if paths else None


def is_of_agentbeats(path: Sequence[str | int]) -> bool:
    """Return whether the records at a path in an object are there because an agent of AgentBeats wrote it."""
    return path[:1] == ("results",) and path[-1:] == ("task_results",)


def _paths_of_records(
    value: Any, path: tuple[str | int, ...], levels: int
) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, list) and value and isinstance(value[0], dict) and "question_id" in value[0]:
        yield path
    elif levels and isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths_of_records(item, (*path, step), levels - 1)


def _other_benchmark(message: Phrase) -> Unreadable:
    return Unreadable(
        FhirCode.OTHER_BENCHMARK, message, hint=phrase("Submit it to a MedAgentBench leaderboard.")
    )
