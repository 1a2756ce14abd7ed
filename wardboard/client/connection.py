"""Requests to one service: repeated where that is safe, and answers that are the service's own."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import InvalidHeader, MaxRetryError
from urllib3.util.retry import Retry

from wardboard.client.bounds import SILENCES, BoundedAdapter, TimedBody, answer_within, bounded
from wardboard.client.documents import ProblemAnswer, fault_of, parse
from wardboard.client.upload import UploadForm
from wardboard.errors import ForeignAnswer, NotReached, RequestRefused, WrongUse
from wardboard.version import __version__

PROBLEM = "application/problem+json"
JSON = "application/json"
# A service that is out of order answers with these, and so does a proxy in front of a service that is away.
_OUT_OF_ORDER = frozenset({408, 425, 429, *range(500, 600)})
_LONGEST_ANSWER = 64 * 2**20  # bytes
_LONGEST_BACKOFF = 30  # seconds
_LONGEST_RETRY_AFTER = 120  # seconds; a service that asks for a longer wait refuses
_SHORTEST, _MOMENT = 10.0, 0.1  # seconds
# A shorter text is no token of Wardboard, and hiding it would change words of every answer.
_SHORTEST_TOKEN = 8  # characters
_HIDDEN = "wb_[hidden]"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Body = Callable[[], Iterable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How to reach a service.

    - url: its address, such as https://wardboard.example.org
    - token: an API token; "" for none
    - attempts: of each request, 1 or more
    - seconds: to connect, and between two received or sent pieces; the answers to all attempts of a request
      together have ten times as long
    - deadline: when to give up, by the monotonic clock (`deadline_in`); None for never
    - ca_bundle: a file of certificates to trust in place of the usual ones; "" for those
    - allow_http: send the token without TLS to another machine than this one
    - gets_token: whether an answer will have a token, which then must not come without TLS either
    - identity: called for a token where there is none, and for another one once it has expired
    """

    url: str
    token: str = ""
    attempts: int = 5
    seconds: float = 60.0
    deadline: float | None = None
    ca_bundle: str = ""
    allow_http: bool = False
    gets_token: bool = False
    identity: Callable[[], str] | None = None


