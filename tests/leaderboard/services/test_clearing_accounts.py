"""Once a day the sweep deletes what has expired: sessions, tokens, addresses of sign-ins."""

import os
import time
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from leaderboard.models import ApiToken, SignInAddress
from leaderboard.services.accounts import create_token
from leaderboard.services.files import installation
from leaderboard.services.submissions.sweep import sweep

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def folder(settings, tmp_path, db):
    """A store of the test's own."""
    settings.UPLOADS = tmp_path / "uploads"
    installation.check()


def add_expired(user) -> None:
    past = timezone.now() - timedelta(days=31)
    Session.objects.create(session_key="a" * 32, session_data="", expire_date=past)
    create_token(user=user, name="old", days=1)
    ApiToken.objects.filter(name="old").update(expiry=past)
    SignInAddress.objects.create(user=user, digest="old")
    SignInAddress.objects.filter(digest="old").update(last_at=timezone.now() - timedelta(days=181))


def rows() -> tuple[int, set[str], set[str]]:
    return (
        Session.objects.count(),
        set(ApiToken.objects.values_list("name", flat=True)),
        set(SignInAddress.objects.values_list("digest", flat=True)),
    )


def test_the_sweep_clears_what_has_expired_once_a_day(user, settings):
    Session.objects.create(
        session_key="b" * 32, session_data="", expire_date=timezone.now() + timedelta(days=1)
    )
    create_token(user=user, name="live", days=1)
    create_token(user=user, name="lasting", days=None)
    SignInAddress.objects.create(user=user, digest="recent")
    live = (1, {"live", "lasting"}, {"recent"})
    add_expired(user)
    sweep()
    assert rows() == live
    add_expired(user)
    sweep()
    assert rows()[0] == 2
    yesterday = time.time() - 86_401
    os.utime(settings.UPLOADS / "accounts-cleared", (yesterday, yesterday))
    sweep()
    assert rows() == live
