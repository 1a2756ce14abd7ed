"""Clients that send or read slowly, against a real gunicorn with its default number of threads."""

import http.client
import socket
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from leaderboard.models import Submission
from leaderboard.services.accounts import create_token
from tests.support.factories import make_published

# What is tested are sockets and threads of gunicorn.
pytestmark = [pytest.mark.django_db(transaction=True)]

FORTY = 40
# An answer takes milliseconds; the rest is for machines that are busy.
SOON = 5  # seconds
SUBMIT = "/api/v1/submissions/?benchmark=medagentbench-demo&system=Slow"


@pytest.fixture
def token(user):
    return create_token(user=user, name="ci", days=1)[1]


def post_head(token, length, path=SUBMIT):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {token}"]
    lines += ["Content-Type: application/json", f"Content-Length: {length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(base, sent=b"", *, source="127.0.0.1", receive_buffer=None):
    wire = socket.socket()
    if receive_buffer:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    wire.settimeout(60)
    wire.bind((source, 0))
    parts = urlsplit(base)
    wire.connect((parts.hostname, parts.port))
    wire.sendall(sent)
    return wire


def assert_answers_readers(base, source="127.0.0.1", attack=""):
    """Read pages from the address `source`."""
    for path in ("/healthz", "/benchmarks/medagentbench-demo/", "/"):
        began = time.monotonic()
        reader = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60, source_address=(source, 0))
        reader.request("GET", path)
        response = reader.getresponse()
        assert (response.status, bool(response.read())) == (200, True), (path, attack)
        reader.close()
        assert time.monotonic() - began < SOON, (path, attack)


ATTACKS = {
    "nothing": lambda token: b"",
    "a byte": lambda token: b"G",
    "slow headers": lambda token: b"GET / HTTP/1.1\r\nHost: localh",
    "a slow small body": lambda token: post_head(token, 1000) + b"{",
    "a slow large body": lambda token: post_head(token, 10_000_000) + b"{",
    "a slow body in chunks": lambda token: (
        post_head(token, 1).replace(b"Content-Length: 1", b"Transfer-Encoding: chunked") + b"5\r\n{"
    ),
    "a slow body from nobody": lambda token: post_head("", 10_000_000) + b"{",
    "a slow form": lambda token: (
        b"POST /check/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
        b"Content-Length: 10000000\r\n\r\n--b\r\n"
    ),
}


def test_forty_clients_that_send_slowly_do_not_keep_readers_waiting(demo, token, serve):
    base = serve()
    for number, (name, attack) in enumerate(ATTACKS.items(), start=10):
        # Each from its own address, so that none has to wait for what the one before it has left open, and
        # with readers at that address.
        source = f"127.0.0.{number}"
        with ExitStack() as stack:
            wires = [stack.enter_context(connect(base, attack(token), source=source)) for _ in range(FORTY)]
            for _ in range(3):
                time.sleep(0.3)
                assert_answers_readers(base, source, name)
                for wire in wires:
                    try:
                        wire.send(b"x")
                    except ConnectionError:
                        # A connection that was refused, as of someone who may not send.
                        wire.close()
                wires = [wire for wire in wires if wire.fileno() >= 0]


def test_forty_clients_that_read_nothing_do_not_keep_readers_waiting(demo, user, good_file, serve):
    for name in range(30):
        make_published(user, demo, good_file + b" " * name, system=f"System {name}")
    base = serve(WEB_CONNECTIONS_PER_ADDRESS="200")
    # Several requests on a connection: more than the kernel's buffers take.
    page = b"GET /benchmarks/medagentbench-demo/ HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200
    with ExitStack() as stack:
        for _ in range(FORTY):
            stack.enter_context(connect(base, page, receive_buffer=2048))
        for _ in range(3):
            time.sleep(0.3)
            assert_answers_readers(base)


def test_a_client_that_reads_slowly_gets_everything(demo, user, good_file, serve):
    base = serve()
    asked = 120
    request = b"GET /benchmarks/medagentbench-demo/ HTTP/1.1\r\nHost: localhost\r\n\r\n" * (asked - 1)
    request += b"GET /benchmarks/medagentbench-demo/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    with connect(base, request, receive_buffer=2048) as wire:
        time.sleep(2)
        received = b"".join(iter(lambda: wire.recv(65536), b""))
    assert received.count(b"HTTP/1.1 200 OK") == received.count(b"</html>") == asked


def test_a_slow_upload_succeeds_and_one_that_stalls_ends(demo, token, good_file, serve):
    base = serve(WEB_PATIENCE_SECONDS="2")
    # Above what is read ahead, so that the application reads it.
    raw = good_file + b" " * 100_000
    piece = len(raw) // 40 + 1
    with (
        connect(base, post_head(token, len(raw))) as honest,
        connect(base, post_head(token, len(raw))) as stalled,
    ):
        stalled.sendall(raw[:1000])
        began = time.monotonic()
        for at in range(0, len(raw), piece):
            honest.sendall(raw[at : at + piece])
            time.sleep(0.1)
        assert time.monotonic() - began > 3
        assert honest.recv(65536).startswith(b"HTTP/1.1 201")
        answer = stalled.recv(65536)
        assert answer.startswith(b"HTTP/1.1 400")
        assert b"Connection: close" in answer
    assert Submission.objects.count() == 1


