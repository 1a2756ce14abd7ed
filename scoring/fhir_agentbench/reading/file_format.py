"""Recognise files that are not a list of FHIR-AgentBench records, and explain what they are."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import (
    ANSWER_FIELD,
    OTHER_NAMES,
    RESOURCES_FIELD,
    paths_of_answers,
)
from wardboard.scoring.fhir_agentbench.reading.fields import RUNNER_FIELDS as FIELDS
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Unreadable
from wardboard.scoring.reading.formats.known_files import has_answer_key
from wardboard.scoring.reading.formats.rows.table import column_names
from wardboard.scoring.reading.formats.values import value_at
from wardboard.scoring.reading.lookalikes import text_kind
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import pointer, quote, quoted_list

_HEAD_LENGTH = 4096
_MOST_PATHS, _MOST_NAMED = 3, 5  # that a message names


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


def check_columns(names: list[str]) -> None:
    """Raise Unreadable if a table has no column of the ids, the answers or the resources."""
    required = ("question_id", ANSWER_FIELD, RESOURCES_FIELD)
    if missing := [name for name in required if name not in names and OTHER_NAMES.get(name) not in names]:
        message = phrase(
            "there is no column {missing}; there are {names}",
            missing=", ".join(f"`{name}`" for name in missing),
            names=quoted_list(names),
        )
        raise Unreadable(FhirCode.COLUMNS_MISSING, message, line=1)


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
    if not isinstance(value, dict) or "question_id" in value:
        return
    if "task_id" in value and "answer" in value:
        raise _other_benchmark(phrase("the file is a list of MedAgentBench results"))
    is_result_file = value_at(value, "results", 0, "task_id") is not None
    if is_result_file or ("index" in value and isinstance(value.get("output"), dict)):
        raise _other_benchmark(phrase("the file has the layout of MedAgentBench"))
    if value and not (has_answer_key(value) or paths_of_answers(value)):
        names = quoted_list([*value][:_MOST_NAMED])
        message = phrase("the file names no question and no answer; the first record has {keys}", keys=names)
        raise Unreadable(FhirCode.LAYOUT, message)


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
