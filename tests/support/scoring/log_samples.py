"""A log for every code that the logs of harnesses can have, whatever their format."""

import json
from typing import Any

from tests.support.scoring.harbor import call, reply, result, step, trajectory, trial, zipped
from tests.support.scoring.inspect_logs import json_log, sample
from tests.support.scoring.medagentbench_samples import Sample
from wardboard.scoring.reading.formats.attempts import Attempt, encode_attempt
from wardboard.scoring.reading.formats.codes import FormatCode

FINISH = step("FINISH([])")
_POST = {"role": "agent", "content": 'POST http://localhost:8080/fhir/Observation\n{"a": 1}'}
_REPLY = {"role": "user", "content": "POST request accepted"}
_SENT = call("fhir_post", url="http://localhost:8080/fhir/Observation", payload={"b": 1})
_ROWS = "t__a/artifacts/workspace/submission.json"


def atif(*steps: Any, task: str = "task3_1", **more: Any) -> bytes:
    return json.dumps(trajectory(*(steps or (FINISH,)), **{"extra": {"task_id": task}, **more})).encode()


def lines(*documents: bytes) -> bytes:
    return b"\n".join(documents)


def rows(*values: Any) -> bytes:
    return zipped({_ROWS: [{"id": f"task3_{n}", **value} for n, value in enumerate(values, 1)]})


LOGS = [
    Sample(
        code=FormatCode.SEVERAL_RUNS,
        raw=b"".join(encode_attempt(Attempt(task_id="task3_1", run=run)) for run in (1, 2)),
        text="task3_1",
    ),
    Sample(
        code=FormatCode.TASK_UNNAMED,
        raw=zipped({_ROWS: [{"final_answer": "x"}]}),
        pointer=f"/{_ROWS}/0",
    ),
    Sample(
        code=FormatCode.TASKS_DISAGREE,
        raw=atif(extra={"task_id": "task3_1", "task_name": "task3_2"}),
        text="“task3_1”, “task3_2”",
    ),
    Sample(
        code=FormatCode.SEVERAL_SYSTEMS,
        raw=zipped({**trial("job/a"), **trial("job/b", result=result(agent="other"))}),
        text="other with heron-2",
    ),
    Sample(code=FormatCode.NO_ATTEMPTS, raw=zipped(trial(result=result(agent="oracle"))), text="oracle"),
    Sample(code=FormatCode.NO_ANSWERS, raw=atif(step("I ordered it."))),
    Sample(code=FormatCode.DAMAGED, raw=atif(steps=3), pointer="/steps", text="array"),
    Sample(code=FormatCode.UNKNOWN_VERSION, raw=atif(version="2.0"), pointer="/schema_version", text="2.0"),
    Sample(
        code=FormatCode.ANSWER_FORM,
        raw=lines(atif(), atif(step("I ordered it."), task="task3_2")),
        pointer="/steps/1/message",
        line=2,
        text="I ordered it.",
    ),
    Sample(
        code=FormatCode.TASK_DERIVED,
        raw=atif(extra=None, steps=[step("Do what task3_1 asks.", source="user"), FINISH]),
        text="task3_1",
    ),
    Sample(code=FormatCode.NEWER_VERSION, raw=atif(version="1.9"), text="task3_1"),
    Sample(code=FormatCode.TASK_DERIVED, raw=atif(), text="task3_1"),
    Sample(
        code=FormatCode.TASK_DERIVED,
        raw=zipped({"task3_1__a.json": trajectory(FINISH)}),
        pointer="/task3_1__a.json",
    ),
    Sample(
        code=FormatCode.INCOMPLETE,
        raw=lines(atif(), atif(task="task3_2", continued_trajectory_ref="next.json")),
        line=2,
        text="task3_2",
    ),
    Sample(
        code=FormatCode.INCOMPLETE,
        raw=atif(step(replies=[reply(id=None, subagent_trajectory_ref={"trajectory_path": "a"})]), FINISH),
    ),
    Sample(
        code=FormatCode.PART_UNREADABLE,
        raw=zipped(trial(trajectory=b"{", answer={"result": []})),
        pointer="/job/task3_1__a1",
    ),
    Sample(
        code=FormatCode.ORDER_UNKNOWN,
        raw=atif(subagent_trajectories=[trajectory(step("", call("get")), trajectory_id="s")]),
    ),
    Sample(
        code=FormatCode.PART_UNREADABLE,
        raw=zipped({**trial(answer=b"{"), **trial("job/b", result=result("task3_2"))}),
        pointer="/job/task3_1__a1",
    ),
    Sample(
        code=FormatCode.DISAGREES,
        raw=atif(step("", call("finish", answer=[1])), FINISH),
        pointer="/steps/1/tool_calls/0",
        text="[1]",
    ),
    Sample(
        code=FormatCode.DISAGREES,
        raw=zipped(
            trial(
                answer={"result": [], "history": [_POST, _REPLY]},
                trajectory=trajectory(step("", _SENT, replies=[reply()]), FINISH),
            )
        ),
        pointer="/job/task3_1__a1/artifacts/workspace/answer.json/result",
    ),
    Sample(
        code=FormatCode.UNEVEN_ATTEMPTS,
        raw=zipped({**trial(), "job/config.json": {"n_attempts": 2}}),
        pointer="/job/task3_1__a1",
    ),
    Sample(
        code=FormatCode.VERDICT_UNUSED, raw=atif(extra={"task_id": "task3_1", "reward": 1}), text="1 attempt"
    ),
    Sample(
        code=FormatCode.ANSWER_CONVERTED,
        raw=rows({"final_answer": 41}, {"final_answer": "x"}),
        text="2 attempts",
    ),
    Sample(
        code=FormatCode.ANSWER_CONVERTED,
        raw=rows({"final_answer": "41"}),
        pointer=f"/{_ROWS}/0",
    ),
    Sample(
        code=FormatCode.POST_SIMULATED,
        raw=rows({"final_answer": "[]", "payload": {"resourceType": "Observation"}}),
        pointer=f"/{_ROWS}/0",
    ),
    Sample(
        code=FormatCode.ROWS_UNTOUCHED,
        raw=rows({"final_answer": "[]"}, {"final_answer": "", "payload": None}),
        pointer=f"/{_ROWS}/1",
    ),
    Sample(code=FormatCode.NOT_FINISHED, raw=json_log(sample(), status="error"), pointer="/samples/0"),
    Sample(
        code=FormatCode.INVALIDATED,
        raw=json_log(sample(invalidation={"reason": "wrong server"})),
        pointer="/samples/0",
    ),
    Sample(code=FormatCode.EDITED, raw=json_log(sample(excluded=True)), pointer="/samples/0"),
    Sample(
        code=FormatCode.CACHED_TOKENS,
        raw=json_log(
            sample(model_usage={"m": {"input_tokens": 5, "input_tokens_cache_read": 2, "output_tokens": 1}}),
            eval={"task": "t", "model": "m", "packages": {"inspect_ai": "0.3.140"}},
        ),
        pointer="/samples/0",
    ),
]
