"""The public keys of issuers: fetched within bounds, kept by each process, and used on through an outage."""

import json
import logging
import threading
from functools import cache
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import requests
from jwt import PyJWK, PyJWKClient, PyJWKSet
from jwt.exceptions import PyJWKClientError, PyJWKError, PyJWKSetError

from leaderboard.breaker import Breaker, Resting
from leaderboard.monitoring.withheld import describe

logger = logging.getLogger(__name__)

RETRY_AFTER = 30  # seconds
_CONNECT, SILENCE, _WHOLE = 3.0, 4.0, 8.0  # seconds
_LONGEST = 256 * 1024  # bytes of a document
# How long a key that the issuer has revoked is still accepted.
_FRESH = 600.0  # seconds
# The same while the issuer does not answer, so that its outage, or one of our network, stops no release.
_STALE = 6 * 3600.0
# A token with an unknown key has the keys fetched again, at most once in this time.
UNKNOWN_EVERY = 30.0
_PATIENCE = 2.0  # seconds that a request waits for another one that fetches the keys


class IssuerAway(Exception):
    """The issuer does not answer, or not with its keys, and those that were kept are too old."""


class KeyUnknown(Exception):
    """The issuer has no such key."""


class _Unusable(Exception):
    """An answer of an issuer is too long, too slow, or not what it should be."""


class _IssuerKeys(PyJWKClient):
    """The keys of one issuer, found through its discovery document.

    Source: OpenID Connect Discovery 1.0, sections 3 and 4.
    """

    def __init__(self, issuer: str) -> None:
        super().__init__(
            f"{issuer.rstrip('/')}/.well-known/openid-configuration",
            lifespan=_FRESH,
            cooldown_duration=UNKNOWN_EVERY,
        )
        self._issuer = issuer
        self._turn = threading.Lock()
        self._breaker = Breaker(rest=RETRY_AFTER, patience=_PATIENCE)
        self._kept: tuple[float, PyJWKSet] | None = None

    def key(self, key_id: str) -> PyJWK:
        """Return a key of the issuer. Raises IssuerAway, KeyUnknown."""
        # Without the lock: requests with unknown keys must not make those with known keys wait.
        if (kept := self._fresh(key_id)) is not None:
            return kept
        # The client's own lock waits for as long as a download takes.
        if not self._turn.acquire(timeout=_PATIENCE):
            raise IssuerAway
        try:
            return self.get_signing_key(key_id)
        except PyJWKClientError as error:
            raise KeyUnknown from error
        finally:
            self._turn.release()

    def _fresh(self, key_id: str) -> PyJWK | None:
        """Return a key for signatures that was fetched lately; None where there is none."""
        if self._kept is None or monotonic() - self._kept[0] > _FRESH:
            return None
        keys = (key for key in self._kept[1].keys if key.public_key_use in ("sig", None))
        return next((key for key in keys if key.key_id == key_id), None)

    def fetch_data(self) -> PyJWKSet:
        """Return the issuer's keys, or where it cannot be asked those that it had. Raises IssuerAway."""
        try:
            with self._breaker.attempt():
                keys = self._download()
        except (Resting, _Unusable, OSError) as error:
            if self._kept is None or monotonic() - self._kept[0] > _STALE:
                raise IssuerAway from error
            if not isinstance(error, Resting):
                logger.warning("the keys of %s are old: %s", self._issuer, describe(error))
            return self._kept[1]
        self._kept = (monotonic(), keys)
        self._last_successful_fetch = monotonic()
        return keys

    def _download(self) -> PyJWKSet:
        configuration = _get_json(self.uri)
        if configuration.get("issuer") != self._issuer:
            raise _Unusable("its discovery document is of another issuer")
        address = configuration.get("jwks_uri")
        if not isinstance(address, str) or urlsplit(address).scheme not in _schemes(self._issuer):
            raise _Unusable("its discovery document names no address of keys")
        try:
            return PyJWKSet.from_dict(_get_json(address))
        except (PyJWKSetError, PyJWKError) as error:
            raise _Unusable("it has no keys that can be used") from error


def signing_key(issuer: str, key_id: str) -> PyJWK:
    """Return the public key of an accepted issuer that has this id. Raises IssuerAway, KeyUnknown."""
    return _keys_of(issuer).key(key_id)


def forget_keys() -> None:
    """Forget the keys of all issuers in this process."""
    _keys_of.cache_clear()


@cache
def _keys_of(issuer: str) -> _IssuerKeys:
    return _IssuerKeys(issuer)


def _schemes(issuer: str) -> tuple[str, ...]:
    # Only an issuer on this machine, for tests, has no TLS.
    return ("https", urlsplit(issuer).scheme)


def _get_json(url: str) -> dict[str, Any]:
    """Return the JSON object at `url`. Raises _Unusable, and OSError where nothing answers."""
    # Without a session, and so without cookies. An issuer that redirects is not the one that was configured.
    with requests.get(
        url,
        timeout=(_CONNECT, SILENCE),
        allow_redirects=False,
        stream=True,
        headers={"Accept": "application/json"},
    ) as response:
        if response.status_code != requests.codes.ok:
            raise _Unusable(f"it answered HTTP {response.status_code}")
        content, ends = b"", monotonic() + _WHOLE
        for piece in response.iter_content(16 * 1024):
            content += piece
            if len(content) > _LONGEST or monotonic() > ends:
                raise _Unusable("its answer is too long or too slow")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _Unusable("its answer is not JSON") from error
    if not isinstance(document, dict):
        raise _Unusable("its answer is not a JSON object")
    return document
