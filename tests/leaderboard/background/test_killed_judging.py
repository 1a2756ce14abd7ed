"""A worker is killed repeatedly while an LLM judges: nothing is lost, and nothing is judged twice."""

import json
import os

import pytest
import requests

from leaderboard.models import JudgedAnswer, JudgeMode, Status, Submission
from leaderboard.services.submissions import sweep
from tests.support import factories
from tests.support.brokers import BROKERS, lanes_of
from tests.support.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
# Each kill costs the start of a worker; set KILLS=10 in the environment for a longer run.
KILLS = int(os.environ.get("KILLS", "4"))


def stats_of(llm):
    return requests.get(f"{llm.removesuffix('/v1')}/stats", timeout=60).json()


@pytest.fixture
def worker(llm, queue, start):
    def run(concurrency=2):
        return start(
            *("celery", "-A", "leaderboard", "worker", "--pool=solo", "-Q", ",".join(lanes_of(queue))),
            *("--without-mingle", "--without-gossip", "--without-heartbeat"),
            BROKER_URL=BROKERS["redis"],
            JUDGE_BASE_URL=llm,
            JUDGE_MODEL="stub",
            JUDGE_CONCURRENCY=str(concurrency),
        )

    return run


def finish(submission):
    wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORED)
    evaluation = Submission.objects.get(pk=submission.pk).evaluation
    return evaluation.right, evaluation.metrics, bytes(evaluation.verdicts)


@pytest.mark.parametrize("broker_url", ["redis"], indirect=True)
def test_kills_while_judging_change_no_figure_and_judge_no_record_twice(
    user, good_answers, send_to, broker_url, queue, worker, llm
):
    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    send_to(broker_url, queue)
    submission = factories.send(user, board, good_answers).submission
    assert submission.status == Status.QUEUED
    for _ in range(KILLS):
        doomed = worker()
        wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORING)
        before = stats_of(llm)["judged"]
        wait_for(lambda count=before: stats_of(llm)["judged"] >= count + 2)
        doomed.kill()
        doomed.wait()
        assert sweep.sweep(takes_all=True) == 1
    last = worker(concurrency=20)
    disturbed = finish(submission)
    stats = stats_of(llm)
    last.kill()
    last.wait()
    assert stats["most_judged"] == 1
    assert stats["judged"] == JudgedAnswer.objects.count() == Submission.objects.get().judge_calls
    print(json.dumps({"kills": KILLS, "judged": stats["judged"], "replayed": stats["replayed"]}))
    # The same answers without kills, on a new board.
    JudgedAnswer.objects.all()._raw_delete(using="default")
    other = factories.make_fhir_demo("undisturbed", judge_mode=JudgeMode.LLM)
    again = factories.send(user, other, good_answers, system="Undisturbed").submission
    worker(concurrency=20)
    assert finish(again) == disturbed


@pytest.mark.parametrize("broker_url", ["redis"], indirect=True)
def test_kills_in_the_middle_of_several_runs_change_no_figure(
    user, good_answers, send_to, broker_url, queue, worker, llm
):
    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    send_to(broker_url, queue)
    # The same records in other bytes: the figures of each run are those of a single one.
    files = [good_answers + b" " * number for number in range(3)]
    submission = factories.send_runs(user, board, files).submission
    assert (submission.status, submission.runs) == (Status.QUEUED, 3)
    for _ in range(2):
        doomed = worker()
        wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORING)
        before = stats_of(llm)["judged"]
        wait_for(lambda count=before: stats_of(llm)["judged"] >= count + 2)
        doomed.kill()
        doomed.wait()
        assert sweep.sweep(takes_all=True) == 1
    last = worker(concurrency=20)
    right, metrics, verdicts = finish(submission)
    last.kill()
    last.wait()
    assert stats_of(llm)["most_judged"] == 1
    other = factories.make_fhir_demo("undisturbed", judge_mode=JudgeMode.LLM)
    single = factories.send(user, other, good_answers, system="One run").submission
    worker(concurrency=20)
    right_of_one, metrics_of_one, verdicts_of_one = finish(single)
    assert (right, verdicts) == (3 * right_of_one, 3 * verdicts_of_one)
    assert metrics == pytest.approx(metrics_of_one)
