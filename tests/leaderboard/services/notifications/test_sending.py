"""A mail server that is away or strict costs a line in the log; a kill loses no email."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.utils import timezone

from leaderboard.models import Notification
from leaderboard.models.emails import MOST_ATTEMPTS, EmailQuerySet
from leaderboard.services.notifications import send
from leaderboard.services.publishing.disqualify import disqualify
from tests.support.factories import make_published, make_user, verify
from tests.support.loopback import free_port
from tests.support.mail_server import MailServer

pytestmark = pytest.mark.both_databases


@pytest.fixture
def due(ada, board, good_file, boss):
    """Return a disqualified result, about which an email is due."""
    result = make_published(ada, board, good_file)
    disqualify(submission_id=result.pk, by=boss, reason="a slip")
    return result


def test_a_real_server_gets_an_email_that_programs_can_unsubscribe_from(due, ada, smtp, deliver):
    with MailServer() as server:
        smtp(server.port)
        deliver()
        deliver(minutes=1)
    (letter,) = server.taken
    assert letter["To"] == ada.email
    assert letter["Subject"] == "[MedAgentBench demo] Careful agent was disqualified"
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert letter["List-Unsubscribe"].strip().startswith("<https://board.example.org/account/emails/off/")
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content_type() == "text/plain"
    assert "Reason: a slip" in letter.get_content()


def test_an_email_is_sent_once_the_server_is_back_and_given_up_after_five_attempts(
    due, ada, smtp, deliver, caplog
):
    smtp(free_port())
    deliver()
    deliver(seconds=30)
    assert caplog.text.count("could not be sent") == 1
    assert ada.email not in caplog.text
    assert "a slip" not in caplog.text
    with MailServer() as server:
        smtp(server.port)
        deliver(minutes=2)
        deliver(hours=2)
    assert len(server.taken) == 1
    Notification.objects.update(sent_at=None, attempts=0, due_at=timezone.now())
    smtp(free_port())
    caplog.clear()
    for hours in range(0, 60, 7):
        deliver(hours=hours)
    assert Notification.objects.values_list("attempts", "due_at", "sent_at").get() == (5, None, None)
    assert Notification.objects.given_up().count() == 1
    assert caplog.text.count("could not be sent") == 5
    assert caplog.text.count("will not be tried again") == 1


@pytest.mark.parametrize("fault", ["drops", "421 later", "550 no such mailbox"])
def test_one_recipient_at_which_the_server_drops_the_connection_or_refuses_holds_up_no_other(
    mailing, board, smtp, deliver, fault
):
    several, now = [f"p{number}@example.org" for number in range(5)], timezone.now()
    for number, email in enumerate(several):
        fields = {"kind": "approval", "board": board, "data": {"what": "approved"}, "created_at": now}
        fields |= {"event": f"event {number}", "due_at": now - timedelta(minutes=10 - number)}
        Notification.objects.create(user=verify(make_user(email)), **fields)
    faults = {"drops": several[1]} if fault == "drops" else {"refuses": fault, "refuses_only": several[1]}
    with MailServer(**faults) as server:
        smtp(server.port)
        deliver()
    assert sorted(letter["To"] for letter in server.taken) == [several[0], *several[2:]]
    assert set(Notification.objects.values_list("attempts", flat=True)) == {1}


def die(*_):
    raise KeyboardInterrupt


def test_two_processes_that_sweep_at_once_send_one_email(due, deliver, monkeypatch):
    take = EmailMessage.send

    def sweep_meanwhile(message):
        monkeypatch.setattr(EmailMessage, "send", take)
        assert deliver() == []
        return take(message)

    monkeypatch.setattr(EmailMessage, "send", sweep_meanwhile)
    deliver()
    assert len(mail.outbox) == 1


def test_an_email_whose_process_was_killed_before_it_sent_is_sent_when_its_lease_ends(
    due, smtp, deliver, monkeypatch
):
    with MailServer() as server:
        smtp(server.port)
        with monkeypatch.context() as killed:
            killed.setattr(EmailMessage, "send", die)
            with pytest.raises(KeyboardInterrupt):
                deliver()
        deliver(minutes=4)
        assert server.taken == []
        deliver(minutes=6)
        deliver(hours=9)
    assert len(server.taken) == 1
    assert Notification.objects.values_list("attempts", "due_at").get() == (2, None)


def test_the_copy_after_a_kill_behind_the_server_has_the_same_message_id(due, smtp, deliver, monkeypatch):
    with MailServer() as server:
        smtp(server.port)
        update = EmailQuerySet.update

        def die_once_sent(rows, **fields):
            if fields.get("sent_at"):
                raise KeyboardInterrupt
            return update(rows, **fields)

        with monkeypatch.context() as killed:
            killed.setattr(EmailQuerySet, "update", die_once_sent)
            with pytest.raises(KeyboardInterrupt):
                deliver()
        deliver(minutes=6)
        deliver(hours=9)
    first, second = server.taken
    assert first["Message-ID"] == second["Message-ID"]
    assert f"notification-{Notification.objects.get().pk}." in first["Message-ID"]


def test_an_email_that_kills_every_process_is_given_up(due, deliver, monkeypatch, caplog):
    monkeypatch.setattr(EmailMessage, "send", die)
    for hours in range(MOST_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            deliver(hours=hours)
    assert deliver(hours=9) == []
    assert Notification.objects.given_up().count() == 1
    assert "1 email(s) will not be tried again" in caplog.text


def test_a_fault_in_one_kind_of_email_or_one_text_holds_up_no_other(due, ada, deliver, monkeypatch, caplog):
    now = timezone.now()
    Notification.objects.create(
        user=ada, event="broken", kind="decision", due_at=now - timedelta(hours=1), data={"what": "nothing"}
    )

    def fail(now):
        raise LookupError("a fault of ours")

    monkeypatch.setattr(send, "FINDERS", (fail, *send.FINDERS))
    (letter,) = deliver()
    assert letter.subject.endswith("Careful agent was disqualified")
    assert Notification.objects.get(event="broken").due_at > now
    assert "the text of an email could not be made" in caplog.text
    assert caplog.text.count("events could not be collected for emails") == 1
