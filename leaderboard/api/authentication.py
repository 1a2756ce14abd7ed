"""Authentication by a personal token, or by the session of a user of the pages."""

from datetime import datetime

from django.utils import timezone
from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request

from leaderboard.models import ApiToken, Scope, User
from leaderboard.services.accounts import note_use
from leaderboard.services.teams.members import acting_user

UNKNOWN_TOKEN = "This token is not known: it is mistyped, was revoked, or expired long ago."


class TokenExpired(exceptions.AuthenticationFailed):
    """The token was good until it expired. Only its holder can learn that."""

    def __init__(self, at: datetime) -> None:
        super().__init__(f"This token expired on {at:%Y-%m-%d at %H:%M} UTC.", "token-expired")


class ScopeMissing(exceptions.PermissionDenied):
    """The token may not be used for this. auth_header: as RFC 6750, section 3.1, asks for."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(f"This token lacks the scope “{scope}”.", "scope-missing")
        self.auth_header = f'Bearer error="insufficient_scope", scope="{scope}"'


class OtherBoard(exceptions.PermissionDenied):
    """The token is for another leaderboard."""

    def __init__(self, slug: str) -> None:
        super().__init__(f"This token is for the leaderboard “{slug}” alone.", "scope-missing")


class ApiTokenAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Read `Authorization: Bearer wb_...`; only a live token of someone active is accepted."""

    scheme_name = "apiToken"  # in the OpenAPI document

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        # Tokens are letters and digits. Other bytes would not decode, or no database would take them.
        if not token.isascii() or not token.decode("ascii").isprintable():
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN)
        digest, now = hash_token(token.decode("ascii")), timezone.now()
        rows = ApiToken.objects.filter(digest=digest)
        live: ApiToken | None = rows.select_related("user", "board", "team", "ci_job").first()
        user = acting_user(live) if live else None
        if live is None or user is None:
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN)
        if live.expiry is not None and live.expiry < now:
            raise TokenExpired(live.expiry)
        note_use(live)
        return user, live


def token_of(request: Request) -> ApiToken | None:
    """Return the token of a request; None for a session and for a visitor."""
    return request.auth if isinstance(request.auth, ApiToken) else None


def require_scope(request: Request, scope: Scope) -> None:
    """Raise ScopeMissing if the token of the request may not be used for `scope`."""
    token = token_of(request)
    if token is not None and scope not in token.allowed:
        raise ScopeMissing(scope)


def require_board(request: Request, slug: str | None) -> None:
    """Raise OtherBoard if the token of the request is for another board than that of `slug`."""
    token = token_of(request)
    if token is not None and token.board is not None and slug not in (None, token.board.slug):
        raise OtherBoard(token.board.slug)


class BrowserSessionAuthentication(SessionAuthentication):
    """Read the session of the pages, for Swagger UI. Changes need the CSRF token in `X-CSRFToken`."""

    scheme_name = "browserSession"

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise exceptions.PermissionDenied("The CSRF token is missing or wrong.") from error
