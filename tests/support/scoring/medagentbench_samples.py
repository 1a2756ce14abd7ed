"""A file for every problem code, with the expected position of the remark."""

import gzip
import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any

from wardboard.scoring.medagentbench.reading.codes import Code
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.medagentbench.reading.tasks import published_task_ids
from wardboard.scoring.reading.archives import is_eval_log
from wardboard.scoring.reading.codes import DocumentCode, ProblemCode
from wardboard.scoring.reading.formats.split import split_log
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Expect `code` at `pointer` on `line` for `raw`, sent to the v1 board under small limits.

    text: what the message contains.
    """

    code: ProblemCode
    raw: bytes
    pointer: str = ""
    line: int | None = None
    text: str = field(default="")


def read(raw: bytes, *, version: str = "v1", limits: Limits = SMALL) -> tuple[Remarks, Remarks]:
    """Return the problems and the warnings of a file, or of the first run of a log in an archive.

    It is sent to the v1 or v2 leaderboard.
    """
    try:
        if zipfile.is_zipfile(io.BytesIO(raw)) and not is_eval_log(io.BytesIO(raw)):
            runs = split_log(io.BytesIO(raw), limits, io.BytesIO, most_runs=1)
            raw = runs[1].getvalue() if runs else raw
        task_ids = published_task_ids(version)
        texts = {task: f"Do what {task} asks." for task in task_ids}
        reading = read_submission(raw, task_ids=task_ids, version=version, texts=texts, limits=limits)
    except SubmissionInvalid as invalid:
        return invalid.problems, invalid.warnings
    return Remarks(), reading.warnings


def dump(value: Any) -> bytes:
    return json.dumps(value).encode()


def post(payload: str = '{"a": 1}', role: str = "agent") -> dict[str, str]:
    return {"role": role, "content": f"POST http://localhost:8080/fhir/Observation\n{payload}"}


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


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k != key}


GOOD = file_of(result(history=[post(), REPLY]))
_D = DocumentCode
_MISSING, _TYPE = _D.FIELD_MISSING, _D.FIELD_TYPE
_ITEM = "/results/0/post_history/0"

DOCUMENTS = [
    Sample(code=_D.EMPTY, raw=b""),
    Sample(code=_D.EMPTY, raw=b"\xef\xbb\xbf \r\n\t"),
    Sample(code=_D.TOO_LARGE, raw=b" " * 4097, text="4,096 bytes"),
    Sample(code=_D.TOO_LARGE, raw=gzip.compress(b" " * 8193), text="8,192 bytes"),
    Sample(code=_D.GZIP, raw=gzip.compress(GOOD)[:-4]),
    Sample(code=_D.GZIP, raw=gzip.compress(GOOD)[:-8] + b"\0" * 8),
    Sample(code=_D.GZIP, raw=gzip.compress(GOOD) + b"and more"),
    Sample(code=_D.BINARY, raw=b"PK\x03\x04\x14\0results.json"),
    Sample(code=_D.BINARY, raw=b"PK\x03\x04\x14\0[Content_Types].xml"),
    Sample(code=_D.BINARY, raw=b"%PDF-1.7\n", text="PDF"),
    Sample(code=_D.BINARY, raw=b"SQLite format 3\0", text="SQLite"),
    Sample(code=_D.BINARY, raw=gzip.compress(gzip.compress(GOOD)), text="packed twice"),
    Sample(code=_D.BINARY, raw=b"results.json".ljust(257, b"\0") + b"ustar\0", text="tar"),
    Sample(code=_D.BINARY, raw=b"\1\2\0\3\xff", text="unknown"),
    Sample(code=_D.OTHER_TEXT, raw=b"\n<!DOCTYPE html><html></html>", line=2),
    Sample(code=_D.OTHER_TEXT, raw=b'<?xml version="1.0"?><results/>', line=1),
    Sample(code=_D.CSV, raw=b'task_id,answer\ntask1_1,"[1,2]"\n', line=1),
    Sample(code=_D.CSV, raw=b"a\tb\n1\t2\n", line=1),
    Sample(code=_D.OTHER_TEXT, raw=b"version: v2\nresults:\n- task_id: task1_1\n", line=1),
    Sample(code=_D.OTHER_TEXT, raw=b"{'version': 'v2'}", line=1),
    Sample(code=_D.OTHER_TEXT, raw=b'{"version": "v2",\n"results": None}', line=2),
    Sample(
        code=_D.OTHER_TEXT,
        raw=b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        line=1,
    ),
    Sample(code=_D.AROUND, raw=b"Loading the model\ndone\n" + GOOD, line=1, text="line 3"),
    Sample(code=_D.AROUND, raw=b"[INFO] run begins\n" + GOOD, line=1, text="line 2"),
    Sample(code=_D.AROUND, raw=b'[2026-11-01 09:30] run begins\n[{"index": 0}]', line=1, text="line 2"),
    Sample(code=_D.AROUND, raw=b"Here it is:\n```json\n{}\n```\n", line=1),
    Sample(code=_D.NOT_UTF_8, raw=GOOD.decode().encode("utf-16")),
    Sample(code=_D.NOT_UTF_8, raw=GOOD.decode().encode("utf-16-le")),
    Sample(code=_D.NOT_UTF_8, raw=GOOD.decode().encode("utf-16-be")),
    Sample(code=_D.NOT_UTF_8, raw=GOOD.decode().encode("utf-32")),
    Sample(code=_D.NOT_UTF_8, raw=GOOD.decode().encode("utf-32-be")),
    Sample(code=_D.NOT_UTF_8, raw='{\n"place": "Zürich"}'.encode("latin-1"), line=2, text="byte 13 (0xfc)"),
    Sample(code=_D.NOT_UTF_8, raw='{"地": "病院の検査結果"}'.encode("shift_jis"), line=1, text="cp932"),
    Sample(code=_D.TRUNCATED, raw=b'{"version": "v1",\n"results": [', line=2, text="column 13"),
    Sample(code=_D.TRUNCATED, raw='{"version": "é'.encode()[:-1], line=1),
    Sample(code=_D.SYNTAX, raw=b'{"version": "v1",\n"results" []}', line=2, text="column 11"),
    Sample(code=_D.SYNTAX, raw=b"the run went well", line=1),
    Sample(code=_D.SEVERAL, raw=b'[{"task_id": "task1_1"}]\n[{"task_id": "task1_2"}]\n', line=2),
    Sample(code=Code.LAYOUT_UNKNOWN, raw=lines({"doc_id": 1}, {"doc_id": 2}), text="“doc_id”"),
    Sample(
        code=Code.NO_RESULTS, raw=dump([{"id": "task1_1", "instruction": "x", "sol": []}]), text="task file"
    ),
    Sample(code=Code.NO_RESULTS, raw=dump({"a.eval": {"version": 2}}), text="index"),
    Sample(code=Code.NO_RESULTS, raw=dump({"participants": {}, "results": [{}]}), text="verdicts"),
    Sample(
        code=Code.INDEX_OTHER_TASK,
        raw=lines(
            {"task_id": "task1_1", "index": 0, "result": "[]"}, {"id": "task1_2", "index": 0, "result": "[]"}
        ),
        pointer="/index",
        line=2,
        text="which is 1",
    ),
    Sample(code=_D.AROUND, raw=b'{"results": []}\ndone', line=2),
    Sample(
        code=_D.INTEGER_TOO_LONG,
        raw=gzip.compress(b'{"a": "' + b"1" * 9 + b'",\n"b": ' + b"1" * 4301 + b"}"),
        line=2,
    ),
    Sample(
        code=_D.TOO_DEEP, raw=b'{"results": [\n{"x": ' + b"[" * 20, pointer="/results/0/x/0/0/0/0/0", line=2
    ),
    Sample(code=_D.TOO_MANY_VALUES, raw=b"[" + b"1," * 201 + b"1]", text="200"),
    Sample(code=_D.NAN, raw=file_of(result(log={"a": [0, float("nan")]})), pointer="/results/0/log/a/1"),
    Sample(code=_D.NAN, raw=lines(run(0), run(1, x=float("-inf"))), pointer="/x", line=2),
    Sample(
        code=_D.DUPLICATE_KEY,
        raw=b'{"version": "v1", "results": [{"task_id": "x", "task_id": "y"}]}',
        pointer="/results/0",
        text="task_id",
    ),
]

RESULT_FILES = [
    Sample(code=Code.LAYOUT_UNKNOWN, raw=b'{"task1_1": "[]"}', text="task1_1"),
    Sample(code=Code.LAYOUT_UNKNOWN, raw=b'"v1"', text="a string"),
    Sample(code=Code.LAYOUT_UNKNOWN, raw=dump(result()), text="single result"),
    Sample(code=Code.OTHER_BENCHMARK, raw=dump([{"question_id": "0" * 24, "agent_answer": "72"}])),
    Sample(code=Code.LAYOUT_UNKNOWN, raw=dump([result()])),
    Sample(code=_MISSING, raw=dump({"results": [result()]})),
    Sample(code=_TYPE, raw=file_of(result(), version=1), pointer="/version"),
    Sample(code=Code.VERSION_MISMATCH, raw=file_of(result(), version="v2"), pointer="/version", text="v2"),
    Sample(code=_MISSING, raw=b'{"version": "v1", "predictions": []}', text="predictions"),
    Sample(code=_TYPE, raw=dump({"version": "v1", "results": {}}), pointer="/results"),
    Sample(code=Code.RESULTS_EMPTY, raw=file_of(), pointer="/results"),
    Sample(code=Code.RESULTS_TOO_MANY, raw=file_of(*[result()] * 6), pointer="/results", text="limit is 5"),
    Sample(code=_TYPE, raw=file_of(result(), "task1_1"), pointer="/results/1"),
    Sample(code=_MISSING, raw=file_of(without(result(), "task_id")), pointer="/results/0"),
    Sample(code=_TYPE, raw=file_of(result(11)), pointer="/results/0/task_id"),
    Sample(
        code=Code.TASK_ID_UNKNOWN,
        raw=file_of(result("Task1-1")),
        pointer="/results/0/task_id",
        text="task1_1",
    ),
    Sample(
        code=Code.TASK_ID_UNKNOWN, raw=file_of(result("task1_11")), pointer="/results/0/task_id", text="v2"
    ),
    Sample(
        code=Code.TASK_ID_REPEATED,
        raw=file_of(result(), result()),
        pointer="/results/1/task_id",
        text="result 1",
    ),
    Sample(code=_MISSING, raw=file_of(without(result(), "answer")), pointer="/results/0"),
    Sample(
        code=Code.ANSWER_NOT_A_STRING,
        raw=file_of(result("task2_1", [60])),
        pointer="/results/0/answer",
        text="a list",
    ),
    Sample(
        code=_D.TEXT_TOO_LARGE,
        raw=file_of(result(answer="é" * 51)),
        pointer="/results/0/answer",
        text="100 bytes",
    ),
    Sample(code=_TYPE, raw=file_of(result(history="none")), pointer="/results/0/post_history"),
    Sample(
        code=Code.RESULTS_TOO_MANY,
        raw=file_of(result(history=[REPLY] * 7)),
        pointer="/results",
        text="limit is 6",
    ),
    Sample(code=_TYPE, raw=file_of(result(history=["POST"])), pointer=_ITEM),
    Sample(code=_MISSING, raw=file_of(result(history=[{"content": ""}])), pointer=_ITEM),
    Sample(
        code=Code.ROLE_UNKNOWN,
        raw=file_of(result(history=[post(role="Agent")])),
        pointer=_ITEM + "/role",
        text="Agent",
    ),
    Sample(code=_MISSING, raw=file_of(result(history=[{"role": "user"}])), pointer=_ITEM),
    Sample(
        code=_TYPE,
        raw=file_of(result(history=[{"role": "user", "content": {}}])),
        pointer=_ITEM + "/content",
    ),
    Sample(
        code=_D.TEXT_TOO_LARGE,
        raw=file_of(result(history=[{"role": "user", "content": "x" * 101}])),
        pointer=_ITEM + "/content",
    ),
    Sample(
        code=Code.TOTAL_TASKS, raw=file_of(result(), total_tasks=2), pointer="/total_tasks", text="1 result"
    ),
    Sample(code=Code.TASKS_MISSING, raw=GOOD, pointer="/results", text="99 of the 100"),
    Sample(code=Code.ANSWER_NULL, raw=file_of(result(answer=None)), pointer="/results/0/answer"),
    Sample(
        code=Code.ANSWER_NOT_JSON,
        raw=file_of(result("task1_1", "S1234567")),
        pointer="/results/0/answer",
        text="S1234567",
    ),
    Sample(
        code=Code.ANSWER_SHAPE,
        raw=file_of(result("task1_1", 'FINISH(["S1234567"])')),
        pointer="/results/0/answer",
        text="FINISH(",
    ),
    Sample(
        code=Code.ANSWER_SHAPE, raw=file_of(result(answer="2.7")), pointer="/results/0/answer", text="task4"
    ),
    Sample(code=Code.HISTORY_MISSING, raw=file_of(without(result(), "post_history")), pointer="/results/0"),
    Sample(code=Code.HISTORY_MISSING, raw=file_of(result(history=None)), pointer="/results/0/post_history"),
    Sample(
        code=Code.HISTORY_ENDS_WITH_POST, raw=file_of(result(history=[post()])), pointer=_ITEM + "/content"
    ),
    Sample(
        code=Code.PAYLOAD_NOT_JSON,
        raw=file_of(result(history=[post("{'a': 1}"), REPLY])),
        pointer=_ITEM + "/content",
    ),
]

RUN_LINES = [
    Sample(code=_D.SYNTAX, raw=lines(run(0), b"oops", run(2)), line=2),
    Sample(code=_D.TRUNCATED, raw=lines(run(0), dump(run(1))[:50]), line=2),
    Sample(code=_TYPE, raw=lines(run(0), b"", [1]), line=3),
    Sample(code=_MISSING, raw=lines(run(0), without(run(1), "index")), line=2),
    Sample(code=_TYPE, raw=lines(run(0), run("1")), pointer="/index", line=2),
    Sample(code=_TYPE, raw=lines(run(0), run(True)), pointer="/index", line=2),
    Sample(
        code=Code.INDEX_OUT_OF_RANGE, raw=lines(run(0), run(100)), pointer="/index", line=2, text="0 and 99"
    ),
    Sample(code=Code.INDEX_OUT_OF_RANGE, raw=lines(run(0), run(-1)), pointer="/index", line=2),
    Sample(
        code=Code.TASK_ID_REPEATED,
        raw=lines(run(0), run(1), run(0, '["S2"]')),
        pointer="/index",
        line=3,
        text="line 1",
    ),
    Sample(
        code=Code.LINE_REPEATED, raw=lines(run(0), run(1), run(0)), pointer="/index", line=3, text="line 1"
    ),
    Sample(
        code=Code.INDEX_OTHER_TASK,
        raw=lines(run(0, history=[{"role": "user", "content": "Do what task1_2 asks."}])),
        pointer="/index",
        line=1,
        text="that of task1_2",
    ),
    Sample(
        code=Code.INDEX_OTHER_TASK,
        raw=lines(*(run(n, history=[{"role": "user", "content": "Do something else."}]) for n in range(5))),
        pointer="/output/history/0",
        line=1,
        text="no prompt",
    ),
    Sample(code=Code.TASKS_BY_INDEX, raw=lines(run(0), run(1)), text="100 tasks"),
    Sample(
        code=Code.INDEX_IS_TASK_ID,
        raw=lines(run(0), run("task1_2"), run("task1_3")),
        pointer="/index",
        line=2,
        text="task1_2",
    ),
    Sample(
        code=Code.ANSWER_TASK_ERROR, raw=lines(run(0, {"error": "away"})), pointer="/output/result", line=1
    ),
    Sample(code=Code.ATTEMPTS_FAILED, raw=lines(run(0), failed(1)), text="1 line is"),
    Sample(code=Code.NO_RESULTS, raw=lines(failed(0), failed(1)), text="task1_1, task1_2"),
    Sample(code=_MISSING, raw=lines(run(0), {"index": 1}), line=2),
    Sample(
        code=_TYPE,
        raw=lines(run(0), {"index": 1, "output": []}),
        pointer="/output",
        line=2,
    ),
    Sample(code=Code.INDEX_DISAGREES, raw=lines({**run(0), "index": 1}), pointer="/output/index", line=1),
    Sample(code=Code.ANSWER_NOT_A_STRING, raw=lines(run(0, [60])), pointer="/output/result", line=1),
    Sample(code=Code.ANSWER_NULL, raw=lines({"index": 0, "output": None}), pointer="/output", line=1),
    Sample(
        code=Code.ANSWER_NULL, raw=lines(run(0, None)), pointer="/output/result", line=1, text="completed"
    ),
    Sample(code=Code.ANSWER_SHAPE, raw=lines(run(0, "[1]")), pointer="/output/result", line=1, text="task1"),
    Sample(code=Code.HISTORY_MISSING, raw=lines(run(0, history=None)), pointer="/output/history", line=1),
    Sample(
        code=Code.ROLE_UNKNOWN,
        raw=lines(run(0), run(1, history=[post(role="tool")])),
        pointer="/output/history/0/role",
        line=2,
    ),
    Sample(code=Code.RESULTS_TOO_MANY, raw=lines(*[run(n) for n in range(6)]), line=6),
    Sample(
        code=Code.RESULTS_TOO_MANY,
        raw=lines(run(0), run(1, history=[REPLY] * 7)),
        pointer="/output/history",
        line=2,
    ),
    Sample(code=Code.TASKS_MISSING, raw=lines(run(0)), text="99 of the 100"),
]

_OBSERVATION = "http://localhost:8080/fhir/Observation"
TOOL_ROLES = [
    Sample(
        code=Code.POST_PAYLOAD_UNKNOWN,
        raw=lines(run(0), run(1, history=tool("create_observation", "done", value=1))),
        pointer="/output/history/0/content",
        line=2,
        text="create_observation",
    ),
    Sample(
        code=Code.POST_CONVERTED,
        raw=lines(run(0, history=tool("fhir_post", {"status": 201}, url="Observation", body={"a": 1}))),
        line=1,
        text="joined to that of the server; so in 1 task: task1_1",
    ),
    Sample(
        code=Code.POST_UNCLEAR_REPLY,
        raw=lines(run(0, history=tool("fhir_post", "Success", url=_OBSERVATION, body={"a": 1}))),
        pointer="/output/history/1/content",
        line=1,
        text="Success",
    ),
    Sample(
        code=Code.URL_OTHER_BASE,
        raw=lines(
            run(0, history=tool("post", {"status": 201}, url="http://fhir/Observation", body={"a": 1}))
        ),
        pointer="/output/history/0/content",
        line=1,
        text="http://fhir/Observation",
    ),
    Sample(
        code=Code.WRITE_OTHER_METHOD,
        raw=lines(run(0, history=tool("http", {"status": 200}, method="PUT", url=_OBSERVATION))),
        pointer="/output/history/0/content",
        line=1,
    ),
    Sample(
        code=Code.TEXT_NAMES_POST,
        raw=lines(run(0, history=[{"role": "agent", "content": "I will POST."}, *tool("get", {})])),
        pointer="/output/history/0/content",
        line=1,
        text="1 message",
    ),
]

SAMPLES = DOCUMENTS + RESULT_FILES + RUN_LINES + TOOL_ROLES
