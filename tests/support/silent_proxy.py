"""A TCP proxy that can fall silent, as a stopped server or a broken network does."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class SilentProxy:
    """Forward connections to an address until `silence`, which also accepts new ones and forwards nothing.

    address: a pair of host and port, or the path of a Unix socket.
    """

    def __init__(self, address: tuple[str, int] | str) -> None:
        self._address = address
        self._speaks = threading.Event()
        self._speaks.set()
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def silence(self) -> None:
        """Forward nothing more, in either direction."""
        self._speaks.clear()

    def speak(self) -> None:
        """Forward again, what came meanwhile first."""
        self._speaks.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                family = socket.AF_UNIX if isinstance(self._address, str) else socket.AF_INET
                server = socket.socket(family)
                server.connect(self._address)
                self._sockets += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._speaks.wait()
                target.sendall(data)
            self._speaks.wait()
            target.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.speak()
        for open_socket in (self._listener, *self._sockets):
            # It also ends a thread that waits for the socket.
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()
