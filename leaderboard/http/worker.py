"""A gunicorn worker whose threads never wait for slow clients.

gunicorn's own threaded worker reads each request, and writes each response, in one of its few threads: forty
clients that send a byte a minute would stop it. Here the poller, which is one thread for all connections,
reads headers and small bodies, and writes what a client has not read yet. A request gets a thread when it is
complete. Larger bodies are streamed to the application as before, by threads of their own, few for each
address. The times and sizes are in client_socket.py; docs/operators.md explains them.
"""

import errno
import re
import socket
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from time import monotonic
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import TConn, ThreadWorker

from leaderboard import env
from leaderboard.http.client_socket import LEAST_RATE, READ_AHEAD, STOPPING, ClientSocket
from leaderboard.networks import network_of
from scoring.reading.limits import MIB

# Large bodies that a process receives at a time, in all and from one address.
UPLOADS = env.count("WEB_UPLOADS", 8)
UPLOADS_PER_ADDRESS = env.count("WEB_UPLOADS_PER_ADDRESS", 4)
CONNECTIONS_PER_ADDRESS = env.number("WEB_CONNECTIONS_PER_ADDRESS", 100)
BEHIND_PROXY = env.flag("BEHIND_PROXY")
# Seconds: for all headers of a request, for a large body to begin, and for a client to read the end of the
# last response.
HEADER_SECONDS = 10
UPLOAD_WAIT = 60
LINGER = 5
# Bytes that are read and thrown away after an answer that came before the end of the body: a client that is
# still sending when the connection closes sees a broken connection, not the answer.
DRAIN = MIB
# How long a stopping worker keeps idle connections, on which a request may be on its way.
_STOPPING = 2

_LENGTH = re.compile(rb"\ncontent-length:([^\r\n]*)", re.IGNORECASE)
_STREAMED = re.compile(rb"\n(?:transfer-encoding|expect|upgrade):", re.IGNORECASE)
# The health check, which must answer although every thread waits for a database, say.
_HEALTH_CHECK = re.compile(rb"(GET|HEAD) /healthz(?:\?[^ ]*)? HTTP/1\.[01]\r\n")
_HEALTHY = b'{"status": "ok"}'
_FORWARDED = re.compile(rb"\nx-forwarded-for:([^\r\n]*)", re.IGNORECASE)


class Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection.

    peer: the address at its other end, of IPv6 the /64 network; "" for a Unix socket.
    address: in the same way, of the client, who may be behind a proxy.
    watched_since, deadline: when the poller began to wait for the client, and when it gives up.
    is_streamed: whether the body of the present request is read by the application.
    is_kept: whether another request may follow.
    drained: bytes thrown away after the last response.
    """

    sock: ClientSocket

    def __init__(self, cfg: Any, sock: ClientSocket, client: Any, server: Any) -> None:
        super().__init__(cfg, sock, client, server)
        self.peer = self.address = _sender_of(client[0]) if isinstance(client, tuple) else ""
        # The poller hands a connection to a thread only with data.
        self.data_ready = True
        self.watched_since = self.deadline = 0.0
        self.is_streamed = self.is_kept = False
        self.drained = 0
        self._needed: int | None = None

    @property
    def has_headers(self) -> bool:
        """Whether all headers of the request have arrived."""
        return self._needed is not None

    def is_complete(self) -> bool:
        """Return whether a thread can go on with what has arrived."""
        received = self.sock.received
        if self._needed is None:
            end = received.find(b"\r\n\r\n") + 4
            if end < 4:
                return False
            head = bytes(received[:end])
            length = max((_as_number(text) for text in _LENGTH.findall(head)), default=0)
            # This decides who reads the body, and when; gunicorn's parser decides what the body is.
            self._needed = end + length
            self.is_streamed = bool(_STREAMED.search(head)) or self._needed > READ_AHEAD
            self.deadline = monotonic() + HEADER_SECONDS + min(self._needed, READ_AHEAD) / LEAST_RATE
            if BEHIND_PROXY and (forwarded := _FORWARDED.findall(head)):
                self.address = _sender_of(forwarded[-1].rsplit(b",", 1)[-1].strip().decode("latin-1"))
        return self.is_streamed or len(received) >= self._needed

    def expect_request(self) -> None:
        """Take back what the parser has read of the next request."""
        if self.parser is not None:
            self.sock.received[:0] = self.parser.unreader.take_buffered()
        self.is_streamed = False
        self._needed = None

    def has_unread_body(self) -> bool:
        """Return whether a part of the request's body would have to be waited for."""
        reader = self.parser.mesg.body.reader
        return self.is_streamed and bool(getattr(reader, "length", 0) or getattr(reader, "parser", None))


