"""A worker is killed repeatedly while an LLM judges: nothing is lost, and nothing is judged twice."""

import json
import os
import signal

import requests

from leaderboard.models import JudgedAnswer, JudgeMode, Status, Submission, Work
from tests.support import factories
from tests.support.leases import sweep_later
from tests.support.processes import ON_POSTGRESQL, wait_for

pytestmark = ON_POSTGRESQL
# Each kill costs the start of a worker; set KILLS=10 in the environment for a longer run.
KILLS = int(os.environ.get("KILLS", "2"))


def stats_of(llm):
    return requests.get(f"{llm.removesuffix('/v1')}/stats", timeout=60).json()


def finish(submission):
    wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORED)
    evaluation = Submission.objects.get(pk=submission.pk).evaluation
    return evaluation.right, evaluation.metrics, bytes(evaluation.verdicts)


def test_kills_while_judging_change_no_figure_and_judge_no_record_twice(user, good_answers, worker, llm):
    def start_judging(concurrency):
        judge = {"JUDGE_BASE_URL": llm, "JUDGE_MODEL": "stub", "JUDGE_CONCURRENCY": concurrency}
        return worker("--lanes", "long", "--processes", "1", **judge)

    board = factories.make_fhir_demo(judge_mode=JudgeMode.LLM)
    submission = factories.send(user, board, good_answers).submission
    assert submission.status == Status.QUEUED
    for _ in range(KILLS):
        process = start_judging("2")
        wait_for(lambda: Submission.objects.get(pk=submission.pk).status == Status.SCORING)
        before = stats_of(llm)["judged"]
        wait_for(lambda count=before: stats_of(llm)["judged"] >= count + 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert sweep_later() == 1
    start_judging("20")
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
