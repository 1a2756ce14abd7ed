"""Fixtures for tests of accounts."""

import pytest
from allauth.socialaccount.providers.github.views import GitHubOAuth2Adapter

from tests.support.identity_provider import IdentityProvider


@pytest.fixture
def provider(settings, monkeypatch):
    """Run a provider that the service knows as Lab SSO and as GitHub."""
    with IdentityProvider() as running:
        kinds = settings.SOCIALACCOUNT_PROVIDERS
        client = {name: running.settings[name] for name in ("client_id", "secret")}
        settings.SOCIALACCOUNT_PROVIDERS = {
            "openid_connect": {**kinds["openid_connect"], "APPS": [running.settings]},
            "github": {**kinds["github"], "APPS": [{**client, "name": "GitHub"}]},
        }
        for name, path in (("authorize", "authorize"), ("access_token", "token")):
            monkeypatch.setattr(GitHubOAuth2Adapter, f"{name}_url", f"{running.origin}/{path}")
        monkeypatch.setattr(GitHubOAuth2Adapter, "profile_url", f"{running.origin}/user")
        monkeypatch.setattr(GitHubOAuth2Adapter, "emails_url", f"{running.origin}/user/emails")
        settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "provider": None}
        yield running
