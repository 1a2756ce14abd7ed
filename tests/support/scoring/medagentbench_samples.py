"""A file for every problem code, with the expected position of the remark."""

import gzip
import io
import json
import zipfile
from dataclasses import dataclass
from typing import Any

from tests.support.scoring.files import runs_of_log, without
from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.archives import is_eval_log
from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import Remarks, SubmissionInvalid

SMALL = Limits(
    body_bytes=4096,
    unpacked_bytes=8192,
    depth=12,
    text_bytes=100,
    results=5,
    history_items=6,
    containers=200,
)


@dataclass(frozen=True, slots=True)
class Sample:
    """Expect `code` at `pointer` on `line` for `raw`, sent to the v1 board under small limits.

    text: what the message contains.
    """

    code: ProblemCode
    raw: bytes
    pointer: str = ""
    line: int | None = None
    text: str = ""


def read(raw: bytes, *, version: str = "v1", limits: Limits = SMALL) -> tuple[Remarks, Remarks]:
    """Return the problems and the warnings of a file, or of the first run of a log in an archive.

    It is sent to the v1 or v2 leaderboard.
    """
    try:
        if zipfile.is_zipfile(io.BytesIO(raw)) and not is_eval_log(io.BytesIO(raw)):
            raw = [*runs_of_log(raw, limits, most_runs=1), raw][0]
        task_ids = published_task_ids(version)
        texts = {task: f"Do what {task} asks." for task in task_ids}
        reading = read_submission(raw, task_ids=task_ids, version=version, texts=texts, limits=limits)
    except SubmissionInvalid as invalid:
        return invalid.problems, invalid.warnings
    return Remarks(), reading.warnings


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


OBSERVATION = "http://localhost:8080/fhir/Observation"


def post(payload: str = '{"a": 1}', role: str = "agent") -> dict[str, str]:
    return {"role": role, "content": f"POST {OBSERVATION}\n{payload}"}


REPLY = {"role": "user", "content": "POST request accepted"}


def result(task_id: Any = "task4_1", answer: Any = "[2.7]", history: Any = (), **more: Any) -> dict[str, Any]:
    return {"task_id": task_id, "answer": answer, "post_history": history, **more}


def file_of(*results: Any, **top: Any) -> bytes:
    return dump({"version": "v1", **top, "results": list(results)})


def run(index: Any = 0, answer: Any = '["S1"]', history: Any = (), **more: Any) -> dict[str, Any]:
    output = {"index": index, "status": "completed", "result": answer, "history": history}
    return {"index": index, "output": output, **more}


def tool(name: str, result: Any = None, **arguments: Any) -> list[dict[str, str]]:
    """Return a call of a tool and its reply, as items of a history; None is no reply."""
    item = {"role": "tool_call", "content": json.dumps({"tool": name, "arguments": arguments})}
    if result is None:
        return [item]
    reply = {"tool": name, "result": result, "is_error": False}
    return [item, {"role": "tool_result", "content": json.dumps(reply)}]


def failed(index: int) -> dict[str, Any]:
    """Return a line of the harness's error.jsonl."""
    output = {"index": index, "status": "running", "result": None, "history": None}
    return {"index": index, "error": "INTERACT_FAILED", "info": "timeout", "output": output}


def lines(*values: Any) -> bytes:
    """Return one line per value; bytes are kept unchanged."""
    return b"\n".join(value if isinstance(value, bytes) else dump(value) for value in values)


GOOD = file_of(result(history=[post(), REPLY]))
UNREAD_ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")
_D = DocumentCode
_MISSING, _TYPE = _D.FIELD_MISSING, _D.FIELD_TYPE
_ITEM = "/results/0/post_history/0"

