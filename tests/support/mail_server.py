"""A real SMTP server on loopback that takes emails, or refuses them."""

import email
import email.policy
import socketserver
import threading
from email.message import EmailMessage
from types import TracebackType
from typing import Self


class MailServer:
    """Take emails: `with MailServer() as server:`; `server.port` is its port.

    taken: the emails that it took, in order.
    refuses: the reply to each RCPT TO; "" takes everything.
    """

    def __init__(self, *, refuses: str = "") -> None:
        self.taken: list[EmailMessage] = []
        taken = self.taken

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self._say("220 loopback")
                while line := self.rfile.readline():
                    command = line.decode().strip().upper()
                    if command.startswith("DATA"):
                        self._say("354 go on")
                        taken.append(email.message_from_bytes(self._content(), policy=email.policy.default))
                        self._say("250 taken")
                    elif command.startswith("RCPT") and refuses:
                        self._say(refuses)
                    elif command.startswith("QUIT"):
                        self._say("221 bye")
                        return
                    else:
                        self._say("250 loopback")

            def _content(self) -> bytes:
                lines = []
                while (line := self.rfile.readline()) not in (b".\r\n", b""):
                    lines.append(line.removeprefix(b"."))
                return b"".join(lines)

            def _say(self, reply: str) -> None:
                self.wfile.write(f"{reply}\r\n".encode())

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