def deadline_in(seconds: float) -> float:
    """Return the deadline for all that is to take `seconds`; one request always has a moment."""
    return time.monotonic() + max(seconds, _SHORTEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAnswer:
    """A document of the service. retry_after: seconds that it asks to wait, None where it does not."""

    status: int
    document: Mapping[str, Any]
    retry_after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A request, which may be sent several times. body: called for each attempt; None for none."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Body | None


class ServiceConnection:
    """A connection to one service, with its token. Raises WrongUse for an address that cannot be used.

    secrets: besides the token, what no text of an answer may show

    The environment names proxies (HTTPS_PROXY, NO_PROXY) and certificates (REQUESTS_CA_BUNDLE).
    """

    def __init__(self, options: ServiceOptions, *, secrets: Sequence[str] = ()) -> None:
        parts = urlsplit(options.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise WrongUse(f"the address of the service must look like https://host, not {options.url!r}")
        if parts.username or parts.password:
            raise WrongUse("the address of the service must not contain a password")
        if (
            parts.scheme == "http"
            and (options.token or options.gets_token)
            and parts.hostname not in _LOOPBACK
            and not options.allow_http
        ):
            raise WrongUse(
                f"{options.url} would send the token without encryption: use https://{parts.netloc}, or "
                "--allow-http within a network that you trust"
            )
        if not (options.token.isascii() and options.token.isprintable()) or " " in options.token:
            # The library that sends the header would print the token in its error.
            raise WrongUse(
                "the token holds a space, a line break or a character that is not ASCII: copy it again, alone"
            )
        self.origin = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
        self._options, self._token = options, options.token
        self._secrets = {text for text in (options.token, *secrets) if len(text) >= _SHORTEST_TOKEN}
        self._session = requests.Session()
        self._session.headers.update(
            {"Accept": f"{JSON}, {PROBLEM}", "User-Agent": f"wardboard/{__version__}"}
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, BoundedAdapter())
        # Set this even without a token: otherwise requests takes a password for the host from ~/.netrc.
        self._session.auth = self._authorize

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def _hide(self, text: str) -> str:
        """Return a text of an answer without tokens, which a server or a proxy may send back."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return text

    def _identify(self) -> None:
        """Get a token for the identity of the job. Raises WardboardError."""
        assert self._options.identity is not None
        self._token = self._options.identity()
        self._secrets.add(self._token)

    def get(self, path: str, **query: str) -> ServiceAnswer:
        """Return the document at `path`. Raises WardboardError."""
        return self.send("GET", path, query=query)

    def post(self, path: str, form: UploadForm, headers: Mapping[str, str] | None = None) -> ServiceAnswer:
        """Send a form, and return the document of the answer. Raises WardboardError."""
        headers = {**(headers or {}), "Content-Type": form.content_type}
        return self.send("POST", path, headers=headers, body=lambda: form)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Body | None = None,
    ) -> ServiceAnswer:
        """Send a request, repeat it after faults that may be temporary, and return the service's document.

        body: called for each attempt. Every request is safe to repeat: it reads, it changes nothing when it
        comes twice, or it has an Idempotency-Key.
        Raises RequestRefused, ForeignAnswer, NotReached.
        """
        request = _Request(method=method, path=path, query=query or {}, headers=headers or {}, body=body)
        if self._options.identity and not self._token:
            self._identify()
        try:
            return self._send(request)
        except RequestRefused as refused:
            if not self._options.identity or refused.document["code"] != "token-expired":
                raise
        self._identify()
        return self._send(request)

    def _send(self, request: _Request) -> ServiceAnswer:
        retry = Retry(
            total=self._options.attempts - 1,
            allowed_methods=None,
            backoff_factor=0.5,
            backoff_jitter=0.5,
            backoff_max=_LONGEST_BACKOFF,
        )
        longest, awaited = self._options.seconds * SILENCES, 0.0
        while True:
            # A slow answer takes the time of the attempts after it, so that they do not add up.
            allowed = max(_MOMENT, min(longest - awaited, self.left))
            sent = TimedBody(request.body() if request.body else None, self._options.deadline)
            content = b""
            with answer_within(allowed):
                response, error = self._try(request, sent)
                if response is not None:
                    try:
                        content = _read(response, max(_MOMENT, allowed - sent.awaited))
                    except requests.RequestException as cut:
                        response, error = None, cut
            awaited += sent.awaited
            if response is not None and not self._is_temporary(response, content):
                return self._accept(response, content)
            if awaited >= longest and response is None:
                error = _TooSlow()
            try:
                raw = response.raw if response is not None else None
                # Replace the error: urllib3 would raise some errors again at once.
                fault = error and requests.RequestException()
                retry = retry.increment(request.method, request.path, response=raw, error=fault)
            except MaxRetryError:
                raise self._given_up(response, content, error) from error
            named = _seconds(response) if response is not None else None
            pause = retry.get_backoff_time() if named is None else min(named, _LONGEST_RETRY_AFTER)
            if awaited >= longest or self.left <= pause:
                raise self._given_up(response, content, error) from error
            time.sleep(pause)

    @property
    def left(self) -> float:
        """The seconds until the deadline."""
        deadline = self._options.deadline
        return math.inf if deadline is None else deadline - time.monotonic()

    def _try(
        self, request: _Request, sent: TimedBody
    ) -> tuple[requests.Response | None, requests.RequestException | None]:
        try:
            return self._session.request(
                request.method,
                self.origin + request.path,
                params=dict(request.query),
                headers=dict(request.headers),
                data=None if sent.content is None else sent,
                timeout=max(_MOMENT, min(self._options.seconds, self.left)),
                verify=self._options.ca_bundle or None,
                # Following a redirect would turn POST into GET, or give the token to another host.
                allow_redirects=False,
                stream=True,
            ), None
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidProxyURL, ValueError) as error:
            raise WrongUse(f"{self.origin} cannot be asked: {error}") from None
        except OSError as error:
            if not isinstance(error, requests.RequestException):
                raise WrongUse(f"cannot be read: {error}") from None
            return None, error

    def _is_temporary(self, response: requests.Response, content: bytes) -> bool:
        """Return whether to ask again: something is out of order, and this is no final refusal."""
        if response.status_code not in _OUT_OF_ORDER:
            return False
        document = self._document(response, content, PROBLEM)
        if document is None:
            return True
        retry_after = _seconds(response)
        return document["code"] != "scoring-failed" and (
            response.status_code != requests.codes.too_many_requests
            or (
                document["code"] != "quota-spent"
                and retry_after is not None
                and retry_after <= _LONGEST_RETRY_AFTER
            )
        )

    def _accept(self, response: requests.Response, content: bytes) -> ServiceAnswer:
        """Return the answer where it is a document of the service. Raises RequestRefused, ForeignAnswer."""
        status = response.status_code
        if 300 <= status < 400:
            target = self._hide(response.headers.get("Location", "nowhere"))
            raise ForeignAnswer(
                f"{self.origin} redirects to {target}; nothing was sent there. Give the address of the "
                "service itself: the one at which its pages open, with https://"
            )
        if status >= 400 and (problem := self._document(response, content, PROBLEM)):
            raise RequestRefused(problem)
        document = self._document(response, content, JSON)
        if document is None or status >= 400:
            kind = self._hide(response.headers.get("Content-Type", "no type").partition(";")[0])
            raise ForeignAnswer(
                f"{self.origin} answered HTTP {status} with {kind}, which is not a document of Wardboard: "
                "perhaps a sign-in page or a proxy in front of it, or --url names a page of the service"
            )
        return ServiceAnswer(status=status, document=document, retry_after=_seconds(response))

    def _document(
        self, response: requests.Response, content: bytes, media_type: str
    ) -> Mapping[str, Any] | None:
        """Return the JSON object of an answer of that type; None for anything else."""
        if response.headers.get("Content-Type", "").partition(";")[0].strip().lower() != media_type:
            return None
        document = parse(content, self._hide)
        if document is None or (media_type == PROBLEM and fault_of(document, ProblemAnswer)):
            return None
        return document

    def _given_up(
        self, response: requests.Response | None, content: bytes, error: Exception | None
    ) -> Exception:
        tries = f"at {self._options.attempts} attempts" if self._options.attempts > 1 else "at one attempt"
        if isinstance(error, _TooSlow):
            tries = "at all attempts together"
        elif self.left < _LONGEST_BACKOFF:
            tries += ", or until --timeout"
        if response is None:
            return NotReached(f"{self.origin} {self._hide(self._fault(error))}, {tries}")
        document = self._document(response, content, PROBLEM)
        if document and response.status_code == requests.codes.too_many_requests:
            return RequestRefused(document)
        detail = f": {document['detail']}" if document and document.get("detail") else ""
        return NotReached(f"{self.origin} answered HTTP {response.status_code}, {tries}{detail}")

    def _fault(self, error: Exception | None) -> str:
        if isinstance(error, requests.exceptions.SSLError):
            return f"has no certificate that is trusted here ({_innermost(error)}); see --ca-bundle"
        if isinstance(error, requests.exceptions.ProxyError):
            return f"was not reached through the proxy ({_innermost(error)})"
        if isinstance(error, _TooSlow):
            return f"sent no whole answer within {self._options.seconds * SILENCES:g} s"
        if isinstance(error, requests.Timeout) or "timed out" in str(error):
            return f"gave no answer within {self._options.seconds:g} s"
        return f"refused or cut the connection ({_innermost(error)})"


def _innermost(error: BaseException | None) -> str:
    """Return the text of the error at the bottom: the outer ones repeat the whole request."""
    while error is not None and (deeper := error.__cause__ or error.__context__):
        error = deeper
    return str(error) or type(error).__name__


class _TooSlow(requests.Timeout):
    """Each piece of an answer came in time, the whole did not."""


def _read(response: requests.Response, seconds: float) -> bytes:
    """Return the whole body, which has `seconds` to come.

    Raises RequestException where it is cut or too slow, ForeignAnswer where it is endless.
    """
    pieces, length = [], 0
    try:
        with response, bounded(seconds, response.raw.shutdown):
            for piece in response.iter_content(2**16):
                length += len(piece)
                if length > _LONGEST_ANSWER:
                    raise ForeignAnswer(f"the answer has more than {_LONGEST_ANSWER:,} bytes")
                pieces.append(piece)
    except TimeoutError as error:
        raise _TooSlow(str(error)) from None
    return b"".join(pieces)


def _seconds(response: requests.Response) -> float | None:
    """Return what `Retry-After` says, a number or a date, in seconds; None where it says nothing."""
    try:
        return Retry().parse_retry_after(response.headers["Retry-After"])
    except (KeyError, InvalidHeader, ValueError, OverflowError):
        return None
