"""Announcements on the page of a board, and limits of a single team."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import ApprovalStatus, AuditEvent, TeamApproval, TeamQuota
from leaderboard.services.accounts import personal_team
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.publishing import approvals
from leaderboard.services.publishing.team_quotas import end_quota
from tests.support.factories import make_hidden, send, with_wrong
from tests.support.pages.desk import words

ANNOUNCEMENTS, TEAMS = "/organise/boards/hidden/announcements/", "/organise/boards/hidden/teams/"


def test_an_announcement_is_on_the_page_at_once_in_both_languages_until_it_is_ended(desk, visitor, board):
    visitor.get("/benchmarks/hidden/")
    assert desk.post(ANNOUNCEMENTS, {"text": " ", "text_zh": ""}).status_code == 422
    desk.post(ANNOUNCEMENTS, {"text": "Closed <b>on Monday</b>.", "text_zh": "星期一停機。"})
    page = words(visitor.get("/benchmarks/hidden/"))
    assert "Closed &lt;b&gt;on Monday&lt;/b&gt;." in page
    assert "星期一停機。" in words(visitor.get("/zh-hant/benchmarks/hidden/"))
    made = board.announcements.get()
    desk.post(f"{ANNOUNCEMENTS}{made.pk}/end/")
    assert "on Monday" not in words(visitor.get("/benchmarks/hidden/"))
    assert "on Monday" in words(desk.get(ANNOUNCEMENTS))
    actions = AuditEvent.objects.filter(action__startswith="board.announce").values_list("action", flat=True)
    assert set(actions) == {"board.announced", "board.announcement-ended"}


def test_an_announcement_is_previewed_before_it_is_sent(desk, visitor, board):
    sent = {"text": "Closed on <i>Monday</i>.", "text_zh": "星期一停機。"}
    page = words(desk.post(ANNOUNCEMENTS, {**sent, "preview": "yes"}))
    assert "<bdi>Closed on &lt;i&gt;Monday&lt;/i&gt;.</bdi>" in page
    assert "<bdi>星期一停機。</bdi>" in page
    assert not board.announcements.exists()
    assert "Monday" not in words(visitor.get("/benchmarks/hidden/"))
    desk.post(ANNOUNCEMENTS, sent)
    assert board.announcements.count() == 1


def test_an_announcement_that_is_sent_twice_is_shown_once_until_it_is_ended(desk, board):
    for _ in range(2):
        page = words(desk.post(ANNOUNCEMENTS, {"text": "Closed on Monday."}, follow=True))
        assert "The announcement is on the leaderboard." in page
        assert board.announcements.count() == 1
    desk.post(f"{ANNOUNCEMENTS}{board.announcements.get().pk}/end/")
    desk.post(ANNOUNCEMENTS, {"text": "Closed on Monday."})
    assert board.announcements.count() == 2
    assert AuditEvent.objects.filter(action="board.announced").count() == 2


def test_an_announcement_that_is_typed_in_several_lines_is_shown_as_one_paragraph(desk, visitor, board):
    text = "Closed on Monday.\r\n\r\n\tOpen again on Tuesday. "
    assert (
        desk.post(ANNOUNCEMENTS, {"text": text, "text_zh": "星期一停機。\n星期二恢復。"}).status_code == 302
    )
    assert "<bdi>Closed on Monday. Open again on Tuesday.</bdi>" in words(visitor.get("/benchmarks/hidden/"))
    assert board.announcements.get().text_zh == "星期一停機。 星期二恢復。"


@pytest.fixture
def board(db):
    return make_hidden(daily_limit=1)


def test_a_team_has_its_own_limits_until_they_expire_or_end(desk, board, user, good_file):
    send(user, board, good_file)
    with pytest.raises(QuotaSpent):
        send(user, board, with_wrong(good_file, 1))
    day = timezone.now().date()
    form = {"team": personal_team(user).pk, "daily_limit": 3, "until": day, "reason": "A workshop."}
    for wrong in ({"reason": ""}, {"daily_limit": ""}, {"until": day - timedelta(days=1)}, {"team": 999}):
        assert desk.post(TEAMS, {**form, **wrong}).status_code == 422
    desk.post(TEAMS, form)
    assert "A workshop." in words(desk.get(TEAMS))
    send(user, board, with_wrong(good_file, 1))
    quota = TeamQuota.objects.get()
    TeamQuota.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(QuotaSpent):
        send(user, board, with_wrong(good_file, 2))
    TeamQuota.objects.update(expires_at=quota.expires_at)
    send(user, board, with_wrong(good_file, 2))
    for sentence in ("has the limits of the leaderboard again", "These limits have ended already"):
        assert sentence in words(desk.post(f"/organise/boards/hidden/limits/{quota.pk}/end/", follow=True))
    with pytest.raises(QuotaSpent):
        send(user, board, with_wrong(good_file, 3))
    # Another organiser, who read it before it ended.
    end_quota(quota=quota, by=user)
    assert AuditEvent.objects.filter(action=AuditEvent.Action.QUOTA_ENDED).count() == 1
    event = AuditEvent.objects.get(action=AuditEvent.Action.QUOTA_GRANTED)
    assert (event.data["reason"], event.data["limits"]["daily_limit"]) == ("A workshop.", 3)


def test_limits_that_replace_others_say_so(desk, board, user, good_file):
    send(user, board, good_file)
    day = timezone.now().date()
    form = {"team": personal_team(user).pk, "daily_limit": 3, "until": day, "reason": "A workshop."}
    assert "has these limits now." in words(desk.post(TEAMS, form, follow=True))
    page = words(desk.post(TEAMS, {**form, "daily_limit": 5, "reason": "A course."}, follow=True))
    assert "has these limits now. They replace those set before: “A workshop.”" in page
    TeamQuota.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "has these limits now." in words(desk.post(TEAMS, form, follow=True)), "those before had expired"


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
