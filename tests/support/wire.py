"""Send HTTP requests to a real gunicorn, raw ones too."""

import contextlib
import http.client
import json
import socket
from urllib.parse import urlencode

import requests

# Largest file that the tested gunicorn accepts, in bytes.
LIMIT = 200_000


def post_body(port: int, token: str, body, *, kind: str = "application/json", **headers):
    """POST `body` as a submission; return status, content type and document. An iterable is sent chunked."""
    all_headers = {"Content-Type": kind, "Authorization": f"Bearer {token}", **headers}
    query = urlencode({"benchmark": "medagentbench-demo", "system": "Over the wire"})
    path = "/api/v1/submissions/" + ("" if kind.startswith("multipart") else f"raw/?{query}")
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    with contextlib.closing(client):
        # The server may answer, and stop reading, before everything is sent.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.request("POST", path, body, all_headers)
        response = client.getresponse()
        return response.status, response.headers["Content-Type"], json.loads(response.read())


def send_form(base: str, token: str, file: bytes) -> requests.Response:
    """Submit a file to the demonstration's leaderboard of the service at `base`."""
    return requests.post(
        f"{base}/api/v1/submissions/",
        headers={"Authorization": f"Bearer {token}"},
        data={"benchmark": "medagentbench-demo", "system": "Agent"},
        files={"file": ("good.json", file)},
        timeout=120,
    )


def in_chunks(raw: bytes):
    return (raw[at : at + 5000] for at in range(0, len(raw), 5000))


def make_form(file: bytes) -> bytes:
    fields = {"benchmark": "medagentbench-demo", "system": "Over the wire"}
    parts = [f'Content-Disposition: form-data; name="{k}"\r\n\r\n{v}'.encode() for k, v in fields.items()]
    parts.append(b'Content-Disposition: form-data; name="file"; filename="r.json"\r\n\r\n' + file)
    return b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b--\r\n"


def raw_exchange(port: int, sent: bytes) -> bytes:
    """Send bytes, then close our side; return everything that comes back."""
    with socket.create_connection(("127.0.0.1", port), 120) as wire:
        wire.sendall(sent)
        wire.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: wire.recv(65536), b""))


def make_head(token: str, *lines: str) -> bytes:
    is_form = any("multipart" in line for line in lines)
    path = "" if is_form else "raw/?benchmark=medagentbench-demo&system=s"
    first = f"POST /api/v1/submissions/{path} HTTP/1.1"
    head_lines = [first, "Host: localhost", f"Authorization: Bearer {token}", *lines, "", ""]
    return "\r\n".join(head_lines).encode()
