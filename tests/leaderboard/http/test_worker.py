"""By what the worker counts connections and uploads. Real ones are in background/test_slow_clients.py."""

from types import SimpleNamespace

import pytest

from leaderboard.http import worker


@pytest.fixture
def connect():
    """Return a function that makes a connection from an address, with what was received over it."""

    def make(client, received=b""):
        sock = SimpleNamespace(setblocking=lambda is_blocking: None, received=bytearray(received))
        return worker.Connection(None, sock, client, ("::", 8000))

    return make


def test_ipv6_connections_count_by_network(connect):
    one, other, elsewhere = (
        connect((address, 5000, 0, 0)).peer
        for address in ("2001:db8:1:1::1", "2001:db8:1:1:ffff::2", "2001:db8:1:2::1")
    )
    assert one == other != elsewhere
    assert connect(("::ffff:192.0.2.1", 5000, 0, 0)).peer == connect(("192.0.2.1", 5000)).peer
    assert connect("/run/gunicorn.sock").peer == ""


@pytest.mark.parametrize(
    ("named", "counted"),
    [("2001:db8:1:1:ffff::2", "2001:db8:1:1::"), ("192.0.2.1", "192.0.2.1"), ("unknown", "unknown")],
)
def test_uploads_count_by_the_network_that_a_proxy_names(connect, monkeypatch, named, counted):
    monkeypatch.setattr(worker, "BEHIND_PROXY", True)
    head = f"POST / HTTP/1.1\r\nX-Forwarded-For: 2001:db8::1, {named}\r\nContent-Length: 9\r\n\r\n"
    conn = connect(("127.0.0.1", 5000), head.encode())
    assert not conn.is_complete()
    assert (conn.address, conn.peer) == (counted, "127.0.0.1")
