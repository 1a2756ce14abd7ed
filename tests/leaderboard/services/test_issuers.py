"""The issuers of ID tokens that an operator adds: what the variable may hold, and where their pages are."""

import pytest
from django.core.exceptions import ImproperlyConfigured

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
