"""Refused requests leave no file behind."""

from dataclasses import replace

import pytest
from django.test import Client

from leaderboard.models import Submission
from tests.support.addresses import SUBMISSIONS
from tests.support.api_client import Api, as_file, assert_problem
from tests.support.factories import PASSWORD
from wardboard.scoring.medagentbench.benchmark import MedAgentBench

VALIDATIONS = "/api/v1/validations/"


class TestNothingStays:
    pytestmark = pytest.mark.usefixtures("nothing_stays")

    def test_an_invalid_request_leaves_nothing(self, api, demo, good_file):
        wrong = [{"system": ""}, {"colour": "blue"}, {"publish": "perhaps"}, {"benchmark": "none"}]
        for field in wrong:
            assert_problem(api.send(good_file, {"system": "s", **field}), 422, "request-invalid")
            assert_problem(api.send_body(good_file, {"system": "s", **field}), 422, "request-invalid")

    def test_a_session_without_its_csrf_token_leaves_nothing(self, user, demo, good_file):
        client = Client(enforce_csrf_checks=True)
        client.login(email=user.email, password=PASSWORD)
        form = {"benchmark": demo.slug, "system": "s", "file": as_file(good_file)}
        assert_problem(client.post(SUBMISSIONS, form), 403, "permission-denied")


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wb_unknown"}])
def test_an_anonymous_request_stores_nothing(demo, good_file, writers, headers):
    form = {"benchmark": demo.slug, "system": "s", "file": as_file(good_file)}
    assert Api().post(SUBMISSIONS, form, **headers).status_code == 401
    assert Api().post(SUBMISSIONS, good_file, "application/json", **headers).status_code == 401
    assert writers == []


@pytest.mark.usefixtures("nothing_stays")
class TestLimits:
    def test_visitors_have_a_smaller_limit_and_the_response_says_so(
        self, anonymous, api, demo, good_file, settings
    ):
        settings.ANONYMOUS_CHECK_BYTES = 1000
        for response in (
            anonymous.send_body(good_file, {}, path=VALIDATIONS),
            # A form may be larger than its file by two MiB.
            anonymous.send(good_file + b" " * 2**21, {}, path=VALIDATIONS),
        ):
            problem = assert_problem(response, 413, "file.too-large")
            assert "the limit of 1000 bytes" in problem["detail"]
            assert "send a token" in problem["detail"]
        assert api.send(good_file, {}, path=VALIDATIONS).status_code == 200

    def test_a_board_has_its_own_limit_once_it_is_known(self, api, demo, good_file, monkeypatch):
        monkeypatch.setattr(MedAgentBench, "limits", replace(MedAgentBench.limits, body_bytes=1000))
        fields = {"benchmark": demo.slug, "system": "s"}
        for response in (
            api.send_body(good_file, {"system": "s"}),
            api.post(SUBMISSIONS, {**fields, "file": as_file(good_file)}),
            api.post(SUBMISSIONS, {"file": as_file(good_file), **fields}),
        ):
            problem = assert_problem(response, 413, "file.too-large")
            assert "the limit of 1000 bytes" in problem["detail"]
        assert not Submission.objects.exists()


@pytest.mark.parametrize("digits", [18, 5000])
@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=b"])
def test_a_length_over_the_limit_opens_no_file_and_is_no_full_disk(api, demo, writers, caplog, kind, digits):
    path = SUBMISSIONS if "multipart" in kind else f"{SUBMISSIONS}raw/"
    response = api.post(path, b"{", content_type=kind, CONTENT_LENGTH="9" * digits)
    assert_problem(response, 413, "file.too-large")
    assert writers == []
    assert "room" not in caplog.text
