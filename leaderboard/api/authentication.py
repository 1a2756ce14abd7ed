"""Authentication by a personal API token, or by the session of a user of the pages."""

from typing import Any

from knox.auth import TokenAuthentication
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request

from leaderboard.http.problems import CSRF_FAILED

UNKNOWN_TOKEN = "This token is not known: it is mistyped, was revoked, or has expired."


class ApiTokenAuthentication(TokenAuthentication):  # type: ignore[misc]  # knox has no types
    """Read `Authorization: Bearer wb_...`; only a live token of an active user is accepted."""

    def authenticate_credentials(self, token: bytes) -> tuple[Any, Any]:
        # Tokens are letters and digits. Other bytes would not decode, or no database would take them.
        if not token.isascii() or not token.decode("ascii").isprintable():
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN)
        try:
            user, auth = super().authenticate_credentials(token)
        except exceptions.AuthenticationFailed as error:
            # The same answer for all: whose token it was, and what happened to the account, stays private.
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN) from error
        return user, auth


class BrowserSessionAuthentication(SessionAuthentication):
    """Read the session of the pages, for Swagger UI.

    Changes need the CSRF token in `X-CSRFToken`.
    """

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise exceptions.PermissionDenied(
                "The CSRF token is missing or wrong.", code=CSRF_FAILED
            ) from error
