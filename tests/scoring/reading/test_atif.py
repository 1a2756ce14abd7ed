"""Trajectories in ATIF: what is followed, what is left out, and what is stated or refused."""

import json
from typing import Any

import msgspec

from tests.support.scoring.files import refused, runs_of_log
from tests.support.scoring.harbor import OBSERVATION, call, command, post, reply, step, trajectory, zipped
from wardboard.scoring.medagentbench.reading.submission import ResultReading, read_submission
from wardboard.scoring.reading.formats.atif.model import Trajectory
from wardboard.scoring.reading.formats.atif.trajectories import attempt_of

TASKS = ["task3_1", "task3_2"]
NAMED = {"extra": {"task_id": "task3_1"}}
FINISH = step("FINISH([])")


def read(raw: bytes) -> ResultReading:
    texts = {task: f"Do what {task} asks." for task in TASKS}
    return read_submission(raw, task_ids=TASKS, version="v1", texts=texts)


def read_one(*steps: Any, **more: Any) -> ResultReading:
    return read(json.dumps(trajectory(*steps, **{**NAMED, **more})).encode())


def read_folder(files: dict[str, Any]) -> ResultReading:
    [run] = runs_of_log(zipped(files))
    return read(run)


def posts(reading: ResultReading, task: str = "task3_1") -> list[Any]:
    [record] = [record for record in reading.records if record.task_id == task]
    sent = [item["content"] for item in record.post_history if item["role"] == "agent"]
    return [json.loads(content.partition("\n")[2]) for content in sent]


def codes(reading: ResultReading) -> set[str]:
    return {remark.code for remark in reading.warnings.listed} - {"tasks.missing", "log.task-derived"}


def refusals(read_it: Any, *arguments: Any, **more: Any) -> list[str]:
    return [problem.code for problem in refused(read_it, *arguments, **more)]


def subagent(number: int, *steps: Any, **more: Any) -> dict[str, Any]:
    return trajectory(*steps, trajectory_id=f"s{number}", **more)


def delegate(*references: Any, id: str = "d1") -> dict[str, Any]:
    done = reply("Done.", id=id, subagent_trajectory_ref=list(references))
    return step("", call("delegate", id=id), replies=[done])


def test_every_version_is_read():
    for minor in range(9):
        reading = read_one(step("", post(n=1), replies=[reply()]), FINISH, version=f"1.{minor}")
        assert (reading.format, posts(reading), codes(reading)) == ("atif", [{**OBSERVATION, "n": 1}], set())


def test_a_task_comes_from_the_metadata_or_the_name_of_the_file():
    assert read_one(FINISH, extra={"task_name": "org/task3_2"}).records[0].task_id == "task3_2"
    agent = {"name": "a", "version": "1", "extra": {"task_id": "task3_2"}}
    assert read_one(FINISH, agent=agent, extra=None).records[0].task_id == "task3_2"
    for name in ("task3_2__k3vQ2aa.json", "2026-11-20__09-15-02/task3_2__k3vQ2aa/agent/trajectory.json"):
        reading = read_folder({name: trajectory(FINISH)})
        assert (reading.records[0].task_id, codes(reading)) == ("task3_2", set())


def test_two_places_that_name_different_tasks_are_refused():
    disagree = ["log.tasks-disagree"]
    assert refusals(read_one, FINISH, extra={"task_id": "task3_1", "task_name": "task3_2"}) == disagree
    assert refusals(read_folder, {"task3_2__k3vQ2aa.json": trajectory(FINISH, **NAMED)}) == disagree
    asked = step("Do what task3_2 asks.", source="user")
    assert refusals(read_one, steps=[asked, FINISH]) == disagree
    assert read_one(steps=[asked, FINISH], extra=None).records[0].task_id == "task3_2"


def test_replies_are_found_by_the_ids_of_calls_and_a_call_in_parts_is_one():
    replies = [reply("ERROR: HTTP 503", id="b"), reply({"status": 201}, id="a")]
    # It stands at its first place with its last content.
    parts = [post(id="a"), post(id="b", n=2), post(id="a", n=1)]
    reading = read_one(step("", *parts, replies=replies), FINISH)
    assert [body["n"] for body in posts(reading)] == [1, 2]
    replied = [item["content"] for item in reading.records[0].post_history if item["role"] == "user"]
    assert replied[0].startswith("POST request accepted")
    assert replied[1] == "ERROR: HTTP 503"
    # A reply without the id of a call proves nothing, and a step that was copied is not read again.
    assert "history.ends-with-post" in codes(read_one(step("", post(), replies=[reply(id=None)]), FINISH))
    sent = step("", post(), replies=[reply()])
    assert len(posts(read_one({**sent, "is_copied_context": True}, sent, FINISH))) == 1


