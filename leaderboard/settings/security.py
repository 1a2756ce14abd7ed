"""HTTPS, cookies and what browsers may do with pages."""

from pathlib import Path

from csp.constants import NONE, SELF

from leaderboard import env
from leaderboard.settings.base import BEHIND_PROXY, DATA, HTTPS

SESSION_ENGINE = "leaderboard.web.shared.sessions"
# Staff need a second factor for the admin site, and to see submissions of others.
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", default=HTTPS)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_SSL_REDIRECT = HTTPS
# Health checks and Prometheus reach the process directly, without the proxy that terminates HTTPS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# HSTS for subdomains and preload lists are decisions of the domain's owner.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    # Without it sign-in limits would count all clients as one, the proxy.
    ALLAUTH_TRUSTED_PROXY_COUNT = 1
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "leaderboard.web.shared.error_pages.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# The Ed25519 key that signs receipts and the log, in PEM; made when the service first signs. Processes on
# several machines must have the same.
SIGNING_KEY_FILE = Path(env.text("SIGNING_KEY_FILE") or DATA / "signing-key.pem")
# The commit of the source, which receipts state.
COMMIT = env.text("WARDBOARD_COMMIT")[:64]
