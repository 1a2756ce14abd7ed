"""Send the emails that are due; called beside the sweep, never by a request."""

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException
from time import monotonic

from django.conf import settings
from django.core.cache import caches
from django.core.mail import EmailMessage
from django.db import OperationalError
from django.utils import timezone

from leaderboard.models import AccountEmail, Board, EmailKind, Notification
from leaderboard.models.emails import EMAILS, Email
from leaderboard.monitoring.withheld import describe
from leaderboard.services.desk.attention import Need, list_needs
from leaderboard.services.notifications import outbox
from leaderboard.services.notifications.choices import addresses_of, organisers_of, wants
from leaderboard.services.notifications.collect import FINDERS, write
from leaderboard.services.notifications.words import EmailText, compose, compose_invitation
from leaderboard.services.teams.invitations import open_invitations

logger = logging.getLogger(__name__)

_KEPT = timedelta(days=60)
_MOST, _SECONDS = 200, 10.0  # of one call, so that the sweep goes on
_LOOKS_EVERY = 15


def notify(*, at: datetime | None = None) -> None:
    """Look for events that concern people, and send the emails that are due; harmless at any time."""
    if not settings.NOTIFIES:
        return
    now = at or timezone.now()
    if caches["boards"].add("notified", True, _LOOKS_EVERY):
        for find in FINDERS:
            try:
                write(find(now), now)
            except OperationalError:
                # The database is away, for all.
                raise
            except Exception:
                # A fault of ours in events of one kind must not hold up the others.
                logger.exception("events could not be collected for emails")
        for model in EMAILS:
            model.objects.filter(created_at__lt=now - _KEPT).delete()
    try:
        # Those during whose last attempt a process was killed, so that none is tried for ever.
        if count := sum(model.objects.give_up_interrupted(now) for model in EMAILS):
            logger.warning("%s email(s) will not be tried again: each attempt was interrupted", count)
        about_events = Notification.objects.select_related("user", "board", "submission__system")
        due: list[Email] = []
        # Someone waits for an email about an account.
        for rows in (
            AccountEmail.objects.all(),
            about_events.defer("submission__problems", "submission__warnings"),
        ):
            due += rows.filter(due_at__lte=now).order_by("due_at", "pk")[: _MOST - len(due)]
        failures, ends = 0, monotonic() + _SECONDS
        for email in due:
            # The emails that remain spend no attempt. They are due at the next call.
            # Failures in a row, after which the rest waits for the next call: the server may be away.
            if failures == 3 or monotonic() >= ends:
                break
            failures = 0 if _send(email, now) else failures + 1
    finally:
        outbox.forget()


def _send(email: Email, now: datetime) -> bool:
    """Send an email that is still wanted, or postpone it; return False where the server did not take it.

    It has a connection of its own: many servers take a few emails from one, or drop it at one recipient.
    """
    # Where this process is killed, the email is due again. Its Message-ID stays the same, so that a mail
    # program recognises a second copy of one that the server had already taken.
    if not email.take(now):
        return True
    row = type(email).objects.filter(pk=email.pk)
    try:
        message = _message(email)
        if message is None:
            # Not wanted any more; it does not count as given up, because no server was tried.
            row.update(due_at=None, attempts=0)
            return True
        message.send()
    except (OSError, SMTPException) as error:
        is_given_up = email.postpone(now)
        text = "an email could not be sent, and will %sbe tried again: %s"
        logger.warning(text, "not " if is_given_up else "", describe(error))
        return False
    except Exception:
        logger.exception("the text of an email could not be made")
        email.postpone(now)
        return False
    row.update(due_at=None, sent_at=timezone.now())
    return True


def _message(email: Email) -> EmailMessage | None:
    """Return what is sent; None where its receiver no longer wants it, or has no verified address."""
    if isinstance(email, AccountEmail):
        to, subject, body = outbox.read(email)
        return _write(email, EmailText(subject=subject, body=body, switch_off_url=""), to=to)
    assert isinstance(email, Notification)
    if email.kind == EmailKind.INVITATION:
        invitation = open_invitations(pk=email.data["invitation"]).first()
        if invitation is None:
            # It was used or revoked meanwhile, or its inviter was deactivated: its link is dead.
            return None
        return _write(email, compose_invitation(invitation), to=invitation.email)
    address = addresses_of([email.user_id]).get(email.user_id)
    if address is None or not wants(email.user, email.kind):
        return None
    needs: list[Need] = []
    if email.kind == EmailKind.DESK:
        # The receiver may no longer organise the board.
        if email.board_id is not None and email.user_id in organisers_of(email.board_id):
            needs = list_needs(Board.objects.without_references().filter(pk=email.board_id))
        if not needs:
            return None
    return _write(email, compose(email, needs), to=address)


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
