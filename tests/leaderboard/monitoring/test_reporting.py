"""Sentry and OpenTelemetry get errors and spans, and nothing secret."""

import gzip
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.monitoring import reporting
from tests.support import processes
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.processes import environment

SECRET = "zebra4711canary"


@pytest.mark.django_db(transaction=True)
def test_an_error_and_its_spans_arrive_without_anything_secret(demo):
    # As Sentry, and as a collector of traces.
    with Loopback(ScriptedReply()) as server:
        dsn = server.origin.replace("http://", "http://key@") + "/1"
        started = environment(
            SENTRY_DSN=dsn, OTEL_EXPORTER_OTLP_ENDPOINT=server.origin, ALLOWED_HOSTS="testserver"
        )
        process = processes.run(
            "-m", "tests.support.programs.reported_error", SECRET, env=started, timeout=120
        )
    assert process.stdout.split() == ["500"], process.stderr[-3000:]
    arrived = [
        (path, gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body)
        for path, headers, body in zip(server.paths, server.headers, server.bodies, strict=True)
    ]
    events = b"".join(body for path, body in arrived if path.endswith("/envelope/"))
    spans = b"".join(body for path, body in arrived if path == "/v1/traces")
    # The error, with its place and its route; the log line, without its argument.
    for expected in (b"KeyError", b"reported_error.py", b"about %s"):
        assert expected in events, expected
    for expected in (b"wardboard", b"http.route", b"about/"):
        assert expected in spans, expected
    assert SECRET.encode() not in events
    assert SECRET.encode() not in spans


def test_where_the_extra_is_not_installed_the_start_stops(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ImproperlyConfigured, match="need the extra `observability`"):
        reporting.start(sentry_dsn="http://key@127.0.0.1:1/1", otlp_endpoint="")
