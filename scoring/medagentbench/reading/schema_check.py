"""Check a submission against the JSON Schemas of MedAgentBench's formats."""

from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
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

_RESULT = phrase(
    'Write {"task_id": "task1_1", "answer": "[...]", "post_history": [{"role": "agent", "content": "..."}]}.'
)
_LINE = phrase(
    'Write one object per line: {"index": 0, "output": {"result": "[...]", "history": [...]}}. The index is '
    "the position of the task in the task file."
)
_FILE = phrase('Write {"version": "v2", "results": [...]}.')
_HISTORY = phrase('Write a list of {"role": ..., "content": ...}, [] where there was no POST.')
_ITEM = phrase('Write {"role": "agent", "content": "POST ..."}.')
# Field -> what to write in the place of a value of another type. That of an item is its list's and "[]".
_TO_WRITE = {
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
    dict: phrase("an object"),
    type(None): phrase("null"),
}
_NUMBER = phrase("a number")
_NO_VERDICT = phrase("Write the answer that the agent gave, not whether it is right.")
_AS_TEXT = phrase("Write the answer as a list in JSON text.")


@cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return name -> released schema (JSON Schema 2020-12); that of the result file comes first."""
    return load_schemas(Path(__file__).with_name("schema"), RESULT_FILE, RUN_LINE)


_FIELDS = schemas()[RESULT_FILE]["properties"]
# A result has a schema apart from its file, so that the remarks on it stay together.
_RESULT_CHECK = SchemaCheck(_FIELDS["results"]["items"])
_WITHOUT_ITEMS = {key: value for key, value in _FIELDS["results"].items() if key != "items"}
_FILE_CHECK = SchemaCheck({**schemas()[RESULT_FILE], "properties": {**_FIELDS, "results": _WITHOUT_ITEMS}})
_LINE_CHECK = SchemaCheck(schemas()[RUN_LINE])


def check_file(document: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Report violations of the schema of a result file, without those in its results."""
    hint = phrase("Write {layout}.", layout=expected.layout) if expected.version else _FILE
    _FILE_CHECK.report(document, findings, partial(_remark_on, hint))


def check_result(result: Any, findings: Findings) -> None:
    """Report violations of the schema in one of the results, whose place `findings` has."""
    _RESULT_CHECK.report(result, findings, partial(_remark_on, _RESULT))


def check_run_line(value: Any, findings: Findings) -> None:
    """Report violations of the schema of a line of runs.jsonl."""
    _LINE_CHECK.report(value, findings, partial(_remark_on, _LINE))


def json_type(value: Any) -> Phrase:
    """Return the JSON type of `value` with its article, such as `a list`."""
    return next((name for kind, name in _KINDS.items() if isinstance(value, kind)), _NUMBER)


def _remark_on(hint: Phrase, error: Any) -> Remark | None:
    """Return the remark on an error, None for one that is reported elsewhere. hint: the form of the whole."""
    path = tuple(error.path)
    if error.validator == "required":
        missing = missing_key(error, {error.message: DocumentCode.FIELD_MISSING}, _OTHER_NAMES)
        return missing if missing.hint else missing._replace(hint=hint)
    if error.validator == "pattern":
        # A task id of another pattern is reported as unknown, together with similar ids.
        return None
    name = _name(path) if path else ""
    if name in ("answer", "result"):
        value = error.instance
        fix = None
        if isinstance(value, bool):
            return Remark(Code.ANSWER_NOT_A_STRING, _message(error, name), _NO_VERDICT)
        if not isinstance(value, dict):
            fix = change_value(value, json_text(value if isinstance(value, list) else [value]))
        return Remark(Code.ANSWER_NOT_A_STRING, _message(error, name), _AS_TEXT, fix)
    if name == "role":
        fix = change_value("assistant", "agent") if error.instance == "assistant" else None
        return Remark(Code.ROLE_UNKNOWN, _message(error, name), fix=fix)
    return Remark(DocumentCode.FIELD_TYPE, _message(error, name), _TO_WRITE.get(name, hint))


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
