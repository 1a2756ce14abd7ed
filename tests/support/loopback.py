"""A real HTTP server on loopback that sends scripted replies."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """Describe one reply.

    delay: seconds before it is sent.
    cut: close the connection after this many bytes of the body (-1: before the status line).
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None


def free_port() -> int:
    """Return a port of this machine on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def json_reply(document: Any, status: int = 200, kind: str = "application/json") -> ScriptedReply:
    return ScriptedReply(status=status, body=json.dumps(document).encode(), headers={"Content-Type": kind})


def bundle(*entries: Any, next_url: str | None = None, **more: Any) -> ScriptedReply:
    """Return a search Bundle as HAPI sends it: without `entry` if there are no entries."""
    value: dict[str, Any] = {"resourceType": "Bundle", "type": "searchset", "link": [], **more}
    if entries:
        value["entry"] = list(entries)
    if next_url is not None:
        value["link"].append({"relation": "next", "url": next_url})
    return json_reply(value, kind="application/fhir+json")


class Loopback:
    """Serve scripted replies: `with Loopback(reply, reply) as server:`; `server.url` is the base URL.

    script: the replies in order, of which the last is repeated; a step can be a function from the request's
    path and query to a reply.
    paths, headers, bodies: those of the requests, in order.
    """

    def __init__(self, *script: ScriptedReply | Callable[[str], ScriptedReply]) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._released = threading.Event()
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.bodies: list[bytes] = []
        loopback = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                # A client that gives up, as tests of time-outs intend, is no fault of the server.
                with suppress(ConnectionError):
                    super().handle()

            def do_GET(self) -> None:
                loopback._answer(self)

            do_POST = do_PUT = do_PATCH = do_HEAD = do_OPTIONS = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        self.url = f"{self.origin}/fhir/"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self._lock:
            self.bodies.append(body)
            turn = min(len(self.paths), len(self._script) - 1)
            self.paths.append(handler.path)
            self.headers.append(dict(handler.headers))
        step = self._script[turn]
        reply = step if isinstance(step, ScriptedReply) else step(handler.path)
        # The end of the test ends the delay too: a client that gave up must not keep the server open.
        self._released.wait(reply.delay)
        if reply.cut == -1:
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        for name, value in ({"Content-Length": str(len(reply.body))} | reply.headers).items():
            handler.send_header(name, value)
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(reply.body[: reply.cut])
        handler.close_connection = reply.cut is not None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def dripping(head: bytes) -> Iterator[str]:
    """Serve `head` at once and then a byte each 20 ms, without an end; yield the address."""
    is_over = threading.Event()

    def drip(server: socket.socket) -> None:
        # A client that gives up, as it should, or that never asks.
        with suppress(OSError):
            connection, _ = server.accept()
            with connection:
                connection.recv(2**16)
                connection.sendall(head)
                while not is_over.wait(0.02):
                    connection.sendall(b"1")

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            is_over.set()
            thread.join()
