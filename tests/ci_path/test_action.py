"""The steps of action.yml, run as GitHub runs them, and the commands of docs/ci.md, run unchanged."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from leaderboard.models import Board, Feedback, Submission
from tests.support.cli import install_command, run_program
from tests.support.loopback import Loopback, json_reply
from tests.support.paths import ROOT
from tests.support.scoring import declared_samples as small_set
from tests.support.scoring.inspect_logs import json_log, sample
from tests.support.seasons import make_season
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

GOOD = ROOT / "scoring/medagentbench/demo/good.json"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
INPUTS, CHECK, SUBMIT = "Check the inputs", "Check the files", "Submit the files"
DEMO = "medagentbench-demo"
SHA = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@pytest.fixture
def runner(tmp_path) -> Path:
    """Return the folder of a runner in which the command is installed."""
    install_command(tmp_path / "wardboard/bin")
    return tmp_path


def run_step(name: str, runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub does: bash -e, with inputs and their defaults in its variables."""
    values = {key: str(spec.get("default", "")) for key, spec in ACTION["inputs"].items()}
    values |= {key.replace("_", "-"): value for key, value in inputs.items()}
    env = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
        for key, text in STEPS[name].get("env", {}).items()
    }
    for variable in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        env[variable] = str(runner / variable)
    system = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(runner), "RUNNER_TEMP": str(runner)}
    of_job = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": SHA, "GITHUB_ACTION_PATH": str(ROOT)}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[name]["run"]]
    return run_program(command, env={**system, **of_job, **env}, cwd=runner)


def test_no_step_lets_a_shell_run_what_an_input_holds():
    assert STEPS
    for step in STEPS.values():
        assert "${{" not in step["run"]


@pytest.mark.parametrize("value", ["True", ""])
def test_an_input_that_is_neither_true_nor_false_is_an_error_and_no_gate_that_is_off(runner, value):
    names = ("submit", "strict", "publish", "fail-on-regression", "significant", "require-entry", "unranked")
    done = run_step(INPUTS, runner, files="results.json", **dict.fromkeys(names, value))
    assert done.returncode == ExitCode.USAGE
    for name in names:
        assert f'{name} is neither true nor false: write "true" or "false"' in done.stdout


def test_an_input_from_a_variable_that_is_not_set_is_an_error(runner):
    named = {"submit": "true", "system": "s", "benchmark": "b"}
    empty = 'fail-under is empty, as of a variable that is not set: give a score such as "0.80"'
    for inputs, fault in (
        ({"fail-under": ""}, empty),
        ({"tolerance": "0.02"}, "tolerance is a part of fail-on-regression"),
        ({"significant": "true"}, "significant is a part of fail-on-regression"),
        ({"publish": "true"}, "publish needs submit"),
        ({**named, "system": " "}, "system is empty"),
        ({**named, "benchmark": ""}, "benchmark is empty"),
        ({**named, "season": ""}, "season is empty"),
        (named, "url is empty"),
        ({**named, "team": ""}, "team is empty"),
        ({"benchmark": ""}, "benchmark is empty"),
    ):
        done = run_step(INPUTS, runner, files="results.json", **inputs)
        assert (done.returncode, fault in done.stdout) == (ExitCode.USAGE, True), inputs


def test_the_check_ends_as_the_command_does(runner):
    for name, expected in (("perfect.json", ExitCode.OK), ("malformed.json", ExitCode.FILE_HAS_PROBLEMS)):
        done = run_step(CHECK, runner, files=f"{GOOD.with_name(name)}\r\n")
        assert (done.returncode, "::error file=" in done.stderr) == (expected, expected != 0)


def test_the_check_takes_the_models_and_a_selection_and_inputs_with_a_line_end(runner):
    for name in ("opus/r.json", "gpt/r.json"):
        (runner / name).parent.mkdir()
        (runner / name).write_bytes(GOOD.read_bytes())
    inputs = {"files": "*/r.json \n", "benchmark": f"{DEMO}\n", "strict": "true\r"}
    done = run_step(CHECK, runner, **inputs)
    assert (done.returncode, "results of 2 systems: gpt, opus" in done.stderr) == (1, True)
    assert run_step(CHECK, runner, **inputs, arguments="--select=opus/**\n").returncode == ExitCode.OK
    log = runner / "log.json"
    log.write_bytes(json_log(sample(), eval={"model": "m"}))
    done = run_step(CHECK, runner, files="log.json", models="n", strict="false")
    assert "::warning title=log%3A model::" in done.stderr
    (runner / "wardboard/bin").rename(runner / "wardboard/Scripts")  # as on Windows
    assert run_step(CHECK, runner, **inputs, arguments="--select=opus/**").returncode == ExitCode.OK


