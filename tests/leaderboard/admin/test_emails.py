"""What organisers see of emails that no mail server took."""

import pytest
from django.utils import timezone

from leaderboard.models import BoardOrganiser, Notification
from tests.support.factories import make_hidden


@pytest.fixture
def emails(user):
    """Create an email that was given up, one that was sent, and one that nobody wanted."""
    for event, fields in {
        "given up": {"attempts": 5},
        "sent": {"attempts": 1, "sent_at": timezone.now()},
        "unwanted": {},
    }.items():
        Notification.objects.create(
            user=user, event=event, kind="decision", data={"reason": "a secret slip"}, **fields
        )
    return user


def test_the_admin_lists_emails_that_were_given_up_without_their_texts(staff, emails):
    page = staff.get("/admin/leaderboard/notification/?state=given-up").text
    assert "1 notification" in page
    assert emails.email in page
    assert "3 notifications" in staff.get("/admin/leaderboard/notification/").text
    one = Notification.objects.get(event="given up")
    change = staff.get(f"/admin/leaderboard/notification/{one.pk}/change/").text
    assert emails.email in change
    assert "a secret slip" not in page + change


@pytest.mark.parametrize("query", ["data__contains=a", "user__password__startswith=a"])
def test_no_filter_of_the_list_reads_a_text_or_a_password(staff, emails, query):
    assert staff.get(f"/admin/leaderboard/notification/?{query}").status_code == 400


def test_the_desk_says_how_many_emails_were_given_up_and_links_to_them_for_staff(staff, emails, client):
    address = "/admin/leaderboard/notification/?state=given-up"
    assert f'href="{address}"' in staff.get("/organise/").text
    Notification.objects.get(event="given up").delete()
    assert "could not be sent" not in staff.get("/organise/").text


def test_an_organiser_without_the_admin_sees_the_number_alone(emails, user, client):
    BoardOrganiser.objects.create(benchmark=make_hidden(), user=user)
    client.force_login(user)
    page = " ".join(client.get("/organise/").text.split())
    assert "1 could not be sent" in page
    assert "/admin/leaderboard/notification/" not in page
