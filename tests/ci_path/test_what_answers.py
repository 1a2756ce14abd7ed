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
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from leaderboard.models import Submission
from tests.support.cli import wardboard
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.paths import ROOT
from tests.support.processes import environment, served, wait_for
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench.demo import GOOD

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
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


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("target", ["https://127.0.0.1:1/", "http://elsewhere.example/api/"])
def test_a_redirect_is_not_followed_and_fails(send, status, target):
    code, err, server = send(ScriptedReply(status=status, headers={"Location": target}), attempts=5)
    assert code == ExitCode.NOT_WARDBOARD
    assert f"redirects to {target}" in err
    assert len(server.paths) == 1


def test_a_sign_in_page_that_answers_200_fails(send):
    code, err, _ = send(SIGN_IN, attempts=5)
    assert code == ExitCode.NOT_WARDBOARD
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
    assert send(reply)[0] == ExitCode.NOT_WARDBOARD


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (SIGN_IN, ExitCode.NOT_WARDBOARD),
        (problem(503, "busy"), ExitCode.NOT_REACHED),
        (problem(401, "token-revoked"), ExitCode.REFUSED),
    ],
    ids=["sign-in", "out-of-order", "refused"],
)
def test_a_job_that_loses_the_service_while_it_waits_knows_what_it_sent(send, tmp_path, reply, expected):
    sent = {"id": str(UUID(int=7)), "url": "/", "status": "queued", "published": False, "benchmark": "b"}
    sent |= {"team": "t", "system": {"name": "s"}, "version": "", "commit": ""}
    sent |= {"file": {"sha256": hashlib.sha256(GOOD.read_bytes()).hexdigest()}, "filename": "good.json"}
    first = ScriptedReply(status=201, body=json.dumps(sent).encode(), headers=JSON)
    report, junit = tmp_path / "submission.json", tmp_path / "junit.xml"
    code, _, server = send(first, reply, arguments=("--output", report, "--junit", junit))
    assert (code, json.loads(report.read_bytes())) == (expected, sent)
    assert f"{server.origin}/submissions/{sent['id']}/" in junit.read_text()


@pytest.mark.parametrize("cut", [-1, 0, 10], ids=["before the answer", "before the body", "within the body"])
def test_an_answer_that_is_cut_every_time_fails(send, cut):
    reply = ScriptedReply(body=b'{"id": "6f1f3c0a"}', headers=JSON, cut=cut)
    code, err, server = send(reply, attempts=2)
    assert code == ExitCode.NOT_REACHED
    assert "cut the connection" in err
    assert len(server.paths) == 2
    keys = {headers["Idempotency-Key"] for headers in server.headers}
    assert len(keys) == 1


def test_a_silent_host_fails_within_its_time(send):
    began = time.monotonic()
    code, err, _ = send(ScriptedReply(delay=60), attempts=2, arguments=("--request-timeout", "0.3"))
    assert code == ExitCode.NOT_REACHED
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
            assert process.wait(timeout=60) == ExitCode.INTERRUPTED
            assert "Traceback" not in process.stderr.read()


def test_a_host_that_refuses_connections_fails():
    arguments = ("submit", GOOD, "--benchmark", "b", "--system", "s", "--attempts", 1)
    code, _, err = wardboard(*arguments, "--url", "http://127.0.0.1:9")
    assert code == ExitCode.NOT_REACHED
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
    assert (code, len(server.paths)) == (ExitCode.NOT_REACHED, 2)


def test_a_spent_quota_is_a_refusal_and_is_not_waited_for(send):
    code, err, server = send(problem(429, "quota-spent", **{"Retry-After": "60000"}), attempts=5)
    assert (code, len(server.paths)) == (ExitCode.REFUSED, 1)
    assert "It is so." in err


def test_too_many_requests_are_repeated_after_the_time_that_the_service_names(send):
    began = time.monotonic()
    limited = problem(429, "too-many-requests", **{"Retry-After": "1"})
    code, _, server = send(limited, SIGN_IN, attempts=5)
    assert (code, len(server.paths)) == (ExitCode.NOT_WARDBOARD, 2)
    assert time.monotonic() - began >= 1


