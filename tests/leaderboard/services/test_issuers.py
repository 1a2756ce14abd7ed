"""The issuers of ID tokens that an operator adds: what the variable may hold, and where their pages are."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.services.trusted_publishing.issuers import known_issuers
from leaderboard.settings import api


def test_an_operator_adds_issuers_of_both_kinds_with_tls(monkeypatch):
    monkeypatch.setenv(
        "TRUSTED_ISSUERS", "gitlab=https://git.example.org, github=https://ghe.example.org/token"
    )
    assert api._issuers() == {"https://git.example.org": "gitlab", "https://ghe.example.org/token": "github"}
    # On this machine alone without.
    monkeypatch.setenv("TRUSTED_ISSUERS", "gitlab=http://127.0.0.1:8000")
    assert api._issuers() == {"http://127.0.0.1:8000": "gitlab"}
    for value in (
        "https://git.example.org",
        "gitea=https://git.example.org",
        "gitlab=http://git.example.org",
        "gitlab=https://",
        "gitlab=https://git.example.org?a=1",
        "gitlab=file:///etc/passwd",
    ):
        monkeypatch.setenv("TRUSTED_ISSUERS", value)
        with pytest.raises(ImproperlyConfigured, match="TRUSTED_ISSUERS"):
            api._issuers()


def test_runs_of_an_added_issuer_have_their_pages_on_its_site(settings):
    settings.TRUSTED_ISSUERS = {}
    assert list(known_issuers()) == ["https://token.actions.githubusercontent.com", "https://gitlab.com"]
    for url, site in {
        "https://token.actions.githubusercontent.com/example-enterprise": "https://github.com",
        "https://ghe.example.org/_services/token": "https://ghe.example.org",
    }.items():
        settings.TRUSTED_ISSUERS = {url: "github"}
        assert known_issuers()[url].site == site
