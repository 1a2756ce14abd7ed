"""A limit on the time of a whole answer, for servers that send each piece in time but never end."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from socket import SHUT_RD
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import HTTPResponse

# A whole answer, head and body, may take as long as ten silences.
SILENCES = 10
_answer_seconds: ContextVar[float | None] = ContextVar("answer_seconds", default=None)


@contextmanager
def answer_within(seconds: float) -> Iterator[None]:
    """Let the head of each answer inside the block have that long to come."""
    before = _answer_seconds.set(seconds)
    try:
        yield
    finally:
        _answer_seconds.reset(before)


class TimedBody:
    """A body of a request, which notes when its last piece was taken: from then on, an answer is awaited.

    content: with a length; None for a request without a body
    ends_at: when to stop sending, by the monotonic clock; None for never
    """

    def __init__(self, content: Any | None, ends_at: float | None) -> None:
        self.content, self._ends_at, self._sent_at = content, ends_at, time.monotonic()

    @property
    def awaited(self) -> float:
        """For how many seconds an answer has been awaited."""
        return time.monotonic() - self._sent_at

    def __len__(self) -> int:
        return len(self.content)  # type: ignore[arg-type]  # it is sent only where there is one

    def __iter__(self) -> Iterator[bytes]:
        assert self.content is not None
        for piece in self.content:
            if self._ends_at is not None and time.monotonic() > self._ends_at:
                raise TimeoutError("the time to send it is over")
            yield piece
            self._sent_at = time.monotonic()


@contextmanager
def bounded(seconds: float, shut: Callable[[], None]) -> Iterator[None]:
    """Call `shut` after `seconds`, to end all reading inside the block, and then raise TimeoutError."""
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        try:
            shut()
        except (OSError, RuntimeError):
            # The last byte came, or the connection ended, at this moment: nothing is left to shut.
            return

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, ValueError):
        if not is_over.is_set():
            raise
    finally:
        timer.cancel()
    # Raise it even if no error came: an answer without a length ends where its connection is shut.
    if is_over.is_set():
        raise TimeoutError(f"no whole answer within {seconds:g} s")


class _BoundedHead:
    """A connection on which the head of an answer has to come in time: urllib3 limits each piece alone."""

    timeout: float
    sock: Any

    def getresponse(self) -> HTTPResponse:
        seconds = _answer_seconds.get() or self.timeout * SILENCES
        with bounded(seconds, lambda: self.sock.shutdown(SHUT_RD)):
            response: HTTPResponse = super().getresponse()  # type: ignore[misc]  # of the other base
        return response


class _Connection(_BoundedHead, HTTPConnection):  # type: ignore[misc]
    pass


class _SecureConnection(_BoundedHead, HTTPSConnection):  # type: ignore[misc]
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection  # type: ignore[assignment]  # urllib3 declares its protocol


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection  # type: ignore[assignment]


class BoundedAdapter(HTTPAdapter):
    """An adapter whose connections bound the time for the head of an answer, also through a proxy."""

    def init_poolmanager(self, *arguments: Any, **named: Any) -> None:
        super().init_poolmanager(*arguments, **named)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def proxy_manager_for(self, proxy: str, **named: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **named)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
        return manager