def _sender_of(address: str) -> str:
    """Return what connections and uploads are counted by; the text itself where a proxy names no address."""
    return network_of(address) or address


def _as_number(text: bytes) -> int:
    """Return a Content-Length; a length too large to read ahead if it is not a number."""
    text = text.strip()
    return int(text) if text.isdigit() and len(text) < 10 else READ_AHEAD


class WebWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's threaded worker with a poller that reads ahead and writes behind.

    watched: connections that the poller waits for, with what to call at the deadline.
    waiting_uploads: complete headers whose body waits for one of the threads for uploads.
    running_uploads, peers: how many uploads and connections there are, by address.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.watched: dict[Connection, Callable[[Connection], None]] = {}
        self.waiting_uploads = deque[Connection]()
        self.running_uploads = Counter[str]()
        self.peers = Counter[str]()
        self.upload_pool = ThreadPoolExecutor(UPLOADS, thread_name_prefix="upload")
        # The other half of the threads stays free.
        self.slow_readers = threading.BoundedSemaphore(max(1, self.cfg.threads // 2))
        self._stopped_at: float | None = None

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Refuse TLS, whose records the poller cannot read ahead: it is the proxy's task."""
        if cfg.is_ssl:
            raise RuntimeError("leaderboard.http.worker speaks no TLS: put a proxy in front")

    # What the poller does. Each of these runs in the main thread and must not wait.

    def accept(self, listener: socket.socket) -> None:
        """Accept a connection, unless its address has too many."""
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED):
                raise
            return
        conn = Connection(self.cfg, ClientSocket(accepted, self.slow_readers), client, listener.getsockname())
        self.nr_conns += 1
        self.peers[conn.peer] += 1
        # Behind a proxy, all connections are of one address.
        if conn.peer and not BEHIND_PROXY and 0 < CONNECTIONS_PER_ADDRESS < self.peers[conn.peer]:
            self._drop(conn)
        else:
            self._await_request(conn, HEADER_SECONDS)

    def _watch(
        self,
        conn: Connection,
        event: int,
        act: Callable[[Connection], None],
        *,
        seconds: float,
        late: Callable[[Connection], None],
    ) -> None:
        """Call `act` at each event, until the connection is unwatched; at the deadline call `late`."""
        conn.watched_since = monotonic()
        conn.deadline = conn.watched_since + seconds
        self.watched[conn] = late
        self.poller.register(conn.sock, event, partial(self._guard, act, conn))

    def _unwatch(self, conn: Connection) -> None:
        if self.watched.pop(conn, None) is not None:
            self.poller.unregister(conn.sock)

    def _guard(self, act: Callable[[Connection], None], conn: Connection, _: object = None) -> None:
        """Do something with a connection; an error ends it, and nothing else."""
        try:
            act(conn)
        except OSError as error:
            self.log.debug("A connection broke: %s", error)
            self._drop(conn)
        except Exception:
            self.log.exception("A connection is dropped")
            self._drop(conn)

    def _drop(self, conn: Connection) -> None:
        self._unwatch(conn)
        self.nr_conns -= 1
        self.peers[conn.peer] -= 1
        if not self.peers[conn.peer]:
            del self.peers[conn.peer]
        util.close(conn.sock)

    def _await_request(self, conn: Connection, seconds: float) -> None:
        if conn.is_complete():
            # It came with the request before.
            self._dispatch(conn)
        else:
            self._watch(conn, EVENT_READ, self._read_ahead, seconds=seconds, late=self._refuse_slow)

    def _read_ahead(self, conn: Connection) -> None:
        try:
            is_end = conn.sock.read_ahead() == 0
        except BlockingIOError:
            return
        if conn.is_complete() or (is_end and conn.sock.received):
            self._unwatch(conn)
            self._dispatch(conn)
        elif is_end:
            self._drop(conn)
        elif not conn.has_headers and len(conn.sock.received) > READ_AHEAD:
            self._refuse(conn, 431, "Request Header Fields Too Large")

    def _dispatch(self, conn: Connection) -> None:
        """Give a request to a thread, or let a large body wait for one."""
        conn.drained = 0
        if check := _HEALTH_CHECK.match(conn.sock.received):
            self._answer_health_check(conn, check[1])
        elif conn.is_streamed:
            conn.deadline = monotonic() + UPLOAD_WAIT
            self.waiting_uploads.append(conn)
            self._start_uploads()
        else:
            self._submit(self.tpool, conn)

    def _answer_health_check(self, conn: Connection, method: bytes) -> None:
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
            f"Connection: close\r\nContent-Length: {len(_HEALTHY)}\r\n\r\n"
        )
        conn.sock.sendall(head.encode() + (b"" if method == b"HEAD" else _HEALTHY))
        conn.is_kept = False
        self._send_rest(conn)

    def _submit(self, pool: ThreadPoolExecutor, conn: Connection) -> None:
        future = pool.submit(self.handle, conn)
        future.add_done_callback(lambda done: self.method_queue.defer(self.finish_request, conn, done))

    def _start_uploads(self) -> None:
        for conn in list(self.waiting_uploads):
            if self.running_uploads.total() >= UPLOADS:
                break
            if self.running_uploads[conn.address] < UPLOADS_PER_ADDRESS or not conn.address:
                self.waiting_uploads.remove(conn)
                self.running_uploads[conn.address] += 1
                self._submit(self.upload_pool, conn)

    def finish_request(self, conn: Connection, done: Future[bool]) -> None:
        """Take a connection back from a thread."""
        if conn.is_streamed:
            self.running_uploads[conn.address] -= 1
            self._start_uploads()
        conn.is_kept = done.exception() is None and bool(done.result())
        self._guard(self._send_rest, conn)

    def _send_more(self, conn: Connection) -> None:
        conn.sock.waiting_time.count(monotonic() - conn.watched_since, 0)
        self._send_rest(conn)

    def _send_rest(self, conn: Connection) -> None:
        self._unwatch(conn)
        if not conn.sock.flush():
            left = max(0.0, conn.sock.waiting_time.left)
            self._watch(conn, EVENT_WRITE, self._send_more, seconds=left, late=self._drop)
        elif conn.is_kept:
            conn.expect_request()
            self._await_request(conn, HEADER_SECONDS if conn.sock.received else self.cfg.keepalive)
        else:
            # The client may not have read the answer yet, and closing would take it away from a client that
            # is still sending.
            conn.sock.shutdown(socket.SHUT_WR)
            self._watch(conn, EVENT_READ, self._drain, seconds=LINGER, late=self._drop)

    def _drain(self, conn: Connection) -> None:
        try:
            count = conn.sock.read_ahead()
        except BlockingIOError:
            return
        conn.sock.received.clear()
        conn.drained += count
        if not count or conn.drained > DRAIN:
            self._drop(conn)

    def _refuse_slow(self, conn: Connection) -> None:
        if conn.sock.received:
            self._refuse(conn, 408, "Request Timeout")
        else:
            self._drop(conn)

    def _refuse(self, conn: Connection, status: int, reason: str) -> None:
        util.write_error(conn.sock, status, reason, "")
        conn.is_kept = False
        self._send_rest(conn)

    def murder_keepalived(self, force: bool = False) -> None:
        """Do what is late. gunicorn calls this every second."""
        now = monotonic()
        if not self.alive and self._stopped_at is None:
            self._stopped_at = now
            STOPPING.set()
        is_stopping = self._stopped_at is not None and now > self._stopped_at + _STOPPING
        for conn, late in list(self.watched.items()):
            is_idle = late == self._refuse_slow and not conn.sock.received
            if force or now > conn.deadline or (is_stopping and is_idle):
                self._guard(self._drop if force else late, conn)
        for conn in [conn for conn in self.waiting_uploads if now > conn.deadline]:
            self.waiting_uploads.remove(conn)
            self._guard(partial(self._refuse, status=503, reason="Too many uploads at a time"), conn)

    # What threads do.

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Answer a request; an answer that comes before the end of the body ends the connection."""
        is_last = req.should_close
        req.should_close = lambda: is_last() or conn.has_unread_body()
        return bool(super().handle_request(req, conn))
