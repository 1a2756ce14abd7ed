"""A server that is not Wardboard sends what it likes: the command ends with its code, and the token stays."""

import hashlib
import json
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from tests.support.cli import wardboard
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench.demo import GOOD

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
TOKEN = "wb_secret-of-the-team"
ID = "6f1f3c0a-0000-4000-8000-000000000000"

RESULT = {"score": 0.9, "runs": 1, "total": 100, "right": 90, "rounded_to": None, "interval_95": [0.8, 0.95]}
RESULT |= {"metric": "success_rate", "metrics": {"success_rate": 0.9}}
SUBMISSION = {"id": ID, "url": "/", "status": "scored", "published": False, "benchmark": "b", "team": "t"}
SUBMISSION |= {
    "filename": "results.json",
    "system": {"name": "s"},
    "result": RESULT,
    "version": "",
    "commit": "",
}
SUBMISSION |= {"file": {"sha256": hashlib.sha256(GOOD.read_bytes()).hexdigest()}}
REMARK = {"code": "c", "pointer": "", "message": "m", "hint": "h"}
TOKEN_OF_ME = {"name": "n", "begins_with": "wb_", "scopes": [], "benchmark": None, "expires_at": None}
ME = {"account": "a", "team": "t", "token": TOKEN_OF_ME}
ROW = {"kind": "rescored", "rank": 1, "score": 0.9, "interval_95": None, "team": "t", "system": {"name": "s"}}
BOARD = {"benchmark": "b", "rows": [ROW], "count": 1, "page": 1, "pages": 1, "ranks": "All."}
LIMIT = {"kind": "day", "unit": "files", "allowed": 3, "left": 2, "renews_at": None}
QUOTA = {"left": 2, "limits": [LIMIT], "approval": "not-needed"}
REFUSAL = {"code": "forbidden", "title": "No", "status": 403, "detail": "No.", "hint": "Ask."}

COMMANDS = {
    "status": ("status", ID),
    "wait": ("wait", ID, "--fail-under", "0.5"),
    "submit": ("submit", GOOD, "--benchmark", "b", "--system", "s", "--wait"),
    "token": ("token",),
    "leaderboard": ("leaderboard", "b"),
    "quota": ("quota", "b"),
}


@pytest.fixture(autouse=True)
def known_token(monkeypatch):
    monkeypatch.setenv("WARDBOARD_TOKEN", TOKEN)


def ask(command: str, reply: ScriptedReply, *arguments: object) -> tuple[int, str, str]:
    with Loopback(reply) as server:
        return wardboard(*COMMANDS[command], "--url", server.origin, "--attempts", 1, *arguments)


def answer(document: object, status: int = 200, **headers: str) -> ScriptedReply:
    kind = JSON if status < 400 else PROBLEM
    return ScriptedReply(status=status, body=json.dumps(document).encode(), headers=kind | headers)


@pytest.mark.parametrize(
    ("command", "document"),
    [
        ("token", ME | {"token": TOKEN}),
        ("status", {name: value for name, value in SUBMISSION.items() if name != "system"}),
        ("status", SUBMISSION | {"result": RESULT | {"score": "high"}}),
        ("status", SUBMISSION | {"result": RESULT | {"score": 10**400}}),
        ("status", SUBMISSION | {"result": RESULT | {"score": float("nan")}}),
        ("status", SUBMISSION | {"result": RESULT | {"interval_95": [0.5]}}),
        ("status", SUBMISSION | {"rank": {"best": 1}}),
        ("status", SUBMISSION | {"id": "1)\n# A heading"}),
        ("status", SUBMISSION | {"warnings": [REMARK | {"run": -5}]}),
        ("wait", SUBMISSION | {"result": None}),
        ("leaderboard", BOARD | {"rows": [1]}),
        ("quota", QUOTA | {"limits": 5}),
        ("quota", QUOTA | {"limits": [LIMIT | {"left": None}]}),
    ],
)
def test_a_member_of_another_type_is_no_answer_of_wardboard(command, document):
    code, _, err = ask(command, answer(document))
    assert (code, "Traceback" in err) == (ExitCode.FAULT, False)
    assert "not a document of Wardboard" in err


