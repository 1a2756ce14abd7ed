"""Where emails go in an installation without a mail server."""

import logging
from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)


class UnsentEmailBackend(BaseEmailBackend):
    """Says in the log that an email was not sent, and not what it holds: links that reset passwords."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            logger.warning("an email was not sent, since EMAIL_HOST is not set: %s", message.subject)
        return 0
