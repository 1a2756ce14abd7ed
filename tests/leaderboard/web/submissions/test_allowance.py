"""Asking for approval on the form of a leaderboard."""

from leaderboard.models import TeamApproval
from leaderboard.services.publishing import approvals
from tests.support.factories import make_hidden

FORM, APPROVAL = "/benchmarks/hidden/submit/", "/benchmarks/hidden/approval/"


def test_asking_shows_on_the_form_and_so_does_a_refusal(ada, visitor, user):
    def content() -> str:
        return ada.get(FORM, follow=True).content.decode()

    make_hidden(newcomer_limit=1)
    assert "/accounts/login/" in visitor.post(APPROVAL)["Location"]
    response = ada.post(APPROVAL, {"message": "<b>A lab</b>"})
    assert response["Location"] == FORM
    assert "the organisers have not decided yet" in content()
    assert "&lt;b&gt;A lab&lt;/b&gt;" in content()
    approvals.refuse(approval=TeamApproval.objects.get(), by=user, answer="One team per person.")
    assert "One team per person." in content()
    ada.post(APPROVAL, {"message": "again"})
    assert "The organisers decided not to approve your team." in content()
