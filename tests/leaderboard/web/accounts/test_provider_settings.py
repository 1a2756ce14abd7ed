"""The variables that set providers of sign-ins up."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.settings import providers


@pytest.fixture
def variables(monkeypatch):
    def set_variables(**values):
        for name, value in values.items():
            monkeypatch.setenv(f"OIDC_{name}", value)

    return set_variables


COMPLETE = {"ISSUER": "https://sso.example.org/realms/Lab/", "CLIENT_ID": "x", "CLIENT_SECRET": "y"}


def test_the_variables_set_a_provider_up(variables):
    variables(**COMPLETE, TRUST_EMAIL="0")
    (app,) = providers._oidc_apps()
    assert (app["provider_id"], app["name"]) == ("sso.example.org-realms-lab", "sso.example.org")
    assert app["settings"] == {"server_url": "https://sso.example.org/realms/Lab", "trusts_email": False}
    variables(**dict.fromkeys(COMPLETE, ""))
    assert providers._oidc_apps() == []


@pytest.mark.parametrize(
    "changed",
    [
        {"CLIENT_SECRET": ""},
        {"ISSUER": ""},
        {"ISSUER": "http://sso.example.org"},
        {"ISSUER": "sso.example.org"},
    ],
)
def test_half_a_provider_stops_the_service_and_names_the_variable(variables, changed):
    variables(**{**COMPLETE, **changed})
    with pytest.raises(ImproperlyConfigured, match="OIDC_"):
        providers._oidc_apps()
