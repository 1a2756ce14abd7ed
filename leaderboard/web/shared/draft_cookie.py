"""The cookie by which a browser finds its draft again, also after signing in, signing up or signing out."""

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from leaderboard.models import Draft

_NAME = "draft"
_SALT = "wardboard.draft"


def draft_id_of(request: HttpRequest) -> uuid.UUID | None:
    """Return the id of the browser's draft; None without one, and for a cookie that is not ours."""
    value = request.get_signed_cookie(_NAME, None, salt=_SALT, max_age=3600 * settings.DRAFT_HOURS)
    try:
        return uuid.UUID(value) if value else None
    except ValueError:
        return None


def set_draft(response: HttpResponseBase, draft: Draft) -> None:
    """Let the browser remember a new draft."""
    response.set_signed_cookie(
        _NAME,
        str(draft.pk),
        salt=_SALT,
        max_age=3600 * settings.DRAFT_HOURS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forget_draft(response: HttpResponseBase) -> None:
    response.delete_cookie(_NAME, samesite="Lax")
