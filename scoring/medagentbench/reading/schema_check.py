"""Check a submission against the JSON Schemas of MedAgentBench's formats."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

try:
    import jsonschema_rs
except ModuleNotFoundError:
    # The service has it. On a laptop it would be half of the installation, to save 20 ms for 300 results.
    jsonschema_rs = None  # type: ignore[assignment]

from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.reading.codes import ProblemCode
from scoring.reading.collector import Findings
from scoring.reading.lookalikes import rename_hint
from scoring.reading.messages import Phrase, phrase
from scoring.reading.problems import quote

RESULT_FILE, RUN_LINE = "result-file-1.0", "run-line-1.0"

_FOLDER = Path(__file__).with_name("schema")
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
# Names that runners give what the format calls otherwise.
_OTHER_NAMES = {
    "task_id": ("id", "taskId", "taskID", "task", "question_id"),
    "answer": ("response", "result", "output", "prediction", "final_answer"),
    "content": ("text", "message"),
}
# The keywords that make a value valid or invalid; all others only describe it.
_ASSERTING = {"$schema", "type", "required", "properties", "items", "enum", "pattern"}
_KINDS = {
    bool: phrase("a boolean"),
    str: phrase("a string"),
    list: phrase("a list"),
    type(None): phrase("null"),
}
# The findings of the file that this thread checks.
_current: ContextVar[Findings] = ContextVar("current")
_OBJECT, _NUMBER = phrase("an object"), phrase("a number")
_LONGEST_SPELT_OUT = 60  # characters of the longest answer that a hint spells out


@cache
def schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return name -> released schema (JSON Schema 2020-12); that of the result file comes first."""
    return MappingProxyType(
        {name: json.loads((_FOLDER / f"{name}.json").read_bytes()) for name in (RESULT_FILE, RUN_LINE)}
    )


def check_file(document: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Report violations of the schema of a result file, without those in its results."""
    version = quote(expected.version)
    hints: dict[ProblemCode, Phrase] = {
        Code.VERSION_MISSING: phrase('Add "version": "{version}" at the top.', version=version),
        Code.VERSION_NOT_A_STRING: phrase('Write "version": "{version}".', version=version),
    }
    # If the version of the board is not known, the hint of the code names the published versions.
    _check(_validators()["file"], document, findings, Code.LAYOUT_UNKNOWN, hints if expected.version else {})


def check_result(result: Any, findings: Findings) -> None:
    """Report violations of the schema in one of the results, whose place `findings` has."""
    if not _is_valid_result(result):
        _check(_validators()["result"], result, findings, Code.RESULT_NOT_AN_OBJECT)


def _is_valid_result(result: Any) -> bool:
    """Return whether a result is certainly valid; the errors of any other are for jsonschema to find.

    Nearly all results are valid, and jsonschema takes fifty times as long to find no error.
    """
    if jsonschema_rs is None:
        return False
    try:
        return bool(_result_validator().is_valid(result))
    except ValueError:
        # It takes fewer values than Python's parser makes, such as integers of many digits.
        return False


def check_run_line(value: Any, findings: Findings) -> None:
    """Report violations of the schema of a line of runs.jsonl."""
    _check(_validators()["line"], value, findings, Code.LINE_NOT_AN_OBJECT)


def json_type(value: Any) -> Phrase:
    """Return the JSON type of `value` with its article, such as `a list`."""
    return _KINDS.get(type(value)) or (_OBJECT if isinstance(value, dict) else _NUMBER)


def _items(validator: Any, items: Any, instance: Any, schema: object) -> Iterator[ValidationError]:
    """Yield the errors of a list, as the keyword `items` does, and check the time at every item.

    The caller cannot check the time: a list without errors yields nothing until its end.
    """
    if not validator.is_type(instance, "array"):
        return
    findings = _current.get()
    for position, item in enumerate(instance):
        findings.check_time()
        yield from validator.descend(item, items, path=position)


_Validator = extend(Draft202012Validator, {"items": _items})  # type: ignore[no-untyped-call]


@cache
def _validators() -> Mapping[str, Draft202012Validator]:
    """Return the compiled schemas.

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
    return {name: _Validator(_assertions_of(schema)) for name, schema in parts.items()}


@cache
def _result_validator() -> Any:
    return jsonschema_rs.Draft202012Validator(
        _assertions_of(schemas()[RESULT_FILE]["properties"]["results"]["items"])
    )


def _assertions_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `schema` without descriptive parts, which would take half of the checking time."""
    assertions = {key: value for key, value in schema.items() if key in _ASSERTING}
    if "properties" in assertions:
        parts = {key: _assertions_of(part) for key, part in assertions["properties"].items()}
        assertions["properties"] = {key: part for key, part in parts.items() if part}
    if "items" in assertions:
        assertions["items"] = _assertions_of(assertions["items"])
    return assertions


def _check(
    validator: Draft202012Validator,
    value: Any,
    findings: Findings,
    root_code: ProblemCode,
    hints: Mapping[ProblemCode, Phrase] = MappingProxyType({}),
) -> None:
    """Report violations in `value`.

    root_code: the code to report if `value` itself is of the wrong type. hints: replace those of codes.
    """
    token = _current.set(findings)
    try:
        _report_errors(validator.iter_errors(value), findings, root_code, hints)
    finally:
        _current.reset(token)


def _report_errors(
    errors: Iterable[Any],
    findings: Findings,
    root_code: ProblemCode,
    hints: Mapping[ProblemCode, Phrase],
) -> None:
    # One by one as the validator finds them, because a hostile file has hundreds of thousands.
    reported: set[tuple[str | int, ...]] = set()
    for error in errors:
        path = tuple(error.path)
        if error.validator == "required":
            # There is an error for each missing key, but only its message names the key.
            if path not in reported:
                reported.add(path)
                for key in error.validator_value:
                    if key not in error.instance:
                        missing = _MISSING[key]
                        message = phrase("`{field}` is missing", field=key)
                        hint = rename_hint(key, _OTHER_NAMES.get(key, ()), error.instance)
                        findings.problem(missing, path, message, hint or hints.get(missing))
        # A task id of another pattern is reported as unknown, together with similar ids.
        elif error.validator != "pattern":
            code = _WRONG[_name(path)] if path else root_code
            findings.problem(code, path, _message(error, path), hints.get(code) or _hint(error, code))


def _name(path: tuple[str | int, ...]) -> str:
    last = path[-1]
    return last if isinstance(last, str) else f"{path[-2]}[]"


def _message(error: ValidationError, path: tuple[str | int, ...]) -> Phrase:
    # Not the message of the validator, which contains the whole value.
    if error.validator == "enum" and isinstance(error.instance, str):
        return phrase("`{field}` is “{text}”", field=_name(path), text=quote(error.instance))
    kind = json_type(error.instance)
    if path and isinstance(path[-1], str):
        return phrase("`{field}` is {kind}", field=path[-1], kind=kind)
    return phrase("this item is {kind}", kind=kind) if path else phrase("this is {kind}", kind=kind)


def _hint(error: ValidationError, code: ProblemCode) -> Phrase | None:
    if code is not Code.ANSWER_NOT_A_STRING:
        return None
    return string_hint(error.instance if isinstance(error.instance, list) else [error.instance])


def string_hint(answer: list[Any]) -> Phrase | None:
    """Return a hint with `answer` written as a string; None if it is long."""
    written = json.dumps(answer)
    if len(written) > _LONGEST_SPELT_OUT:
        return None
    return phrase(
        "Write {text}, which is what json.dumps({answer}) gives, in quotes.",
        text=json.dumps(written),
        answer=written,
    )
