"""Reading a MedAgentBench submission, in either format, with every problem at once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.benchmark import Reading
from scoring.medagentbench.reading.codes import Code
from scoring.medagentbench.reading.records import TaskResult
from scoring.medagentbench.reading.result_file import read_result_file
from scoring.medagentbench.reading.run_lines import has_run_lines, is_run_line, read_run_lines, rows_of
from scoring.medagentbench.reading.schema_check import kind_of, schemas
from scoring.medagentbench.reading.tasks import ExpectedTasks
from scoring.reading.collector import Findings, Unreadable
from scoring.reading.documents import read_text
from scoring.reading.json_text import parse_json
from scoring.reading.limits import Limits
from scoring.reading.messages import Phrase, phrase
from scoring.reading.problems import quote

__all__ = ["RESULT_FILE", "RUN_LINES", "TaskResult", "file_version", "read_submission", "schemas"]

RESULT_FILE, RUN_LINES = "result-json", "runs-jsonl"

_DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultReading(Reading):
    """What a file holds: its records too, which are few and small enough to be held at once."""

    records: Sequence[TaskResult]


_KEYS_SHOWN = 5
# Keys of FHIR-AgentBench's records, in JSON and in the first line of a table; none of a result here has them.
_OTHER = re.compile(r'"(?:question_id|agent_answer)"\s{0,200}:')
_OTHER_TABLE = re.compile(
    r'[^{\[\n]*\b(?:question_id|agent_answer)\b[^{\n]*[,;\t]|[^{\[\n]*[,;\t]"?(?:question_id|agent_answer)\b'
)
_OURS = re.compile(r'"(?:task_id|post_history)"\s{0,200}:|\A\s{0,200}\{\s{0,200}"index"')
_HEAD = 4096
_EVALUATION = {"evaluator", "overall_accuracy", "by_task_type"}  # keys of a file of scores


def read_submission(
    raw: bytes, *, task_ids: Sequence[str], version: str, limits: Limits = _DEFAULT_LIMITS
) -> ResultReading:
    """Return what `raw` holds; `records` are TaskResults in the order of the file.

    raw: a result file or the harness's runs.jsonl, plain or gzip; which of the two is found from the
    content. task_ids: of the board, in the order of its task file, which is what an index of
    runs.jsonl counts. version: what a result file must say.
    Raises SubmissionInvalid with every problem, at most limits.listed of them listed, and nothing
    else. Neither problems nor warnings depend on a reference.
    """
    findings = Findings.under(limits)
    expected = ExpectedTasks(version=version, task_ids=task_ids)
    document, text = _parse(raw, findings)
    if text is not None:
        found, records = RUN_LINES, read_run_lines(rows_of(text, findings), expected, findings)
    elif is_run_line(document):
        found, records = RUN_LINES, read_run_lines([(1, document)], expected, findings)
    elif isinstance(document, dict) and "results" in document:
        found, records = RESULT_FILE, read_result_file(document, expected, findings)
    else:
        found, records = "", []
        _explain_layout(document, expected, findings)
    findings.raise_if_invalid()
    said = version if found == RESULT_FILE else None
    return ResultReading(
        version=said, format=found, count=len(records), records=records, warnings=findings.warnings
    )


def file_version(raw: bytes, limits: Limits = _DEFAULT_LIMITS) -> str | None:
    """Return the version that a result file says, None where it says none or cannot be read."""
    try:
        document = parse_json(read_text(raw, limits), Findings.under(limits))
    except Unreadable:
        # Whoever asks goes on to read the file, and is told then.
        return None
    version = document.get("version") if isinstance(document, dict) else None
    return version if isinstance(version, str) else None


def _parse(raw: bytes, findings: Findings) -> tuple[Any, str | None]:
    """Return the JSON of `raw` and None, or None and the text when that holds lines of runs.jsonl."""
    try:
        text = read_text(raw, findings.limits)
        _turn_away_other(text[:_HEAD])
        try:
            return parse_json(text, findings), None
        except Unreadable:
            # JSON Lines are no JSON as a whole.
            if not has_run_lines(text, findings.limits):
                raise
            return None, text
    except Unreadable as error:
        findings.problems.add(error.problem)
        findings.raise_if_invalid()
        raise


def _turn_away_other(head: str) -> None:
    """Raise Unreadable where `head`, with which a text begins, is of another benchmark's results: before
    anything else is said, which would be advice on how to make a result of what is none."""
    if _OTHER_TABLE.match(head) or (_OTHER.search(head) and not _OURS.search(head)):
        hint = phrase("Submit it to a FHIR-AgentBench board.")
        raise Unreadable(Code.OTHER_BENCHMARK, phrase("the file is of FHIR-AgentBench's layout"), hint=hint)


def _explain_layout(document: Any, expected: ExpectedTasks, findings: Findings) -> None:
    """Say what a document is that is neither of the two formats."""
    upload = phrase("Upload an object: {layout}.", layout=expected.layout) if expected.version else None
    if isinstance(document, list):
        if any(is_run_line(item) for item in document[:_KEYS_SHOWN]):
            hint = phrase("Write each object on a line of its own, without the list, as the harness does.")
            message = phrase("the file is a list of lines of runs.jsonl")
            findings.problem(Code.LAYOUT_UNKNOWN, (), message, hint)
        else:
            wrap = phrase("Wrap it: {layout}.", layout=expected.layout) if expected.version else None
            findings.problem(Code.BARE_LIST, (), phrase("the file is a list"), wrap)
    elif not isinstance(document, dict):
        findings.problem(
            Code.LAYOUT_UNKNOWN, (), phrase("the file is {kind}", kind=kind_of(document)), upload
        )
    elif _EVALUATION & document.keys():
        hint = phrase("Send the result file that was evaluated.")
        findings.problem(Code.LAYOUT_UNKNOWN, (), phrase("the file is an evaluation, not the results"), hint)
    elif "version" in document:
        keys = [key for key, value in document.items() if isinstance(value, list)]
        rename = phrase("Rename `{key}` if those are the results.", key=quote(keys[0])) if keys else None
        message = phrase("there is no `results`; it has {keys}", keys=_keys(document))
        findings.problem(Code.RESULTS_MISSING, (), message, rename)
    elif "task_id" in document:
        into = phrase("Put it in a list: {layout}.", layout=expected.layout) if expected.version else None
        findings.problem(Code.LAYOUT_UNKNOWN, (), phrase("the file is a single result"), into)
    else:
        findings.problem(Code.LAYOUT_UNKNOWN, (), _other_object(document), upload)


def _other_object(document: dict[str, Any]) -> Phrase:
    if not document:
        return phrase("the file is an object without `version` and `results`; it is empty")
    keys = _keys(document)
    return phrase("the file is an object without `version` and `results`; it has {keys}", keys=keys)


def _keys(document: dict[str, Any]) -> str:
    shown = ", ".join(f"“{quote(key)}”" for key in list(document)[:_KEYS_SHOWN])
    return shown + (", …" if len(document) > _KEYS_SHOWN else "")
