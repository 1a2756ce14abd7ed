"""Who calls: a personal API token, or the session of somebody signed in to the pages."""

from knox.auth import TokenAuthentication
from rest_framework import exceptions
from rest_framework.authentication import SessionAuthentication

from leaderboard.api.problems import CSRF_FAILED

UNKNOWN_TOKEN = "This token is not known: it is mistyped, was revoked, or has expired."


class ApiTokenAuthentication(TokenAuthentication):
    """`Authorization: Bearer wb_...`. Anything that is not a live token of an active user is a 401."""

    def authenticate_credentials(self, token: bytes):
        # Tokens are letters and digits. Other bytes would not decode, or not pass as a database text.
        if not token.isascii() or not token.decode("ascii").isprintable():
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN)
        try:
            return super().authenticate_credentials(token)
        except exceptions.AuthenticationFailed as error:
            # One answer for all: whose token it was, and what became of the account, is nobody's business.
            raise exceptions.AuthenticationFailed(UNKNOWN_TOKEN) from error


class BrowserSessionAuthentication(SessionAuthentication):
    """The session of the pages, for Swagger UI. Changes need the CSRF token in `X-CSRFToken`."""

    def enforce_csrf(self, request):
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise exceptions.PermissionDenied(
                "The CSRF token is missing or wrong.", code=CSRF_FAILED
            ) from error
