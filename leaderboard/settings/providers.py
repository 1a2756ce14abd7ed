"""Sign-in with an account elsewhere: GitHub, and a provider of OpenID Connect."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.web import accounts

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def _are_set(*names: str) -> bool:
    """Return whether variables are set. Raises ImproperlyConfigured where only some of them are."""
    values = [env.text(name) for name in names]
    if any(values) and not all(values):
        raise ImproperlyConfigured(f"set all of {', '.join(names)}, or none of them")
    return all(values)


def id_of_issuer(issuer: str) -> str:
    """Return the name of a provider in addresses: sso.example.org-realms-lab.

    It belongs to the issuer: accounts of one never count as accounts of another that takes its place.
    """
    parts = urlsplit(issuer)
    return re.sub(r"[^a-z0-9.]+", "-", f"{parts.netloc}{parts.path}".lower()).strip("-")[:100]


def _github_apps() -> list[dict[str, Any]]:
    """Return GitHub as allauth takes it; nothing where it is not set up. Raises ImproperlyConfigured."""
    if not _are_set("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"):
        return []
    client = {"client_id": env.text("GITHUB_CLIENT_ID"), "secret": env.text("GITHUB_CLIENT_SECRET")}
    return [{**client, "name": "GitHub"}]


def _oidc_apps() -> list[dict[str, Any]]:
    """Return the provider of OpenID Connect as allauth takes it; nothing where none is set up.

    Raises ImproperlyConfigured.
    """
    issuer, trusts_email = env.url("OIDC_ISSUER"), env.flag("OIDC_TRUST_EMAIL", default=True)
    if not _are_set("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"):
        return []
    parts = urlsplit(issuer)
    if parts.scheme != "https" and parts.hostname not in _LOOPBACK:
        raise ImproperlyConfigured(f"OIDC_ISSUER is {issuer!r}: it must begin with https://")
    return [
        {
            "client_id": env.text("OIDC_CLIENT_ID"),
            "secret": env.text("OIDC_CLIENT_SECRET"),
            "provider_id": id_of_issuer(issuer),
            "name": str(parts.hostname),
            "settings": {"server_url": issuer.rstrip("/"), "trusts_email": trusts_email},
        }
    ]


SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "github": {"APPS": _github_apps(), "OAUTH_PKCE_ENABLED": True},
    "openid_connect": {"APPS": _oidc_apps(), "OAUTH_PKCE_ENABLED": True},
}
SOCIALACCOUNT_ADAPTER = "leaderboard.web.accounts.providers.adapter.ProviderAdapter"
SOCIALACCOUNT_FORMS = accounts.PROVIDER_FORMS
# A new person sees the name and address before the account is made.
SOCIALACCOUNT_AUTO_SIGNUP = False
# By addresses that both sides have verified; the adapter says of which accounts.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5  # seconds
