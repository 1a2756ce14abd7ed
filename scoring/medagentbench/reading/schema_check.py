"""Check a submission against the JSON Schemas of MedAgentBench's formats."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.codes import DocumentCode
from wardboard.scoring.reading.collector import Findings, Remark
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas, missing_key
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import change_value, json_text

RESULT_FILE, RUN_LINE = "result-file-1.0", "run-line-1.0"

# Field -> what to add where it is missing.
_TO_ADD = {
    "version": phrase('Add "version": "v1" or "version": "v2" at the top.'),
    "task_id": phrase('Add "task_id", such as "task1_1".'),
    "answer": phrase('Add "answer": a JSON list written as a string, or null where the agent gave none.'),
    "role": phrase('Add "role": "agent" for a message that the agent sent, "user" for the reply.'),
    "content": phrase('Add "content": the text of the message.'),
    "index": phrase('Add "index": the position of the task in the task file, from 0.'),
    "output": phrase(
        'Add "output": the output that the harness wrote for the task, or null if the run failed.'
    ),
}
_HISTORY = phrase('Write a list of {"role": ..., "content": ...}, [] where there was no POST.')
_ITEM = phrase('Write {"role": "agent", "content": "POST ..."}.')
_RESULT = phrase('Write {"task_id": ..., "answer": ..., "post_history": [...]}.')
_LINE = phrase('Write one object per line: {"index": ..., "output": {...}}.')
# Field -> what to write in the place of a value of another type. That of an item is its list's and "[]".
_TO_WRITE = {
    "version": phrase('Write "version": "v1" or "version": "v2".'),
    "results": phrase('Write a list of objects: [{"task_id": ..., "answer": ..., "post_history": [...]}].'),
    "task_id": phrase('Write the id as in the task file, such as "task1_1".'),
    "post_history": _HISTORY,
    "history": _HISTORY,
    "post_history[]": _ITEM,
    "history[]": _ITEM,
    "content": phrase(
        'Write the text of the message; for a POST: "POST <url>\\n" followed by json.dumps(payload).'
    ),
    "index": phrase("Write the position of the task in the task file, from 0."),
    "output": phrase('Write {"result": ..., "history": [...]} as the harness does.'),
}
_CODES = {"answer": Code.ANSWER_NOT_A_STRING, "result": Code.ANSWER_NOT_A_STRING, "role": Code.ROLE_UNKNOWN}
# Field of the format -> the names that runners give it.
_OTHER_NAMES = {
    "task_id": ("id", "taskId", "taskID", "task", "question_id"),
    "answer": ("response", "result", "output", "prediction", "final_answer"),
    "content": ("text", "message"),
}
_KINDS = {
    bool: phrase("a boolean"),
    str: phrase("a string"),
    list: phrase("a list"),
    type(None): phrase("null"),
}
_OBJECT, _NUMBER = phrase("an object"), phrase("a number")
_LIST_AS_TEXT = phrase("Write the list as JSON text.")
_VALUE_AS_TEXT = phrase("Write the answer as a list in JSON text.")


@cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return name -> released schema (JSON Schema 2020-12); that of the result file comes first."""
    return load_schemas(Path(__file__).with_name("schema"), RESULT_FILE, RUN_LINE)


def check_file(document: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Report violations of the schema of a result file, without those in its results."""
    # If the version of the board is not known, the hint names the published versions.
    _checks()["file"].report(document, findings, partial(_remark_on, expected.version, None))


def check_result(result: Any, findings: Findings) -> None:
    """Report violations of the schema in one of the results, whose place `findings` has."""
    _checks()["result"].report(result, findings, partial(_remark_on, "", _RESULT))


def check_run_line(value: Any, findings: Findings) -> None:
    """Report violations of the schema of a line of runs.jsonl."""
    _checks()["line"].report(value, findings, partial(_remark_on, "", _LINE))


def json_type(value: Any) -> Phrase:
    """Return the JSON type of `value` with its article, such as `a list`."""
    return _KINDS.get(type(value)) or (_OBJECT if isinstance(value, dict) else _NUMBER)


@cache
def _checks() -> Mapping[str, SchemaCheck]:
    """Return the checks of a file without its results, of a result, and of a line of runs.jsonl.

    A result has a schema apart from its file, so that the remarks on it stay together.
    """
    schema = schemas()[RESULT_FILE]
    results = schema["properties"]["results"]
    without_items = {key: value for key, value in results.items() if key != "items"}
    parts = {
        "file": {**schema, "properties": {**schema["properties"], "results": without_items}},
        "result": results["items"],
        "line": schemas()[RUN_LINE],
    }
    return MappingProxyType({name: SchemaCheck(schema) for name, schema in parts.items()})


def _remark_on(version: str, whole: Phrase | None, error: Any) -> Remark | None:
    """Return the remark on an error, None for an error that is reported elsewhere.

    version: of the board, or "". whole: what to write if the whole value is of the wrong type
    """
    path = tuple(error.path)
    if error.validator == "required":
        return _remark_on_missing(version, error)
    if error.validator == "pattern":
        # A task id of another pattern is reported as unknown, together with similar ids.
        return None
    name = _name(path) if path else ""
    code, hint = _CODES.get(name, DocumentCode.FIELD_TYPE), _TO_WRITE.get(name, whole)
    fix = None
    if name == "version" and version:
        hint = phrase('Write "version": "{version}".', version=quote(version))
    if code is Code.ANSWER_NOT_A_STRING and not isinstance(value := error.instance, dict):
        is_list = isinstance(value, list)
        hint = _LIST_AS_TEXT if is_list else _VALUE_AS_TEXT
        fix = change_value(value, json_text(value if is_list else [value]))
    elif error.instance == "assistant":
        fix = change_value("assistant", "agent")
    return Remark(code, _message(error, name), hint, fix)


def _remark_on_missing(version: str, error: Any) -> Remark:
    remark = missing_key(error, dict.fromkeys(_TO_ADD, DocumentCode.FIELD_MISSING), _OTHER_NAMES)
    if error.message == "version" and version:
        hint = phrase('Add "version": "{version}" at the top.', version=quote(version))
        return remark._replace(hint=hint)
    return remark if remark.hint else remark._replace(hint=_TO_ADD[error.message])


def _name(path: tuple[str | int, ...]) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{path[-2]}[]"


def _message(error: Any, name: str) -> Phrase:
    # Do not quote the message of the validator, which contains the whole value.
    if error.validator == "enum" and isinstance(error.instance, str):
        return phrase("`{field}` is “{text}”", field=name, text=quote(error.instance))
    kind = json_type(error.instance)
    if not name or name.endswith("[]"):
        return phrase("this item is {kind}", kind=kind)
    return phrase("`{field}` is {kind}", field=name, kind=kind)
