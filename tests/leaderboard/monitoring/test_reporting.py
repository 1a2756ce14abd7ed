"""Sentry and OpenTelemetry get errors and spans, and nothing secret."""

import gzip
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.monitoring import reporting
from tests.support import processes
from tests.support.processes import environment

SECRET = "zebra4711canary"


@pytest.fixture
def collector():
    """Serve as Sentry and as a collector of traces; return the address, and what arrived, by path."""
    arrived: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_packed = self.headers.get("Content-Encoding") == "gzip"
            arrived.append((self.path, gzip.decompress(body) if is_packed else body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}", arrived
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.django_db(transaction=True)
def test_an_error_and_its_spans_arrive_without_anything_secret(collector, demo):
    address, arrived = collector
    process = processes.run(
        "-m",
        "tests.support.programs.reported_error",
        SECRET,
        env=environment(
            SENTRY_DSN=f"http://key@{address}/1",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{address}",
            ALLOWED_HOSTS="testserver",
        ),
        timeout=120,
    )
    assert process.stdout.split() == ["500"], process.stderr[-3000:]
    events = b"".join(body for path, body in arrived if path.endswith("/envelope/"))
    spans = b"".join(body for path, body in arrived if path == "/v1/traces")
    # The error, with its place and its route; the log line, without its argument.
    for expected in (b"KeyError", b"reported_error.py", b"about %s", b'"transaction":"/about/"'):
        assert expected in events, expected
    for expected in (b"wardboard", b"http.route", b"about/", b"KeyError", b"wardboard.request_id"):
        assert expected in spans, expected
    assert SECRET.encode() not in events
    assert SECRET.encode() not in spans


def test_where_the_extra_is_not_installed_the_start_stops(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    monkeypatch.delitem(sys.modules, "leaderboard.monitoring.sentry", raising=False)
    with pytest.raises(ImproperlyConfigured, match="need the extra `observability`"):
        reporting.start(sentry_dsn="http://key@127.0.0.1:1/1", otlp_endpoint="")
