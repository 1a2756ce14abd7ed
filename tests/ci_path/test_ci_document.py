"""The commands of docs/ci.md do what the text says, run unchanged against a real server."""

import os
import re
import shutil
import subprocess

import pytest
import yaml
from django.conf import settings

from leaderboard.models import Board, Feedback, Submission
from tests.support.cli import install_command, wardboard
from wardboard.exit_codes import MEANINGS, ExitCode
from wardboard.scoring.medagentbench import demo

DOCS = (settings.BASE_DIR / "docs" / "ci.md").read_text()


def blocks(language: str) -> list[str]:
    """Return the blocks of code in a language, on the leaderboard of the demonstration."""
    found = re.findall(rf"^```{language}\n(.*?)^```", DOCS, flags=re.DOTALL | re.MULTILINE)
    return [block.replace("medagentbench-300", "medagentbench-demo") for block in found]


# The first installs the command.
_CHECK, SUBMIT, QUOTA, _NIGHTLY, _RUNS, FOLLOW = blocks("sh")[1:7]


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
        return subprocess.run(
            ["sh", "-c", "set -e\n" + "\n".join(scripts)],
            env={name: value for name, value in env.items() if value is not None},
            cwd=tmp_path,
            text=True,
            capture_output=True,
            timeout=240,
            check=False,
        )

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
    process = shell(QUOTA, SUBMIT, FOLLOW)
    assert process.returncode == 0, process.stderr
    submission = Submission.objects.get()
    assert (submission.system.name, submission.withdrawal_reason) == ("My agent", "wrong model")
    assert submission.published_at is not None


@pytest.mark.long
@pytest.mark.parametrize("system", ["GitHub", "GitLab"])
def test_the_jobs_of_the_text_are_green_for_a_good_release_and_red_for_a_worse_one(shell, system):
    github, _action, _pre_commit, gitlab = map(yaml.safe_load, blocks("yaml"))
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


def test_the_documented_exit_codes_are_those_of_the_command():
    rows = re.findall(r"^\| (\d) \| (.*) \|$", DOCS, flags=re.MULTILINE)
    documented = {int(code): meaning.replace("`", "") for code, meaning in rows}
    assert documented == {int(code): text.replace("`", "") for code, text in MEANINGS.items()}
    assert set(MEANINGS) == set(ExitCode)
    _, shown, _ = wardboard("--help")
    for code, text in documented.items():
        assert re.search(rf"^ +{code}  {re.escape(text)}$", shown.replace("`", ""), flags=re.MULTILINE), code
