"""Check records against the JSON Schema of FHIR-AgentBench submissions."""

import re
from collections.abc import Collection, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from wardboard.scoring.fhir_agentbench.reading.codes import FhirCode
from wardboard.scoring.fhir_agentbench.reading.fields import (
    ANSWER_FIELD,
    RESOURCES_FIELD,
    paths_of_answers,
    paths_of_ids,
)
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Remark
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas, missing_key
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import pointer, quote
from wardboard.scoring.reading.reports.fixes import change_value

RESULT = "result-1.0"

# Field -> what to add where it is missing.
_TO_ADD = {
    "question_id": phrase('Add "question_id": the 24 digits as in the question file.'),
    ANSWER_FIELD: phrase("Write the answer of the agent to `agent_answer`, as text."),
    RESOURCES_FIELD: phrase(
        'Add "agent_fhir_resources": ids by resource type, {} or null where nothing was retrieved.'
    ),
}
_RECORD_OF = phrase('Write {"question_id": ..., "agent_answer": ..., "agent_fhir_resources": {...}}.')
_ID_IN_QUOTES = phrase("Write the 24 digits as in the question file, in quotes.")
_COPY_ID = phrase("Copy the id from the question file.")
# Field of the format -> the names that runners give it.
NAMES_OF_RUNNERS = {
    "question_id": ("id", "questionId", "qid", "task_id"),
    ANSWER_FIELD: ("answer", "response", "prediction", "output"),
}
_NOISE = re.compile(r"[^0-9a-f]+")
_LONGEST_ID = 100
# This message is built once: a hostile file needs it every few bytes.
_NESTED_ID = phrase("expected an id, found an object or a list")


@cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the released schemas (JSON Schema 2020-12) by name."""
    return load_schemas(Path(__file__).with_name("schema"), RESULT)


_RECORD = SchemaCheck(schemas()[RESULT]["items"])


def check_record(value: Any, known: Collection[str], findings: Findings) -> set[str | int]:
    """Report where a record breaks the schema; return its fields that are missing or wrong.

    value: with its resources as an object where the file has them as text.
    known: the board's question ids, for hints on malformed ones. findings: at the record.
    """
    return _RECORD.report(value, findings, partial(_remark_on, known))


def _remark_on(known: Collection[str], error: Any) -> Remark | None:
    if error.validator == "required":
        remark = missing_key(error, dict.fromkeys(_TO_ADD, DocumentCode.FIELD_MISSING), NAMES_OF_RUNNERS)
        hint = _hint_at_paths(error.message, error.instance) or remark.hint or _TO_ADD[error.message]
        return remark._replace(hint=hint)
    if not error.path:
        return Remark(DocumentCode.FIELD_TYPE, phrase("the record is not an object"), _RECORD_OF)
    if error.path[0] == RESOURCES_FIELD:
        fix = change_value(error.instance, nested) if (nested := _id_within(error.instance)) else None
        return Remark(FhirCode.NESTED_IDS, _NESTED_ID, fix=fix)
    return _remark_on_id(known, error.instance)


def _remark_on_id(known: Collection[str], value: Any) -> Remark:
    if value is None:
        # A table holds null where a cell is empty.
        message = phrase("`{field}` is null", field="question_id")
        return Remark(DocumentCode.FIELD_MISSING, message, _TO_ADD["question_id"])
    if not isinstance(value, str):
        return Remark(DocumentCode.FIELD_TYPE, phrase("`question_id` is not a string"), _ID_IN_QUOTES)
    message = phrase("“{id}” is not 24 digits of 0-9 and a-f", id=quote(value))
    likely = _NOISE.sub("", value.lower()) if len(value) <= _LONGEST_ID else ""
    if likely not in known:
        return Remark(DocumentCode.FIELD_TYPE, message, _COPY_ID)
    hint = phrase("Use {id} if that is what you meant.", id=likely)
    return Remark(DocumentCode.FIELD_TYPE, message, hint, change_value(value, likely))


def _id_within(value: Any) -> str | None:
    """Return the id that an item of a list of ids holds: of an object its `id`, of a list its one text."""
    if isinstance(value, dict):
        value = [value["id"]] if "id" in value else list(value.values())
    is_one = isinstance(value, list) and len(value) == 1
    return value[0].rpartition("/")[2] or None if is_one and isinstance(value[0], str) else None


def _hint_at_paths(field: str, record: Mapping[str, Any]) -> Phrase | None:
    """Return where, within the fields of a record, an answer or ids may stand; None if nowhere."""
    find = {ANSWER_FIELD: paths_of_answers, RESOURCES_FIELD: paths_of_ids}.get(field)
    paths = find(record) if find else []
    if not paths or len(paths[0]) == 1:
        return None
    named = ", ".join(f"`{quote(pointer(*path))}`" for path in paths)
    return phrase("Write `{field}`; it may be the value at {paths}.", field=field, paths=named)
