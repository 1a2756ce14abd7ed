"""What others wrote gives no command to GitHub Actions or to the terminal, whatever is printed of it."""

import contextlib
import io
import json

import pytest
from hypothesis import strategies as st

from tests.support.cli import wardboard
from tests.support.examples import given
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.files.remarks import remark_lines
from wardboard.terminal import print_json, show

PIECES = ["::", ":", "##[", "#", "[", " ", "\n", "\r", "\t", "\x1b]", "\x9b", "\x7f", "\u200b", "\u034f"]
PIECES += ["\u2028", "\u3000", "\ufe0f", "\ud800", "\\", '"', "stop-commands", "p", "系", "add-mask::"]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=40)
# What comparing by the rules of a language skips.
SKIPPED = str.maketrans("", "", "\u034f\ufe0f\u200b")


@pytest.fixture(autouse=True)
def job_of_github(monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


def printed(function, value) -> str:
    """Return what a function prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function(value)
    return out.getvalue()


def commands_in(output: str) -> list[str]:
    """Return the lines that actions/runner would take for commands."""
    lines = output.replace("\r", "\n").translate(SKIPPED).split("\n")
    return [line for line in lines if line.strip().startswith("::") or "##[" in line]


def is_plain(output: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in output)


@given(text=HOSTILE)
def test_no_line_of_a_problem_is_a_command_wherever_it_is_wrapped(text):
    remark = {"code": text, "pointer": text, "message": f"{'word ' * 15}{text}", "hint": text, "where": text}
    remark |= {"run": 2, "file": text, "quoted": [{"number": 1, "text": text}]}
    remark |= {"fix": {"before": text, "after": text}}
    output = printed(show, "\n".join(remark_lines("problem", remark)))
    assert commands_in(output) == []
    assert is_plain(output)


@given(value=st.dictionaries(HOSTILE, HOSTILE | st.lists(HOSTILE), max_size=4))
def test_json_has_no_command_and_is_the_same_document_for_parsers(value):
    output = printed(print_json, value)
    assert commands_in(output) == []
    assert is_plain(output)
    assert json.loads(output) == value


def test_text_without_commands_is_shown_as_it_is_also_with_two_colons(monkeypatch):
    text = "a::b  #1 [x]  系统: 1\n  -> std::sort"
    assert printed(show, text) == f"{text}\n"
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert printed(show, "  ::x\x1b") == "  ::x\\x1b\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_file_cannot_give_commands_to_the_job_that_checks_it(tmp_path, form):
    path = tmp_path / "results.json"
    wide = "x" * 30
    result = {"task_id": f"##[stop-commands]p {wide} ::stop-commands::p {wide}\n::x::", "answer": 1}
    path.write_text(json.dumps({"results": [result, {"##[x]": "\x1b"}], "::a::": 1}, indent=1))
    code, out, err = wardboard("validate", path, "--benchmark", "medagentbench", *form)
    assert code == 1
    assert "stop-commands" in out
    assert [line for line in commands_in(out + err) if not line.startswith(("::error ", "::warning "))] == []
    assert "##[" not in out + err
    assert is_plain(out + err)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_service_cannot_give_commands_to_the_job_that_asks_it(form):
    text = "no\n  ::stop-commands::p\r\n##[add-mask]a\x1b[2J"
    document = {"code": text, "title": text, "status": 403, "detail": text, "hint": text}
    headers = {"Content-Type": "application/problem+json"}
    with Loopback(ScriptedReply(status=403, body=json.dumps(document).encode(), headers=headers)) as server:
        submission = "6f1f3c0a-0000-4000-8000-000000000000"
        code, out, err = wardboard("status", submission, "--url", server.origin, "--attempts", 1, *form)
    assert code == 6
    assert "stop-commands" in out + err
    assert [line for line in commands_in(out + err) if not line.startswith("::error ")] == []
    assert is_plain(out + err)
