"""Jobs of Harbor: which part of a trial counts, and what is left out, stated or refused."""

import json
import tarfile
from itertools import pairwise
from typing import Any

import pytest

from tests.support.scoring.files import as_tar, kept_records, refused, runs_of_log
from tests.support.scoring.harbor import (
    FHIR,
    OBSERVATION,
    post,
    reply,
    result,
    step,
    trajectory,
    trial,
    zipped,
)
from wardboard.scoring import registry
from wardboard.scoring.medagentbench.reading.submission import ResultReading, read_submission

TASKS = ["task3_1", "task3_2", "task5_1"]
ACCEPTED = {"role": "user", "content": "POST request accepted"}


def sent(number: int) -> dict[str, str]:
    return {"role": "agent", "content": f"POST {FHIR}Observation\n{json.dumps({**OBSERVATION, 'n': number})}"}


def split(files: dict[str, Any], left_out: list[str] | None = None) -> list[ResultReading]:
    runs = runs_of_log(zipped(files), left_out=left_out)
    return [read_submission(run, task_ids=TASKS, version="v1") for run in runs]


def read_trial(**files: Any) -> ResultReading:
    [reading] = split(trial(**files))
    return reading


def codes(reading: ResultReading) -> set[str]:
    return {remark.code for remark in reading.warnings.listed} - {"tasks.missing"}


def numbers(reading: ResultReading) -> list[tuple[int, bool]]:
    """Return the number of each POST, and whether it was accepted."""
    history = reading.records[0].post_history
    return [
        (json.loads(item["content"].partition("\n")[2])["n"], "accepted" in (following["content"]))
        for item, following in pairwise(history)
        if item["role"] == "agent"
    ]


def test_attempts_are_runs_by_their_times_and_an_uneven_number_is_not_filled():
    rewarded = {"rewards": {"reward": 1.0}}
    files = {
        **trial("job/task3_1__b", result=result("org/task3_1", minute=1), answer={"result": [1]}),
        **trial("job/task3_1__a", result=result(minute=2, verifier_result=rewarded), answer={"result": [2]}),
        **trial("job/task3_2__c", result=result("task3_2")),
        "job/config.json": {"n_attempts": 2},
        # The logs of agents are not read.
        "job/task3_1__b/agent/sessions/huge.jsonl": b"\x00" * 1000,
    }
    first, second = split(files)
    answers = [[record.answer for record in each.records] for each in (first, second)]
    assert answers == [["[]", "[1]"], ["[2]"]]
    [remark] = [each for each in first.warnings.listed if each.code == "log.attempts-uneven"]
    assert "task3_2" in remark.message
    assert "log.verdict-unused" in codes(second)


def test_refused_posts_are_added_to_the_accepted_ones_of_the_answer_file():
    steps = [
        step("", post(n=1), replies=[reply("ERROR: HTTP 503 Service Unavailable")]),
        step("", post(n=1), replies=[reply("it was taken, perhaps")]),
        step("", post(n=2), replies=[reply()]),
        step("", post(n=3), replies=[reply("it was taken, perhaps")]),
        step("FINISH([])"),
    ]
    answer = {"result": [], "history": [sent(1), ACCEPTED, sent(2), ACCEPTED]}
    reading = read_trial(answer=answer, trajectory=trajectory(*steps))
    assert numbers(reading) == [(1, False), (1, True), (2, True), (3, False)]
    assert codes(reading) == set()


def test_a_transcript_of_the_adapters_agent_comes_before_the_trajectory():
    refused = {"role": "user", "content": "Error in sending the POST request"}
    transcript = [sent(1), refused, sent(2), ACCEPTED, {"role": "agent", "content": "FINISH([7])"}]
    reading = read_trial(transcript={"transcript": transcript, "answer_payload": [7]})
    assert reading.records[0].answer == "[7]"
    assert [item["content"] for item in reading.records[0].post_history] == [
        each["content"] for each in transcript
    ]
    accepted = {"result": [8], "history": [sent(2), ACCEPTED]}
    both = read_trial(answer=accepted, transcript={"transcript": transcript})
    assert (both.records[0].answer, numbers(both)) == ("[8]", [(1, False), (2, True)])
    assert codes(both) == {"log.disagrees"}


