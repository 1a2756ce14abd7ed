"""A log for every code that the logs of harnesses can have, whatever their format."""

import json
from typing import Any

from tests.support.scoring.harbor import call, reply, result, step, trajectory, trial, zipped
from tests.support.scoring.inspect_logs import json_log, sample
from tests.support.scoring.medagentbench_samples import OBSERVATION, REPLY, Sample, post
from wardboard.scoring.reading.formats.attempts import Attempt, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode

FINISH = step("FINISH([])")
_SENT = call("fhir_post", url=OBSERVATION, payload={"b": 1})
_ROWS = "t__a/artifacts/workspace/submission.json"


def atif(*steps: Any, task: str = "task3_1", **more: Any) -> bytes:
    return json.dumps(trajectory(*(steps or (FINISH,)), **{"extra": {"task_id": task}, **more})).encode()


def lines(*documents: bytes) -> bytes:
    return b"\n".join(documents)


def rows(*values: Any) -> bytes:
    return zipped({_ROWS: [{"id": f"task3_{n}", **value} for n, value in enumerate(values, 1)]})


LOGS = [
    Sample(
        FormatCode.SEVERAL_RUNS,
        b"".join(encode_attempt(Attempt(task_id="task3_1", run=run)) for run in (1, 2)),
        text="task3_1",
    ),
    Sample(FormatCode.TASK_UNNAMED, zipped({_ROWS: [{"final_answer": "x"}]}), f"/{_ROWS}/0"),
    Sample(
        FormatCode.TASKS_DISAGREE,
        atif(extra={"task_id": "task3_1", "task_name": "task3_2"}),
        text="“task3_1”, “task3_2”",
    ),
    Sample(
        FormatCode.SEVERAL_SYSTEMS,
        zipped({**trial("job/a"), **trial("job/b", result=result(agent="other"))}),
        text="other with heron-2",
    ),
    Sample(FormatCode.NO_ATTEMPTS, zipped(trial(result=result(agent="oracle"))), text="oracle"),
    Sample(FormatCode.NO_ANSWERS, atif(step("I ordered it."))),
    Sample(FormatCode.DAMAGED, atif(steps=3), "/steps", text="array"),
    Sample(FormatCode.UNKNOWN_VERSION, atif(version="2.0"), "/schema_version", text="2.0"),
    Sample(
        FormatCode.ANSWER_FORM,
        lines(atif(), atif(step("I ordered it."), task="task3_2")),
        "/steps/1/message",
        line=2,
        text="I ordered it.",
    ),
    Sample(FormatCode.NEWER_VERSION, atif(version="1.9"), text="task3_1"),
    Sample(FormatCode.TASK_DERIVED, atif(), text="task3_1"),
    Sample(
        FormatCode.INCOMPLETE,
        lines(atif(), atif(task="task3_2", continued_trajectory_ref="next.json")),
        line=2,
        text="task3_2",
    ),
    Sample(
        FormatCode.PART_UNREADABLE, zipped(trial(trajectory=b"{", answer={"result": []})), "/job/task3_1__a1"
    ),
    Sample(
        FormatCode.ORDER_UNKNOWN,
        atif(subagent_trajectories=[trajectory(step("", call("get")), trajectory_id="s")]),
    ),
    Sample(
        FormatCode.DISAGREES,
        atif(step("", call("finish", answer=[1])), FINISH),
        "/steps/1/tool_calls/0",
        text="[1]",
    ),
    Sample(
        FormatCode.DISAGREES,
        zipped(
            trial(
                answer={"result": [], "history": [post(), REPLY]},
                trajectory=trajectory(step("", _SENT, replies=[reply()]), FINISH),
            )
        ),
        "/job/task3_1__a1/artifacts/workspace/answer.json/result",
    ),
    Sample(
        FormatCode.UNEVEN_ATTEMPTS,
        zipped({**trial(), "job/config.json": {"n_attempts": 2}}),
        "/job/task3_1__a1",
    ),
    Sample(FormatCode.VERDICT_UNUSED, atif(extra={"task_id": "task3_1", "reward": 1}), text="1 attempt"),
    Sample(FormatCode.ANSWER_CONVERTED, rows({"final_answer": 41}, {"final_answer": "x"}), text="2 attempts"),
    Sample(
        FormatCode.POST_SIMULATED,
        rows({"final_answer": "[]", "payload": {"resourceType": "Observation"}}),
        f"/{_ROWS}/0",
    ),
    Sample(
        FormatCode.ROWS_UNTOUCHED,
        rows({"final_answer": "[]"}, {"final_answer": "", "payload": None}),
        f"/{_ROWS}/1",
    ),
    Sample(FormatCode.NOT_FINISHED, json_log(sample(), status="error"), "/samples/0"),
    Sample(FormatCode.INVALIDATED, json_log(sample(invalidation={"reason": "wrong server"})), "/samples/0"),
    Sample(
        FormatCode.CACHED_TOKENS,
        json_log(
            sample(model_usage={"m": {"input_tokens": 5, "input_tokens_cache_read": 2, "output_tokens": 1}}),
            eval={"task": "t", "model": "m", "packages": {"inspect_ai": "0.3.140"}},
        ),
        "/samples/0",
    ),
]
