"""Send the emails that are due; called beside the sweep, never by a request."""

import logging
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from smtplib import SMTPException
from time import monotonic

from django.conf import settings
from django.core.cache import caches
from django.core.mail import EmailMessage
from django.db import OperationalError
from django.utils import timezone

from leaderboard.models import AccountEmail, EmailKind, Notification
from leaderboard.models.emails import EMAILS, Email
from leaderboard.monitoring.withheld import describe
from leaderboard.services.notifications import outbox
from leaderboard.services.notifications.choices import addresses_of, wants
from leaderboard.services.notifications.collect import collect_team_events
from leaderboard.services.notifications.digest import collect_digests
from leaderboard.services.notifications.expiring import collect_expiring
from leaderboard.services.notifications.mail_connection import MailConnection
from leaderboard.services.notifications.rescored import collect_rescored
from leaderboard.services.notifications.words import EmailText, compose, compose_invitation
from leaderboard.services.teams.invitations import find_open

logger = logging.getLogger(__name__)

_KEPT = timedelta(days=60)
_MOST, _SECONDS = 200, 10.0  # of one call, so that the sweep goes on
_LOOKS_EVERY = 15


def notify(*, at: datetime | None = None) -> int:
    """Look for events that concern people, and send the emails that are due; return how many were sent.

    Harmless at any time, and from several processes at once.

    at: by default now
    """
    if not settings.NOTIFIES:
        return 0
    now = at or timezone.now()
    if caches["boards"].add("notified", True, _LOOKS_EVERY):
        for collect in (collect_team_events, collect_rescored, collect_digests, collect_expiring):
            _collect_alone(collect, now)
        for model in EMAILS:
            model.objects.filter(created_at__lt=now - _KEPT).delete()
    try:
        return _send_due(now)
    finally:
        outbox.forget()


def _collect_alone(collect: Callable[[datetime], int], now: datetime) -> None:
    """Collect emails; a fault of ours in one kind must not hold up the others."""
    try:
        collect(now)
    except OperationalError:
        # The database is away, for all.
        raise
    except Exception:
        logger.exception("events could not be collected for emails")


def _send_due(now: datetime) -> int:
    _give_up(now)
    about_events = Notification.objects.select_related("user", "board", "submission__system")
    due: list[Email] = []
    # Someone waits for an email about an account.
    for rows in (
        AccountEmail.objects.all(),
        about_events.defer("submission__problems", "submission__warnings"),
    ):
        due += rows.filter(due_at__lte=now).order_by("due_at", "pk")[: _MOST - len(due)]
    if not due:
        return 0
    sent = 0
    with closing(MailConnection(until=monotonic() + _SECONDS)) as connection:
        try:
            connection.open()
        except (OSError, SMTPException) as error:
            # The server is away: nothing can be sent now.
            _postpone(due, error, now)
            return 0
        # The emails that remain spend no attempt. They are due at the next call.
        while due and connection.is_ready():
            sent += _send(due.pop(0), connection, now)
    return sent


def _give_up(now: datetime) -> None:
    """Give up the emails during whose last attempt a process was killed, so that none is tried for ever."""
    if count := sum(model.objects.give_up_interrupted(now) for model in EMAILS):
        logger.warning("%s email(s) will not be tried again: each attempt was interrupted", count)


def _send(email: Email, connection: MailConnection, now: datetime) -> bool:
    """Send an email; return whether a server took it. Otherwise it is postponed, and no other email is."""
    # Where this process is killed, the email is due again. Its Message-ID stays the same, so that a mail
    # program recognises a second copy of one that the server had already taken.
    if not email.take(now):
        return False
    row = type(email).objects.filter(pk=email.pk)
    try:
        message = _message(email)
        if message is None:
            # Not wanted any more; it does not count as given up, because no server was tried.
            row.update(due_at=None, attempts=0)
            return False
        connection.send(message)
    except (OSError, SMTPException) as error:
        _postpone([email], error, now)
        return False
    except Exception as error:
        logger.exception("the text of an email could not be made")
        _postpone([email], error, now)
        return False
    row.update(due_at=None, sent_at=timezone.now())
    return True


def _postpone(rows: Sequence[Email], error: Exception, now: datetime) -> None:
    """Have emails sent later, each a bounded number of times. rows: as they were before this attempt."""
    given_up = sum(email.postpone(now) for email in rows)
    if rows:
        logger.warning(
            "%s email(s) could not be sent, and %s will not be tried again: %s",
            len(rows),
            given_up,
            describe(error),
        )


def _message(email: Email) -> EmailMessage | None:
    """Return what is sent; None where its receiver no longer wants it, or has no verified address."""
    if isinstance(email, AccountEmail):
        to, subject, body = outbox.read(email)
        return _write(email, EmailText(subject=subject, body=body, switch_off_url=""), to=to)
    assert isinstance(email, Notification)
    return _message_about_event(email)


def _message_about_event(notification: Notification) -> EmailMessage | None:
    if notification.kind == EmailKind.INVITATION:
        invitation = find_open(pk=notification.data["invitation"])
        if invitation is None:
            # It was used or revoked meanwhile, or its inviter was deactivated: its link is dead.
            return None
        return _write(notification, compose_invitation(invitation), to=invitation.email)
    address = addresses_of([notification.user_id]).get(notification.user_id)
    if address is None or (
        notification.kind != EmailKind.DESK and not wants(notification.user, notification.kind)
    ):
        return None
    return _write(notification, compose(notification), to=address)


def _write(email: Email, text: EmailText, *, to: str) -> EmailMessage:
    host = settings.SITE_URL.partition("://")[2].partition("/")[0].partition(":")[0]
    headers = {
        "Message-ID": f"<{email._meta.model_name}-{email.pk}.{email.created_at:%Y%m%d%H%M%S}@{host}>",
        "Auto-Submitted": "auto-generated",
    }
    if text.switch_off_url:
        # RFC 8058: mail programs switch off by a POST, without opening a page.
        headers["List-Unsubscribe"] = f"<{text.switch_off_url}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return EmailMessage(subject=text.subject, body=text.body, to=[to], headers=headers)
