"""What a command ends with: its report, its document, and what GitHub Actions shows of the job."""

import errno
import json
import os
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.ci_path.answers import ANSWER
from tests.support.cli import wardboard
from tests.support.scoring.files import as_zip
from wardboard.ci.gates import Gate
from wardboard.ci.github import annotations, summary
from wardboard.ci.report import JobReport, write_document
from wardboard.commands.endings import facts_of
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

PROBLEM = {
    "code": "answer.not-a-string",
    "pointer": "/results/0/answer",
    "line": 31,
    "column": 17,
    "message": "`answer` is 50%\na list | of <b>two</b>",
    "hint": "Write it, in quotes: \x1b",
    "where": "result 1, line 31",
}


@pytest.fixture
def github(monkeypatch, tmp_path) -> Path:
    """Set the variables of GitHub Actions; return the path of the summary."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    return tmp_path / "summary.md"


def make_report(*problems, files=("a,b:1.json",), **members) -> JobReport:
    document = {"problems": problems or [PROBLEM], "problems_total": len(problems) or 1}
    fields = {"code": ExitCode.FILE_HAS_PROBLEMS, "message": "1 problem in the file.", **members}
    return JobReport(title="My agent on b", files=files, document=document, **fields)


def test_a_log_says_what_undecided_answers_do_to_the_score_to_the_entry_and_to_the_rank():
    shown = {"submission": "x", "score": 0.746, "score_upper": 0.82, "is_this": False, "explanation": "Why."}
    said = {"entry": shown, "scored_by": {"judge": "rules 7"}, "unmet_rules": ["most_open"]}
    facts = facts_of({**ANSWER, **said, "result": {**ANSWER["result"], "rounded_to": 0.01}})
    assert facts["entry"] == "no: the leaderboard shows x with 74.6–82.0%. Why."
    assert facts["score"] == "90.0% (rounded to 1%, undecided answers not counted as correct)"
    assert facts["no rank"] == "rules of the leaderboard that are not met: most_open"


def test_an_annotation_is_one_line_that_names_the_place_in_the_file_of_its_run():
    (line,) = annotations(make_report())
    assert line.startswith(
        "::error file=a%2Cb%3A1.json,line=31,col=17,title=answer.not-a-string::`answer` is 50%25%0Aa list"
    )
    assert "\n" not in line
    (line,) = annotations(make_report({**PROBLEM, "run": 2}, files=["one.json", "two.json"]))
    assert "file=two.json" in line


def test_gates_that_fail_or_doubt_and_an_error_without_either_are_annotated():
    gates = [
        Gate(name="fail-under", passed=False, message="60% is below 80%."),
        Gate(name="same files", passed=None, message="Sent before.", is_doubt=True),
        Gate(name="require-change", passed=None, message="Equal.", is_notice=True),
        Gate(name="strict", passed=True, message="None."),
    ]
    report = JobReport(title="t", code=ExitCode.GATE_FAILED, message="It failed.", gates=gates)
    assert list(annotations(report)) == [
        "::error title=fail-under::60%25 is below 80%25.",
        "::warning title=same files::Sent before.",
        "::notice title=require-change::Equal.",
    ]
    alone = JobReport(title="t", code=ExitCode.FAULT, message="Not reached.")
    assert list(annotations(alone)) == ["::error title=t::Not reached."]


def test_wrong_usage_and_a_full_disk_are_annotated_and_in_the_summary(github, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    for words, why in (
        (("validate", "no-such.json"), "No such file or directory"),
        (("validate", demo.GOOD, "--Strict"), "No such option"),
        (("validate", tmp_path / "empty"), "holds no files"),
    ):
        code, _, err = wardboard(*words)
        assert (code, "::error title=wardboard::" in err, why in github.read_text()) == (2, True, True), words
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr("tempfile.TemporaryFile", Mock(side_effect=full))
    code, _, err = wardboard("validate", demo.GOOD)
    assert (code, "Make room, or set TMPDIR" in err, "Traceback" in err) == (2, True, False)


def test_what_stands_beside_the_results_is_a_notice_that_no_strict_job_fails_on(github, tmp_path):
    path = tmp_path / "runs.zip"
    path.write_bytes(as_zip({"run_1/r.json": demo.GOOD.read_bytes(), "run_1/summary.json": b'{"score": 1}'}))
    code, out, err = wardboard("validate", path, "--benchmark", "medagentbench-demo", "--strict")
    assert (code, "“summary.json”" in out, "::notice file=" in err) == (0, True, True), out + err


def test_the_summary_is_the_report_in_a_fence_that_nothing_in_it_closes():
    fix = {"before": '"answer": ["``` S1"],', "after": '"answer": "[\\"``` S1\\"]",'}
    text = summary(make_report({**PROBLEM, "fix": fix}))
    assert text.startswith("````text\nMy agent on b\n")
    assert text.endswith("\n1 problem in the file.\n````\n")
    assert f"  -       | {fix['before']}" in text
    assert "\x1b" not in text
    assert f"%0A- {fix['before']}%0A+ {fix['after']}" in next(
        iter(annotations(make_report({**PROBLEM, "fix": fix})))
    )


def test_checking_without_a_service_annotates_and_reports_as_submitting_does(service, submit, github):
    runs = (
        lambda: wardboard("validate", demo.MALFORMED, "--tasks", demo.TASKS, "--json"),
        lambda: submit(demo.MALFORMED, "--json"),
    )
    for number, run in enumerate(runs, 1):
        code, out, err = run()
        assert code == ExitCode.FILE_HAS_PROBLEMS
        assert json.loads(out)["code"] == "file-rejected"
        assert f"::error file={demo.MALFORMED},line=8,col=" in err
        assert err.count("::error") == 10
        # Each step adds its own.
        assert github.read_text().count("answer.not-a-string  result 1, task1_1, line 8") == number


def test_a_report_that_cannot_be_written_does_not_hide_the_gate_that_failed(service, submit, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "/no/such/folder/summary.md")
    for least, expected in (("0.99", ExitCode.GATE_FAILED), ("0.80", ExitCode.USAGE)):
        code, out, err = submit(demo.GOOD, "--fail-under", least)
        assert (code, "fail-under" in out, "cannot write" in err) == (expected, True, True)


def test_the_document_is_written_to_a_device_or_a_link_and_takes_no_place(tmp_path):
    kept, link, pipe = tmp_path / "kept.json", tmp_path / "link.json", tmp_path / "pipe"
    link.symlink_to(kept)
    write_document(link, {"id": 1})
    assert link.is_symlink()
    assert json.loads(kept.read_bytes()) == {"id": 1}
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_document(pipe, {"id": 2})
    assert pipe.is_fifo()
    assert json.loads(os.read(reading, 1000)) == {"id": 2}
    os.close(reading)


def test_the_submission_replaces_no_file_of_results(submit, tmp_path):
    content = demo.GOOD.read_bytes()
    (tmp_path / "results.json").write_bytes(content)
    (tmp_path / "link.json").hardlink_to(tmp_path / "results.json")
    output = f"--output={tmp_path / 'results.json'}"
    for named in ("results.json", "./results.json", "*.json", "link.json"):
        code, _, err = submit(f"{tmp_path}/{named}", output, "--url", "http://127.0.0.1:9")
        assert (code, (tmp_path / "results.json").read_bytes()) == (ExitCode.USAGE, content), err
        assert "would write over" in err
