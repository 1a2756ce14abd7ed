"""A connection to the mail server that is opened again where the server ends it.

Many servers take a few emails from a connection and then answer 421, or drop it. Some drop it at one
recipient. The next email must not suffer from that.
"""

import logging
from contextlib import suppress
from smtplib import SMTPException, SMTPRecipientsRefused, SMTPResponseException, SMTPServerDisconnected
from time import monotonic

from django.core.mail import EmailMessage, get_connection

from leaderboard.monitoring.withheld import describe

logger = logging.getLogger(__name__)

# How often one is opened, so that a server that drops each one is not hammered.
MOST_OPENINGS = 10
_GOODBYE = 421  # "closing transmission channel": RFC 5321, section 3.8


class MailConnection:
    """Sends emails one after the other. until: by the monotonic clock, when no other email is begun."""

    def __init__(self, *, until: float) -> None:
        self._backend = get_connection()
        self._until = until
        self._openings = 0
        self._is_open = self._is_used = False

    def open(self) -> None:
        """Open the connection. Raises OSError, SMTPException."""
        self._openings += 1
        self._backend.open()
        self._is_open, self._is_used = True, False

    def close(self) -> None:
        """Close the connection, whatever state it is in."""
        self._is_open = False
        # It may be lost already.
        with suppress(OSError, SMTPException):
            self._backend.close()

    def is_ready(self) -> bool:
        """Return whether another email can be sent; open a new connection where the last one was lost."""
        if monotonic() >= self._until:
            return False
        return self._is_open or self._reopen()

    def send(self, message: EmailMessage) -> None:
        """Send an email. Raises OSError, SMTPException where the server did not take it."""
        was_used = self._is_used
        try:
            self._send_once(message)
        except (OSError, SMTPException) as error:
            # The emails before may have used up the connection: that says nothing about this one.
            if not (was_used and _is_of_connection(error) and self.is_ready()):
                raise
            self._send_once(message)

    def _send_once(self, message: EmailMessage) -> None:
        self._is_used = True
        try:
            self._backend.send_messages([message])
        except (OSError, SMTPException) as error:
            if _is_of_connection(error) or not self._can_go_on():
                self.close()
            raise

    def _can_go_on(self) -> bool:
        """Return whether a server that refused an email is ready for another one on this connection."""
        smtp = getattr(self._backend, "connection", None)
        try:
            return smtp is not None and bool(smtp.rset()[0] == 250)
        except (OSError, SMTPException):
            return False

    def _reopen(self) -> bool:
        if self._openings >= MOST_OPENINGS:
            return False
        try:
            self.open()
        except (OSError, SMTPException) as error:
            self.close()
            logger.warning("the mail server takes no further connection now: %s", describe(error))
            return False
        return True


def _is_of_connection(error: Exception) -> bool:
    """Return whether an error ends the connection, and may have nothing to do with the email."""
    if isinstance(error, SMTPRecipientsRefused):
        return any(code == _GOODBYE for code, _text in error.recipients.values())
    if isinstance(error, SMTPResponseException):
        return error.smtp_code == _GOODBYE
    # Each SMTPException is an OSError too.
    return isinstance(error, SMTPServerDisconnected) or not isinstance(error, SMTPException)