def test_calls_of_subagents_stand_where_they_were_delegated_or_last_and_are_read_once():
    within = subagent(
        1, delegate({"trajectory_id": "s2"}), step("", post(n=1), replies=[reply()]), step("[9]")
    )
    deeper = subagent(2, step("", post(n=2), replies=[reply()]))
    around = [step("", post(n=n), replies=[reply()]) for n in (0, 3)]
    delegated = [around[0], delegate({"trajectory_id": "s1"}), around[1], FINISH]
    circle = subagent(2, step("", post(n=2), replies=[reply()]), delegate({"trajectory_id": "s1"}))
    done = reply("Done.", id="d1", subagent_trajectory_ref=[{"trajectory_id": "s1"}])
    mixed = step("", call("delegate", id="d1"), post(n=4, id="b"), replies=[done, reply(id="b")])
    for steps, subagents, numbers, warned in (
        (delegated, [within, deeper], [0, 2, 1, 3], set()),
        # Two refer to each other.
        (delegated, [within, circle], [0, 2, 1, 3], set()),
        # A step delegates before another call of its own.
        ([mixed, FINISH], [subagent(1, step("", post(n=1), replies=[reply()]))], [1, 4], set()),
        # Nothing refers to it.
        ([*around, FINISH], [deeper], [0, 3, 2], {"log.order-unknown"}),
    ):
        reading = read_one(*steps, subagent_trajectories=subagents)
        assert [body["n"] for body in posts(reading)] == numbers
        assert (reading.records[0].answer, codes(reading)) == ("[]", warned)


def test_a_call_whose_arguments_are_no_json_is_kept():
    made = trajectory(step("", {**post(), "arguments": "{'n': 1}"}, replies=[reply()]))
    *_, message = attempt_of(msgspec.convert(made, Trajectory), ()).messages
    assert [call.arguments for call in message.calls] == ["{'n': 1}"]


def test_a_subagent_in_a_file_is_read_where_that_is_there():
    root = trajectory(delegate({"trajectory_path": "sub.json"}), FINISH, **NAMED)
    assert codes(read(json.dumps(root).encode())) == {"log.incomplete"}
    files = {"a/root.json": root, "a/sub.json": trajectory(step("", post(n=1), replies=[reply()]))}
    reading = read_folder(files)
    assert ([body["n"] for body in posts(reading)], codes(reading)) == ([1], set())


def test_the_last_text_of_a_part_is_no_answer_where_the_next_part_is_missing_or_is_itself():
    first = trajectory(FINISH, continued_trajectory_ref="next.json", **NAMED)
    whole = read_folder({"first.json": first, "next.json": trajectory(step("FINISH([1])"))})
    assert whole.records[0].answer == "[1]"
    other = {"z.json": trajectory(FINISH, extra={"task_id": "task3_2"})}
    cut = read_folder({"first.json": first, **other})
    assert [record.answer for record in cut.records] == [None, "[]"]
    assert codes(cut) == {"log.incomplete", "answer.null"}
    circle = trajectory(FINISH, continued_trajectory_ref="next.json")
    assert "log.incomplete" in codes(read_folder({"first.json": first, "next.json": circle, **other}))


def test_a_call_that_ends_the_task_gives_the_answer_if_it_shows_it_and_is_not_refused():
    for ending, answer in (
        (call("finish", answer=[1]), "[1]"),
        (call("mcp__x__submit_answer", answer="[1]"), "[1]"),
        (call("final_answer", value="FINISH([1])"), "[1]"),
        (command("python /usr/local/bin/medagentbench_cli.py finish '[1.8]'"), "[1.8]"),
        (command("medagentbench_cli.py finish --answer='[\"S1\"]' && exit"), '["S1"]'),
        (command("medagentbench_cli.py finish '[1]'\n", name="bash_command", field="keystrokes"), "[1]"),
        (command("cd /tmp\nmedagentbench_cli.py get x\nmedagentbench_cli.py finish '[1]'\nexit"), "[1]"),
    ):
        reading = read_one(step("", ending), step("All is done."))
        assert (reading.records[0].answer, codes(reading)) == (answer, set())
    for ending in (
        command('medagentbench_cli.py finish "$ANSWER"'),
        command("medagentbench_cli.py finish < answer.json"),
        command("echo medagentbench_cli.py finishing '[1]'"),
        call("submit_order", answer="[1]"),
    ):
        assert refusals(read_one, step("", ending), step("All is done.")) == ["log.no-answers"]
    wrong = step("", call("finish", answer=[1]), replies=[reply("Error: the answer has the wrong form")])
    assert read_one(wrong, FINISH).records[0].answer == "[]"
    reading = read_one(step("", call("finish", answer=[1])), FINISH)
    assert (reading.records[0].answer, codes(reading)) == ("[1]", {"log.disagrees"})
