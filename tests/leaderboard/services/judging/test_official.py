"""The official judge on a leaderboard: its settings, its name, its budget, and its own list."""

import pytest

from leaderboard.models import JudgedAnswer, JudgeDay, JudgeMode, Status
from leaderboard.services.judging import judge
from tests.support.factories import make_fhir_demo, send
from tests.support.llm_server import LlmReply, LlmRequest, LlmServer
from tests.support.paths import ROOT
from wardboard.scoring.fhir_agentbench.judge.official.evaluator import read_evaluator

STAND_IN = ROOT / "tests/support/scoring/official_evaluator.py"


def always_right(request: LlmRequest) -> LlmReply:
    return LlmReply(
        text="no answer" if "question answered" in request.body["messages"][0]["content"] else "1",
        served=("o4-mini", None),
    )


def set_up(settings, server=None, **more):
    address = {"base_url": server.url} if server else {"api_key": "a-key"}
    settings.JUDGE = {**settings.JUDGE, **address, "model": "o4-mini", "evaluator": str(STAND_IN), **more}
    settings.JUDGE_HAS_DAY_BUDGET = True


@pytest.mark.django_db(transaction=True)
def test_the_official_judge_is_named_and_keeps_to_the_budget_of_the_day(user, good_answers, settings):
    board = make_fhir_demo(judge_mode=JudgeMode.OFFICIAL)
    with LlmServer(always_right) as server:
        set_up(settings, server, name="o4-mini")
        submission = send(user, board, good_answers).submission
        calls = server.stats()["calls"]
        assert {tuple(sorted(request.body)) for request in server.requests} == {("messages", "model")}
    evaluation = submission.evaluation
    assert evaluation.judge == f"official o4-mini evaluator {read_evaluator(STAND_IN).digest}"
    assert JudgeDay.objects.get().calls == evaluation.spending["calls"] == calls > 0
    assert JudgedAnswer.objects.count() == calls
    assert evaluation.suspects in ([], ())


@pytest.mark.django_db(transaction=True)
def test_without_the_evaluator_a_file_waits_for_the_operator_and_goes_on_afterwards(
    user, good_answers, settings, client
):
    board = make_fhir_demo(judge_mode=JudgeMode.OFFICIAL)
    with LlmServer(always_right) as server:
        set_up(settings, server, evaluator=None)
        submission = send(user, board, good_answers).submission
        assert (submission.status, submission.waits_for) == (Status.INCOMPLETE, judge.UNAVAILABLE)
        assert judge.current_identity(board) == "official, not set up"
        client.force_login(user)
        page = client.get(f"/submissions/{submission.pk}/").content.decode()
        assert "judge is not set up yet" in page
        assert server.stats()["calls"] == 0
