"""People with verified addresses, and a way to let time pass until emails are sent."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import caches
from django.utils import timezone

from leaderboard.services.notifications.send import notify
from tests.support.factories import make_hidden, verify


@pytest.fixture
def mailing(settings):
    """Have people notified, with links to board.example.org."""
    settings.NOTIFIES, settings.SITE_URL = True, "https://board.example.org"


@pytest.fixture
def board(db):
    return make_hidden(publication_limit=None, newcomer_limit=None, access="anyone")


@pytest.fixture
def ada(user, mailing):
    return verify(user)


@pytest.fixture
def deliver():
    """Let time pass, sweep, and return the emails that were sent by it."""

    def sweep_after(**passed):
        caches["boards"].delete_many(["notified"])
        before = len(mail.outbox)
        notify(at=timezone.now() + timedelta(**passed))
        return mail.outbox[before:]

    return sweep_after


@pytest.fixture
def smtp(settings):
    """Return a function that has emails sent to a port."""

    def use(port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", port, False

    return use
