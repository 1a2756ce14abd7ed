"""Check a submission against the JSON Schemas of MedAgentBench's formats."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.repairs import (
    answer_as_text,
    repair_history,
    repair_index,
    repair_role,
    repair_version,
)
from wardboard.scoring.medagentbench.reading.tasks import ExpectedTasks
from wardboard.scoring.reading.codes import ProblemCode
from wardboard.scoring.reading.collector import Findings, Remark
from wardboard.scoring.reading.json_schema.check import SchemaCheck, load_schemas, missing_key
from wardboard.scoring.reading.messages import Phrase, phrase
from wardboard.scoring.reading.problems import quote
from wardboard.scoring.reading.reports.fixes import Fix

RESULT_FILE, RUN_LINE = "result-file-1.0", "run-line-1.0"

_MISSING = {
    "version": Code.VERSION_MISSING,
    "task_id": Code.TASK_ID_MISSING,
    "answer": Code.ANSWER_MISSING,
    "role": Code.ROLE_MISSING,
    "content": Code.CONTENT_MISSING,
    "index": Code.INDEX_MISSING,
    "output": Code.OUTPUT_MISSING,
}
# The code of a value of the wrong type, by its key. The key of an item is that of its list and "[]".
_WRONG = {
    "version": Code.VERSION_NOT_A_STRING,
    "results": Code.RESULTS_NOT_A_LIST,
    "task_id": Code.TASK_ID_NOT_A_STRING,
    "answer": Code.ANSWER_NOT_A_STRING,
    "result": Code.ANSWER_NOT_A_STRING,
    "post_history": Code.HISTORY_NOT_A_LIST,
    "history": Code.HISTORY_NOT_A_LIST,
    "post_history[]": Code.ITEM_NOT_AN_OBJECT,
    "history[]": Code.ITEM_NOT_AN_OBJECT,
    "role": Code.ROLE_UNKNOWN,
    "content": Code.CONTENT_NOT_A_STRING,
    "index": Code.INDEX_NOT_AN_INTEGER,
    "output": Code.OUTPUT_NOT_AN_OBJECT,
}
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
    # If the version of the board is not known, the hint of the code names the published versions.
    remark_on = partial(_remark_on, Code.LAYOUT_UNKNOWN, expected.version)
    _checks()["file"].report(document, findings, remark_on)


def check_result(result: Any, findings: Findings) -> None:
    """Report violations of the schema in one of the results, whose place `findings` has."""
    _checks()["result"].report(result, findings, partial(_remark_on, Code.RESULT_NOT_AN_OBJECT, ""))


def check_run_line(value: Any, findings: Findings) -> None:
    """Report violations of the schema of a line of runs.jsonl."""
    _checks()["line"].report(value, findings, partial(_remark_on, Code.LINE_NOT_AN_OBJECT, ""))


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


def _remark_on(root_code: ProblemCode, version: str, error: Any) -> Remark | None:
    """Return the remark on an error, None for an error that is reported elsewhere.

    root_code: the code to report if the whole value is of the wrong type. version: of the board, or "".
    """
    path = tuple(error.path)
    if error.validator == "required":
        remark = missing_key(error, _MISSING, _OTHER_NAMES)
        if remark.code is Code.VERSION_MISSING and version:
            hint = phrase('Add "version": "{version}" at the top.', version=quote(version))
            return remark._replace(hint=hint)
        return remark
    if error.validator == "pattern":
        # A task id of another pattern is reported as unknown, together with similar ids.
        return None
    code = _WRONG[_name(path)] if path else root_code
    return Remark(code, _message(error, path, root_code), *_repair(error.instance, code, version))


def _name(path: tuple[str | int, ...]) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{path[-2]}[]"


def _message(error: Any, path: tuple[str | int, ...], root_code: ProblemCode) -> Phrase:
    # Do not quote the message of the validator, which contains the whole value.
    if error.validator == "enum" and isinstance(error.instance, str):
        return phrase("`{field}` is “{text}”", field=_name(path), text=quote(error.instance))
    kind = json_type(error.instance)
    if path and isinstance(path[-1], str):
        return phrase("`{field}` is {kind}", field=path[-1], kind=kind)
    if path:
        return phrase("this item is {kind}", kind=kind)
    match root_code:
        case Code.RESULT_NOT_AN_OBJECT:
            return phrase("the result is {kind}", kind=kind)
        case Code.LINE_NOT_AN_OBJECT:
            return phrase("the line is {kind}", kind=kind)
        case _:
            return phrase("the file is {kind}", kind=kind)


def _repair(value: Any, code: ProblemCode, version: str) -> tuple[Phrase | None, Fix | None]:
    """Return the hint on a value of the wrong type, None for that of its code, and its fix, if it has one."""
    match code:
        case Code.ANSWER_NOT_A_STRING if fix := answer_as_text(value):
            return _LIST_AS_TEXT if isinstance(value, list) else _VALUE_AS_TEXT, fix
        case Code.ROLE_UNKNOWN:
            return None, repair_role(value)
        case Code.INDEX_NOT_AN_INTEGER:
            return None, repair_index(value)
        case Code.HISTORY_NOT_A_LIST:
            return None, repair_history(value)
        case Code.VERSION_NOT_A_STRING if version:
            hint = phrase('Write "version": "{version}".', version=quote(version))
            return hint, repair_version(value, version)
    return None, None
