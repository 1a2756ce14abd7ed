"""What answers is not the service, or not well: every such job fails, or gets its score in the end."""

import hashlib
import json
import os
import signal
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from uuid import UUID

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from leaderboard.models import Submission
from tests.support.cli import wardboard
from tests.support.in_process import InProcess
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.paths import ROOT
from tests.support.processes import wait_for
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench.demo import GOOD

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
SENT = {"id": str(UUID(int=7)), "url": "/", "status": "queued", "published": False, "benchmark": "b"}
SENT |= {"team": "t", "system": {"name": "s"}, "version": "", "commit": ""}
SENT |= {"file": {"sha256": hashlib.sha256(GOOD.read_bytes()).hexdigest()}, "filename": "good.json"}
FIRST = ScriptedReply(status=201, body=json.dumps(SENT).encode(), headers=JSON)
SIGN_IN = ScriptedReply(body=b"<html><form>Sign in</form></html>", headers={"Content-Type": "text/html"})


def problem(status: int, code: str, **headers: str) -> ScriptedReply:
    document = {"code": code, "title": "No", "status": status, "detail": "It is so.", "hint": "Wait."}
    return ScriptedReply(status=status, body=json.dumps(document).encode(), headers=PROBLEM | headers)


@pytest.fixture
def send(monkeypatch):
    """Run `wardboard submit --wait` against scripted replies; return exit code, stderr and the server."""
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")

    def run(*script, attempts=1, arguments=()):
        with Loopback(*script) as server:
            code, out, err = wardboard(
                *("submit", GOOD, "--benchmark", "b", "--system", "s", "--wait", "--fail-under", "0.8"),
                *("--url", server.origin, "--attempts", attempts, *arguments),
            )
        assert "Traceback" not in err
        assert "wb_secret" not in out + err
        return code, err, server

    return run


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_is_not_followed_and_fails(send, status):
    target = "http://elsewhere.example/api/"
    code, err, server = send(ScriptedReply(status=status, headers={"Location": target}), attempts=5)
    assert code == ExitCode.FAULT
    assert f"redirects to {target}" in err
    assert len(server.paths) == 1


def test_a_sign_in_page_that_answers_200_fails(send):
    code, err, _ = send(SIGN_IN, attempts=5)
    assert code == ExitCode.FAULT
    assert "text/html" in err


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply(body=b"{}", headers=JSON),
        ScriptedReply(body=b'{"status": "ok"}', headers=JSON),
        ScriptedReply(body=b"[]", headers=JSON),
        ScriptedReply(body=b'{"id": ', headers=JSON),
        ScriptedReply(body=b"", headers=JSON),
        ScriptedReply(
            body=b'{"id": "1", "url": "/", "status": "well", "benchmark": "b", "system": {}}', headers=JSON
        ),
        ScriptedReply(status=403, body=b"<html>", headers={"Content-Type": "text/html"}),
        ScriptedReply(status=404, body=b'{"error": "nothing"}', headers=JSON),
        ScriptedReply(status=401, body=b"{}", headers=PROBLEM),
    ],
    ids=["no members", "other members", "a list", "half", "empty", "status", "forbidden", "404", "no code"],
)
def test_a_document_that_is_not_of_the_service_fails(send, reply):
    assert send(reply)[0] == ExitCode.FAULT


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (SIGN_IN, ExitCode.FAULT),
        (problem(503, "unavailable"), ExitCode.FAULT),
        (problem(401, "authentication-failed"), ExitCode.REFUSED),
    ],
    ids=["sign-in", "out-of-order", "refused"],
)
def test_a_job_that_loses_the_service_while_it_waits_knows_what_it_sent(send, tmp_path, reply, expected):
    report = tmp_path / "submission.json"
    code, _, _ = send(FIRST, reply, arguments=("--output", report))
    assert (code, json.loads(report.read_bytes())) == (expected, SENT)


