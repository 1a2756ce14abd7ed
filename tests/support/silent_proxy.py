"""A TCP proxy that can fall silent, or cut answers, as a stopped server or a broken network does."""

import random
import socket
import threading
from contextlib import suppress
from typing import Self


class SilentProxy:
    """Forward connections to an address until `silence`, which also accepts new ones and forwards nothing.

    address: a pair of host and port, or the path of a Unix socket.
    cuts_answers: whether connections are closed in the middle of the next answer, wherever that is.
    """

    def __init__(self, address: tuple[str, int] | str) -> None:
        self._address = address
        self._speaks = threading.Event()
        self._speaks.set()
        self.cuts_answers = False
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
                for source, target, is_answer in ((client, server, False), (server, client, True)):
                    threading.Thread(
                        target=self._forward, args=(source, target, is_answer), daemon=True
                    ).start()

    def _forward(self, source: socket.socket, target: socket.socket, is_answer: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._speaks.wait()
                if is_answer and self.cuts_answers:
                    target.sendall(data[: random.randrange(len(data))])
                    break
                target.sendall(data)
            self._speaks.wait()
            target.shutdown(socket.SHUT_WR)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.speak()
        for open_socket in (self._listener, *self._sockets):
            # It also ends a thread that waits for the socket.
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
            open_socket.close()
