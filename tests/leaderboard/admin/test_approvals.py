"""The organisers' queue of teams that ask for approval."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission

from leaderboard.models import AuditEvent, TeamApproval, User
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing import approvals
from tests.support.factories import make_hidden, send

LIST = "/admin/leaderboard/teamapproval/"


@pytest.fixture
def waiting(user, good_file):
    """A team that asks for approval, with a result that waits to be published."""
    hidden = make_hidden()
    send(user, hidden, good_file, publish=True)
    return approvals.request_approval(
        benchmark=hidden, team=personal_team(user), by=user, message="<i>A lab</i> in Ghent"
    )


def act(client, action, approval, **more):
    return client.post(LIST, {"action": action, "_selected_action": approval.pk, **more}, follow=True)


def test_the_queue_shows_the_message_the_email_and_the_files(staff, waiting, user):
    page = staff.get(LIST).content.decode()
    assert "&lt;i&gt;A lab&lt;/i&gt; in Ghent" in page
    assert user.email in page
    assert '<td class="field-files">1</td>' in page


def test_one_click_approves_and_publishes_what_waits(staff, waiting):
    page = act(staff, "approve", waiting).content.decode()
    assert "results published: 1." in page
    waiting.refresh_from_db()
    assert waiting.status == "approved"
    assert waiting.team.submissions.get().is_published
    assert AuditEvent.objects.filter(action=AuditEvent.Action.TEAM_APPROVED).count() == 1


def test_the_button_of_a_row_approves_its_team_alone(staff, waiting, other_user):
    other = approvals.request_approval(
        benchmark=waiting.benchmark, team=personal_team(other_user), by=other_user, message=""
    )
    assert f'<button name="approve" value="{waiting.pk}">' in staff.get(LIST).content.decode()
    assert staff.post(LIST, {"approve": waiting.pk}).status_code == 302
    assert [a.status for a in TeamApproval.objects.order_by("pk")] == ["approved", "requested"]
    for value in ("", "x", "٣", str(10**30), "9" * 5000):
        staff.post(LIST, {"approve": value})
    other.refresh_from_db()
    assert other.status == "requested"


def test_a_refusal_carries_its_reason(staff, waiting):
    act(staff, "refuse", waiting, answer="Write to us first.")
    waiting.refresh_from_db()
    assert (waiting.status, waiting.answer) == ("refused", "Write to us first.")
    assert not waiting.team.submissions.get().is_published


def test_teams_that_wait_come_first_and_among_them_the_oldest_request(staff, waiting, other_user):
    earlier, later = (User.objects.create_user(f"{name}@example.org") for name in ("earlier", "later"))
    requests = [
        approvals.request_approval(benchmark=waiting.benchmark, team=personal_team(user), by=user, message="")
        for user in (earlier, other_user, later)
    ]
    approvals.refuse(approval=requests[0], by=other_user)
    TeamApproval.objects.filter(pk=requests[0].pk).update(requested_at=waiting.requested_at - timedelta(1))
    page = staff.get(LIST)
    shown = [approval.pk for approval in page.context["cl"].result_list]
    assert shown == [waiting.pk, requests[1].pk, requests[2].pk, requests[0].pk]


def test_a_long_message_is_shortened_and_can_be_opened(staff, waiting):
    words = "<b>" + "many words " * 60 + "the end"
    TeamApproval.objects.update(message=words)
    page = staff.get(LIST).content.decode()
    cell = re.search(r'<td class="field-short_message">(.*?)</td>', page, re.DOTALL)[1]
    summary = re.search("<summary>(.*)</summary>", cell)[1]
    assert summary.startswith("&lt;b&gt;many words")
    assert len(summary) < 120
    assert cell.endswith("the end</details>")


def test_who_may_only_look_cannot_decide(client, waiting):
    viewer = User.objects.create_user("viewer@example.org", "correct-horse-battery", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_teamapproval"))
    client.force_login(viewer)
    assert client.get(LIST).status_code == 200
    act(client, "approve", waiting)
    assert client.post(LIST, {"approve": waiting.pk}).status_code == 403
    assert TeamApproval.objects.get().status == "requested"
