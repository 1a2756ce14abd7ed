"""A real SMTP server on loopback that takes emails, or refuses them."""

import email
import email.policy
import socketserver
import threading
from email.message import EmailMessage
from typing import Self


class MailServer:
    """Take emails: `with MailServer() as server:`; `server.port` is its port.

    refuses: the reply to RCPT TO; "" takes everything. refuses_only: a part of the only address refused so.
    drops: a part of the address at which it drops the connection without a reply.
    per_connection: emails that it takes from a connection; it answers the next one with 421, and drops it.
    taken: the emails that it took, in order.
    connections: how many clients it greeted.
    """

    def __init__(
        self,
        *,
        refuses: str = "",
        refuses_only: str = "",
        drops: str = "",
        per_connection: int | None = None,
    ) -> None:
        self.taken: list[EmailMessage] = []
        self.connections = 0
        taken, this = self.taken, self

        class Session(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                this.connections += 1
                self._say("220 loopback")
                left = per_connection
                while line := self.rfile.readline():
                    command = line.decode().strip().upper()
                    if command.startswith("MAIL") and left == 0:
                        self._say("421 enough for one connection")
                        return
                    if command.startswith("DATA"):
                        self._say("354 go on")
                        taken.append(email.message_from_bytes(self._content(), policy=email.policy.default))
                        left = left - 1 if left else left
                        self._say("250 taken")
                    elif command.startswith("RCPT") and drops and drops.upper() in command:
                        return
                    elif command.startswith("RCPT") and refuses and refuses_only.upper() in command:
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

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
