"""A worker is killed repeatedly while an LLM judges: nothing is lost, and nothing is judged twice."""

import json
import os
import signal

import pytest
import requests
from django.db import connection

from leaderboard.models import JudgedAnswer, JudgeMode, Status, Submission, Work
from leaderboard.services.submissions import sweep
from tests.support import factories
from tests.support.processes import wait_for

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="this is about PostgreSQL"),
]
# Each kill costs the start of a worker; set KILLS=10 in the environment for a longer run.
KILLS = int(os.environ.get("KILLS", "2"))


def stats_of(llm):
    return requests.get(f"{llm.removesuffix('/v1')}/stats", timeout=60).json()


@pytest.fixture
def judging(llm, worker):
    """Start workers of the long lane; return a function that kills them."""

    def run(concurrency=2):
        process = worker(
            *("--lanes", "long", "--processes", "1"),
            JUDGE_BASE_URL=llm,
            JUDGE_MODEL="stub",
            JUDGE_CONCURRENCY=str(concurrency),
        )

        def kill():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

        return kill

    return run


def finish(submission):
    wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORED)
    evaluation = Submission.objects.get(pk=submission.pk).evaluation
    return evaluation.right, evaluation.metrics, bytes(evaluation.verdicts)


def test_kills_while_judging_change_no_figure_and_judge_no_record_twice(user, good_answers, judging, llm):
    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    submission = factories.send(user, board, good_answers).submission
    assert submission.status == Status.QUEUED
    for _ in range(KILLS):
        kill = judging()
        wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORING)
        before = stats_of(llm)["judged"]
        wait_for(lambda count=before: stats_of(llm)["judged"] >= count + 2)
        kill()
        assert sweep.sweep(takes_all=True) == 1
    judging(concurrency=20)
    disturbed = finish(submission)
    stats = stats_of(llm)
    assert stats["most_judged"] == 1
    assert stats["judged"] == JudgedAnswer.objects.count() == Work.objects.get().judge_calls
    print(json.dumps({"kills": KILLS, "judged": stats["judged"], "replayed": stats["replayed"]}))
    # The same answers without kills, on a new board.
    JudgedAnswer.objects.all()._raw_delete(using="default")
    other = factories.make_fhir_demo("undisturbed", judge_mode=JudgeMode.LLM)
    again = factories.send(user, other, good_answers, system="Undisturbed").submission
    assert finish(again) == disturbed


def other_answer(raw, number):
    """Return the file `raw` with another answer to the question with an index from 0."""
    records = json.loads(raw)
    records[number]["agent_answer"] = f"The final answer is: attempt {number}."
    return json.dumps(records).encode()


@pytest.mark.long
def test_a_kill_in_the_middle_of_several_runs_changes_no_figure(user, good_answers, judging, llm):
    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    # The runs differ in one answer each: their figures are those of the same files sent one by one.
    files = [other_answer(good_answers, number) for number in range(3)]
    submission = factories.send_runs(user, board, files).submission
    assert (submission.status, submission.runs) == (Status.QUEUED, 3)
    kill = judging()
    wait_for(lambda: stats_of(llm)["judged"] >= 2)
    kill()
    assert Submission.objects.get(pk=submission.pk).status == Status.SCORING
    assert sweep.sweep(takes_all=True) == 1
    judging(concurrency=20)
    right, metrics, verdicts = finish(submission)
    assert stats_of(llm)["most_judged"] == 1
    other = factories.make_fhir_demo("undisturbed", judge_mode=JudgeMode.LLM)
    singles = [factories.send(user, other, raw, system="One run").submission for raw in files]
    finished = [finish(single) for single in singles]
    assert right == sum(of_one for of_one, _, _ in finished)
    assert verdicts == b"".join(of_one for _, _, of_one in finished)
    means = {key: sum(of_one[key] for _, of_one, _ in finished) / 3 for key in metrics}
    assert metrics == pytest.approx(means)