@pytest.mark.parametrize(
    "members",
    [
        {"problems": [1]},
        {"problems": 5},
        {"submission": ID},
        {"submission": {"id": 1}},
        {"id": 5},
        {"code": 1},
    ],
)
def test_a_refusal_of_another_shape_is_no_answer_of_wardboard(members):
    code, _, err = ask("submit", answer(REFUSAL | members, 403))
    assert (code, "Traceback" in err) == (ExitCode.FAULT, False)


@pytest.mark.parametrize("depth", [33, 900, 100_000])
@pytest.mark.parametrize("status", [200, 403])
def test_a_deeply_nested_answer_is_no_answer_of_wardboard(depth, status):
    members = json.dumps(SUBMISSION if status == 200 else REFUSAL)[:-1]
    body = f'{members}, "more": {"[" * depth}{"]" * depth}}}'.encode()
    reply = ScriptedReply(status=status, body=body, headers=JSON if status == 200 else PROBLEM)
    code, _, err = ask("status", reply, "--json")
    assert (code, "Traceback" in err) == (ExitCode.FAULT, False)


def test_an_answer_that_states_a_member_twice_is_no_answer_of_wardboard():
    body = f'{json.dumps(SUBMISSION)[:-1]}, "status": "scored"}}'.encode()
    code, _, err = ask("status", ScriptedReply(body=body, headers=JSON), "--json")
    assert (code, "Traceback" in err) == (ExitCode.FAULT, False)


# --- The token --------------------------------------------------------------------------------------

ECHO = f"Bearer {TOKEN}"
# The line that should be the length of a chunk is in the error.
CHUNKED = {"Transfer-Encoding": "chunked"}


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (
            answer(REFUSAL | {"detail": ECHO, "hint": ECHO, ECHO: [[ECHO]]}, 403),
            ExitCode.REFUSED,
        ),
        (answer(REFUSAL | {"code": TOKEN, "detail": ECHO}, 503), ExitCode.FAULT),
        (answer(SUBMISSION | {"system": {"name": ECHO}, "failure": ECHO, "notice": ECHO}), ExitCode.OK),
        (answer(SUBMISSION | {"status": TOKEN}), ExitCode.FAULT),
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
    ended, out, err = ask("status", reply, "--output", output, *form)
    assert ended == code
    written = output.read_text() if output.exists() else ""
    texts = [out, err, summary.read_text(), written]
    assert TOKEN not in "".join(texts)
    if b"wb_secret" in reply.body:
        assert "wb_[hidden]" in out + err


# --- Answers that drip ------------------------------------------------------------------------------


@contextmanager
def dripping(head: bytes):
    """Serve `head` at once and then a byte each 50 ms, without an end; give the address."""
    listener = socket.create_server(("127.0.0.1", 0))
    # A command that never asks must not keep the test for ever.
    listener.settimeout(60)
    is_over = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(2**16)
            try:
                connection.sendall(head)
                while not is_over.wait(0.05):
                    connection.sendall(b"1")
            except ConnectionError:
                # The command gave up, as it should.
                return

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        is_over.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", "no whole answer within 2 s"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "no whole answer within 2 s"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n", "no whole answer within 2 s"),
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", "no whole answer within 2 s"),
    ],
    ids=["no length", "a length", "chunks", "head"],
)
def test_an_answer_that_comes_byte_by_byte_is_given_up_and_takes_the_time_of_all_attempts(head, words):
    began = time.monotonic()
    with dripping(head) as url:
        arguments = ("--url", url, "--attempts", 20, "--request-timeout", 0.2)
        code, _, err = wardboard(*COMMANDS["quota"], *arguments)
        assert 1.9 < time.monotonic() - began < 60
    assert (code, "Traceback" in err) == (ExitCode.FAULT, False)
    assert words in err
