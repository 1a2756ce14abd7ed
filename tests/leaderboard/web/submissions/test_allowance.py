"""The limits of a board on its form, and asking for approval."""

import pytest

from leaderboard.models import Submission, TeamApproval
from leaderboard.services.publishing import approvals
from tests.support.factories import make_form_facts, make_hidden, send, with_wrong

FORM, APPROVAL = "/benchmarks/hidden/submit/", "/benchmarks/hidden/approval/"


@pytest.fixture
def hidden(db):
    return make_hidden(daily_limit=5, newcomer_limit=1, publication_limit=3)


def content(client, address=FORM) -> str:
    return client.get(address, follow=True).content.decode()


def test_a_refused_file_keeps_what_was_typed_and_says_whom_to_ask(ada, hidden, user, upload, good_file):
    send(user, hidden, good_file)
    form = make_form_facts(system="Second agent", file=upload(with_wrong(good_file, 1)))
    response = ada.post(FORM, form)
    assert response.status_code == 403
    assert "before its organisers approve the team" in response.content.decode()
    assert "Second agent" in response.content.decode()
    assert Submission.objects.count() == 1


def test_asking_shows_on_the_form_and_so_does_a_refusal(ada, visitor, hidden, user):
    assert "/accounts/login/" in visitor.post(APPROVAL)["Location"]
    response = ada.post(APPROVAL, {"message": "<b>A lab</b>"})
    assert response["Location"] == FORM
    assert "the organisers have not decided yet" in content(ada)
    assert "&lt;b&gt;A lab&lt;/b&gt;" in content(ada)
    approvals.refuse(approval=TeamApproval.objects.get(), by=user, answer="One team per person.")
    assert "One team per person." in content(ada)
    ada.post(APPROVAL, {"message": "again"})
    assert "The organisers decided not to approve your team." in content(ada)