@pytest.mark.parametrize("cut", [-1, 0, 10], ids=["before the answer", "before the body", "within the body"])
def test_an_answer_that_is_cut_every_time_fails(send, cut):
    reply = ScriptedReply(body=b'{"id": "6f1f3c0a"}', headers=JSON, cut=cut)
    code, err, server = send(reply, attempts=2)
    assert code == ExitCode.FAULT
    assert "cut the connection" in err
    assert len(server.paths) == 2
    keys = {headers["Idempotency-Key"] for headers in server.headers}
    assert len(keys) == 1


def test_a_silent_host_fails_within_its_time(send):
    began = time.monotonic()
    code, err, _ = send(ScriptedReply(delay=60), attempts=2, arguments=("--request-timeout", "0.3"))
    assert code == ExitCode.FAULT
    assert "gave no answer within 0.3 s, at 2 attempts" in err
    assert time.monotonic() - began < 30


def test_ctrl_c_ends_with_130():
    with Loopback(ScriptedReply(delay=60)) as server:
        command = [sys.executable, "-m", "wardboard", "leaderboard", "b", "--url", server.origin]
        # A job in the background ignores the signal, and so would what it starts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        finally:
            signal.signal(signal.SIGINT, before)
        with process:
            wait_for(lambda: server.paths)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert "Traceback" not in process.stderr.read()


def test_a_host_that_refuses_connections_fails():
    arguments = ("submit", GOOD, "--benchmark", "b", "--system", "s", "--attempts", 1)
    code, _, err = wardboard(*arguments, "--url", "http://127.0.0.1:9")
    assert code == ExitCode.FAULT
    assert "http://127.0.0.1:9" in err


@pytest.mark.parametrize(
    "reply",
    [
        ScriptedReply(status=502, body=b"<html>", headers={"Content-Type": "text/html"}),
        problem(503, "unavailable"),
        problem(500, "server-error"),
        problem(507, "storage-full"),
    ],
    ids=lambda reply: str(reply.status),
)
def test_a_service_that_is_out_of_order_every_time_fails(send, reply):
    code, _, server = send(reply, attempts=2)
    assert (code, len(server.paths)) == (ExitCode.FAULT, 2)


def test_a_spent_quota_is_a_refusal_and_is_not_waited_for(send):
    code, err, server = send(problem(429, "quota-spent", **{"Retry-After": "60000"}), attempts=5)
    assert (code, len(server.paths)) == (ExitCode.REFUSED, 1)
    assert "It is so." in err


def test_too_many_requests_are_repeated_after_the_time_that_the_service_names(send):
    began = time.monotonic()
    limited = problem(429, "too-many-requests", **{"Retry-After": "1"})
    code, _, server = send(limited, SIGN_IN, attempts=5)
    assert (code, len(server.paths)) == (ExitCode.FAULT, 2)
    assert time.monotonic() - began >= 1


def test_no_pause_is_longer_than_the_time_that_the_command_has(send):
    began = time.monotonic()
    limited = problem(503, "unavailable", **{"Retry-After": "60"})
    code, _, server = send(limited, attempts=20, arguments=("--timeout", "1"))
    assert (code, len(server.paths)) == (ExitCode.FAULT, 1)
    assert time.monotonic() - began < 10


def test_a_score_that_does_not_come_because_the_service_fell_silent_ends_with_5(send):
    began = time.monotonic()
    code, err, _ = send(FIRST, ScriptedReply(delay=60), attempts=20, arguments=("--timeout", "1"))
    assert (code, "wardboard wait" in err) == (ExitCode.NOT_FINISHED, True)
    assert time.monotonic() - began < 25


def test_the_token_is_not_sent_over_plain_http_to_another_machine(monkeypatch):
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret")
    code, _, err = wardboard("quota", "b", "--url", "http://wardboard.example")
    assert code == ExitCode.USAGE
    assert "https://wardboard.example" in err
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    arguments = ("quota", "b", "--url", "http://wardboard.example", "--allow-http", "--attempts", 1)
    code, _, err = wardboard(*arguments)
    assert code == ExitCode.FAULT
    assert "through the proxy" in err


