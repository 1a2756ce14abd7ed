"""Requests to one service: repeated where that is safe, and answers that are the service's own."""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from random import random
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import InvalidHeader
from urllib3.util.retry import Retry

from wardboard.client.documents import ProblemAnswer, fault_of, parse
from wardboard.client.upload import UploadForm
from wardboard.errors import ForeignAnswer, NotReached, RequestRefused, WrongUse
from wardboard.scoring.reading.formats.values import first_text
from wardboard.scoring.reading.problems import counted
from wardboard.version import __version__

PROBLEM = "application/problem+json"
JSON = "application/json"
# A service that is out of order answers with these, and so does a proxy in front of a service that is away.
_OUT_OF_ORDER = frozenset({408, 425, 429, *range(500, 600)})
_LONGEST_ANSWER = 64 * 2**20  # bytes
_LONGEST_RETRY_AFTER = 120  # seconds; a service that asks for a longer wait refuses
_SHORTEST, _MOMENT = 10.0, 0.1  # seconds
# Why an answer is none of the service, by its status.
_CAUSES = {
    0: "perhaps a sign-in page or a proxy in front of it, or --url names a page of the service",
    103: "a proxy in front of it sends early hints, which this command cannot read: switch them off there",
    413: "a proxy in front of it takes no file of this size: compress the file, or have its limit raised",
}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