def test_no_pause_is_longer_than_the_time_that_the_command_has(send):
    began = time.monotonic()
    limited = problem(503, "busy", **{"Retry-After": "60"})
    code, _, server = send(limited, attempts=20, arguments=("--timeout", "1"))
    assert (code, len(server.paths)) == (ExitCode.NOT_REACHED, 1)
    assert time.monotonic() - began < 10


def test_a_score_that_does_not_come_because_the_service_fell_silent_ends_with_5(send):
    sent = {"id": str(UUID(int=7)), "url": "/", "status": "queued", "published": False, "benchmark": "b"}
    sent |= {"team": "t", "system": {"name": "s"}, "version": "", "commit": ""}
    sent |= {"file": {"sha256": hashlib.sha256(GOOD.read_bytes()).hexdigest()}, "filename": "good.json"}
    first = ScriptedReply(status=201, body=json.dumps(sent).encode(), headers=JSON)
    began = time.monotonic()
    code, err, _ = send(first, ScriptedReply(delay=60), attempts=20, arguments=("--timeout", "1"))
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
    assert code == ExitCode.NOT_REACHED
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
    code, err, _ = send(arguments=("--note", os.fsdecode(b"caf\xe9")))
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
        assert (code, "no certificate that is trusted here" in err) == (ExitCode.NOT_REACHED, True)
        assert wardboard(*arguments, "--ca-bundle", path)[0] == 0


# --- In front of the real service ------------------------------------------------------------------


@pytest.fixture
def relay(service):
    """Return a function that passes a request on to the service and returns its reply, cut if asked."""

    def step(server_of, *, cut=None):
        def forward(path: str) -> ScriptedReply:
            server = server_of()
            headers = {
                name: value
                for name, value in server.headers[-1].items()
                if name.lower() not in ("host", "connection")
            }
            method = "POST" if server.bodies[-1] else "GET"
            answer = requests.request(
                method, service + path, headers=headers, data=server.bodies[-1] or None, timeout=60
            )
            kept = {
                name: answer.headers[name]
                for name in ("Content-Type", "Retry-After")
                if name in answer.headers
            }
            return ScriptedReply(status=answer.status_code, body=answer.content, headers=kept, cut=cut)

        return forward

    return step


def test_a_score_whose_answer_was_cut_arrives_and_is_counted_once(relay, submit):
    servers = []
    cut, whole = relay(lambda: servers[0], cut=20), relay(lambda: servers[0])
    with Loopback(cut, problem(503, "busy", **{"Retry-After": "0"}), whole) as server:
        servers.append(server)
        code, out, _ = submit(GOOD, "--wait", "--fail-under", "0.8", "--url", server.origin)
    assert code == 0
    assert "94.0%" in out
    assert Submission.objects.count() == 1


def test_a_service_with_https_on_that_is_asked_over_http_fails_and_nothing_is_sent(
    django_db_setup, transactional_db, submit, monkeypatch
):
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    with served(environment(HTTPS="1")) as port:
        code, _, err = submit(GOOD, "--wait", "--url", f"http://127.0.0.1:{port}")
    assert code == ExitCode.NOT_WARDBOARD
    assert f"redirects to https://127.0.0.1:{port}/api/v1/submissions/" in err
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "page",
    [
        "benchmarks/medagentbench-demo/",
        "submit/",
        "api/v1/",
        "zh-hant/",
        "submissions/",
        "systems/3",
        "docs/ci/",
    ],
)
@pytest.mark.parametrize("prefix", ["", "/wardboard"])
def test_the_address_of_a_page_is_refused_with_that_of_the_service(page, prefix):
    url = f"https://host.example:8443{prefix}/{page}"
    for command in (["status", str(UUID(int=1))], ["leaderboard", "medagentbench-demo"]):
        code, _, err = wardboard(*command, "--url", url)
        assert code == ExitCode.USAGE
        assert f"give the address of the service alone, https://host.example:8443{prefix}/" in err
