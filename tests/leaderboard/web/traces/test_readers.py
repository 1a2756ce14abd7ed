"""Who reads traces, on pages and by the API, and who sees the link to them: the same readers."""

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory

from leaderboard.models import BoardOrganiser, Scope
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.publish import publish
from leaderboard.services.publishing.review_links import create_link
from tests.support.factories import make_hidden, make_scored, make_user


@pytest.fixture
def submission(demo, user, good_file):
    return make_scored(user, demo, good_file)


def signed_in(user, *, with_second_factor: bool) -> Client:
    client = Client()
    client.force_login(user)
    if with_second_factor:
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={})
        request = RequestFactory().get("/")
        request.session = client.session
        record_authentication(request, user, "mfa")
        request.session.save()
    return client


def with_token(user, *scopes: Scope) -> Client:
    secret = create_token(user=user, name="tests", days=1, scopes=scopes)[1]
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def people(demo, other_user):
    """Return an organiser of the board, one of another, and someone of the staff who may view."""
    organiser, elsewhere = make_user("organiser@example.org"), make_user("elsewhere@example.org")
    viewer = make_user("viewer@example.org", is_staff=True)
    viewer.user_permissions.set(Permission.objects.filter(codename="view_submission"))
    BoardOrganiser.objects.create(user=organiser, board=demo)
    BoardOrganiser.objects.create(user=elsewhere, board=make_hidden("elsewhere", title="Elsewhere"))
    return organiser, elsewhere, viewer


@pytest.fixture
def readers(user, other_user, people):
    """Return each reader's browser, whether it may read the traces, and whether it is of the team."""
    organiser, elsewhere, viewer = people
    readers = {
        "visitor": (Client(), False),
        "stranger": (signed_in(other_user, with_second_factor=True), False),
        "member": (signed_in(user, with_second_factor=False), True),
        "organiser of another board": (signed_in(elsewhere, with_second_factor=True), False),
    }
    for name, person in (("organiser", organiser), ("staff who view", viewer)):
        readers[f"{name} without a second factor"] = (signed_in(person, with_second_factor=False), False)
        readers[name] = (signed_in(person, with_second_factor=True), True)
    return readers


@pytest.mark.parametrize("is_public", [False, True], ids=["private", "public"])
def test_the_link_the_page_and_the_api_have_traces_for_the_same_readers(
    is_public, submission, demo, user, readers, settings
):
    settings.STAFF_SECOND_FACTOR = True
    publish(submission_id=submission.pk, team=submission.team, by=user)
    type(demo).objects.update(public_traces=is_public)
    type(submission).objects.update(public_traces=is_public)
    address = f"/submissions/{submission.pk}/traces/"
    for name, (client, may_read) in readers.items():
        status = 200 if may_read or is_public else 404
        answers = [
            client.get(path).status_code
            for page in (address, f"/api/v1{address}")
            for path in (page, f"{page}task3_1/")
        ]
        assert (name, answers) == (name, [status] * 4)
        page = client.get(f"/submissions/{submission.pk}/")
        assert (name, f'href="{address}"' in page.text) == (name, status == 200)


def test_a_token_reads_traces_by_its_scopes(submission, user, people, settings):
    settings.STAFF_SECOND_FACTOR = True
    organiser, elsewhere, viewer = people
    address = f"/api/v1/submissions/{submission.pk}/traces/"
    for person, scopes, status in (
        (user, [Scope.READ], 200),
        (user, [Scope.SUBMIT, Scope.PUBLISH], 403),
        (organiser, [Scope.READ, Scope.SUBMIT, Scope.PUBLISH], 404),
        (organiser, [Scope.READ, Scope.ORGANISE], 200),
        (organiser, [Scope.ORGANISE], 403),
        (elsewhere, [Scope.READ, Scope.ORGANISE], 404),
        (viewer, [Scope.READ], 404),
    ):
        answer = with_token(person, *scopes).get(address).status_code
        assert (person.email, scopes, answer) == (person.email, scopes, status)


def test_a_link_for_reviewers_opens_no_page_but_its_own(demo, submission, user, visitor):
    _, token = create_link(
        submission_id=submission.pk, team=submission.team, by=user, name="Journal", days=None
    )
    assert visitor.get(f"/review/{token}/").status_code == 200
    for ending in ("", "traces/", "traces/task3_1/", "report.json"):
        assert visitor.get(f"/submissions/{submission.pk}/{ending}").status_code in (302, 404)
