"""Say who sends a request, for the rights of `services.access`."""

from functools import partial

from allauth.account.authentication import get_authentication_records
from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest
from rest_framework.request import Request

from leaderboard.models import ApiToken
from leaderboard.services.access import Reader


def reader_of(request: HttpRequest | Request) -> Reader:
    """Return who sends a request, by session or token; the same value each time."""
    token = getattr(request, "auth", None)
    if not isinstance(token, ApiToken):
        made = Reader(user=request.user, gave_second_factor=partial(_gave_second_factor, request))
    else:
        made = Reader(user=request.user, team=token.team, board=token.board_id, scopes=token.allowed)
    reader: Reader = vars(request).setdefault("_reader", made)
    return reader


def _gave_second_factor(request: HttpRequest | Request) -> bool:
    records = get_authentication_records(request, request.user)
    # A factor that was removed since counts no longer.
    return any(record["method"] == "mfa" for record in records) and is_mfa_enabled(request.user)
