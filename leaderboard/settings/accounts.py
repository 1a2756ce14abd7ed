"""Accounts, second factors, email, and sign-in with an account at GitHub or a provider of OpenID Connect."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.settings.base import DEBUG
from leaderboard.web import accounts

AUTH_USER_MODEL = "leaderboard.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_REDIRECT_URL = "web:submissions"
ACCOUNT_LOGOUT_REDIRECT_URL = "web:front"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "leaderboard.web.accounts.forms.SignUpForm"
ACCOUNT_FORMS = accounts.FORMS
# The password, or a second factor, is asked for before an email address is added, removed or made primary.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Each address that is added gets an email.
ACCOUNT_MAX_EMAIL_ADDRESSES = 10
ACCOUNT_ADAPTER = "leaderboard.web.accounts.adapter.AccountAdapter"
# Against farms of accounts: in each window, from a network address.
SIGN_UPS_PER_ADDRESS = env.rates("SIGN_UPS_PER_ADDRESS", "10/h,20/d")
ACCOUNT_RATE_LIMITS = {
    **accounts.RATE_LIMITS,
    "sign_ups": ",".join(f"{rate}/ip" for rate in SIGN_UPS_PER_ADDRESS),
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
# Teams of several people that an account may own; 0 for no limit.
TEAMS_PER_ACCOUNT = 10
MFA_ADAPTER = "leaderboard.web.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = accounts.SECOND_FACTOR_FORMS
MFA_TOTP_ISSUER = "Wardboard"
MFA_TOTP_TOLERANCE = 1  # The clock of a phone may be half a minute off.
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Wardboard: "
EMAIL_HOST, EMAIL_PORT = env.host_and_port("EMAIL_HOST", 587)
# Without a mail server nothing is sent, so verification cannot be required.
VERIFIES_EMAIL = bool(EMAIL_HOST)
# Where addresses can be verified, nobody protects an account with the address of someone else.
MFA_ALLOW_UNVERIFIED_EMAIL = not VERIFIES_EMAIL
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if VERIFIES_EMAIL else "optional"
# Links in emails reset passwords: they are printed for developers only.
if EMAIL_HOST:
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
elif DEBUG:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
EMAIL_HOST_USER = env.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_TLS", default=True)
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "Wardboard <no-reply@localhost>")
# The thread that sends emails waits so long for a mail server that does not answer.
EMAIL_TIMEOUT = 10
# Whether people get emails about what concerns them: only where emails can be sent.
NOTIFIES = not EMAIL_BACKEND.endswith("dummy.EmailBackend")


def _are_set(*names: str) -> bool:
    """Return whether variables are set. Raises ImproperlyConfigured where only some of them are."""
    values = [env.text(name) for name in names]
    if any(values) and not all(values):
        raise ImproperlyConfigured(f"set all of {', '.join(names)}, or none of them")
    return all(values)


def _github_apps() -> list[dict[str, Any]]:
    if not _are_set("GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"):
        return []
    client = {"client_id": env.text("GITHUB_CLIENT_ID"), "secret": env.text("GITHUB_CLIENT_SECRET")}
    return [{**client, "name": "GitHub"}]


def _oidc_apps() -> list[dict[str, Any]]:
    """Return the provider of OpenID Connect as allauth takes it; nothing where none is set up."""
    issuer, trusts_email = env.url("OIDC_ISSUER"), env.flag("OIDC_TRUST_EMAIL", default=True)
    if not _are_set("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"):
        return []
    parts = urlsplit(issuer)
    if parts.scheme != "https" and parts.hostname not in env.LOOPBACK:
        raise ImproperlyConfigured(f"OIDC_ISSUER is {issuer!r}: it must begin with https://")
    name = f"{parts.netloc}{parts.path}".lower()
    return [
        {
            "client_id": env.text("OIDC_CLIENT_ID"),
            "secret": env.text("OIDC_CLIENT_SECRET"),
            # Its name in addresses, such as sso.example.org-realms-lab, is of the issuer: accounts of one
            # never count as those of another that takes its place.
            "provider_id": re.sub(r"[^a-z0-9.]+", "-", name).strip("-")[:100],
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
