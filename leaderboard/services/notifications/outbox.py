"""Emails about accounts (a link that confirms an address or resets a password), on their way to be sent.

They are stored in the transaction of what they are about, and sent by the process that sends all emails: no
request waits for a mail server. Their links are worth a password, so the text of one is encrypted, and
forgotten once it is sent or given up.
"""

import json
from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.utils import timezone

from leaderboard import encryption
from leaderboard.models import AccountEmail
from leaderboard.services.processes import heartbeat

_PURPOSE = "emails about accounts"


class Outbox(BaseEmailBackend):
    """Stores emails where there is a mail server, and otherwise gives them to Django's own backend."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        if not settings.NOTIFIES:
            return get_connection().send_messages(email_messages) or 0
        now = timezone.now()
        for message in email_messages:
            (address,) = message.to
            text = json.dumps([address, message.subject, message.body])
            AccountEmail.objects.create(
                encrypted=encryption.encrypt(text, purpose=_PURPOSE), created_at=now, due_at=now
            )
        transaction.on_commit(heartbeat.emails_are_due.set)
        return len(email_messages)


def read(email: AccountEmail) -> tuple[str, str, str]:
    """Return the address, the subject and the text of an email about an account."""
    address, subject, body = json.loads(encryption.decrypt(email.encrypted, purpose=_PURPOSE))
    return address, subject, body


def forget() -> None:
    """Delete the texts of emails about accounts that were sent or given up."""
    AccountEmail.objects.filter(due_at=None).exclude(encrypted="").update(encrypted="")
