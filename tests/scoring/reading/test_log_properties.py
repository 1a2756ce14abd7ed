"""Logs of Harbor and trajectories in which any part has another value are read or refused, never a fault."""

import copy
import json
from io import BytesIO
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.support.examples import examples, given
from tests.support.scoring.harbor import (
    OBSERVATION,
    call,
    command,
    post,
    reply,
    result,
    step,
    trajectory,
    trial,
    zipped,
)
from tests.support.scoring.inspect_logs import json_log
from tests.support.scoring.inspect_logs import sample as log_sample
from tests.support.scoring.odd_files import values
from tests.support.scoring.spans import chat as traced
from tests.support.scoring.spans import otlp
from tests.support.scoring.transcripts import batch, chat, episode, response, rollout
from tests.support.scoring.transcripts import sample as filtered
from wardboard.scoring.fhir_agentbench.reading.submission import read_submission as read_fhir_agentbench
from wardboard.scoring.medagentbench.reading.submission import read_submission
from wardboard.scoring.reading.formats.split import split_log
from wardboard.scoring.reading.limits import Limits
from wardboard.scoring.reading.problems import SubmissionInvalid

TASKS = ["task3_1", "task5_1"]
SUBAGENT = trajectory(step("", post(n=2), replies=[reply()]), trajectory_id="s")
TRAJECTORY = trajectory(
    step("", post(n=1), replies=[reply({"status": 201})], timestamp="2026-06-01T08:00:00Z"),
    step("", call("delegate"), replies=[reply("Done.", subagent_trajectory_ref=[{"trajectory_id": "s"}])]),
    step("", command("medagentbench_cli.py finish '[1]'"), metrics={"prompt_tokens": 3, "cost_usd": 0.1}),
    subagent_trajectories=[SUBAGENT],
    final_metrics={"total_prompt_tokens": 5},
    extra={"task_id": "task3_1"},
)
JOB = trial(
    result=result(
        agent_result={"n_input_tokens": 1},
        verifier_result={"rewards": {"reward": 1.0}},
        exception_info={"exception_type": "E", "exception_message": "m"},
        agent_execution={"started_at": "2026-11-20T09:00:00", "finished_at": "2026-11-20T09:01:00"},
    ),
    trajectory=TRAJECTORY,
    answer={"result": [], "history": [{"role": "agent", "content": "POST x\n{}"}]},
)
SLICE = {
    "t__a/artifacts/workspace/submission.json": [
        {"id": "task3_1", "final_answer": "41", "payload": [OBSERVATION]},
        {"id": "task5_1", "final_answer": "", "payload": None},
    ],
    "t__a/verifier/meta_results.json": {"results": [{"task_id": "task3_1", "success": True}]},
}
ODD = values | st.sampled_from(["\ud800", 2**80, 1e308, float("nan"), [[]], {"a": []}, "9999-99-99T99:99"])


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in paths(item, (*path, key)))]


@st.composite
def changed(draw, document):
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        if path := draw(st.sampled_from(paths(document))):
            *parents, last = path
            place = document
            for key in parents:
                place = place[key]
            place[last] = copy.deepcopy(draw(ODD))
    return document


@st.composite
def changed_logs(draw):
    files = draw(st.sampled_from([JOB, SLICE, {"task3_1__a.json": TRAJECTORY}]))
    name = draw(st.sampled_from([name for name, content in files.items() if not isinstance(content, bytes)]))
    return zipped({**files, name: draw(changed(files[name]))})


def read_in_all_ways(raw: bytes) -> None:
    """Read a log as the service does; anything but records and SubmissionInvalid is a fault."""
    try:
        runs = split_log(BytesIO(raw), Limits(), BytesIO, most_runs=3)
        for run in (runs or {1: BytesIO(raw)}).values():
            reading = read_submission(run.getvalue(), task_ids=TASKS, version="v1")
            assert {record.task_id for record in reading.records} <= set(TASKS)
            read_fhir_agentbench(BytesIO(run.getvalue()), task_ids=[])
    except SubmissionInvalid as invalid:
        refused = invalid.problems
    else:
        return
    assert refused.listed


@settings(max_examples=examples(200))
@given(changed_logs())
def test_any_nearly_valid_folder_is_read_or_refused(raw):
    read_in_all_ways(raw)


CHATS = (chat(), response(), batch(), rollout(), episode(), filtered(), json.loads(json_log(log_sample())))
CHATS += (traced(), otlp(traced()), {"custom_id": "task3_1", "result": {"type": "errored"}})


@settings(max_examples=examples(200), deadline=None)
@given(st.sampled_from(CHATS).flatmap(changed), st.sampled_from(CHATS), st.none() | st.integers(0, 4000))
def test_any_nearly_valid_transcript_is_read_or_refused(document, other, cut):
    raw = "\n".join(json.dumps(each) for each in (document, other))
    read_in_all_ways(raw.encode()[:cut])
