"""The issuers of ID tokens that an operator adds: what the variable may hold, and where their pages are."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.services.trusted_publishing.issuers import known_issuers
from leaderboard.settings import api


def added(monkeypatch, value: str) -> dict[str, str]:
    monkeypatch.setenv("TRUSTED_ISSUERS", value)
    return api._issuers()


def test_github_and_gitlab_are_accepted_without_a_variable(settings):
    settings.TRUSTED_ISSUERS = {}
    assert list(known_issuers()) == ["https://token.actions.githubusercontent.com", "https://gitlab.com"]


def test_an_operator_adds_issuers_of_both_kinds(monkeypatch):
    value = "gitlab=https://git.example.org, github=https://ghe.example.org/_services/token"
    assert added(monkeypatch, value) == {
        "https://git.example.org": "gitlab",
        "https://ghe.example.org/_services/token": "github",
    }


@pytest.mark.parametrize(
    "value",
    [
        "https://git.example.org",
        "gitea=https://git.example.org",
        "gitlab=http://git.example.org",
        "gitlab=https://",
        "gitlab=https://git.example.org?a=1",
        "gitlab=file:///etc/passwd",
    ],
)
def test_a_value_that_cannot_be_meant_stops_the_service_and_names_the_variable(monkeypatch, value):
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_ISSUERS"):
        added(monkeypatch, value)


def test_an_issuer_without_tls_is_accepted_on_this_machine_alone(monkeypatch):
    loopback = "gitlab=http://127.0.0.1:8000"
    assert added(monkeypatch, loopback) == {"http://127.0.0.1:8000": "gitlab"}


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://token.actions.githubusercontent.com/example-enterprise", "https://github.com"),
        ("https://ghe.example.org/_services/token", "https://ghe.example.org"),
    ],
)
def test_runs_of_an_added_issuer_have_their_pages_on_its_site(settings, url, site):
    settings.TRUSTED_ISSUERS = {url: "github"}
    assert known_issuers()[url].site == site
