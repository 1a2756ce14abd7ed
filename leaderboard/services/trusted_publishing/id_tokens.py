"""Verify ID tokens of CI jobs: who signed them, for whom, and when."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import jwt
from django.conf import settings
from django.utils import timezone
from jwt import PyJWK
from jwt.exceptions import (
    ExpiredSignatureError,
    ImmatureSignatureError,
    InvalidAlgorithmError,
    InvalidAudienceError,
    InvalidTokenError,
    PyJWTError,
)
from jwt.types import Options

from leaderboard.services.errors import CiJobRefused, IssuerUnreachable
from leaderboard.services.trusted_publishing.issuer_keys import (
    RETRY_AFTER,
    IssuerAway,
    KeyUnknown,
    signing_key,
)
from leaderboard.services.trusted_publishing.issuers import Issuer, known_issuers
from wardboard.scoring.reading.problems import Problem, pointer, quote

LONGEST = 8192  # characters of a token; those of GitHub and GitLab have about 2,000
_LEEWAY = 30  # seconds by which the clock of an issuer may differ
_ALGORITHMS = ("RS256", "ES256")
_LONGEST_KEY_ID = 200
# The checks besides the signature. Each runs alone, since PyJWT stops at the first problem.
_CHECKS: Mapping[str, Options] = {
    "exp": {"verify_exp": True},
    "iat": {"verify_iat": True},
    "nbf": {"verify_nbf": True},
    "aud": {"verify_aud": True, "strict_aud": True},
    "jti": {"verify_jti": True},
}
_NEEDED = ("exp", "iat", "aud", "jti")
_UNCHECKED = Options(
    verify_exp=False,
    verify_iat=False,
    verify_nbf=False,
    verify_aud=False,
    verify_iss=False,
    verify_sub=False,
    verify_jti=False,
    enforce_minimum_key_length=True,
)
# A job may have the digest of a file signed, as a part of the audience that it asks for.
_DIGEST = re.compile(r"#sha256:([0-9a-f]{64})", re.ASCII)
_AGAIN = "Ask the CI system for a new ID token right before it is exchanged."


@dataclass(frozen=True, slots=True, kw_only=True)
class IdToken:
    """A verified ID token.

    claims: as the issuer signed them
    ends_at: when it can no longer be exchanged
    artifact_sha256: the digest in its audience; "" for none
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


def verify(text: str) -> IdToken:
    """Return a token whose signature, issuer, audience and times are right.

    Raises CiJobRefused with every problem, and IssuerUnreachable. The job's publisher is checked elsewhere.
    """
    issuer, key_id = _read_unverified(text)
    key = _key(issuer, key_id)
    try:
        claims = _decode(text, key)
    except InvalidAlgorithmError as error:
        raise refused(
            "algorithm", "alg", "The token names another algorithm than that of its key."
        ) from error
    except PyJWTError as error:
        message = f"The token is not signed by the key “{quote(key_id)}” of {issuer.url}."
        raise refused("signature", "", message) from error
    problems = [
        problem("claim-missing", name, f"The token has no `{name}`.", _AGAIN)
        for name in _NEEDED
        if not claims.get(name)
    ]
    if problems := problems or _problems_of(text, key, claims, issuer):
        raise CiJobRefused(problems)
    digest = _DIGEST.search(claims["aud"])
    ends = min(int(claims["exp"]), int(claims["iat"]) + int(issuer.oldest.total_seconds())) + _LEEWAY
    return IdToken(
        issuer=issuer,
        claims=claims,
        ends_at=datetime.fromtimestamp(ends, UTC),
        artifact_sha256=digest[1] if digest else "",
    )


