"""The public keys of issuers: fetched within bounds, kept by each process, and used on through an outage."""

import json
import logging
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import cache
from threading import Thread
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import requests
from jwt import PyJWK, PyJWKClient, PyJWKSet
from jwt.exceptions import PyJWKClientError, PyJWKError, PyJWKSetError
from urllib3.exceptions import HTTPError

from leaderboard.breaker import Breaker, Resting
from leaderboard.monitoring.withheld import describe
from leaderboard.services.errors import IssuerUnreachable

logger = logging.getLogger(__name__)

_RETRY_AFTER = 30  # seconds
# Seconds: to connect, between two pieces, and for both documents of an issuer together.
_CONNECT, SILENCE, _WHOLE = 3.0, 4.0, 8.0
_LONGEST = 256 * 1024  # bytes of a document
_PIECE = 16 * 1024  # bytes
# How long a key that the issuer has revoked is still accepted.
_FRESH = 600.0  # seconds
# The same while the issuer does not answer, so that its outage, or one of our network, stops no release.
_STALE = 6 * 3600.0
# A token with an unknown key has the keys fetched again, at most once in this time.
UNKNOWN_EVERY = 30.0
_PATIENCE = 2.0  # seconds that a request waits for another one that fetches the keys


class _IssuerKeys(PyJWKClient):
    """The keys of one issuer, by its discovery document (OpenID Connect Discovery 1.0, sections 3 and 4)."""

    def __init__(self, issuer: str) -> None:
        super().__init__(
            f"{issuer.rstrip('/')}/.well-known/openid-configuration",
            lifespan=_FRESH,
            cooldown_duration=UNKNOWN_EVERY,
        )
        self._issuer = issuer
        self._breaker = Breaker(rest=_RETRY_AFTER, patience=_PATIENCE)
        self._kept: tuple[float, PyJWKSet] | None = None

    def key(self, key_id: str) -> PyJWK | None:
        """Return a key of the issuer; None for one that it does not have. Raises IssuerUnreachable."""
        # Without a turn: requests with unknown keys must not make those with known keys wait.
        if kept := self._kept_key(key_id, _FRESH):
            return kept
        try:
            with self._breaker.attempt():
                return self._find(key_id)
        except (Resting, OSError, PyJWKSetError, PyJWKError) as error:
            if not isinstance(error, Resting):
                logger.warning("the keys of %s could not be fetched: %s", self._issuer, describe(error))
            if kept := self._kept_key(key_id, _STALE):
                return kept
            message = f"{self._issuer} does not answer with its keys, so the token cannot be verified."
            raise IssuerUnreachable(message, _RETRY_AFTER) from error

    def _kept_key(self, key_id: str, longest: float) -> PyJWK | None:
        """Return a key for signatures that was fetched at most `longest` seconds ago; None without one."""
        if self._kept is None or monotonic() - self._kept[0] > longest:
            return None
        keys = [key for key in self._kept[1].keys if key.public_key_use in ("sig", None)]
        return self.match_kid(keys, key_id)

    def _find(self, key_id: str) -> PyJWK | None:
        try:
            return self.get_signing_key(key_id)
        except PyJWKClientError:
            return None

    def fetch_data(self) -> PyJWKSet:
        """Return the issuer's keys. Raises OSError, PyJWKSetError, PyJWKError."""
        ends = monotonic() + _WHOLE
        configuration = _get_by(ends, self.uri)
        address = configuration.get("jwks_uri")
        # Only an issuer on this machine, for tests, has no TLS.
        schemes = ("https", urlsplit(self._issuer).scheme)
        if configuration.get("issuer") != self._issuer or not isinstance(address, str):
            raise requests.RequestException("its discovery document is of another issuer, or names no keys")
        if urlsplit(address).scheme not in schemes:
            raise requests.RequestException("the address of its keys has no TLS")
        keys = PyJWKSet.from_dict(_get_by(ends, address))
        self._kept = (monotonic(), keys)
        self._last_successful_fetch = monotonic()
        return keys


keys_of = cache(_IssuerKeys)


def _get_by(ends: float, url: str) -> dict[str, Any]:
    """Return the JSON object at `url`. Raises OSError where it has not arrived as it should by `ends`.

    In a thread, because a time limit of `requests` is per read: a server that sends a byte of its headers a
    second would keep the caller waiting. A thread that is given up ends with its connection.
    """
    answer = Future[dict[str, Any]]()

    def fetch() -> None:
        try:
            answer.set_result(_get_json(url, ends))
        except Exception as error:
            # Raised again where the answer is waited for.
            answer.set_exception(error)

    Thread(target=fetch, name="issuer-keys", daemon=True).start()
    try:
        return answer.result(timeout=max(0.0, ends - monotonic()))
    except FutureTimeout:
        raise requests.RequestException("its answer is too slow") from None


def _get_json(url: str, ends: float) -> dict[str, Any]:
    # Without a session, and so without cookies. An issuer that redirects is not the one that was configured.
    with requests.get(
        url,
        timeout=(_CONNECT, SILENCE),
        allow_redirects=False,
        stream=True,
        headers={"Accept": "application/json"},
    ) as response:
        if response.status_code != requests.codes.ok:
            raise requests.RequestException(f"it answered HTTP {response.status_code}")
        content = b""
        try:
            # `iter_content` would wait for a whole piece.
            while piece := response.raw.read1(_PIECE, decode_content=True):
                content += piece
                if len(content) > _LONGEST or monotonic() > ends:
                    raise requests.RequestException("its answer is too long or too slow")
            document = json.loads(content)
        except (HTTPError, ValueError, RecursionError) as error:
            raise requests.RequestException("its answer broke off, or is not JSON") from error
    if not isinstance(document, dict):
        raise requests.RequestException("its answer is not a JSON object")
    return document