Ask = Callable[..., requests.Response]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How to reach a service.

    - url: its address, such as https://wardboard.example.org
    - attempts: of each request, 1 or more
    - seconds: to connect, and between two received or sent pieces; the answers to all attempts of a request
      together have ten times as long
    - deadline: when to give up, by the monotonic clock (`deadline_in`); None for never
    - allow_http: send the token without TLS to another machine than this one
    - gets_token: whether an answer will have a token, which then must not come without TLS either
    - identity: called for a token where there is none, and for another one once it has expired
    """

    url: str
    token: str = ""
    attempts: int = 5
    seconds: float = 60.0
    deadline: float | None = None
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
        # A shorter text is no token of Wardboard, and hiding it would change words of every answer.
        self._secrets = {text for text in (options.token, *secrets) if len(text) >= 8}
        self._session = requests.Session()
        self._session.headers.update(
            {"Accept": f"{JSON}, {PROBLEM}", "User-Agent": f"wardboard/{__version__}"}
        )
        # Set this even without a token: otherwise requests takes a password for the host from ~/.netrc.
        self._session.auth = self._authorize

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request

    def _hide(self, text: str) -> str:
        """Return a text of an answer without tokens, which a server or a proxy may send back."""
        for secret in self._secrets:
            text = text.replace(secret, "wb_[hidden]")
        return text

    def _identify(self) -> None:
        """Get a token for the identity of the job. Raises WardboardError."""
        assert self._options.identity is not None
        self._token = self._options.identity()
        self._secrets.add(self._token)

    def get(self, path: str, **query: str) -> ServiceAnswer:
        """Return the document at `path`. Raises WardboardError."""
        return self._send(partial(self._session.get, self.origin + path, params=query), None)

    def post(self, path: str, form: UploadForm, headers: Mapping[str, str] | None = None) -> ServiceAnswer:
        """Send a form, and return the document of the answer. Raises WardboardError."""
        headers = {**(headers or {}), "Content-Type": form.content_type}
        return self._send(partial(self._session.post, self.origin + path, headers=headers), form)

    def _send(self, ask: Ask, form: UploadForm | None) -> ServiceAnswer:
        """Send a request, with a new token where that of the job has expired."""
        if self._options.identity and not self._token:
            self._identify()
        try:
            return self._repeat(ask, form)
        except RequestRefused as refused:
            if not self._options.identity or refused.document["code"] != "token-expired":
                raise
        self._identify()
        return self._repeat(ask, form)

    def _repeat(self, ask: Ask, form: UploadForm | None) -> ServiceAnswer:
        """Send a request, again after faults that may be temporary, and return the service's document.

        Every request is safe to repeat: it reads, changes nothing the second time, or has an Idempotency-Key.
        """
        # A whole answer, head and body, may take as long as ten silences.
        longest, awaited = self._options.seconds * 10, 0.0
        for attempt in range(1, self._options.attempts + 1):
            # A slow answer takes the time of the attempts after it, so that they do not add up.
            allowed = max(_MOMENT, min(longest - awaited, self.left))
            body = TimedBody(form, self._options.deadline)
            response, content, error = None, b"", None
            try:
                response, content = in_time(partial(self._ask, ask, body), body, allowed)
            except requests.RequestException as fault:
                error = fault
            awaited += body.awaited
            if response is not None and not self._is_temporary(response, content):
                return self._accept(response, content)
            # The jitter keeps jobs apart that failed together.
            pause = random() / 2 + min(2.0 ** (attempt - 2), 30)  # noqa: S311
            if response is not None and (named := _seconds(response)) is not None:
                pause = min(named, _LONGEST_RETRY_AFTER)
            if attempt == self._options.attempts or awaited >= longest or self.left <= pause:
                raise self._given_up(response, content, error, attempt) from error
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    @property
    def left(self) -> float:
        """The seconds until the deadline."""
        deadline = self._options.deadline
        return math.inf if deadline is None else deadline - time.monotonic()

    def _ask(self, ask: Ask, body: "TimedBody") -> tuple[requests.Response, bytes]:
        """Send a request once; return the answer with its whole body. Raises RequestException."""
        data = None if body.content is None else body
        timeout = max(_MOMENT, min(self._options.seconds, self.left))
        try:
            # Following a redirect would turn POST into GET, or give the token to another host.
            response = ask(data=data, timeout=timeout, allow_redirects=False, stream=True)
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidProxyURL, ValueError) as error:
            raise WrongUse(f"{self.origin} cannot be asked: {error}") from None
        except OSError as error:
            if isinstance(error, requests.RequestException):
                raise
            for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
                if (bundle := os.environ.get(name)) and not os.access(bundle, os.R_OK):
                    raise WrongUse(
                        f"{name} names {bundle}, which cannot be read: correct or unset it"
                    ) from None
            raise WrongUse(f"cannot be read: {error}") from None
        content = bytearray()
        with response:
            for piece in response.iter_content(2**16):
                content += piece
                if len(content) > _LONGEST_ANSWER:
                    raise ForeignAnswer(f"the answer has more than {_LONGEST_ANSWER:,} bytes")
        return response, bytes(content)

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
            cause = _CAUSES.get(status, _CAUSES[0])
            if document is None and kind == JSON:
                cause = "its JSON is cut off or damaged. The same command asks again; nothing counts twice"
            elif document and (stated := first_text(*map(document.get, ("message", "detail", "error")))):
                cause = f"it says “{stated}”"
            raise ForeignAnswer(
                f"{self.origin} answered HTTP {status} with {kind}, which is not a document of Wardboard: "
                f"{cause}"
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
        self, response: requests.Response | None, content: bytes, error: Exception | None, attempt: int
    ) -> Exception:
        tries = f"after {counted(attempt, 'attempt')}"
        if response is not None and (named := response.headers.get("Retry-After")):
            tries += f", and asks to wait (Retry-After: {self._hide(named)})"
        if response is None:
            return NotReached(f"{self.origin} {self._hide(self._fault(error))}, {tries}")
        document = self._document(response, content, PROBLEM)
        if document and response.status_code == requests.codes.too_many_requests:
            return RequestRefused(document)
        detail = f": {document['detail']}" if document and document.get("detail") else ""
        return NotReached(f"{self.origin} answered HTTP {response.status_code}, {tries}{detail}")

    def _fault(self, error: Exception | None) -> str:
        if isinstance(error, requests.exceptions.SSLError) and "CERTIFICATE" not in str(error).upper():
            return f"speaks no TLS here ({_innermost(error)}): the address may be http://, or of another port"
        if isinstance(error, requests.exceptions.SSLError):
            return f"has no certificate that is trusted here ({_innermost(error)}); see REQUESTS_CA_BUNDLE"
        if isinstance(error, requests.exceptions.ProxyError):
            return f"was not reached through the proxy ({_innermost(error)})"
        if isinstance(error, _TooSlow):
            return str(error)
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


class TimedBody:
    """A body of a request, which notes when its last piece was taken: from then on, an answer is awaited.

    content: with a length; None for a request without a body
    ends_at: when to stop sending, by the monotonic clock; None for never
    """

    def __init__(self, content: UploadForm | None, ends_at: float | None) -> None:
        self.content, self.ends_at, self._sent_at = content, ends_at, time.monotonic()

    @property
    def awaited(self) -> float:
        """For how many seconds an answer has been awaited."""
        return time.monotonic() - self._sent_at

    def __len__(self) -> int:
        return len(self.content)  # type: ignore[arg-type]  # it is sent only where there is one

    def __iter__(self) -> Iterator[bytes]:
        for piece in self.content or ():
            if self.ends_at is not None and time.monotonic() > self.ends_at:
                raise requests.Timeout("the time to send it is over")
            yield piece
            self._sent_at = time.monotonic()


def in_time(
    work: Callable[[], tuple[requests.Response, bytes]], body: TimedBody, seconds: float
) -> tuple[requests.Response, bytes]:
    """Return what `work` returns. Raises _TooSlow where it takes so many seconds once the body is sent.

    It runs in a thread, which is left behind then: no server that sends each piece in time, and never ends,
    holds the caller.
    """
    future: Future[tuple[requests.Response, bytes]] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    while (left := seconds - body.awaited) > 0:
        wait([future], left)
        if future.done():
            return future.result()
    body.ends_at = 0
    raise _TooSlow(f"sent no whole answer within {round(seconds, 1):g} s")


def _seconds(response: requests.Response) -> float | None:
    """Return what `Retry-After` says, a number or a date, in seconds; None where it says nothing."""
    try:
        return Retry().parse_retry_after(response.headers["Retry-After"])
    except (KeyError, InvalidHeader, ValueError, OverflowError):
        return None
