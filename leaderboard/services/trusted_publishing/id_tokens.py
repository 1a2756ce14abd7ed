"""Verify ID tokens of CI jobs: who signed them, for whom, and when."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import jwt
from django.conf import settings
from django.utils import timezone
from jwt.exceptions import InvalidTokenError, PyJWTError
from jwt.types import Options

from leaderboard.services.errors import CiJobRefused
from leaderboard.services.trusted_publishing.issuer_keys import keys_of
from leaderboard.services.trusted_publishing.issuers import Issuer, known_issuers
from wardboard.scoring.reading.problems import Problem, pointer, quote

_LONGEST = 8192  # characters of a token; those of GitHub and GitLab have about 2,000
_LEEWAY = 30  # seconds by which the clock of an issuer may differ
_ALGORITHMS = ("RS256", "ES256")
_OPTIONS = Options(
    require=["exp", "iat", "aud", "jti"],
    verify_aud=False,  # It may have a digest, which `_artifact_of` reads.
    verify_iss=False,  # The issuer has chosen the key.
    verify_sub=False,
    enforce_minimum_key_length=True,
)
# A job may have the digest of a file signed, as a part of the audience that it asks for.
_DIGEST = r"(?:#sha256:([0-9a-f]{64}))?"
_AGAIN = "Ask the CI system for a new ID token right before it is exchanged."


@dataclass(frozen=True, slots=True, kw_only=True)
class IdToken:
    """A verified ID token.

    ends_at: when it can no longer be exchanged. artifact_sha256: the digest in its audience; "" for none
    """

    issuer: Issuer
    claims: Mapping[str, Any]
    ends_at: datetime
    artifact_sha256: str


def audience() -> str:
    """Return the `aud` of tokens that are meant for this service."""
    return str(settings.SITE_URL)


def problem(code: str, claim: str, message: str, hint: str) -> Problem:
    """Return a problem of an ID token. claim: which one it is about; "" for the token as a whole."""
    return Problem(
        code=f"id-token.{code}", pointer=pointer(claim) if claim else "", message=message, hint=hint
    )


def refused(code: str, claim: str, message: str, hint: str = _AGAIN) -> CiJobRefused:
    """Return the refusal of an ID token for one problem. claim: as `problem` takes it."""
    return CiJobRefused([problem(code, claim, message, hint)])


def verify(text: str) -> IdToken:
    """Return a verified token. Raises CiJobRefused, and IssuerUnreachable."""
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        token = jwt.decode_complete(text, options={"verify_signature": False})
    except (InvalidTokenError, ValueError) as error:
        message = f"This is not an ID token: three parts in base64url, of at most {_LONGEST:,} characters."
        hint = "Send the token as the CI system gave it, without quotes, spaces or a word before it."
        raise refused("malformed", "", message, hint) from error
    # Nothing of this is verified yet.
    algorithm, key_id = token["header"].get("alg"), token["header"].get("kid")
    url = token["payload"].get("iss")
    if algorithm not in _ALGORITHMS:
        message = f"The token is signed with “{quote(algorithm)}”; {' and '.join(_ALGORITHMS)} are accepted."
        raise refused("invalid", "", message)
    issuer = known_issuers().get(url) if isinstance(url, str) else None
    if issuer is None:
        hint = f"Accepted are {', '.join(known_issuers())}; the operator may add some."
        raise refused("issuer", "iss", f"The issuer “{quote(url)}” is not accepted here.", hint)
    if not isinstance(key_id, str) or not 0 < len(key_id) <= 200:
        raise refused("key-unknown", "kid", "The token does not name the key that signed it.")
    key = keys_of(issuer.url).key(key_id)
    if key is None:
        message = f"{issuer.url} has no key “{quote(key_id)}”."
        hint = f"{_AGAIN} If the issuer has just changed its keys, try again in half a minute."
        raise refused("key-unknown", "kid", message, hint)
    try:
        claims = jwt.decode(text, key, algorithms=_ALGORITHMS, options=_OPTIONS, leeway=_LEEWAY)
    except PyJWTError as error:
        now = f"{timezone.now():%Y-%m-%d %H:%M:%S} UTC"
        raise refused("invalid", "", f"The token is not valid; here it is {now}. {error}") from error
    oldest = int(issuer.oldest.total_seconds())
    if timezone.now().timestamp() - int(claims["iat"]) > oldest + _LEEWAY:
        raise refused("invalid", "", f"The token was issued more than {oldest / 3600:g} hours ago.")
    ends = min(int(claims["exp"]), int(claims["iat"]) + oldest) + _LEEWAY
    return IdToken(
        issuer=issuer,
        claims=claims,
        ends_at=datetime.fromtimestamp(ends, UTC),
        artifact_sha256=_artifact_of(claims["aud"]),
    )


def _artifact_of(stated: Any) -> str:
    """Return the digest in the audience of a token; "" for none. Raises CiJobRefused."""
    wanted = audience()
    found = re.fullmatch(re.escape(wanted) + _DIGEST, stated) if isinstance(stated, str) else None
    if found is not None:
        return found[1] or ""
    hint = f"Ask for a token with the audience {wanted}."
    raise refused("audience", "aud", f"The token is not for “{wanted}”.", hint)