def test_uploads_that_stall_leave_room_for_other_addresses(demo, token, good_file, serve):
    base = serve(WEB_WORKERS="1")
    raw = good_file + b" " * 100_000
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(connect(base, post_head(token, len(raw)) + b" "))
        other = stack.enter_context(connect(base, post_head(token, len(raw)) + raw, source="127.0.0.2"))
        assert other.recv(65536).startswith(b"HTTP/1.1 201")


def test_an_upload_waits_for_its_turn(demo, token, good_file, serve):
    base = serve(WEB_WORKERS="1", WEB_UPLOADS_PER_ADDRESS="1")
    raw = good_file + b" " * 100_000
    with connect(base, post_head(token, len(raw)) + raw[:10]) as first:
        time.sleep(0.5)
        with connect(base, post_head(token, len(raw)) + raw) as second:
            second.settimeout(1)
            with pytest.raises(TimeoutError):
                second.recv(1)
            first.sendall(raw[10:])
            assert first.recv(65536).startswith(b"HTTP/1.1 201")
            second.settimeout(60)
            assert second.recv(65536).startswith(b"HTTP/1.1 200")


def test_an_address_has_so_many_connections(demo, serve):
    base = serve(WEB_WORKERS="1", WEB_CONNECTIONS_PER_ADDRESS="5")
    with ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(connect(base))
        one_more = stack.enter_context(connect(base))
        assert one_more.recv(1) == b""
        other = stack.enter_context(
            connect(base, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", source="127.0.0.2")
        )
        assert other.recv(65536).startswith(b"HTTP/1.1 200")


def test_behind_a_proxy_addresses_are_those_that_it_names(demo, token, good_file, serve):
    base = serve(WEB_WORKERS="1", BEHIND_PROXY="1", WEB_CONNECTIONS_PER_ADDRESS="5")
    raw = good_file + b" " * 100_000

    def head_from(address):
        forwarded = f"X-Forwarded-For: 6.6.6.6, {address}".encode()
        return post_head(token, len(raw)).replace(b"Host: localhost", b"Host: localhost\r\n" + forwarded)

    with ExitStack() as stack:
        for number in range(20):
            # All of them are one client's.
            stack.enter_context(connect(base, head_from(f"2001:db8:1:1::{number}") + b" "))
        other = stack.enter_context(connect(base, head_from("192.0.2.2") + raw))
        assert other.recv(65536).startswith(b"HTTP/1.1 201")


def test_the_body_of_someone_who_may_not_send_is_not_read(demo, serve):
    base = serve()
    for path in (SUBMIT, "/benchmarks/medagentbench-demo/submit/"):
        sent = 0
        with connect(base, post_head("", 2**31, path)) as wire:
            answer = wire.recv(65536)
            assert answer.split(b" ")[1] in (b"401", b"302")
            assert b"Connection: close" in answer
            try:
                while sent < 2**31:
                    sent += wire.send(b" " * 65536)
            except ConnectionError:
                pass
        # What is drained, and what the buffers of both kernels take.
        assert sent < 16 * 2**20, path


def test_a_client_that_sends_too_much_gets_to_read_why(demo, token, serve):
    base = serve(UPLOAD_MAX_BODY_BYTES="200000")
    client = http.client.HTTPConnection("127.0.0.1", urlsplit(base).port, timeout=60)
    client.request(
        "POST",
        SUBMIT,
        b" " * 1_000_000,
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    response = client.getresponse()
    assert (response.status, response.headers["Connection"]) == (413, "close")
    client.close()


def test_connections_that_are_not_closed_by_the_client_are_closed(demo, serve):
    base = serve()
    with connect(base, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") as wire:
        assert b"".join(iter(lambda: wire.recv(65536), b"")).startswith(b"HTTP/1.1 200")
        assert_answers_readers(base)
    with connect(base, b"GET /healthz HTTP/1.1\r\nHos") as wire:
        assert b"".join(iter(lambda: wire.recv(65536), b"")).startswith(b"HTTP/1.1 408")
    with connect(base, b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 70_000) as wire:
        assert wire.recv(65536).startswith(b"HTTP/1.1 431")
    # The document of the API says so, and in which form.
    with connect(base, b"GET /api/v1/?q=" + b"x" * 5_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n") as wire:
        head = wire.recv(65536).partition(b"\r\n\r\n")[0]
    assert head.startswith(b"HTTP/1.1 414")
    assert b"Content-Type: text/html" in head
