"""What the page of a submission shows to organisers alone."""

from django.contrib.auth.models import Permission
from django.test import Client

from leaderboard.models import User, Work
from tests.support.factories import make_scored


def test_only_staff_see_the_spending_and_only_organisers_the_way_to_the_desk(
    user, fhir_demo, good_answers, admin_client
):
    row = make_scored(user, fhir_demo, good_answers)
    Work.objects.filter(pk=row.pk).update(judge_calls=1234, judge_cost=1.5)
    address, desk = f"/submissions/{row.pk}/", f'href="/organise/submissions/{row.pk}/"'
    client = Client()
    client.force_login(user)
    assert "For the organiser" not in client.get(address).text
    User.objects.filter(pk=user.pk).update(is_staff=True)
    assert "For the organiser" not in client.get(address).text
    user.user_permissions.add(Permission.objects.get(codename="view_submission"))
    page = client.get(address).text
    for text in ("For the organiser", "1,234", "$1.5000"):
        assert text in page
    assert desk not in page
    seen = admin_client.get(address).text
    assert desk in seen
    # What only its team may do is not offered.
    assert "Publish" not in seen
    assert "only its team and the organisers can see this page" in " ".join(seen.split())