def _read_unverified(text: str) -> tuple[Issuer, str]:
    """Return the issuer and the id of the key that the token names, unverified. Raises CiJobRefused."""
    if len(text) > LONGEST:
        message = f"The token has {len(text):,} characters; the limit is {LONGEST:,}."
        raise refused("too-long", "", message)
    try:
        header = jwt.get_unverified_header(text)
        claims = jwt.decode(text, options={**_UNCHECKED, "verify_signature": False})
    except (InvalidTokenError, ValueError) as error:
        raise refused(
            "malformed",
            "",
            "This is not an ID token, which has three parts in base64url with points between them.",
            "Send the token as the CI system gave it, without quotes, spaces or a word before it.",
        ) from error
    algorithm, key_id, url = header.get("alg"), header.get("kid"), claims.get("iss")
    if algorithm not in _ALGORITHMS:
        message = f"The token is signed with “{quote(algorithm)}”; {' and '.join(_ALGORITHMS)} are accepted."
        raise refused("algorithm", "alg", message, "Send the ID token that the CI system made for the job.")
    issuer = known_issuers().get(url) if isinstance(url, str) else None
    if issuer is None:
        raise refused(
            "issuer",
            "iss",
            f"The issuer “{quote(url)}” is not accepted here.",
            "GET /api/v1/trusted-publishing/ lists those that are; the operator may add some.",
        )
    if not isinstance(key_id, str) or not 0 < len(key_id) <= _LONGEST_KEY_ID:
        raise refused("key-unknown", "kid", "The token does not name the key that signed it.")
    return issuer, key_id


def _key(issuer: Issuer, key_id: str) -> PyJWK:
    try:
        return signing_key(issuer.url, key_id)
    except IssuerAway as error:
        raise IssuerUnreachable(
            f"{issuer.url} does not answer with its keys, so the token cannot be verified.", RETRY_AFTER
        ) from error
    except KeyUnknown as error:
        raise refused(
            "key-unknown",
            "kid",
            f"{issuer.url} has no key “{quote(key_id)}”.",
            f"{_AGAIN} If the issuer has just changed its keys, try again in half a minute.",
        ) from error


def _decode(
    text: str, key: PyJWK, checks: Options | None = None, wanted: str | None = None
) -> dict[str, Any]:
    """Return the claims of a token that is rightly signed. Raises PyJWTError, also for failed checks."""
    options = Options(**{**_UNCHECKED, **(checks or {})})
    return jwt.decode(text, key, algorithms=_ALGORITHMS, options=options, audience=wanted, leeway=_LEEWAY)


def _problems_of(text: str, key: PyJWK, claims: Mapping[str, Any], issuer: Issuer) -> list[Problem]:
    """Return the problems with times, audience and id of a token whose signature is right."""
    stated, wanted = claims["aud"], audience()
    is_with_digest = (
        isinstance(stated, str)
        and stated.startswith(wanted)
        and _DIGEST.fullmatch(stated.removeprefix(wanted))
    )
    problems: list[Problem] = []
    for claim, checks in _CHECKS.items():
        try:
            _decode(text, key, checks, stated if is_with_digest else wanted)
        except InvalidTokenError as error:
            problems.append(_problem_of(error, claim, claims[claim]))
    now = timezone.now().timestamp()
    if not problems and now - int(claims["iat"]) > issuer.oldest.total_seconds() + _LEEWAY:
        hours = issuer.oldest.total_seconds() / 3600
        message = f"The token was issued at {_time(claims['iat'])}; {hours:g} hours is the oldest accepted."
        problems.append(problem("too-old", "iat", message, _AGAIN))
    return problems


def _problem_of(error: InvalidTokenError, claim: str, value: Any) -> Problem:
    now = f"here it is {_time(timezone.now().timestamp())}"
    match error:
        case ExpiredSignatureError():
            return problem("expired", claim, f"The token expired at {_time(value)}; {now}.", _AGAIN)
        case ImmatureSignatureError():
            message = f"The token is not valid before {_time(value)}; {now}."
            return problem("not-yet-valid", claim, message, "Check the clock of the CI system.")
        case InvalidAudienceError():
            message = f"The token is for “{quote(value)}”, not for “{audience()}”."
            return problem("audience", claim, message, f"Ask for a token with the audience {audience()}.")
    message = f"The `{claim}` of the token is “{quote(value)}”, which is of a wrong type."
    return problem("claim-invalid", claim, message, _AGAIN)


def refused(code: str, claim: str, message: str, hint: str = _AGAIN) -> CiJobRefused:
    """Return the refusal of an ID token for one problem. claim: as `problem` takes it."""
    return CiJobRefused([problem(code, claim, message, hint)])


def _time(seconds: float) -> str:
    try:
        return f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, OSError, ValueError):
        # In no year that a calendar has.
        return f"“{quote(seconds)}”"