DOCUMENTS = [
    Sample(_D.EMPTY, b""),
    Sample(_D.TOO_LARGE, b" " * 4097, text="4,096 bytes"),
    Sample(_D.GZIP, gzip.compress(GOOD)[:-4]),
    Sample(_D.GZIP, gzip.compress(GOOD) + b"and more"),
    Sample(_D.BINARY, b"PK\x03\x04\x14\0results.json"),
    Sample(_D.BINARY, b"%PDF-1.7\n", text="PDF"),
    Sample(_D.BINARY, gzip.compress(gzip.compress(GOOD)), text="gzip data"),
    Sample(_D.BINARY, b"results.json".ljust(257, b"\0") + b"ustar\0", text="tar"),
    Sample(_D.OTHER_TEXT, b"\n<!DOCTYPE html><html></html>", line=2),
    Sample(_D.OTHER_TEXT, b'<?xml version="1.0"?><testsuites/>', text="XML"),
    Sample(_D.CSV, b"name,answer\nfirst,60\n", line=1),
    Sample(_D.OTHER_TEXT, b'{"version": "v2",\n"results": None}', line=2),
    Sample(
        _D.OTHER_TEXT, b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", line=1
    ),
    Sample(_D.AROUND, b"Loading the model\ndone\n" + GOOD, line=1, text="line 3"),
    Sample(_D.AROUND, b"[INFO] run begins\n" + GOOD, line=1, text="line 2"),
    Sample(_D.AROUND, b'[2026-11-01 09:30] run begins\n[{"index": 0}]', line=1, text="line 2"),
    *(Sample(_D.NOT_UTF_8, GOOD.decode().encode(name)) for name in UNREAD_ENCODINGS),
    Sample(_D.NOT_UTF_8, '{\n"place": "Zürich"}'.encode("latin-1"), line=2, text="byte 13 (0xfc)"),
    Sample(_D.NOT_UTF_8, '{"地": "病院の検査結果"}'.encode("shift_jis"), line=1, text="is not UTF-8"),
    Sample(_D.TRUNCATED, b'{"version": "v1",\n"results": [', line=2, text="column 13"),
    Sample(_D.SYNTAX, b'{"version": "v1",\n"results" []}', line=2, text="column 11"),
    Sample(_D.SEVERAL, b'[{"task_id": "task1_1"}]\n[{"task_id": "task1_2"}]\n', line=2),
    Sample(Code.LAYOUT_UNKNOWN, lines({"doc_id": 1}, {"doc_id": 2}), text="“doc_id”"),
    Sample(_D.NO_RESULTS, dump({"participants": {}, "results": [{}]}), text="verdicts"),
    Sample(
        Code.INDEX_OTHER_TASK,
        lines({"id": "task1_1", "result": "[]"}, {"id": "task1_2", "index": 0, "result": "[]"}),
        "/index",
        line=2,
    ),
    Sample(_D.AROUND, b'{"results": []}\ndone', line=2),
    Sample(_D.TOO_COMPLEX, gzip.compress(b'{"a": "' + b"1" * 9 + b'",\n"b": ' + b"1" * 4301 + b"}"), line=2),
    Sample(_D.TOO_COMPLEX, b'{"results": [\n{"x": ' + b"[" * 20, "/results/0/x/0/0/0/0/0", line=2),
    Sample(_D.TOO_COMPLEX, b"[" + b"1," * 201 + b"1]", text="200"),
    Sample(_D.NAN, file_of(result(log={"a": [0, float("nan")]})), "/results/0/log/a/1"),
    Sample(_D.NAN, lines(run(0), run(1, x=float("-inf"))), "/x", line=2),
    Sample(
        _D.DUPLICATE_KEY,
        b'{"version": "v1", "results": [{"task_id": "x", "task_id": "y"}]}',
        "/results/0",
        text="task_id",
    ),
]

RESULT_FILES = [
    Sample(Code.LAYOUT_UNKNOWN, b'{"task_one": "[]"}', text="task_one"),
    Sample(Code.OTHER_BENCHMARK, dump([{"question_id": "0" * 24, "agent_answer": "72"}])),
    Sample(_MISSING, dump({"results": [result()]})),
    Sample(_MISSING, dump({"version": "v1", "predictions": [result()]}), text="predictions"),
    Sample(Code.VERSION_MISMATCH, file_of(result(), version="v2"), "/version", text="v2"),
    Sample(Code.RESULTS_EMPTY, file_of(), "/results"),
    Sample(Code.RESULTS_TOO_MANY, file_of(*[result()] * 6), "/results", text="limit is 5"),
    Sample(_TYPE, file_of(result(), "task1_1"), "/results/1"),
    Sample(_MISSING, file_of(without(result(), "task_id")), "/results/0"),
    Sample(Code.TASK_ID_UNKNOWN, file_of(result("task1_11")), "/results/0/task_id", text="task1_11"),
    Sample(Code.TASK_ID_REPEATED, file_of(result(), result()), "/results/1/task_id", text="result 1"),
    Sample(_MISSING, file_of(without(result(), "answer")), "/results/0"),
    Sample(Code.ANSWER_NOT_A_STRING, file_of(result("task2_1", [60])), "/results/0/answer", text="a list"),
    Sample(_D.TEXT_TOO_LARGE, file_of(result(answer="é" * 51)), "/results/0/answer", text="100 bytes"),
    Sample(Code.RESULTS_TOO_MANY, file_of(result(history=[REPLY] * 7)), "/results", text="limit is 6"),
    Sample(_TYPE, file_of(result(history=["POST"])), _ITEM),
    Sample(Code.ROLE_UNKNOWN, file_of(result(history=[post(role="Agent")])), _ITEM + "/role", text="Agent"),
    Sample(_MISSING, file_of(result(history=[{"role": "user"}])), _ITEM),
    Sample(_TYPE, file_of(result(history=[{"role": "user", "content": {}}])), _ITEM + "/content"),
    Sample(Code.TASKS_MISSING, GOOD, "/results", text="99 of the 100"),
    Sample(Code.ANSWER_NULL, file_of(result(answer=None)), "/results/0/answer"),
    Sample(
        Code.ANSWER_NOT_JSON, file_of(result("task1_1", "S1234567")), "/results/0/answer", text="S1234567"
    ),
    Sample(Code.ANSWER_SHAPE, file_of(result(answer="2.7")), "/results/0/answer", text="task4"),
    Sample(Code.HISTORY_MISSING, file_of(without(result(), "post_history")), "/results/0"),
    Sample(Code.HISTORY_MISSING, file_of(result(history=None)), "/results/0/post_history"),
    Sample(Code.HISTORY_ENDS_WITH_POST, file_of(result(history=[post()])), _ITEM + "/content"),
    Sample(Code.PAYLOAD_NOT_JSON, file_of(result(history=[post("{'a': 1}"), REPLY])), _ITEM + "/content"),
]

