"""Lines of transcripts as other harnesses write them, for tests: small, and of our own making."""

import json
from io import BytesIO
from typing import Any

from tests.support.scoring.files import runs_of_log
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.collector import Findings
from wardboard.scoring.reading.formats.attempts import Attempt, attempts_of_lines
from wardboard.scoring.reading.formats.table import format_of_record
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid

TASKS = published_task_ids("v1")
BASE = "http://localhost:8080/fhir/"
PAYLOAD = {"resourceType": "Observation", "status": "final"}
FINISHED = {"role": "assistant", "content": 'FINISH(["S1"])'}
ASKED = {"role": "user", "content": "Which?"}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def call(call_id: str = "c1", arguments: Any = None, name: str = "fhir_post") -> dict[str, Any]:
    """Return a call of a tool; a POST unless the arguments are given."""
    arguments = {"url": f"{BASE}Observation", "payload": PAYLOAD} if arguments is None else arguments
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def calls(*tool_calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [*tool_calls]}


def reply(call_id: str = "c1", content: Any = '{"status": 201}') -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def chat(*messages: Any, task_id: str = "task1_1", **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    shown = [ASKED, *(messages or [FINISHED])]
    return {"task_id": task_id, "model": "heron-2", "usage": usage, "messages": shown, **more}


def response(*items: Any, custom_id: str = "task1_1", **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": 2}
    return {
        "custom_id": custom_id,
        "response": {"object": "response", "output": [*items], "model": "heron-2", "usage": usage, **more},
    }


def batch(content: str = 'FINISH(["S1"])', custom_id: str = "task1_1", choices: int = 1) -> dict[str, Any]:
    each = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    body = {"object": "chat.completion", "choices": [each] * choices, "model": "heron-2"}
    return {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}


def rollout(*messages: Any, example_id: Any = 0, info: Any = None, **more: Any) -> dict[str, Any]:
    """Return a line of results.jsonl of verifiers, whose `answer` is the reference."""
    info = {"task_id": "task1_1"} if info is None else info
    completion = [*(messages or [FINISHED])]
    fields = {"example_id": example_id, "prompt": [ASKED], "completion": completion, "info": info}
    return {**fields, "answer": "[a reference]", "reward": 1.0, **more}


def node(message: Any, parent: int | None = None) -> dict[str, Any]:
    return {"message": message} if parent is None else {"message": message, "parent": parent}


def episode(*nodes: Any, agents: tuple[str, ...] = ("agent",), **more: Any) -> dict[str, Any]:
    """Return a line of traces.jsonl of verifiers, with a trace for each of `agents`."""
    shown = [*(nodes or [node(ASKED), node(FINISHED, 0)])]
    traces = [{"agent": {"name": name}, "nodes": shown, **more} for name in agents]
    return {"task": {"data": {"task_id": "task1_1", "prompt": "Which?"}}, "traces": traces, "errors": []}


def sample(*texts: str, doc_id: int = 0, **more: Any) -> dict[str, Any]:
    """Return a line of samples of lm-evaluation-harness."""
    arguments = {"gen_args_0": {"arg_0": "Which?", "arg_1": {"temperature": 0.0}}}
    fields = {"doc_id": doc_id, "doc": {"id": f"task1_{doc_id + 1}"}, "arguments": arguments}
    answers = [*(texts or ['FINISH(["S1"])'])]
    return {**fields, "target": "[a reference]", "resps": [answers], "filter": "none", **more}


def read(raw: bytes) -> tuple[list[Any], Remarks, Remarks]:
    """Return the records, the problems and the warnings of a file of one run."""
    try:
        reading = read_submission(raw, task_ids=TASKS, version="v1")
    except SubmissionInvalid as invalid:
        return [], invalid.problems, invalid.warnings
    return [*reading.records], Remarks(), reading.warnings


def attempts(*records: Any) -> list[Attempt]:
    """Return the attempts of the lines `records`, all of whose problems are ignored."""
    findings = Findings.under(Limits())
    log = format_of_record(records[0])
    assert log is not None
    rows = ((findings.on_line(number), record) for number, record in enumerate(records, 1))
    return [*log.attempts(rows)]


def split(raw: bytes) -> list[list[Attempt]]:
    """Return the attempts of each run of a log that has several."""
    return [[*attempts_of_lines(BytesIO(run), Findings.under(Limits()))] for run in runs_of_log(raw)]
