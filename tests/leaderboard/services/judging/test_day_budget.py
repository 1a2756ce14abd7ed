"""The LLM judge stays off until the operator sets a daily limit."""

import os

import pytest

from leaderboard.models import JudgeMode, Status, Submission
from leaderboard.services.submissions import rescore, sweep
from tests.support import processes
from tests.support.factories import make_fhir_demo, send
from tests.support.llm_server import LlmServer

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def server(settings):
    """Return a server that the settings name, without a budget for a day."""
    settings.JUDGE_HAS_DAY_BUDGET = False
    with LlmServer() as server:
        settings.JUDGE = {**settings.JUDGE, "base_url": server.url, "name": "stub"}
        yield server


@pytest.mark.parametrize("mode", [JudgeMode.LLM, JudgeMode.HYBRID])
def test_a_file_waits_without_a_call_until_a_budget_is_set(user, good_answers, settings, server, mode):
    submission = send(user, make_fhir_demo(judge_mode=mode), good_answers).submission
    assert (submission.status, submission.waits_for) == (Status.INCOMPLETE, "judge-without-day-budget")
    assert server.stats()["calls"] == 0
    settings.JUDGE_HAS_DAY_BUDGET = True
    Submission.objects.update(resume_at=submission.received_at)
    assert sweep.sweep() == 1
    submission.refresh_from_db()
    assert submission.status == Status.SCORED


def test_rescoring_makes_no_call_either(user, good_answers, server):
    board = make_fhir_demo()
    send(user, board, good_answers)
    board.judge_mode = JudgeMode.LLM
    board.save()
    (why,) = rescore.rescore(board=board).skipped.values()
    assert "JUDGE_DAY_CALLS" in why
    assert server.stats()["calls"] == 0


@pytest.mark.parametrize(
    ("variables", "budget"),
    [
        ({}, "False None None"),
        ({"JUDGE_DAY_COST": "none"}, "True None None"),
        ({"JUDGE_DAY_CALLS": "None"}, "True None None"),
        ({"JUDGE_DAY_CALLS": "500"}, "True 500.0 None"),
    ],
)
def test_the_word_none_states_that_there_is_no_limit(variables, budget):
    program = (
        "from leaderboard.settings import JUDGE_BUDGET, JUDGE_HAS_DAY_BUDGET as has;"
        "print(has, JUDGE_BUDGET['day_calls'], JUDGE_BUDGET['day_cost'])"
    )
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_")}
    done = processes.run("-c", program, env={**inherited, **variables}, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, budget), done.stderr
