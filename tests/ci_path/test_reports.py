"""What the systems that run jobs show: annotations, a summary, and JUnit XML."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree

import pytest

from tests.support.cli import wardboard
from tests.support.loopback import Loopback, ScriptedReply
from tests.support.paths import ROOT
from wardboard.ci.github import annotations, as_markdown
from wardboard.ci.junit import as_junit
from wardboard.ci.report import JobReport, write_document
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

GOOD = demo.GOOD

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


def make_report(**members) -> JobReport:
    return JobReport(
        **{
            "title": "My agent on b",
            "code": ExitCode.FILE_HAS_PROBLEMS,
            "message": "1 problem in the file.",
            "facts": {},
            "files": ["a,b:1.json"],
            "problems": [PROBLEM],
            "problems_total": 1,
            **members,
        }
    )


def test_an_annotation_names_the_line_of_the_file_and_is_one_line():
    (line,) = annotations(make_report())
    assert line.startswith(
        "::error file=a%2Cb%3A1.json,line=31,col=17,title=answer.not-a-string::`answer` is 50%25%0Aa list"
    )
    assert "\n" not in line


def test_a_problem_of_a_run_is_annotated_in_the_file_of_that_run():
    (line,) = annotations(make_report(files=["one.json", "two.json"], problems=[{**PROBLEM, "run": 2}]))
    assert "file=two.json" in line


def test_at_most_ten_problems_are_annotated():
    assert len(list(annotations(make_report(problems=[PROBLEM] * 50)))) == 10


def test_each_kind_of_problem_is_annotated_before_more_of_one_kind():
    other = {**PROBLEM, "code": "answer.missing"}
    shown = list(annotations(make_report(problems=[*[PROBLEM] * 50, other])))
    assert len(shown) == 10
    assert "answer.missing" in shown[-1]


def test_the_summary_shows_what_a_file_holds_as_text_and_never_as_markup():
    text = as_markdown(make_report())
    assert "is 50% a list \\| of \\<b\\>two\\</b\\>" in text
    assert text.startswith("### ❌ My agent on b\n")


def test_junit_has_a_test_for_each_file_and_no_character_that_xml_refuses():
    suite = ElementTree.fromstring(as_junit(make_report(facts={"score": "94.0%"}, link="https://w.example/")))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failure = suite.find("testcase[@name='a,b:1.json']/failure")
    assert failure.get("type") == "answer.not-a-string"
    assert "line 31" in failure.text
    assert "score: 94.0%\nhttps://w.example/" in suite.find("testcase/system-out").text


def test_a_field_that_is_refused_is_no_fault_of_the_file():
    field = {
        "code": "facts.invalid",
        "pointer": "/commit",
        "message": "It is no commit.",
        "hint": "Leave it.",
    }
    report = make_report(code=ExitCode.REFUSED, problems=[field])
    assert list(annotations(report)) == ["::error title=facts.invalid::It is no commit. Leave it."]
    suite = ElementTree.fromstring(as_junit(report))
    assert [case.get("name") for case in suite.findall("testcase[error]")] == ["My agent on b"]


@pytest.mark.parametrize("arguments", [("--strict",), ()])
def test_a_submission_that_was_never_sent_or_never_scored_is_an_error_in_junit(
    service, submit, tmp_path, arguments
):
    sparse, junit = tmp_path / "sparse.json", tmp_path / "junit.xml"
    document = json.loads(demo.GOOD.read_bytes())
    document["results"] = document["results"][:3] if arguments else [{"task_id": "task1_1", "answer": [1]}]
    sparse.write_text(json.dumps(document))
    assert submit(sparse, "--wait", *arguments, "--junit", junit)[0] != 0
    case = ElementTree.parse(junit).getroot().find("testcase[@name='My agent on medagentbench-demo']")
    assert case.find("error") is not None


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


def test_a_job_that_passes_has_a_summary_with_its_score(service, submit, github, tmp_path):
    junit = tmp_path / "junit.xml"
    code, _out, err = submit(demo.GOOD, "--wait", "--fail-under", "0.8", "--junit", junit)
    assert (code, err) == (0, "")
    text = github.read_text()
    assert "### ✅ My agent on medagentbench-demo" in text
    assert "| score | 94.0% |" in text
    assert "- ✅ `fail-under`: The score 94.0% is at least 80%." in text
    assert f"[The submission]({service}/submissions/" in text
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "0")


def test_a_job_whose_gate_fails_says_so_in_every_report(service, submit, github, tmp_path):
    junit = tmp_path / "junit.xml"
    code, _, err = submit(demo.MIDDLING, "--wait", "--fail-under", "0.8", "--junit", junit)
    assert code == ExitCode.GATE_FAILED
    assert "::error title=fail-under::The score 60.0%25 is below 80%25." in err
    assert "- ❌ `fail-under`: The score 60.0% is below 80%." in github.read_text()
    failure = ElementTree.parse(junit).getroot().find("testcase[@name='fail-under']/failure")
    assert failure.get("message") == "The score 60.0% is below 80%."


def test_a_stale_file_is_an_annotation_a_failure_and_a_red_summary(service, submit, github, tmp_path):
    junit = tmp_path / "junit.xml"
    assert submit(demo.GOOD, "--wait", "--commit", "a" * 40)[0] == 0
    github.unlink()
    code, _, err = submit(demo.GOOD, "--wait", "--commit", "b" * 40, "--junit", junit)
    assert code == ExitCode.GATE_FAILED
    assert (
        f"::error title=as-described::These files were sent before as those of another run (commit {'a' * 40}"
        in err
    )
    assert "- ❌ `as-described`: These files were sent before" in github.read_text()
    failure = ElementTree.parse(junit).getroot().find("testcase[@name='as-described']/failure")
    assert "the file may be a stale one" in failure.text


@pytest.mark.parametrize(("variable", "expected"), [(None, 0), ("GITHUB_SHA", 4), ("CI_COMMIT_SHA", 4)])
def test_files_that_an_unnamed_run_sent_before_are_a_notice_and_in_a_ci_job_a_failure(
    service, submit, monkeypatch, variable, expected
):
    command = (demo.GOOD, "--fail-under", "0.9", "--publish")
    assert submit(demo.GOOD, "--fail-under", "0.9")[0] == 0
    if variable:
        monkeypatch.setenv(variable, "b" * 40)
    code, out, err = submit(*command)
    assert (code, "published      yes" in out) == (expected, not expected), out + err
    assert ("FAIL  as-described" in out, "none  same files" in out) == (bool(expected), not expected)
    code, out, err = submit(*command, "--allow-existing")
    assert (code, "published      yes" in out) == (0, True), out + err


def test_a_job_whose_request_is_repeated_with_its_key_ends_as_it_did(service, submit, monkeypatch):
    monkeypatch.setenv("GITHUB_SHA", "b" * 40)
    for _ in range(2):
        code, out, err = submit(demo.GOOD, "--fail-under", "0.9", "--idempotency-key", "job-1")
        assert (code, "same files" in out) == (0, False), out + err


@pytest.mark.parametrize("option", ["--output", "--junit", "--comment"])
@pytest.mark.parametrize("named", ["results.json", "./results.json", "*.json", "link.json"])
def test_no_report_replaces_the_results(submit, tmp_path, option, named):
    content = demo.GOOD.read_bytes()
    (tmp_path / "results.json").write_bytes(content)
    (tmp_path / "link.json").hardlink_to(tmp_path / "results.json")
    named, report = f"{tmp_path}/{named}", f"{option}={tmp_path / 'results.json'}"
    # A command that ends early writes its reports too.
    for more in ((), ("--fail-under", "80")) if "link" not in named else ((),):
        code, _, err = submit(named, report, "--url", "http://127.0.0.1:9", *more)
        assert (code, (tmp_path / "results.json").read_bytes()) == (ExitCode.USAGE, content), err


def test_each_problem_of_a_file_is_annotated_where_it_is(service, submit, github):
    code, out, err = submit(demo.MALFORMED, "--json")
    assert code == ExitCode.FILE_HAS_PROBLEMS
    assert json.loads(out)["code"] == "file-rejected"
    assert f"::error file={demo.MALFORMED},line=8,col=" in err
    assert err.count("::error") == 10
    assert "result 1, task1\\_1, line 8" in github.read_text()


def test_the_summary_shows_the_first_three_of_each_kind_with_their_fixes():
    fix = {"before": '"answer": ["``` S1"],', "after": '"answer": "[\\"``` S1\\"]",'}
    listed = [{**PROBLEM, "message": f"Number {n}.", "hint": "Write it.", "fix": fix} for n in range(5)]
    other = {**PROBLEM, "code": "answer.missing", "message": "None."}
    report = make_report(
        problems=[*listed, other],
        problems_total=8,
        problems_by_code={"answer.not-a-string": 7, "answer.missing": 1},
    )
    text = as_markdown(report)
    assert "**8 errors of 2 kinds**" in text
    assert "- `answer.not-a-string` (7): Write it.\n" in text
    assert text.count("Write it.") == 1
    assert text.count("Number") == 3
    assert "  - … 4 more\n" in text
    # No fence within the lines can end the block.
    assert f"    ````diff\n    - {fix['before']}\n    + {fix['after']}\n    ````\n" in text
    assert (
        f"- {fix['before']}\n+ {fix['after']}"
        in ElementTree.fromstring(as_junit(report)).find("testcase/failure").text
    )
    assert f"%0A- {fix['before']}%0A+ {fix['after']}" in next(iter(annotations(report)))


def test_checking_without_a_service_annotates_and_reports_as_submitting_does(github, tmp_path):
    code, out, err = wardboard(
        *("validate", demo.MALFORMED, "--tasks", demo.TASKS, "--json"),
        *("--junit", tmp_path / "junit.xml"),
    )
    assert code == ExitCode.FILE_HAS_PROBLEMS
    assert json.loads(out)["valid"] is False
    assert f"::error file={demo.MALFORMED},line=8,col=" in err
    assert ElementTree.parse(tmp_path / "junit.xml").getroot().get("failures") == "1"
    assert github.read_text().startswith("### ❌ Check of")


def test_a_step_adds_to_the_summary_of_earlier_steps(github):
    github.write_text("Before.\n")
    with Loopback(ScriptedReply(status=301, headers={"Location": "https://a.example/"})) as server:
        code, _, _ = wardboard(
            *("submit", demo.GOOD, "--benchmark", "b", "--system", "s", "--url", server.origin)
        )
    assert code == ExitCode.NOT_WARDBOARD
    assert github.read_text().startswith("Before.\n### ❌ s on b\n")


# --- The report of an earlier command that passed -----------------------------------------------------

PASSED = '<testsuite name="wardboard" tests="1" failures="0" errors="0"/>'


@pytest.fixture
def kept_reports(tmp_path) -> dict[str, Path]:
    """Return the files of the reports that an earlier command left, by option."""
    reports = {"--junit": tmp_path / "wardboard.xml", "--comment": tmp_path / "comment.md"}
    for path in reports.values():
        path.write_text(PASSED)
    return reports


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("validate", "no-such.json"), "no-such.json"),
        (("validate", "no-such-*.json"), "no file matches"),
        (("validate", GOOD, "--benchmark", ""), "--benchmark is empty"),
        (("validate", GOOD, "--Strict"), "No such option"),
        (("validate",), "Missing argument"),
        (("submit", "no-such.json", "--benchmark", "b", "--system", "s"), "no-such.json"),
        (("submit", "no-such-*.json", "--benchmark", "b", "--system", "s"), "no file matches"),
        (("submit", GOOD, "--benchmark", "b", "--system", "s", "--fail-under", ""), "fail-under"),
        (("submit", GOOD, "--benchmark", "b"), "--system"),
        (("submit", GOOD, "--benchmark", "b", "--system", "s", "--fail-under"), "requires an argument"),
        (("submit", GOOD, "--benchmark", "b", "--system", "s", "--from-ci"), "GITHUB_SHA"),
        (("wait", "id", "--fail-under", "80"), "80"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else "",
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_command_that_ends_early_replaces_the_reports_of_an_earlier_one(
    kept_reports, arguments, words, is_first, monkeypatch
):
    monkeypatch.setenv("WARDBOARD_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    name, *rest = arguments
    options = [each for pair in kept_reports.items() for each in pair]
    code, _, err = wardboard(name, *(options if is_first else ()), *rest, *(() if is_first else options))
    if rest[-1:] == ["--fail-under"] and not is_first:
        words = "--junit"  # is taken for the score
    assert code == ExitCode.USAGE, err
    suite = ElementTree.fromstring(kept_reports["--junit"].read_text())
    assert suite.get("errors") == "1"
    assert words in suite.find("testcase/error").get("message")
    assert kept_reports["--comment"].read_text().startswith("### ❌")


def test_a_log_on_a_full_disk_leaves_no_report_that_passed(kept_reports):
    incomplete = kept_reports["--junit"].with_name("incomplete.json")
    incomplete.write_text('{"version": "v2", "results": []}')
    for file in (GOOD, incomplete):
        command = (sys.executable, "-m", "wardboard", "validate", file, "--tasks", demo.TASKS, "--strict")
        with open("/dev/full", "w") as full:
            code = subprocess.run(
                [*command, "--junit", kept_reports["--junit"]], stdout=full, cwd=ROOT, check=False
            ).returncode
        assert code == ExitCode.USAGE
        suite = ElementTree.fromstring(kept_reports["--junit"].read_text())
        assert "cannot write the output" in suite.find("testcase/error").get("message")


@pytest.mark.parametrize(
    ("status", "expected", "reported"),
    [
        ("queued", ExitCode.OK, "Its status: queued"),
        ("rejected", ExitCode.FILE_HAS_PROBLEMS, "It was rejected"),
        ("failed", ExitCode.NOT_SCORED, "It was failed"),
        ("cancelled", ExitCode.NOT_SCORED, "It was cancelled"),
    ],
)
@pytest.mark.parametrize("command", ["status", "submit"])
def test_a_submission_without_a_score_is_no_test_that_passed(
    status, expected, reported, command, tmp_path, monkeypatch
):
    answer = {"id": str(UUID(int=1)), "url": "/", "status": status, "published": False, "benchmark": "b"}
    answer |= {"team": "t", "system": {"name": "s"}, "version": "", "commit": "", "result": None}
    answer |= {"file": {"sha256": hashlib.sha256(GOOD.read_bytes()).hexdigest()}, "filename": "good.json"}
    monkeypatch.setenv("WARDBOARD_TOKEN", "wb_secret-of-the-team")
    arguments = {"status": (answer["id"],), "submit": (GOOD, "--benchmark", "b", "--system", "s")}[command]
    junit, comment = tmp_path / "report.xml", tmp_path / "comment.md"
    reply = ScriptedReply(body=json.dumps(answer).encode(), headers={"Content-Type": "application/json"})
    with Loopback(reply) as server:
        to = ("--url", server.origin, "--junit", junit, "--comment", comment)
        assert wardboard(command, *arguments, *to)[0] == expected
    assert reported in ElementTree.fromstring(junit.read_text()).find("testcase/error").get("message")
    assert comment.read_text().startswith("### ➖" if expected == ExitCode.OK else "### ❌")


def test_the_comment_for_a_pull_request_is_the_report_as_markdown(service, submit, tmp_path):
    comment = tmp_path / "comment.md"
    assert submit(demo.GOOD, "--wait", "--fail-under", "0.8", "--comment", comment)[0] == 0
    assert comment.read_text().startswith("### ✅ My agent on medagentbench-demo\n")
    assert submit(demo.MIDDLING, "--wait", "--fail-under", "0.8", "--comment", comment)[0] == 4
    assert comment.read_text().startswith("### ❌ My agent on medagentbench-demo\n")


def test_no_report_replaces_another(submit, tmp_path):
    path = tmp_path / "report"
    code, _, err = submit(demo.GOOD, "--junit", path, f"--comment={path}", "--url", "http://127.0.0.1:9")
    assert (code, path.exists()) == (ExitCode.USAGE, False), err
    assert "--comment would write over the file of --junit" in err
    assert wardboard("validate", demo.GOOD, "--junit", path, "--comment", path)[0] == ExitCode.USAGE
