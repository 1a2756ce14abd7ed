"""Give a program a token that a person approves in a browser: the device authorization grant.

Source: RFC 8628. django-allauth has this grant for programs that are registered as OAuth clients: it keeps
codes in the cache and issues tokens of its own, which the API does not take and the tokens page does not
show. So this module issues an ApiToken.
"""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.models import ApiToken, AuditEvent, CodeState, DeviceCode, Scope, User
from leaderboard.services import audit
from leaderboard.services.accounts import create_token, refuse_more_tokens
from leaderboard.services.errors import DeviceCodeRefused, NotFound
from leaderboard.services.text import remove_hidden_characters

LIFETIME = timedelta(minutes=10)
TOKEN_DAYS = 90
INTERVAL = 5  # seconds between two questions of a program
# Without vowels, which make words, and without what looks alike. Source: RFC 8628, section 6.1.
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
_LENGTH = 8
_FETCHED = (
    "The token of this code was fetched before. If your program did not get it, revoke the token on your "
    "tokens page."
)


def begin(*, client: str, host: str, scopes: Sequence[Scope], address: str) -> tuple[DeviceCode, str]:
    """Let a program ask for a token from `address`; return its row and the code that is its secret."""
    device_code = secrets.token_urlsafe(32)
    row = DeviceCode.objects.create(
        digest=_digest(device_code),
        user_code="".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)),
        client=remove_hidden_characters(client)[:60],
        host=remove_hidden_characters(host)[:60],
        address=address[:64],
        scopes=[scope.value for scope in scopes],
        expires_at=timezone.now() + LIFETIME,
    )
    return row, device_code


def find_pending(user_code: str) -> DeviceCode | None:
    """Return the program whose code someone typed; None for one that is unknown, expired or answered."""
    letters = "".join(letter for letter in user_code.upper() if letter.isalpha())
    # A text that cannot be a code needs no query.
    if len(letters) != _LENGTH or not set(letters) <= set(_LETTERS):
        return None
    rows = DeviceCode.objects.filter(state=CodeState.PENDING, expires_at__gt=timezone.now())
    return rows.filter(user_code=letters).first()


@transaction.atomic
def answer(*, user_code: str, user: User, is_approved: bool) -> DeviceCode:
    """Approve or deny the program of a code; the first answer counts. Raises NotFound, WrongState."""
    # Users before codes, as in `fetch_token`.
    User.objects.select_for_update().get(pk=user.pk)
    row = find_pending(user_code)
    if row is not None and is_approved:
        refuse_more_tokens(user)
    state = CodeState.APPROVED if is_approved else CodeState.DENIED
    pending = DeviceCode.objects.filter(state=CodeState.PENDING)
    if row is None or not pending.filter(pk=row.pk).update(state=state, user=user, address=""):
        raise NotFound(
            _("No program waits with this code: it is mistyped, already used, or older than ten minutes.")
        )
    action = AuditEvent.Action.PROGRAM_APPROVED if is_approved else AuditEvent.Action.PROGRAM_DENIED
    audit.record(action, actor=user, client=row.client, host=row.host, scopes=row.scopes)
    return row


@transaction.atomic
def fetch_token(*, device_code: str) -> tuple[ApiToken, str]:
    """Return the token of an approved program with its text, once. Raises DeviceCodeRefused, WrongState."""
    row = DeviceCode.objects.select_related("user").filter(digest=_digest(device_code)).first()
    if row is None:
        raise DeviceCodeRefused("invalid_grant", "This code is not known; it may have expired long ago.")
    if refusal := _refusal(row, timezone.now()):
        raise refusal
    if row.user is None:
        raise DeviceCodeRefused("authorization_pending", "Nobody has approved the code yet.")
    # Users before codes, as in `answer`.
    user = User.objects.select_for_update().get(pk=row.user.pk)
    # Of two questions at once, one changes the row.
    if not DeviceCode.objects.filter(pk=row.pk, state=CodeState.APPROVED).update(state=CodeState.USED):
        raise DeviceCodeRefused("invalid_grant", _FETCHED)
    return create_token(user=user, name=row.token_name, days=TOKEN_DAYS, scopes=row.asked_for)


def _refusal(row: DeviceCode, now: datetime) -> DeviceCodeRefused | None:
    """Return why the program of a code can never get a token; None if it still can."""
    if row.state == CodeState.USED:
        return DeviceCodeRefused("invalid_grant", _FETCHED)
    if row.state == CodeState.DENIED:
        return DeviceCodeRefused("access_denied", "The sign-in was denied in the browser.")
    if row.user is not None and not row.user.is_active:
        return DeviceCodeRefused("access_denied", "The account that approved the sign-in is closed.")
    if row.expires_at <= now:
        return DeviceCodeRefused("expired_token", "Nobody approved the code within ten minutes.")
    return None


def _digest(device_code: str) -> str:
    return hashlib.sha256(device_code.encode("utf-8", "surrogatepass")).hexdigest()
