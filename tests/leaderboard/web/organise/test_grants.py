"""Announcements on the page of a board, and decisions on teams."""

import pytest

from leaderboard.models import ApprovalStatus, AuditEvent, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing import approvals
from tests.support.factories import make_hidden
from tests.support.pages.desk import words

ANNOUNCEMENTS, TEAMS = "/organise/boards/hidden/announcements/", "/organise/boards/hidden/teams/"


def test_an_announcement_is_on_the_page_in_both_languages_until_it_is_ended(desk, visitor, board):
    visitor.get("/benchmarks/hidden/")
    assert desk.post(ANNOUNCEMENTS, {"text": " ", "text_zh": ""}).status_code == 422
    # Typed in several lines, it is one paragraph.
    sent = {
        "text": "Closed <b>on Monday</b>.\r\n\r\n\tOpen on Tuesday. ",
        "text_zh": "星期一停機。\n星期二恢復。",
    }
    shown = "Closed &lt;b&gt;on Monday&lt;/b&gt;. Open on Tuesday."
    # Sent twice, it is shown once.
    for _ in range(2):
        page = words(desk.post(ANNOUNCEMENTS, sent, follow=True))
        assert "The announcement is on the leaderboard." in page
    assert f"<bdi>{shown}</bdi>" in words(visitor.get("/benchmarks/hidden/"))
    assert "星期一停機。" in words(visitor.get("/zh-hant/benchmarks/hidden/"))
    desk.post(f"{ANNOUNCEMENTS}{board.announcements.get().pk}/end/")
    assert "on Monday" not in words(visitor.get("/benchmarks/hidden/"))
    assert shown in words(desk.get(ANNOUNCEMENTS))
    desk.post(ANNOUNCEMENTS, sent)
    assert board.announcements.count() == 2
    actions = AuditEvent.objects.filter(action__startswith="board.announce").order_by("pk")
    announced = ["board.announced", "board.announcement-ended", "board.announced"]
    assert [event.action for event in actions] == announced


@pytest.fixture
def board(db):
    return make_hidden(daily_limit=1)


def test_a_decision_of_another_organiser_is_not_undone_unseen(desk, board, user):
    approval = approvals.request_approval(
        board=board, team=personal_team(user), by=user, message="We evaluate agents."
    )
    path = f"{TEAMS}{approval.pk}/"
    assert 'name="seen" value="requested"' in desk.get(TEAMS).content.decode()
    approvals.approve(approval=approval, by=user)
    for decision, sentence in (
        ("refuse", "Someone has decided on this team meanwhile"),
        ("approve", "is approved."),
    ):
        assert sentence in words(desk.post(f"{path}{decision}/", {"seen": "requested"}, follow=True))
        assert TeamApproval.objects.get().status == ApprovalStatus.APPROVED
    assert AuditEvent.objects.filter(action="team.approved").count() == 1
    page = words(desk.post(f"{path}refuse/", {"seen": "approved"}, follow=True))
    assert "is not approved" in page
