"""A turn that somebody has, such as to write to SQLite, until it ends."""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager


class Turn(AbstractContextManager["Turn"]):
    """A turn that lasts until `end` is called, or until the object is no longer referenced."""

    def __init__(self, end: Callable[[], None]) -> None:
        self._end = [end]
        self._process = os.getpid()

    def end(self) -> None:
        """Let the next one go on; further calls do nothing, nor does one in a process forked meanwhile."""
        # pop is atomic, so of two threads only one ends the turn.
        try:
            end = self._end.pop()
        except IndexError:
            return
        if self._process == os.getpid():
            end()

    __del__ = end

    def __exit__(self, *_: object) -> None:
        self.end()
