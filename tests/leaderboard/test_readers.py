"""Who reads and changes a submission, by pages and API; rights alone are in services/test_access.py."""

import uuid

import pytest
from allauth.account.internal.flows.login import record_authentication
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Permission
from django.test import Client, RequestFactory

from leaderboard.models import BoardOrganiser, Feedback, Scope, Submission
from leaderboard.services.accounts import create_token
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_hidden, make_scored, make_user

VISITOR, OTHER, OVERSEER, TEAM = "visitor", "other", "overseer", "team"
ALL, INSIDERS, OWN = {VISITOR, OTHER, OVERSEER, TEAM}, {OVERSEER, TEAM}, {TEAM}
# Address -> who reads it of a result that is not published, of one that is, and with public traces.
READ = {
    "/submissions/{}/": (INSIDERS, ALL, ALL),
    "/submissions/{}/progress/": (INSIDERS, ALL, ALL),
    "/submissions/{}/report.json": (INSIDERS, INSIDERS, INSIDERS),
    "/submissions/{}/doubts/": (OWN, OWN, OWN),
    "/submissions/{}/tasks/": (OWN, OWN, OWN),
    "/submissions/{}/traces/": (INSIDERS, INSIDERS, ALL),
    "/submissions/{}/traces/task3_1/": (INSIDERS, INSIDERS, ALL),
    "/api/v1/submissions/{}/": (INSIDERS, ALL, ALL),
    "/api/v1/submissions/{}/receipt/": (INSIDERS, ALL, ALL),
    "/api/v1/submissions/{}/tasks/": (OWN, OWN, OWN),
    "/api/v1/submissions/{}/comparison/": (OWN, OWN, OWN),
}
CHANGE = (
    *(f"/submissions/{{}}/{name}/" for name in ("publish", "withdraw", "cancel", "review-links", "doubts")),
    "/submissions/{}/review-links/revoke/",
    *(f"/api/v1/submissions/{{}}/{name}/" for name in ("publish", "withdraw", "cancel")),
)


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
    """Return each reader's browser, and which of the four kinds it is of."""
    organiser, elsewhere, viewer = people
    readers = {
        "visitor": (Client(), VISITOR),
        "stranger": (signed_in(other_user, with_second_factor=True), OTHER),
        "member": (signed_in(user, with_second_factor=False), TEAM),
        "organiser of another board": (signed_in(elsewhere, with_second_factor=True), OTHER),
    }
    for name, person in (("organiser", organiser), ("staff who view", viewer)):
        readers[f"{name} without a second factor"] = (signed_in(person, with_second_factor=False), OTHER)
        readers[name] = (signed_in(person, with_second_factor=True), OVERSEER)
    return readers


@pytest.mark.parametrize("state", ["scored", "published", "with public traces"])
def test_each_address_answers_those_who_may_read_it_and_the_links_to_it_are_theirs(
    state, submission, demo, user, readers, settings
):
    settings.STAFF_SECOND_FACTOR = True
    type(demo).objects.update(public_traces=True, feedback=Feedback.BY_TASK)
    if state != "scored":
        publish(submission_id=submission.pk, team=submission.team, by=user)
    type(submission).objects.update(public_traces=state == "with public traces")
    for name, (client, kind) in readers.items():
        for address, (private, published, with_traces) in READ.items():
            allowed = {"scored": private, "published": published, "with public traces": with_traces}[state]
            status = client.get(address.format(submission.pk)).status_code
            refused = (404,) if kind != VISITOR else (404, 302, 401)
            assert status in ((200,) if kind in allowed else refused), (name, address, status)
        page = client.get(f"/submissions/{submission.pk}/")
        for part in ("traces", "doubts"):
            address = f"/submissions/{submission.pk}/{part}/"
            is_found = client.get(address).status_code == 200
            assert (name, part, f'href="{address}"' in page.text) == (name, part, is_found)


def test_nobody_but_the_team_changes_a_result_and_others_learn_nothing(submission, user, readers, settings):
    settings.STAFF_SECOND_FACTOR = True
    publish(submission_id=submission.pk, team=submission.team, by=user)
    for name, (client, kind) in readers.items():
        if kind == TEAM:
            continue
        for address in CHANGE:
            own, nobodys = (client.post(address.format(key)) for key in (submission.pk, uuid.uuid4()))
            assert own.status_code == nobodys.status_code, (name, address)
            assert own.status_code in ((302, 401) if kind == VISITOR else (404,)), (name, address)
            if own["Content-Type"] == "application/problem+json":
                assert own.json()["detail"] == nobodys.json()["detail"]
    assert Submission.objects.published().get() == submission


@pytest.mark.parametrize(("scope", "status"), [(Scope.PUBLISH, 404), (Scope.ORGANISE, 200)])
def test_a_token_reads_results_of_others_by_its_scopes(submission, people, scope, status):
    secret = create_token(user=people[0], name="tests", days=1, scopes=[Scope.READ, scope])[1]
    reader = Client(headers={"Authorization": f"Bearer {secret}"})
    assert reader.get(f"/api/v1/submissions/{submission.pk}/").status_code == status
