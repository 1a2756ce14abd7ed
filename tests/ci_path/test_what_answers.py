"""What answers is not the service, or not well: every such job fails, or gets its score in the end."""

import json
import time

import pytest

from leaderboard.models import Submission
from tests.ci_path.answers import ANSWER, ID, JSON, PROBLEM, QUEUED, RESULT, SIGN_IN, TOKEN, refusal, reply
from tests.support.cli import wardboard
from tests.support.in_process import InProcess
from tests.support.loopback import Loopback, ScriptedReply, dripping
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench.demo import GOOD

# It states neither version nor commit.
SENT = QUEUED | {"version": "", "commit": ""}


@pytest.fixture
def send(monkeypatch):
    """Run `wardboard submit --wait` against scripted replies; return exit code, stderr and the server."""
    monkeypatch.setenv("WARDBOARD_TOKEN", TOKEN)

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


def test_a_redirect_is_not_followed_and_fails(send):
    target = "http://elsewhere.example/api/"
    for status in (301, 307):
        code, err, server = send(ScriptedReply(status=status, headers={"Location": target}), attempts=5)
        assert (code, len(server.paths), f"redirects to {target}" in err) == (ExitCode.FAULT, 1, True)


NOT_OF_THE_SERVICE = {
    "a sign-in page": SIGN_IN,
    "other members": reply({"status": "ok"}),
    "a list": reply([]),
    "half": ScriptedReply(body=b'{"id": ', headers=JSON),
    "a member twice": ScriptedReply(body=json.dumps(ANSWER).encode()[:-1] + b', "id": "1"}', headers=JSON),
    "a page": ScriptedReply(status=403, body=b"<html>", headers={"Content-Type": "text/html"}),
    "no code": ScriptedReply(status=401, body=b"{}", headers=PROBLEM),
    **{
        f"{depth} lists": ScriptedReply(
            body=f'{json.dumps(ANSWER)[:-1]}, "more": {"[" * depth}{"]" * depth}}}'.encode(), headers=JSON
        )
        for depth in (33, 100_000)
    },
    "problems": reply({"code": "forbidden", "detail": "No.", "problems": [1]}, 403),
    "an id": reply({"code": "forbidden", "detail": "No.", "submission": {"id": 1}}, 403),
    "a code": reply({"code": 1, "detail": "No."}, 403),
}


@pytest.mark.parametrize("kind", NOT_OF_THE_SERVICE)
def test_a_document_that_is_not_of_the_service_fails_and_is_asked_for_once(send, kind):
    code, err, server = send(NOT_OF_THE_SERVICE[kind], attempts=5)
    assert (code, len(server.paths)) == (ExitCode.FAULT, 1)
    assert "not a document of Wardboard" in err


def test_a_job_that_loses_the_service_while_it_waits_knows_what_it_sent(send, tmp_path):
    report = tmp_path / "submission.json"
    for lost, expected in (
        (SIGN_IN, ExitCode.FAULT),
        (refusal(503, "unavailable"), ExitCode.FAULT),
        (refusal(401, "authentication-failed"), ExitCode.REFUSED),
    ):
        code, _, _ = send(reply(SENT, 201), lost, arguments=("--output", report))
        assert (code, json.loads(report.read_bytes())) == (expected, SENT)
        report.unlink()


def test_the_cause_of_an_answer_that_is_none_of_the_service_is_named(send, monkeypatch):
    for answer, words in (
        (ScriptedReply(status=103, body=b"<html>"), "early hints"),
        (ScriptedReply(status=413, body=b"<html>"), "takes no file of this size"),
        (ScriptedReply(status=201, body=b'{"id": "', headers=JSON), "its JSON is cut off or damaged"),
        (ScriptedReply(status=403, body=b'{"message": "Not you."}', headers=JSON), "it says “Not you.”"),
        (ScriptedReply(status=429, headers={"Retry-After": "86400"}), "1 attempt, and asks to wait (Ret"),
    ):
        code, err, _ = send(answer)
        assert (code, words in err) == (ExitCode.FAULT, True)
    code, err, _ = send(refusal(404, "not-found"), arguments=("--strict",))
    assert (code, "is too old to check files" in err) == (ExitCode.FAULT, True)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/no/such.pem")
    code, _, err = wardboard("quota", "b", "--url", "https://localhost:9", "--attempts", 1)
    assert (code, "REQUESTS_CA_BUNDLE names /no/such.pem" in err) == (ExitCode.USAGE, True)


def test_an_answer_that_is_cut_every_time_fails(send):
    # Before the answer, before its body, and within it.
    for cut in (-1, 0, 10):
        code, err, server = send(ScriptedReply(body=b'{"id": "6f1f3c0a"}', headers=JSON, cut=cut), attempts=2)
        assert (code, len(server.paths), "cut the connection" in err) == (ExitCode.FAULT, 2, True)
        assert len({headers["Idempotency-Key"] for headers in server.headers}) == 1


def test_a_silent_host_fails_within_its_time(send):
    began = time.monotonic()
    code, err, _ = send(ScriptedReply(delay=60), attempts=2, arguments=("--request-timeout", "0.3"))
    assert code == ExitCode.FAULT
    assert "gave no answer within 0.3 s, after 2 attempts" in err
    assert time.monotonic() - began < 30