def test_a_malformed_answer_file_holds_no_answer_and_a_malformed_trajectory_leaves_it():
    files = {
        **trial("job/task3_1__a"),
        **trial("job/task3_2__b", result=result("task3_2"), answer=b"{'result': 1}"),
    }
    [reading] = split(files)
    assert [record.answer for record in reading.records] == ["[]", None]
    assert codes(reading) == {"log.part-unreadable", "answer.null", "log.disagrees"}
    answer = {"result": "not a list", "history": []}
    for traced, warned in ((b"{", {"log.part-unreadable"}), (None, set())):
        reading = read_trial(answer=answer, trajectory=traced)
        assert (reading.records[0].answer, codes(reading)) == ("not a list", warned)


def test_trials_that_did_not_finish_and_agents_that_are_no_system_are_left_out():
    left_out: list[str] = []
    files = {
        **trial("job/task3_1__a"),
        **trial("job/task3_1__oracle", result=result(agent="oracle")),
        **trial("job/task3_2__stopped", result=None),
    }
    [reading] = split(files, left_out)
    assert [record.task_id for record in reading.records] == ["task3_1"]
    assert left_out == ["job/task3_1__oracle", "job/task3_2__stopped"]


def test_what_cannot_be_one_run_of_one_system_is_refused_with_names():
    for files, code, named in (
        ({**trial("a/task3_1__a"), **trial("b/task3_1__b")}, "log.several-systems", "a, b"),
        (trial(result=result(task_id={"path": "tasks/task3_2"})), "log.tasks-disagree", "task3_2"),
        (trial(trajectory=trajectory(extra={"task_id": "task3_2"})), "log.tasks-disagree", "task3_2"),
        (trial(result=result(schema_version=2)), "log.version-unknown", "2"),
        (trial(trajectory=trajectory(version="2.0")), "log.version-unknown", "ATIF-v2.0"),
        (trial(result={"agent_info": None}), "log.task-unnamed", "task_name"),
        (trial(result={"task_name": 7}), "log.damaged", "str"),
        (trial(result=result("task99_1")), "task-id.unknown", "task99_1"),
    ):
        [problem] = refused(split, files)
        assert (problem.code, named in problem.message) == (code, True), problem.message


def test_a_question_of_fhir_agentbench_has_its_resources_in_the_trajectory():
    question = "5e8c4c1b2f3a4b5c6d7e8f90"
    traced = trajectory(step("60 years"), extra={"agent_fhir_resources": {"Patient": ["p"]}})
    files = trial(result=result(question, agent_result={"n_input_tokens": 5}), trajectory=traced)
    [run] = runs_of_log(zipped(files))
    [record] = kept_records(registry.get("fhir-agentbench"), run)
    assert (record.task_id, record.answer) == (question, "60 years")
    assert "p" in str(record.resources)


ROWS = [
    {"id": "task3_1", "sol": ["secret"], "final_answer": "", "payload": None},
    {"id": "task5_1", "final_answer": "[]", "payload": [OBSERVATION, {**OBSERVATION, "n": 2}]},
]


@pytest.mark.parametrize("rows", [ROWS, {"results": ROWS, "pass_at_1": 1.0}])
@pytest.mark.parametrize("name", ["artifacts/workspace/submission.json", "verifier/meta_results.json"])
def test_rows_of_a_trial_are_read_from_either_file(name, rows):
    [run] = runs_of_log(zipped({f"t__x/{name}": rows}))
    assert b"secret" not in run
    reading = read_submission(run, task_ids=TASKS, version="v1")
    assert [record.answer for record in reading.records] == [None, "[]"]
    assert len(reading.records[1].post_history) == 4
    assert codes(reading) == {"answer.null", "log.rows-untouched", "post.converted", "post.simulated"}


def test_a_tar_of_a_folder_with_a_name_twice_or_one_that_leads_elsewhere_is_not_read_as_one():
    files = {name: json.dumps(content).encode() if content else b"" for name, content in trial().items()}
    assert len(runs_of_log(as_tar(files))) == 1
    for name in (next(iter(files)), "../up.json"):
        assert runs_of_log(as_tar(files, members=[tarfile.TarInfo(name)])) == [], name
