"""The API and its tokens."""

from datetime import timedelta
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from leaderboard import env
from leaderboard.settings.base import BEHIND_PROXY


def _issuers() -> dict[str, str]:
    """Return the kind of each further issuer of ID tokens by its URL. Raises ImproperlyConfigured."""
    issuers = {}
    for word in env.words("TRUSTED_ISSUERS"):
        kind, _, url = word.partition("=")
        parts = urlsplit(url)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in env.LOOPBACK)
        if kind not in ("github", "gitlab") or not is_safe or not parts.hostname or parts.query:
            raise ImproperlyConfigured(
                f"TRUSTED_ISSUERS has {word!r}: say github=https://… or gitlab=https://…, separated by commas"
            )
        issuers[url] = kind
    return issuers


# Issuers of the ID tokens of CI jobs, beside github.com and gitlab.com: URL -> kind.
TRUSTED_ISSUERS = _issuers()

# Live tokens of an account, and of a team; 0 for no limit.
TOKENS_PER_ACCOUNT = 20
KNOX_TOKEN_MODEL = "leaderboard.ApiToken"
# Its migrations would create a token table that is not used.
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_PREFIX": "wb_", "TOKEN_TTL": timedelta(days=365)}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.authentication.ApiTokenAuthentication",
        "leaderboard.api.authentication.BrowserSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "leaderboard.api.operation.OperationSchema",
    "EXCEPTION_HANDLER": "leaderboard.api.errors.problem_response",
    "DEFAULT_THROTTLE_RATES": {
        "validations": env.rate("RATE_VALIDATIONS", "60/min"),
        "submissions": env.rate("RATE_SUBMISSIONS", "600/min"),
        "exchanges": "60/min",
        "sign-ins": "30/min",
    },
    # Without a proxy, X-Forwarded-For is whatever the client sent.
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Wardboard API",
    "VERSION": "1",
    "DESCRIPTION": "Check, score and publish benchmark results, and read the leaderboards. Every refusal is "
    "a problem document (RFC 9457, `application/problem+json`). Each URL has one format. "
    "A proxy in front of the service may answer by itself, such as with 414 or 502, and with a "
    "page of its own.",
    "SERVERS": [{"url": "/", "description": "The service that this document comes from."}],
    "TAGS": [
        {"name": "submissions", "description": "Send files, and publish or withdraw their results."},
        {"name": "validations", "description": "Check files without an account."},
        {"name": "benchmarks", "description": "Leaderboards, their rows and their past."},
        {"name": "service", "description": "Its state, keys, log and errors."},
    ],
    "POSTPROCESSING_HOOKS": ["leaderboard.api.operation.finish_document"],
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "GET_LIB_DOC_EXCLUDES": "leaderboard.api.operation.undescribed_classes",
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "ENABLE_DJANGO_DEPLOY_CHECK": False,
}
