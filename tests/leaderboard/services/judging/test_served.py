"""The model that a provider serves: kept with each verdict, and part of the judge of a result."""

import pytest

from leaderboard.models import JudgedAnswer, JudgeMode, PublicVerdict
from leaderboard.services.judging.judge import identity_as_served, judge_of_board
from leaderboard.services.submissions import rescore
from tests.support.factories import make_fhir_demo, make_published, make_scored
from tests.support.llm_server import LlmReply, LlmServer

OLD, NEW = ("build-1", "fp_a"), ("build-2", "fp_b")
IDENTITY = "llm stub prompt 1"

pytestmark = pytest.mark.django_db


@pytest.fixture
def board():
    return make_fhir_demo("judged", judge_mode=JudgeMode.LLM)


@pytest.fixture
def serve(settings):
    """Return a function that lets the provider serve a build for one call of another function."""

    def call(served, function, *args, **more):
        with LlmServer(LlmReply(served=served)) as server:
            settings.JUDGE = {**settings.JUDGE, "model": "stub", "name": "stub", "base_url": server.url}
            return function(*args, **more)

    return call


def test_another_build_of_the_model_is_another_judge(user, other_user, board, good_answers, serve):
    old = serve(OLD, make_published, user, board, good_answers, system="Alpha")
    new = serve(NEW, make_published, other_user, board, good_answers.replace(b"The", b"the"), system="Beta")
    assert old.evaluation.judge == f"{IDENTITY} as build-1 fp_a"
    # Its own team paid for none of these before, but those of the published answers serve everybody.
    assert new.evaluation.judge == f"{IDENTITY} as build-1 fp_a, build-2 fp_b"
    assert set(JudgedAnswer.objects.values_list("served", flat=True)) == {"build-1 fp_a", "build-2 fp_b"}
    assert set(PublicVerdict.objects.values_list("served", flat=True)) == {"build-1 fp_a", "build-2 fp_b"}


def test_results_of_todays_judge_are_current_whatever_the_provider_served(user, board, good_answers, serve):
    scored = serve(OLD, make_scored, user, board, good_answers)
    assert not rescore.outdated(board).exists()
    assert serve(NEW, rescore.rescore, board=board).changed == 0
    scored.refresh_from_db()
    assert scored.evaluation.judge == f"{IDENTITY} as build-1 fp_a"


def test_a_file_that_needed_no_model_is_of_the_judge_of_the_last_result(user, board, good_answers, serve):
    judge = serve(OLD, judge_of_board, board)
    assert identity_as_served(judge, set(), board=board) == IDENTITY
    serve(OLD, make_scored, user, board, good_answers)
    assert identity_as_served(judge, set(), board=board) == f"{IDENTITY} as build-1 fp_a"
