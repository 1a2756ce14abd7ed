"""The pages on which people change their names, and delete their account."""

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.core import serializers
from django.test import Client
from django.urls import reverse

from leaderboard.models import (
    ApiToken,
    AuditEvent,
    BoardOrganiser,
    Evaluation,
    Event,
    Status,
    Submission,
    User,
)
from leaderboard.services.accounts import create_token, find_team
from leaderboard.services.delete_account import delete_account
from leaderboard.services.errors import WrongState
from leaderboard.services.files import store
from leaderboard.services.submissions import grade, retry
from tests.support.factories import PASSWORD, make_published, make_scored, send, with_wrong

pytestmark = [pytest.mark.django_db]
NAMES, DELETE = reverse("web:names"), reverse("web:delete-account")


@pytest.fixture
def owner(user) -> User:
    """A person whose name and address nothing else has."""
    user.first_name, user.email = "Zacharias Quux", "zq@lab.example.org"
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
    return user


def signed_in(user) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return client


def test_a_new_name_of_a_team_is_public_at_once(owner, demo, good_file):
    system = make_published(owner, demo, good_file, organisation="").system
    client = signed_in(owner)
    assert "Zacharias Quux" in client.get("/accounts/email/").text
    done = client.post(NAMES, {"name": "Zach", "team": "Sepsis Lab"}, follow=True)
    assert "Your names are saved." in done.text
    assert "Sepsis Lab" in client.get(reverse("web:system", args=[system.pk])).text
    renamed = AuditEvent.objects.get(action="team.renamed")
    assert (renamed.actor, renamed.data) == (owner, {"team": find_team(owner).pk})


def test_deleting_the_account_keeps_published_results_without_the_person(
    owner, demo, good_file, visitor, django_capture_on_commit_callbacks
):
    published = make_published(owner, demo, good_file)
    hidden = make_scored(owner, demo, with_wrong(good_file, 2), system="Zacharias’s secret")
    waiting = send(owner, demo, with_wrong(good_file, 3), filename="zq.json", system="Another").submission
    Submission.objects.filter(pk=waiting.pk).update(
        status=Status.INCOMPLETE, waits_for="provider", evaluation=None, scored_at=None
    )
    create_token(user=owner, name="CI", days=30)
    elsewhere, client = signed_in(owner), signed_in(owner)

    asked = client.get(DELETE)
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    assert client.post(DELETE, {"confirmed": "on"}).status_code == 302
    assert User.objects.get(pk=owner.pk).is_active
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get(DELETE)
    assert "<strong>1</strong>" in page.text
    assert "<strong>2</strong>" in page.text
    assert client.post(DELETE).status_code == 422
    with django_capture_on_commit_callbacks(execute=True):
        done = client.post(DELETE, {"confirmed": "on"}, follow=True)
    assert "Your account is deleted." in done.text

    assert client.get("/submissions/").status_code == elsewhere.get("/submissions/").status_code == 302
    again = Client().post("/accounts/login/", {"login": "zq@lab.example.org", "password": PASSWORD})
    assert again.status_code == 200
    assert not ApiToken.objects.exists()
    assert not EmailAddress.objects.exists()

    table = visitor.get(reverse("web:board-json", args=[demo.slug])).getvalue()
    row = json.loads(table)["rows"][0]
    assert (row["system"], row["team"]) == ("Careful agent", "")
    assert "Zacharias" not in visitor.get(f"/submissions/{published.pk}/").text
    assert "account of the team deleted" in visitor.get(reverse("web:changes", args=[demo.slug])).text
    assert store.can_be_scored(published.stored_as)

    for submission in (hidden, waiting):
        submission.refresh_from_db()
        assert (submission.status, submission.evaluation) == (Status.CANCELLED, None)
        assert not store.can_be_scored(submission.stored_as)
    assert not Evaluation.objects.filter(submission__in=[hidden, waiting]).exists()
    with pytest.raises(WrongState, match="no longer stored"):
        retry.retry(submission_id=hidden.pk, by=owner)
    assert left_with("Zacharias") <= {"boardevent", "paststanding"}
    # With the sign, which no random key or digest has.
    assert left_with("zq@") == set()


def test_what_is_being_scored_ends_cancelled(owner, demo, good_file, monkeypatch):
    score_runs = grade.score_runs

    def delete_meanwhile(*args, **kwargs):
        delete_account(owner)
        return score_runs(*args, **kwargs)

    monkeypatch.setattr(grade, "score_runs", delete_meanwhile)
    running = send(owner, demo, good_file).submission
    running.refresh_from_db()
    assert (running.status, running.evaluation, running.claim) == (Status.CANCELLED, None, None)
    assert not Evaluation.objects.exists()
    with pytest.raises(WrongState, match="has been deleted"):
        send(owner, demo, with_wrong(good_file, 1))


def test_an_account_with_a_passkey_alone_is_asked_for_it(owner):
    owner.set_unusable_password()
    owner.save()
    Authenticator.objects.create(user=owner, type=Authenticator.Type.WEBAUTHN, data={"credential": {}})
    client = Client()
    client.force_login(owner, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(DELETE)["Location"].startswith("/accounts/2fa/webauthn/reauthenticate/")
    assert client.post(DELETE, {"confirmed": "on"}).status_code == 302
    assert User.objects.get(pk=owner.pk).is_active


def test_an_organiser_is_not_deleted_before_the_rights_are(owner, demo):
    BoardOrganiser.objects.create(board=demo, user=owner)
    client = signed_in(owner)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    page = client.get(f"/zh-hant{DELETE}")
    assert "您是排行榜的主辦單位成員" in page.text
    assert '<button type="submit" class="alarm"' not in page.text
    assert client.post(DELETE, {"confirmed": "on"}).status_code == 409
    assert User.objects.get(pk=owner.pk).is_active


def left_with(text: str) -> set[str]:
    """Return the tables of the service that hold `text` somewhere."""
    return {
        model._meta.model_name
        for model in apps.get_models()
        if model is not Event  # its rows are those of the two kinds of events
        for row in (model._default_manager if model._meta.proxy else model._base_manager).all()
        if text in serializers.serialize("json", [row], ensure_ascii=False)
    }