def test_a_service_that_is_out_of_order_every_time_fails(send):
    proxy = ScriptedReply(status=502, body=b"<html>", headers={"Content-Type": "text/html"})
    for status, code in ((503, "unavailable"), (500, "server-error"), (507, "storage-full"), (502, "")):
        ended, _, server = send(refusal(status, code) if code else proxy, attempts=2)
        assert (ended, len(server.paths)) == (ExitCode.FAULT, 2), status


def test_a_spent_quota_is_a_refusal_and_is_not_waited_for(send):
    code, err, server = send(refusal(429, "quota-spent", **{"Retry-After": "60000"}), attempts=5)
    assert (code, len(server.paths)) == (ExitCode.REFUSED, 1)
    assert "It is so." in err


def test_too_many_requests_are_repeated_after_the_time_that_the_service_names(send):
    began = time.monotonic()
    limited = refusal(429, "too-many-requests", **{"Retry-After": "1"})
    code, _, server = send(limited, SIGN_IN, attempts=5)
    assert (code, len(server.paths)) == (ExitCode.FAULT, 2)
    assert time.monotonic() - began >= 1


def test_a_score_that_does_not_come_because_the_service_fell_silent_ends_with_5(send):
    began = time.monotonic()
    code, err, _ = send(reply(SENT, 201), ScriptedReply(delay=60), attempts=20, arguments=("--timeout", "1"))
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


def test_a_token_that_no_header_can_hold_is_refused_and_never_printed(send, monkeypatch):
    for token in ("wb_secret\nof-the-team", "wb_secret of-the-team", "wb_secret-of-the-téam"):
        monkeypatch.setenv("WARDBOARD_TOKEN", token)
        code, err, server = send()
        assert (code, server.paths, "copy it again" in err) == (ExitCode.USAGE, [], True)


def test_a_password_in_netrc_does_not_take_the_place_of_the_token(send, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password something\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    _, _, server = send(SIGN_IN)
    assert server.headers[0]["Authorization"] == "Bearer wb_secret-of-the-team"


ECHO = f"Bearer {TOKEN}"
# The line that should be the length of a chunk is in the error.
CHUNKED = {"Transfer-Encoding": "chunked"}
NO = {"code": "forbidden", "title": "No", "status": 403, "detail": "No.", "hint": "Ask."}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (
            reply(NO | {"detail": ECHO, "hint": ECHO, ECHO: [[ECHO]]}, 403),
            ExitCode.REFUSED,
        ),
        (reply(NO | {"code": TOKEN, "detail": ECHO}, 503), ExitCode.FAULT),
        (reply(ANSWER | {"system": {"name": ECHO}, "failure": ECHO, "notice": ECHO}), ExitCode.OK),
        (reply(ANSWER | {"status": TOKEN}), ExitCode.FAULT),
        (ScriptedReply(status=302, headers={"Location": f"https://x/?{TOKEN}"}), ExitCode.FAULT),
        (ScriptedReply(headers={"Content-Type": TOKEN}), ExitCode.FAULT),
        (ScriptedReply(body=f"{TOKEN}\r\n".encode(), headers=CHUNKED), ExitCode.FAULT),
    ],
    ids=["refusal", "out of order", "submission", "status", "redirect", "type", "broken"],
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_server_that_sends_the_token_back_does_not_get_it_printed(reply, code, form, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    summary, output = tmp_path / "summary.md", tmp_path / "submission.json"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("WARDBOARD_TOKEN", TOKEN)
    with Loopback(reply) as server:
        command = ("status", ID, "--url", server.origin, "--attempts", 1, "--output", output, *form)
        ended, out, err = wardboard(*command)
    assert ended == code
    written = output.read_text() if output.exists() else ""
    texts = [out, err, summary.read_text(), written]
    assert TOKEN not in "".join(texts)
    if b"wb_secret" in reply.body:
        assert "wb_[hidden]" in out + err


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
    ],
    ids=["no length", "a length", "chunks", "head"],
)
def test_an_answer_that_comes_byte_by_byte_is_given_up_and_takes_the_time_of_all_attempts(head):
    began = time.monotonic()
    with dripping(head) as url:
        command = ("quota", "b", "--url", url, "--attempts", 20, "--request-timeout", 0.2)
        code, _, err = wardboard(*command)
        assert 1.9 < time.monotonic() - began < 60
    assert (code, "Traceback" in err, "no whole answer within 2 s" in err) == (ExitCode.FAULT, False, True)


# --- In front of the real service ------------------------------------------------------------------


def test_a_score_whose_answer_was_cut_arrives_and_is_counted_once(service, submit, monkeypatch):
    monkeypatch.setattr(InProcess, "cuts", 1)
    code, out, _ = submit(GOOD, "--wait", "--fail-under", "0.8")
    assert (code, "94.0%" in out) == (0, True)
    assert Submission.objects.count() == 1


def test_waiting_goes_on_until_there_is_a_score(send, monkeypatch):
    monkeypatch.setattr("wardboard.client.service.time.sleep", lambda seconds: None)
    waiting = reply(SENT | {"status": "incomplete", "waits_for": "provider-down"})
    scored = reply(SENT | {"status": "scored", "result": RESULT})
    code, err, server = send(waiting, waiting, waiting, scored)
    assert (code, len(server.paths)) == (0, 4)
    assert err == f"wardboard: {SENT['id']}: incomplete, waits: provider-down\n"
