"""Published results in the API: read by everyone, changed with a token of the operator."""

import pytest

from leaderboard.models import BoardOrganiser, ReportedResult, Scope
from leaderboard.services.accounts import create_token
from tests.support.factories import make_hidden, make_user
from tests.support.reported import NOT_RANKED, TEXTS, state

ADDRESS = "/api/v1/benchmarks/hidden/reported/"


@pytest.fixture
def board(db):
    return make_hidden()


@pytest.fixture
def organiser(board):
    user = make_user("organiser@example.org")
    BoardOrganiser.objects.create(board=board, user=user)
    return user


def bearer(user, *scopes):
    _, text = create_token(user=user, name="t", days=1, scopes=scopes)
    return {"HTTP_AUTHORIZATION": f"Bearer {text}"}


@pytest.fixture
def token(organiser):
    return bearer(organiser, Scope.ORGANISE)


def post(client, address, body, token):
    return client.post(address, body, content_type="application/json", **token)


def test_everyone_reads_what_is_listed_with_its_source(visitor, board, organiser):
    state(board, organiser)
    state(board, organiser, **NOT_RANKED)
    body = visitor.get(ADDRESS).json()
    assert body["benchmark"] == "hidden"
    unranked, ranked = sorted(body["results"], key=lambda result: result["system"] == "GPT-9, own script")
    assert (ranked["score"], ranked["correct"], ranked["tasks"]) == (0.82, 41, 50)
    assert (ranked["source_url"], ranked["grader"]) == ("https://example.org/paper", "official")
    assert (unranked["system_id"], unranked["not_ranked"]) == (None, "30 other tasks.")


def test_an_organiser_adds_corrects_and_removes_with_a_token(visitor, board, token):
    added = post(visitor, ADDRESS, TEXTS, token)
    assert added.status_code == 201
    result = added.json()
    corrected = post(visitor, f"{ADDRESS}{result['id']}/", {"note": "Counted anew."}, token)
    assert corrected.json()["note"] == "Counted anew."
    refused = post(visitor, f"{ADDRESS}{result['id']}/remove/", {"reason": " "}, token)
    assert refused.status_code == 400
    removed = post(visitor, f"{ADDRESS}{result['id']}/remove/", {"reason": "A mistake."}, token)
    assert removed.json()["results"] == []
    assert post(visitor, f"{ADDRESS}{result['id']}/", {"note": "x"}, token).status_code == 404


def test_every_problem_is_listed_with_its_pointer_and_hint(visitor, board, token):
    response = post(visitor, ADDRESS, {**TEXTS, "score": "85", "grader": "other"}, token)
    assert response.status_code == 422
    problems = {problem["pointer"]: problem for problem in response.json()["problems"]}
    assert set(problems) == {"/correct", "/grader"}
    assert all(problem["hint"] for problem in problems.values())
    assert not ReportedResult.objects.exists()
    assert post(visitor, ADDRESS, {**TEXTS, "colour": "red"}, token).status_code == 400
    assert post(visitor, ADDRESS, {**TEXTS, "note": 82}, token).status_code == 400


def test_others_cannot_change_them(visitor, board, organiser):
    stranger = make_user("stranger@example.org")
    assert post(visitor, ADDRESS, TEXTS, bearer(stranger, Scope.ORGANISE)).status_code == 404
    assert post(visitor, ADDRESS, TEXTS, bearer(organiser, Scope.SUBMIT)).status_code == 403
    assert post(visitor, ADDRESS, TEXTS, {}).status_code == 401
    assert not ReportedResult.objects.exists()


def test_a_session_needs_the_second_factor_that_the_desk_asks_for(client, board, organiser, settings):
    settings.STAFF_SECOND_FACTOR = True
    client.force_login(organiser)
    assert post(client, ADDRESS, TEXTS, {}).status_code == 404


def test_a_token_for_everything_that_senders_do_is_not_for_organising(visitor, board, organiser):
    token, text = create_token(user=organiser, name="old", days=1)
    token.scopes = None
    token.save()
    assert Scope.ORGANISE not in token.allowed
    assert post(visitor, ADDRESS, TEXTS, {"HTTP_AUTHORIZATION": f"Bearer {text}"}).status_code == 403