def test_the_check_of_another_leaderboard_asks_the_service(runner):
    inputs = {"files": f"{GOOD}\n!{GOOD.with_name('runs.jsonl')}", "benchmark": "b"}
    code = {"family": "b", "version": "demo", "declaration_url": None}
    declared = [
        code | {"family": small_set.HEAD["slug"], "declaration_url": "…"},
        small_set.HEAD | {"match": {"kind": "exact"}},
    ]
    for documents, expected, notes in (
        ([code | {"family": "medagentbench"}], ExitCode.OK, 0),
        (declared, ExitCode.FILE_HAS_PROBLEMS, 0),
        ([code], ExitCode.OK, 1),
    ):
        with Loopback(*map(json_reply, documents)) as server:
            done = run_step(CHECK, runner, **inputs, url=server.origin)
        assert (done.returncode, done.stderr.count("::notice title=not checked")) == (expected, notes)
        assert server.paths[0] == "/api/v1/benchmarks/b/"
    done = run_step(CHECK, runner, **inputs, url="http://127.0.0.1:9")
    assert (done.returncode, "::notice title=not checked" in done.stderr) == (ExitCode.OK, True)
    assert run_step(CHECK, runner, **inputs).returncode == ExitCode.USAGE
    assert run_step(CHECK, runner, **inputs, unranked="true").returncode == ExitCode.OK


def test_good_inputs_have_no_fault(runner):
    assert run_step(INPUTS, runner, files="f").returncode == 0
    ready = {"url": "https://w.example", "benchmark": "b", "system": "s", "submit": "true"}
    assert run_step(INPUTS, runner, files="f", **ready, fail_under="0.8", publish="true").returncode == 0


def test_the_arguments_undo_no_input(runner):
    lines = [
        "--fail-under=0.1",
        "--tolerance=1",
        "--help",
        "-h",
        "-qh",
        "--",
        "-",
        "-oother.json",
        "--system=s",
        "--season=s",
    ]
    lines += ["--benchmark=b", "--model=m", "--team=t", "--url=https://w.example", "--publish", "--strict\r"]
    arguments = "\n".join(["--fact=interaction=multi-turn", *lines])
    done = run_step(INPUTS, runner, files="f", fail_under="0.99", arguments=arguments)
    assert done.returncode == ExitCode.USAGE
    named = re.findall(r"^::error title=.*::arguments has ([^\s,]+)", done.stdout, re.MULTILINE)
    assert named == [line.strip().partition("=")[0] for line in lines]


@pytest.mark.long
def test_a_release_is_submitted_and_one_that_fails_has_its_own_code_and_no_old_submission(
    served_service, runner
):
    name = '"; touch /tmp/never; echo $(id) `id`'
    inputs = {"files": str(GOOD), "url": served_service, "token": os.environ["WARDBOARD_TOKEN"]}
    inputs |= {"benchmark": DEMO, "system": name, "strict": "false", "fail_under": "0.80"}
    # Inputs may have the line ends of Windows.
    inputs |= {"models": "a model\r\nanother\r\n", "arguments": "--fact=interaction=multi-turn\r\n"}
    done = run_step(SUBMIT, runner, **inputs)
    assert (done.returncode, done.stderr) == (ExitCode.OK, "")
    (submission,) = Submission.objects.all()
    assert (submission.system.name, submission.system.model_names) == (name, ["a model", "another"])
    assert submission.system.interaction == "multi-turn"
    assert "94.0%" in (runner / "GITHUB_STEP_SUMMARY").read_text()
    code, path = (runner / "GITHUB_OUTPUT").read_text().splitlines()
    assert code == "exit-code=0"
    assert json.loads(Path(path.removeprefix("submission=")).read_text())["id"] == str(submission.pk)
    for changes, expected in (
        ({"token": "wb_of-nobody"}, ExitCode.REFUSED),
        ({"unranked": "true"}, ExitCode.REFUSED),
        ({"season": "spring", "fail_under": "none"}, ExitCode.REFUSED),  # is not there
        ({"url": "http://127.0.0.1:9", "arguments": "--attempts=1"}, ExitCode.FAULT),
        ({"files": "no-such.json"}, ExitCode.USAGE),
        ({"fail_under": "0.99"}, ExitCode.GATE_FAILED),
        ({"fail_on_regression": "true"}, ExitCode.GATE_FAILED),  # has no entry
    ):
        (runner / "GITHUB_OUTPUT").unlink()
        done = run_step(SUBMIT, runner, **inputs | changes)
        assert done.returncode == expected, (changes, done.stderr)
        lines = (runner / "GITHUB_OUTPUT").read_text().splitlines()
        assert lines[0] == f"exit-code={expected:d}"
        assert (len(lines) == 2) == (expected == ExitCode.GATE_FAILED), changes