RUN_LINES = [
    Sample(_D.SYNTAX, lines(run(0), b"oops", run(2)), line=2),
    Sample(_D.TRUNCATED, lines(run(0), dump(run(1))[:50]), line=2),
    Sample(_MISSING, lines(run(0), without(run(1), "index")), line=2),
    Sample(_TYPE, lines(run(0), run("1")), "/index", line=2),
    Sample(Code.INDEX_OUT_OF_RANGE, lines(run(0), run(100)), "/index", line=2, text="0 and 99"),
    Sample(Code.TASK_ID_REPEATED, lines(run(0), run(1), run(0, '["S2"]')), "/index", line=3, text="line 1"),
    Sample(Code.LINE_REPEATED, lines(run(0), run(1), run(0)), "/index", line=3, text="line 1"),
    Sample(
        Code.INDEX_OTHER_TASK,
        lines(run(0, history=[{"role": "user", "content": "Do what task1_2 asks."}])),
        "/index",
        line=1,
        text="that of task1_2",
    ),
    Sample(
        Code.INDEX_OTHER_TASK,
        lines(*(run(n, history=[{"role": "user", "content": "Do something else."}]) for n in range(5))),
        "/output/history/0",
        line=1,
        text="no prompt",
    ),
    Sample(Code.TASKS_BY_INDEX, lines(run(0), run(1)), text="100 tasks"),
    Sample(Code.ANSWER_TASK_ERROR, lines(run(0, {"error": "away"})), "/output/result", line=1),
    Sample(Code.ATTEMPTS_FAILED, lines(run(0), failed(1)), text="1 line is"),
    Sample(_D.NO_RESULTS, lines(failed(0), failed(1)), text="2 lines"),
    Sample(Code.ANSWER_NOT_A_STRING, lines(run(0, [60])), "/output/result", line=1),
    Sample(Code.ANSWER_NULL, lines(run(0, None)), "/output/result", line=1),
    Sample(Code.HISTORY_MISSING, lines(run(0, history=None)), "/output/history", line=1),
    Sample(Code.RESULTS_TOO_MANY, lines(*[run(n) for n in range(6)]), line=6),
    Sample(Code.RESULTS_TOO_MANY, lines(run(0), run(1, history=[REPLY] * 7)), "/output/history", line=2),
]

_SENT = {"url": OBSERVATION, "body": {"a": 1}}


def _called(code: ProblemCode, items: list[Any], position: int | None = 0, text: str = "") -> Sample:
    """Expect `code` at an item of a history, or at its line."""
    pointer = "" if position is None else f"/output/history/{position}/content"
    return Sample(code, lines(run(0, history=items)), pointer, line=1, text=text)


TOOL_ROLES = [
    _called(
        Code.POST_PAYLOAD_UNKNOWN, tool("create_observation", "done", value=1), text="create_observation"
    ),
    _called(
        Code.POST_CONVERTED,
        tool("fhir_post", {"status": 201}, **_SENT | {"url": "Observation"}),
        None,
        "joined to that of the server; so in 1 task: task1_1",
    ),
    _called(Code.POST_UNCLEAR_REPLY, tool("fhir_post", "Success", **_SENT), 1, "Success"),
    _called(
        Code.URL_OTHER_BASE,
        tool("post", {"status": 201}, **_SENT | {"url": "http://fhir/Observation"}),
        text="http://fhir/Observation",
    ),
    _called(Code.WRITE_OTHER_METHOD, tool("http", {"status": 200}, method="PUT", url=OBSERVATION)),
    _called(
        Code.TEXT_NAMES_POST,
        [{"role": "agent", "content": "I will POST."}, *tool("get", {})],
        text="1 message",
    ),
]

SAMPLES = DOCUMENTS + RESULT_FILES + RUN_LINES + TOOL_ROLES
