"""Calls of webhooks reach a real server, signed; are tried again; end in a final state; hide the score."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import caches
from django.utils import timezone

from leaderboard.models import (
    AuditEvent,
    CallState,
    Feedback,
    Notification,
    OffReason,
    Webhook,
    WebhookCall,
    WebhookEvent,
)
from leaderboard.models.emails import MOST_ATTEMPTS, OutgoingQuerySet
from leaderboard.services.accounts import personal_team
from leaderboard.services.notifications.send import notify
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.submissions.rescore import rescore_board
from leaderboard.services.webhooks import send
from leaderboard.services.webhooks.send import MOST_FAILURES, send_calls
from leaderboard.services.webhooks.signature import headers_of, new_secret
from leaderboard.services.webhooks.webhooks import add_webhook, remove_webhook, send_test
from tests.support.factories import make_hidden, make_published, make_scored, other_references, verify
from tests.support.factories import send as send_file
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db
OK, FAULT, GONE = ScriptedReply(status=204), ScriptedReply(status=500), ScriptedReply(status=410)


@pytest.fixture(autouse=True)
def loopback(settings):
    settings.WEBHOOKS_TO_LOOPBACK, settings.SITE_URL = True, "https://board.example.org"


@pytest.fixture
def board(db):
    return make_hidden(publication_limit=None, newcomer_limit=None, access="anyone")


@pytest.fixture
def listen(user):
    """Return a function that adds a webhook at a server, and returns it with its secret."""
    return lambda server: add_webhook(team=personal_team(user), by=user, url=f"{server.origin}/hook?a=1")


def call_after(**passed):
    """Let time pass, and send what is due then; return how many calls were taken."""
    caches["boards"].delete("webhooks-looked")
    return send_calls(at=timezone.now() + timedelta(**passed))


def test_a_scored_and_a_published_result_are_told_once_each(user, board, good_file, listen):
    with Loopback(OK) as server:
        listen(server)
        submission = make_published(user, board, good_file, system="Agent")
        assert call_after() == 2
        assert call_after(hours=1) == 0
    assert server.paths == ["/hook?a=1"] * 2
    bodies = [json.loads(body) for body in server.bodies]
    assert [body["type"] for body in bodies] == ["submission.scored", "submission.published"]
    address = f"https://board.example.org/submissions/{submission.pk}/"
    for body in bodies:
        assert body["data"] == {
            "submission": str(submission.pk),
            "benchmark": board.slug,
            "system": "Agent",
            "status": submission.status,
            "page": address,
            "api": f"https://board.example.org/api/v1/submissions/{submission.pk}/",
        }
    assert {call.state for call in WebhookCall.objects.all()} == {CallState.DELIVERED}


def test_a_result_that_is_scored_again_is_told_as_rescored(user, board, good_file, listen):
    with Loopback(OK) as server:
        listen(server)
        make_scored(user, board, good_file)
        import_references(board=board, references=other_references(), origin="second")
        rescore_board(board_id=board.pk)
        call_after()
    types = [json.loads(body)["type"] for body in server.bodies]
    assert types == ["submission.scored", "submission.rescored"]


def test_a_file_with_errors_is_told_as_rejected(user, board, listen):
    with Loopback(OK) as server:
        listen(server)
        assert send_file(user, board, b"[]").submission.status == "rejected"
        call_after()
    assert [json.loads(body)["type"] for body in server.bodies] == ["submission.rejected"]


def test_a_call_says_nothing_of_the_score(user, good_file, listen):
    exact = make_hidden("exact", feedback=Feedback.BY_TASK, access="anyone")
    with Loopback(OK) as server:
        listen(server)
        evaluation = make_scored(user, exact, good_file).evaluation
        call_after()
    (body,) = server.bodies
    data = json.loads(body)["data"]
    assert data.keys() == {"submission", "benchmark", "system", "status", "page", "api"}
    assert f"{evaluation.right}" not in [str(value) for value in data.values()]


def test_nothing_from_before_the_webhook_is_told(user, board, good_file, listen):
    make_scored(user, board, good_file)
    with Loopback(OK) as server:
        listen(server)
        assert call_after() == 0
    assert server.paths == []


def test_another_team_hears_nothing(other_user, board, good_file, listen):
    with Loopback(OK) as server:
        listen(server)
        make_scored(other_user, board, good_file)
        call_after()
    assert server.paths == []


def test_the_signature_of_a_call_covers_its_id_its_time_and_its_body(user, board, good_file, listen):
    with Loopback(OK) as server:
        _, secret = listen(server)
        make_scored(user, board, good_file)
        call_after()
    (headers,), (body,) = server.headers, server.bodies
    message_id, seconds = headers["webhook-id"], int(headers["webhook-timestamp"])
    assert abs(timezone.now().timestamp() - seconds) < 300
    assert headers["Content-Type"] == "application/json"

    def signed(**changes):
        stated = {"secret": secret, "message_id": message_id, "seconds": seconds, "body": body, **changes}
        return headers_of(**stated)["webhook-signature"]

    assert signed() == headers["webhook-signature"]
    for change in ({"message_id": "x"}, {"seconds": seconds + 1}, {"body": body + b" "}):
        assert signed(**change) != headers["webhook-signature"]


@pytest.mark.parametrize("document", ["ci.md", "zh_Hant/ci.md"])
def test_the_program_in_the_documents_verifies_a_call_and_refuses_a_changed_one(
    user, board, good_file, listen, document
):
    (code,) = re.findall(
        r"```python\n(import base64.*?)```", (ROOT / "docs" / document).read_text(), re.DOTALL
    )
    names: dict[str, Any] = {}
    exec(code, names)
    with Loopback(OK) as server:
        _, secret = listen(server)
        make_scored(user, board, good_file)
        call_after()
    (headers,), (body,) = server.headers, server.bodies
    assert names["verify"](secret, headers, body)
    assert not names["verify"](secret, headers, body + b" ")
    assert not names["verify"](new_secret(), headers, body)
    old = {**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 600)}
    assert not names["verify"](secret, old, body)


def test_the_signature_is_that_of_the_example_of_standard_webhooks():
    headers = headers_of(
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        seconds=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_after_an_error_the_same_call_is_tried_again_later(user, board, good_file, listen):
    with Loopback(FAULT, OK) as server:
        listen(server)
        make_scored(user, board, good_file)
        assert call_after() == 0
        call = WebhookCall.objects.get()
        assert (call.state, call.status, call.problem) == (CallState.WAITING, 500, "status")
        assert call_after(seconds=30) == 0
        assert len(server.paths) == 1
        assert call_after(minutes=2) == 1
    assert server.bodies[0] == server.bodies[1]
    assert server.headers[0]["webhook-id"] == server.headers[1]["webhook-id"]
    call.refresh_from_db()
    assert (call.state, call.status, call.problem, call.attempts) == (CallState.DELIVERED, 204, "", 2)


def test_a_call_is_given_up_after_five_attempts(user, board, good_file, listen):
    with Loopback(FAULT) as server:
        listen(server)
        make_scored(user, board, good_file)
        for hours in range(0, 60, 7):
            call_after(hours=hours)
    assert len(server.paths) == MOST_ATTEMPTS
    call = WebhookCall.objects.get()
    assert (call.state, call.attempts) == (CallState.GIVEN_UP, MOST_ATTEMPTS)
    assert Webhook.objects.get().failures == 1


def test_a_call_whose_process_was_killed_is_made_when_its_lease_ends(
    user, board, good_file, listen, monkeypatch
):
    def die(*_, **__):
        raise KeyboardInterrupt

    with Loopback(OK) as server:
        listen(server)
        make_scored(user, board, good_file)
        with monkeypatch.context() as killed:
            killed.setattr(send, "post", die)
            with pytest.raises(KeyboardInterrupt):
                call_after()
        assert call_after(minutes=4) == 0
        assert call_after(minutes=6) == 1
        assert call_after(hours=9) == 0
    assert len(server.paths) == 1


def test_a_kill_right_after_the_answer_sends_the_call_again_under_the_same_id(
    user, board, good_file, listen, monkeypatch
):
    update = OutgoingQuerySet.update

    def die_once_sent(rows, **fields):
        if fields.get("sent_at"):
            raise KeyboardInterrupt
        return update(rows, **fields)

    with Loopback(OK) as server:
        listen(server)
        make_scored(user, board, good_file)
        with monkeypatch.context() as killed:
            killed.setattr(OutgoingQuerySet, "update", die_once_sent)
            with pytest.raises(KeyboardInterrupt):
                call_after()
        call_after(minutes=6)
    first, second = server.headers
    assert first["webhook-id"] == second["webhook-id"]


def test_a_call_that_kills_every_process_is_given_up(user, board, good_file, listen, monkeypatch, caplog):
    def die(*_, **__):
        raise KeyboardInterrupt

    with Loopback(OK) as server:
        listen(server)
    make_scored(user, board, good_file)
    monkeypatch.setattr(send, "post", die)
    for hours in range(MOST_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            call_after(hours=hours)
    assert call_after(hours=9) == 0
    assert WebhookCall.objects.get().state == CallState.GIVEN_UP
    assert "1 call(s) of webhooks will not be tried again" in caplog.text


def test_a_server_that_is_away_does_not_hold_up_the_calls_of_others(
    user, other_user, board, good_file, listen
):
    with Loopback(FAULT) as broken, Loopback(OK) as server:
        listen(broken)
        add_webhook(team=personal_team(other_user), by=other_user, url=f"{server.origin}/")
        for number in range(3):
            make_scored(user, board, good_file + b"\n" * number)
        make_scored(other_user, board, good_file)
        assert call_after() == 1
    # Its first failure ends the round for it.
    assert len(broken.paths) == 1


def test_after_410_a_webhook_is_switched_off_and_its_team_gets_an_email(
    user, board, good_file, listen, settings
):
    settings.NOTIFIES = True
    verify(user)
    with Loopback(GONE) as server:
        listen(server)
        make_published(user, board, good_file)
        call_after()
        call_after(hours=1)
    assert len(server.paths) == 1
    webhook = Webhook.objects.get()
    assert webhook.off_at is not None
    assert webhook.off_reason == OffReason.GONE
    states = dict(WebhookCall.objects.values_list("kind", "attempts"))
    assert states == {WebhookEvent.SCORED: 1, WebhookEvent.PUBLISHED: 0}
    assert {call.state for call in WebhookCall.objects.all()} == {CallState.GIVEN_UP, CallState.DROPPED}
    event = AuditEvent.objects.get(action=AuditEvent.Action.WEBHOOK_SWITCHED_OFF)
    assert event.data == {"team": webhook.team_id, "webhook": str(webhook.pk), "reason": "gone"}
    caches["boards"].delete_many(["notified", "organisers-looked"])
    notify()
    (letter,) = [each for each in mail.outbox if "webhook" in each.subject]
    assert "127.0.0.1" in letter.body
    assert "410 Gone" in letter.body
    # The rest of the address may be a secret.
    assert "hook?a=1" not in letter.body
    assert Notification.objects.get(kind="webhook").user == user


def test_too_many_given_up_calls_in_a_row_switch_a_webhook_off(user, board, good_file, listen):
    with Loopback(FAULT) as server:
        webhook, _ = listen(server)
        Webhook.objects.update(failures=MOST_FAILURES - 1)
        make_scored(user, board, good_file)
        for hours in range(0, 60, 7):
            call_after(hours=hours)
    webhook.refresh_from_db()
    assert webhook.off_reason == OffReason.FAILURES


def test_a_call_that_is_taken_ends_the_row_of_failures(user, board, good_file, listen):
    with Loopback(OK) as server:
        listen(server)
        Webhook.objects.update(failures=MOST_FAILURES - 1)
        make_scored(user, board, good_file)
        call_after()
    assert Webhook.objects.get().failures == 0


def test_a_test_is_tried_once_and_counts_as_no_failure(user, listen):
    with Loopback(FAULT) as server:
        webhook, _ = listen(server)
        send_test(team=webhook.team, by=user, webhook_id=webhook.pk)
        call_after()
        call_after(hours=9)
    (body,) = server.bodies
    assert json.loads(body)["type"] == "webhook.test"
    assert WebhookCall.objects.get().state == CallState.GIVEN_UP
    assert Webhook.objects.get().failures == 0


def test_what_is_removed_is_called_no_more(user, board, good_file, listen):
    with Loopback(OK) as server:
        webhook, _ = listen(server)
        make_scored(user, board, good_file)
        remove_webhook(team=webhook.team, by=user, webhook_id=webhook.pk)
        assert call_after() == 0
    assert server.paths == []
    assert not WebhookCall.objects.exists()


def test_a_secret_that_cannot_be_decrypted_costs_a_line_and_an_attempt(
    user, board, good_file, listen, caplog
):
    with Loopback(OK) as server:
        listen(server)
        Webhook.objects.update(encrypted_secret="of another key")
        make_scored(user, board, good_file)
        assert call_after() == 0
    assert "could not be made" in caplog.text
    assert WebhookCall.objects.get().state == CallState.WAITING