DOCS = (ROOT / "docs" / "ci.md").read_text()


def blocks(language: str) -> list[str]:
    """Return the blocks of code in a language, on the leaderboard of the demonstration."""
    found = re.findall(rf"^```{language}\n(.*?)^```", DOCS, flags=re.DOTALL | re.MULTILINE)
    return [block.replace("medagentbench-300", "medagentbench-demo") for block in found]


# The first installs the command.
_CHECK, RELEASE, QUOTA, _NIGHTLY, _RUNS, FOLLOW = blocks("sh")[1:7]


@pytest.fixture
def shell(served_service, tmp_path):
    """Run a script in its own folder, as a pipeline would; return the finished process."""
    install_command(tmp_path / "bin")
    token = os.environ["WARDBOARD_TOKEN"]

    def run(*scripts: str, **variables: str | None) -> subprocess.CompletedProcess:
        env = {
            "WARDBOARD_URL": served_service,
            "WARDBOARD_TOKEN": token,
            "CI_COMMIT_SHA": "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "PATH": f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "XDG_CONFIG_HOME": str(tmp_path / "config"),
            **variables,
        }
        env = {name: value for name, value in env.items() if value is not None}
        return run_program(["sh", "-c", "set -e\n" + "\n".join(scripts)], env=env, cwd=tmp_path)

    # A job is in a clone.
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "--quiet"], [*who, "commit", "--quiet", "--allow-empty", "--message", "first"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    shutil.copy(demo.GOOD, tmp_path / "results.json")
    run.folder = tmp_path
    return run


def test_a_release_is_submitted_followed_published_and_withdrawn(shell):
    # Below this level nobody may read single tasks.
    Board.objects.update(feedback=Feedback.BY_TASK)
    process = shell(QUOTA, RELEASE, FOLLOW)
    assert process.returncode == 0, process.stderr
    submission = Submission.objects.get()
    assert (submission.system.name, submission.withdrawal_reason) == ("My agent", "wrong model")
    assert submission.published_at is not None


def test_the_job_of_a_season_seals_a_file_and_does_not_fail_without_a_score(shell):
    board = Board.objects.get(slug=DEMO)
    make_season(board, opens_at="2020-01-01", closes_at="2999-03-31", reveals_at="2999-04-01")
    process = shell(*yaml.safe_load(blocks("yaml")[0])["season"]["script"])
    assert (process.returncode, "sealed until the reveal at 2999-04-02" in process.stderr) == (0, True)


@pytest.mark.long
@pytest.mark.parametrize("system", ["GitHub", "GitLab"])
def test_the_jobs_of_the_text_are_green_for_a_good_release_and_red_for_a_worse_one(shell, system):
    _season, github, _action, _pre_commit, gitlab = map(yaml.safe_load, blocks("yaml"))
    lines = [step["run"] for step in github["jobs"]["score"]["steps"] if "run" in step]
    variables = {"GITHUB_SHA": "b" * 40, "CI_COMMIT_SHA": None}
    if system == "GitLab":
        lines, variables = gitlab["score"]["script"], {}
    # Installing is tested by itself.
    for name, script in (("bin/pip", 'test "$1" = install'), ("run-agent", 'cp from-the-agent.json "$2"')):
        (shell.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (shell.folder / name).chmod(0o755)
    for written, code in ((demo.GOOD, 0), (demo.MIDDLING, ExitCode.GATE_FAILED)):
        shutil.copy(written, shell.folder / "from-the-agent.json")
        process = shell(*lines, **variables)
        assert process.returncode == code, process.stderr
    (shell.folder / "from-the-agent.json").unlink()
    (shell.folder / "results.json").unlink()
    assert shell(*lines, **variables).returncode not in (0, ExitCode.GATE_FAILED)