@pytest.mark.parametrize(
    "token", ["wb_secret\nof-the-team", "wb_secret of-the-team", "wb_secret-of-the-téam"]
)
def test_a_token_that_no_header_can_hold_is_refused_and_never_printed(send, monkeypatch, token):
    monkeypatch.setenv("WARDBOARD_TOKEN", token)
    code, err, server = send()
    assert code == ExitCode.USAGE
    assert "copy it again" in err
    assert server.paths == []


def test_an_argument_that_is_not_utf_8_is_named_and_a_file_name_may_be(send, tmp_path):
    code, err, _ = send(arguments=("--fact", os.fsdecode(b"note=caf\xe9")))
    assert (code, err) == (ExitCode.USAGE, "wardboard: note is not UTF-8: 'caf\\udce9'\n")
    named = tmp_path / os.fsdecode(b"caf\xe9.json")
    named.write_bytes(GOOD.read_bytes())
    _, _, server = send(SIGN_IN, arguments=(named,))
    assert b'filename="caf?.json"' in server.bodies[0]


def test_a_password_in_netrc_does_not_take_the_place_of_the_token(send, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password something\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    _, _, server = send(SIGN_IN)
    assert server.headers[0]["Authorization"] == "Bearer wb_secret-of-the-team"


@pytest.mark.parametrize(
    "url", ["wardboard.example", "ftp://wardboard.example", "https://a:b@wardboard.example", ""]
)
def test_an_address_that_cannot_be_used_ends_with_2(url):
    assert wardboard("quota", "b", "--url", url)[0] == ExitCode.USAGE


@pytest.fixture
def certificate(tmp_path) -> tuple[Path, ssl.SSLContext]:
    """Make a certificate of our own for 127.0.0.1; return its file, and a context to serve with it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    addresses = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(addresses, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path, both = tmp_path / "ca.pem", tmp_path / "server.pem"
    path.write_bytes(made.public_bytes(Encoding.PEM))
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    both.write_bytes(secret + path.read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return path, context


def test_a_certificate_of_an_authority_of_ones_own_is_trusted_where_it_is_named(certificate):
    path, context = certificate
    document = {"benchmark": "b", "rows": [], "pages": 1, "page": 1, "count": 0, "ranks": "None."}
    reply = ScriptedReply(body=json.dumps(document).encode(), headers=JSON)
    with Loopback(reply, tls=context) as server:
        arguments = ("leaderboard", "b", "--url", server.origin, "--attempts", 1)
        code, _, err = wardboard(*arguments)
        assert (code, "no certificate that is trusted here" in err) == (ExitCode.FAULT, True)
        assert wardboard(*arguments, "--ca-bundle", path)[0] == 0


# --- In front of the real service ------------------------------------------------------------------


def test_a_score_whose_answer_was_cut_arrives_and_is_counted_once(service, submit, monkeypatch):
    monkeypatch.setattr(InProcess, "cuts", 1)
    code, out, _ = submit(GOOD, "--wait", "--fail-under", "0.8")
    assert (code, "94.0%" in out) == (0, True)
    assert Submission.objects.count() == 1


def test_waiting_goes_on_until_there_is_a_score(send, monkeypatch):
    monkeypatch.setattr("wardboard.client.service.time.sleep", lambda seconds: None)
    result = {"score": 0.9, "runs": 1, "total": 10, "right": 9, "metric": "m", "metrics": {"m": 0.9}}
    waiting, scored = (
        ScriptedReply(body=json.dumps(SENT | members).encode(), headers=JSON)
        for members in (
            {"status": "incomplete", "waits_for": "provider-down"},
            {"status": "scored", "result": result},
        )
    )
    code, err, server = send(waiting, waiting, waiting, scored)
    assert (code, len(server.paths)) == (0, 4)
    assert err == f"wardboard: {SENT['id']}: incomplete, waits: provider-down\n"
