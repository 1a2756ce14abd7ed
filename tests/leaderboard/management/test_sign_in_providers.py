"""manage sign_in_providers, and the variables that set providers up."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from leaderboard.settings import providers
from tests.support.identity_provider import IdentityProvider
from tests.support.loopback import ScriptedReply


@pytest.fixture
def provider(settings):
    with IdentityProvider() as running:
        kinds = settings.SOCIALACCOUNT_PROVIDERS
        client = {"client_id": "x", "secret": "y", "name": "GitHub"}
        settings.SOCIALACCOUNT_PROVIDERS = {
            "github": {**kinds["github"], "APPS": [client]},
            "openid_connect": {**kinds["openid_connect"], "APPS": [running.settings]},
        }
        settings.SITE_URL = "https://board.example.org"
        yield running


def test_the_command_prints_the_addresses_to_register_with_each_provider(provider, capsys):
    call_command("sign_in_providers")
    assert capsys.readouterr().out.splitlines() == [
        "GitHub: https://board.example.org/accounts/github/login/callback/",
        "Lab SSO: https://board.example.org/accounts/oidc/lab/login/callback/",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{}", "is of another issuer"),
        (b'{"issuer": "%s"}', "no address as authorization_endpoint"),
        (b"", "no JSON"),
    ],
)
def test_the_command_says_why_a_provider_cannot_be_used(provider, body, reason):
    body = body.replace(b"%s", provider.origin.encode())
    provider.replies["/.well-known/openid-configuration"] = ScriptedReply(body=body)
    with pytest.raises(CommandError, match=reason):
        call_command("sign_in_providers")


def test_the_command_names_the_setting_where_no_provider_is_set_up():
    with pytest.raises(CommandError, match="OIDC_ISSUER"):
        call_command("sign_in_providers")


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
