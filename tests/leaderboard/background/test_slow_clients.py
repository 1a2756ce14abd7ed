"""What nginx keeps off, in front of gunicorn as documented; bench/hostile.py has clients that are slow."""

import json
import socket
import time
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

from leaderboard.services.accounts import create_token
from tests.support import nginx
from wardboard.scoring.reading.limits import MIB

# What is tested are connections of nginx and threads of gunicorn.
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not nginx.PROGRAM, reason="no nginx: .ci/apt nginx"),
]
SUBMIT = "/api/v1/submissions/raw/?benchmark=medagentbench-demo&system=Slow"


@pytest.fixture
def token(user):
    return create_token(user=user, name="ci", days=1)[1]


@pytest.fixture
def serve(serve, tmp_path):
    """Start gunicorn and nginx in front of it; return the address of nginx once both answer."""
    with ExitStack() as stack:

        def run(**environ):
            service = urlsplit(serve(BEHIND_PROXY="1", **environ)).port
            folder = tmp_path / "nginx"
            port = stack.enter_context(nginx.nginx_before(service, folder))
            return f"http://127.0.0.1:{port}"

        yield run


def post_head(token, length, path=SUBMIT):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}"]
    lines += ["Content-Type: application/json", f"Content-Length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(base, sent=b"", *, source="127.0.0.1"):
    wire = socket.socket()
    wire.settimeout(60)
    wire.bind((source, 0))
    parts = urlsplit(base)
    wire.connect((parts.hostname, parts.port))
    wire.sendall(sent)
    return wire


def test_an_address_sends_eight_uploads_at_a_time_and_others_are_not_concerned(demo, token, good_file, serve):
    base = serve(WEB_WORKERS="1")
    # From a megabyte on, a body is an upload.
    raw = good_file + b" " * 1_000_000
    with ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(connect(base, post_head(token, len(raw)) + b" "))
        time.sleep(0.3)
        ninth = stack.enter_context(connect(base, post_head(token, len(raw))))
        head, _, body = ninth.recv(65536).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503")
        assert b"Retry-After: 5" in head
        assert json.loads(body)["code"] == "unavailable"
        small = stack.enter_context(connect(base, post_head(token, len(good_file)) + good_file))
        assert small.recv(65536).startswith(b"HTTP/1.1 201")
        other = stack.enter_context(connect(base, post_head(token, len(raw)) + raw, source="127.0.0.2"))
        assert other.recv(65536).startswith(b"HTTP/1.1 201")


def test_an_address_has_so_many_requests_at_a_time(demo, token, serve):
    base = serve(WEB_WORKERS="1")
    page = b"GET /about/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(connect(base, post_head(token, 1000) + b"{"))
        time.sleep(0.3)
        assert stack.enter_context(connect(base, page)).recv(65536).startswith(b"HTTP/1.1 503")
        other = stack.enter_context(connect(base, page, source="127.0.0.2"))
        assert other.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_large_body_of_someone_who_may_not_send_is_not_kept(demo, serve, tmp_path):
    base, kept = serve(), tmp_path / "nginx" / "client_body"
    bearer = b"Authorization: Bearer wb_unknown"
    heads = {
        SUBMIT: post_head("", 10**9),
        f"{SUBMIT}&description=token": post_head("", 10**9).replace(b"Authorization: Bearer ", bearer),
        "/benchmarks/medagentbench-demo/submit/": post_head(
            "", 10**9, "/benchmarks/medagentbench-demo/submit/"
        ),
        # Of a body in chunks nobody knows how long it gets.
        "/api/v1/validations/": post_head("", 1, "/api/v1/validations/").replace(
            b"Content-Length: 1", b"Transfer-Encoding: chunked"
        ),
    }
    for path, head in heads.items():
        with connect(base, head) as wire:
            answer = wire.recv(65536)
            assert answer.split(b" ")[1] == (b"302" if path.endswith("/submit/") else b"401"), path
            # What comes nevertheless is thrown away for a while, so that the sender gets to read the answer.
            wire.sendall(b" " * MIB)
            assert list(kept.iterdir()) == []
    with connect(base, heads[SUBMIT]) as wire, suppress(ConnectionError):
        began = time.monotonic()
        while time.monotonic() < began + 60:
            wire.sendall(b" " * 65536)
    assert time.monotonic() - began < 30
    assert list(kept.iterdir()) == []
