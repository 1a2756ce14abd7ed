"""Stop asking a server that does not answer."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


class Resting(Exception):
    """The server did not answer a moment ago, so it was not asked."""


class Breaker:
    """Let one thread of a process at a time ask a server, and none for a while after a failure.

    rest: seconds after a failure in which the server is not asked.
    patience: seconds that a thread waits for the one that is asking. Longer than an answer usually takes.
    """

    def __init__(self, *, rest: float, patience: float) -> None:
        self._rest, self._patience = rest, patience
        self._turn = threading.Lock()
        self._rests_until = 0.0

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Do something that raises an error where the server does not answer. Raises Resting before that."""
        if monotonic() < self._rests_until or not self._turn.acquire(timeout=self._patience):
            raise Resting
        try:
            # It may have failed while this thread waited for its turn.
            if monotonic() < self._rests_until:
                raise Resting
            try:
                yield
            except BaseException:
                self._rests_until = monotonic() + self._rest
                raise
        finally:
            self._turn.release()
