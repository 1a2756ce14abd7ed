"""The socket of a client, for which a thread never waits long: it reads ahead, writes behind, and is patient
only as long as the client keeps a least rate.
"""

import errno
import select
import socket
import threading
from time import monotonic
from typing import Any

from leaderboard import env

# Bytes a second that a client has to send or to read, and for how many seconds it may do neither.
LEAST_RATE = env.number("WEB_BYTES_PER_SECOND", 1024)
PATIENCE = env.number("WEB_PATIENCE_SECONDS", 30)
# Read before a thread gets a request: its headers, and the body if that is small.
READ_AHEAD = 64 * 1024
# Bytes of a response that wait for the client without a thread; the kernel takes some more.
WRITE_BEHIND = 512 * 1024
# Set when the process is about to stop, so that no thread waits on for something that takes long.
STOPPING = threading.Event()


class WaitingTime:
    """The seconds that a client may still let us wait; the bytes that it moves earn new ones."""

    def __init__(self) -> None:
        self.left = float(PATIENCE)

    def count(self, waited: float, moved: int) -> None:
        """Take off the seconds that we waited, and add those that `moved` bytes are worth."""
        self.left = min(float(PATIENCE), self.left - waited + moved / LEAST_RATE)


class ClientSocket(socket.socket):
    """A connection of gunicorn's.

    received: bytes that were read ahead, and that `recv` returns first.
    unsent: bytes of responses that the client has not taken yet.
    waiting_time: for the time that threads and the poller wait for the client.
    slow_readers: limits how many threads wait at a time for clients that read slowly.
    """

    def __init__(self, accepted: socket.socket, slow_readers: threading.Semaphore) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self.received = bytearray()
        self.unsent = bytearray()
        self.waiting_time = WaitingTime()
        self._slow_readers = slow_readers

    def read_ahead(self) -> int:
        """Read what has arrived, without waiting; return how many bytes. Raises OSError."""
        self.setblocking(False)
        data = super().recv(READ_AHEAD)
        self.received += data
        return len(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return bytes read ahead, or wait for new ones. Raises TimeoutError."""
        if self.received:
            data = bytes(self.received[:size])
            del self.received[:size]
            return data
        given = self.gettimeout()
        left = max(0.001, self.waiting_time.left)
        self.settimeout(left if given is None else min(given, left))
        began = monotonic()
        moved = 0
        try:
            data = super().recv(size, flags)
            moved = len(data)
            return data
        finally:
            self.waiting_time.count(monotonic() - began, moved)
            self.settimeout(given)

    def flush(self) -> bool:
        """Send what the kernel takes, without waiting; return whether nothing is left. Raises OSError."""
        self.setblocking(False)
        while self.unsent:
            try:
                # A copy of the front: a view would keep the bytearray from shrinking.
                sent = super().send(bytes(self.unsent[:READ_AHEAD]))
            except BlockingIOError:
                return False
            self.waiting_time.count(0, sent)
            del self.unsent[:sent]
        return True

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Take `data`, and wait only for what is beyond WRITE_BEHIND. Raises BrokenPipeError."""
        given = self.gettimeout()
        self.unsent += data
        try:
            if not self.flush() and len(self.unsent) > WRITE_BEHIND:
                self._wait_for_reader()
        finally:
            self.settimeout(given)

    def send(self, data: Any, flags: int = 0) -> int:
        """Take all of `data`; return its length."""
        self.sendall(data, flags)
        return len(data)

    def _wait_for_reader(self) -> None:
        if not self._slow_readers.acquire(blocking=False):
            raise _too_slow()
        try:
            poll = select.poll()
            poll.register(self, select.POLLOUT)
            while len(self.unsent) > WRITE_BEHIND // 2:
                began = monotonic()
                if not poll.poll(1000 * max(0.0, self.waiting_time.left)):
                    raise _too_slow()
                self.waiting_time.count(monotonic() - began, 0)
                self.flush()
        finally:
            self._slow_readers.release()


def _too_slow() -> BrokenPipeError:
    # gunicorn logs no error for EPIPE, and none is needed: the service works as it should.
    return BrokenPipeError(errno.EPIPE, "the client reads too slowly")
