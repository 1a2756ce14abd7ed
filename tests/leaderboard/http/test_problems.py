"""One status a code: the table of refusals, as pages and API answer with it."""

import inspect

import pytest

from leaderboard.api.submissions import views
from leaderboard.http.problems import PROBLEM_TYPES, code_of_status, status_of
from leaderboard.services import errors
from leaderboard.services.accounts import create_token
from leaderboard.services.errors import ServiceError
from leaderboard.web.submissions import submit as page
from tests.support.addresses import SUBMIT
from tests.support.api_client import Api, assert_problem
from tests.support.factories import make_form_facts

# What an error is made from, where that is more than a sentence.
_MADE_FROM = {
    errors.CiJobRefused: ([],),
    errors.DeviceCodeRefused: ("access_denied", "Not now."),
    errors.DoubtInvalid: ([],),
    errors.FactsInvalid: ([],),
    errors.IssuerUnreachable: ("It does not answer.", 30),
    errors.QuotaSpent: ("Three a day.", 60),
    errors.RequestInvalid: ([], None),
    errors.StorageSpent: ([], "There is too little room."),
}
_ERRORS = [
    error
    for error in vars(errors).values()
    if inspect.isclass(error) and issubclass(error, ServiceError) and "code" in vars(error)
]
_REFUSALS = [error for error in _ERRORS if error is not ServiceError]


@pytest.mark.parametrize("refusal", _REFUSALS, ids=lambda error: error.code)
def test_a_refusal_has_the_same_status_and_time_to_wait_on_the_page_and_in_the_api(
    refusal, ada, user, demo, good_file, upload, system_facts, monkeypatch
):
    api = Api(create_token(user=user, name="tests", days=1)[1])

    def refuse(request: object) -> None:
        raise refusal(*_MADE_FROM.get(refusal, ("Not now.",)))

    monkeypatch.setattr(page, "submit", refuse)
    monkeypatch.setattr(views, "submit", refuse)
    shown = ada.post(SUBMIT, make_form_facts(file=upload(good_file)))
    answered = api.send(good_file, system_facts)
    assert_problem(answered, PROBLEM_TYPES[refusal.code].status, refusal.code)
    assert shown.status_code == answered.status_code
    assert shown.get("Retry-After") == answered.get("Retry-After")


def test_an_address_that_does_not_exist_has_the_same_status_on_the_site_and_in_the_api(visitor, db):
    for path in ("/nothing/", "/benchmarks/nothing/", "/api/v1/nothing/", "/api/v1/benchmarks/nothing/"):
        assert visitor.get(path).status_code == status_of("not-found"), path


def test_a_general_code_stands_for_its_status_and_no_other_does():
    general = {code: known.status for code, known in PROBLEM_TYPES.items() if known.is_general}
    assert len(set(general.values())) == len(general)
    assert {code: code_of_status(status) for code, status in general.items()} == {
        code: code for code in general
    }
    # A fault of ours: its response has an id in place of a cause.
    assert code_of_status(500) is None
