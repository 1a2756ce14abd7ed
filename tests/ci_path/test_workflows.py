"""The workflows of docs/ci.md, run as a runner runs them: who copies one gets this."""

import json
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.models import Board, Feedback, Submission
from leaderboard.models.boards import UNLIMITED
from leaderboard.services.publishing.import_references import import_references
from tests.support.ci_issuer import COMMIT, gitlab_claims, make_publisher, sign
from tests.support.ci_runner import GitHub, JobResult, Machine, run_gitlab
from tests.support.factories import demo_references, make_user, with_answers, without_baselines
from tests.support.paths import ROOT
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo

pytestmark = pytest.mark.long

PUBLISHER = "0e2f9c1a-6c3f-4d0e-9a53-1f6f0d2b7c11"  # that the text names
FORK = {"pull_request": {"head": {"repo": {"id": 2}}, "base": {"repo": {"id": 1}}}}


# test_action.py runs the hook of pre-commit.
WORKFLOW, STEPS, _PRE_COMMIT, GITLAB = (
    yaml.safe_load(block)
    for block in re.findall(
        r"^```yaml\n(.*?)^```", (ROOT / "docs/ci.md").read_text(), re.DOTALL | re.MULTILINE
    )
)


def as_published(task: str) -> str:
    """Return the task of the demonstration by which a published task is answered and graded here."""
    kind, number = task.split("_")
    return f"{kind}_{(int(number) - 1) % 5 + 1}"


TASKS = [f"task{kind}_{number}" for kind in range(1, 11) for number in range(1, 31)]


def published_file() -> bytes:
    """Return a file of the 300 published tasks, of which nineteen in twenty are right."""
    answers = {each["task_id"]: each for each in json.loads(demo.GOOD.read_bytes())["results"]}
    results = [{**answers[as_published(task)], "task_id": task} for task in TASKS]
    return json.dumps({"version": "v2", "results": results}).encode()


def fallen_file() -> bytes:
    """Return a file whose answers to two of the ten types of tasks have the right form and are wrong."""
    wrong = {f"task1_{number}": '["S0000000"]' for number in range(1, 31)}
    return with_answers(published_file(), **wrong, **{f"task2_{number}": "[1]" for number in range(1, 31)})


@pytest.fixture
def board(served_service) -> Board:
    """The leaderboard that the workflows name, with invented references."""
    fields = {"benchmark": "medagentbench", "version": "v2", "title": "MedAgentBench", "question": "?"}
    board = Board(slug="medagentbench-300", feedback=Feedback.BY_TYPE, **fields, **UNLIMITED)
    known = demo_references()
    references = {task: replace(known[as_published(task)], task_id=task) for task in TASKS}
    with without_baselines():
        import_references(board=board, references=references, origin="tests")
    return board


@pytest.fixture
def agent(tmp_path):
    """Put a `./run-agent` into the checkout, which writes a result file; return how to choose the file."""
    source = tmp_path / "from-the-agent.json"
    source.write_bytes(published_file())
    _program(tmp_path / "run-agent", f'cp {source} "$2"')

    def write(content: bytes | None) -> None:
        source.unlink() if content is None else source.write_bytes(content)

    return write


@pytest.fixture
def machine(board, issuer, agent, tmp_path) -> Machine:
    issuer.claims = {}
    programs = tmp_path / "bin"
    programs.mkdir()
    command = f'PYTHONPATH={ROOT} exec {sys.executable} -m wardboard "$@"'
    _program(programs / "wardboard", command)
    # Installing is tested by itself; here a `pip` that is asked for anything else fails.
    _program(programs / "pip", 'test "$*" = "install git+https://github.com/example-org/wardboard"')
    _program(
        programs / "python3",
        'test "$1 $2" = "-m venv"; mkdir -p "$3/bin"; printf "#!/bin/sh\\n" > "$3/bin/pip"; '
        f'cp {programs / "wardboard"} "$3/bin/wardboard"; chmod +x "$3/bin/pip"',
    )
    # SITE_URL of the service of the tests; elsewhere it is the address that is asked.
    return Machine(
        folder=tmp_path,
        programs=programs,
        variables={"WARDBOARD_AUDIENCE": "http://localhost", "XDG_CONFIG_HOME": str(tmp_path / "config")},
        id_tokens=issuer.origin,
    )


def _program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\nset -e\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def github(machine, served_service, issuer):
    """Run a workflow on GitHub, of a repository whose publisher the service knows."""
    make_publisher(make_user("lab@example.org"), pk=PUBLISHER, issuer=issuer.origin)
    action = yaml.safe_load((ROOT / "action.yml").read_text())

    def run(job: Mapping[str, Any], **fields: Any) -> JobResult:
        here = json.loads(json.dumps(job).replace("https://wardboard.example.org", served_service))
        return GitHub(machine=machine, action=action, action_path=ROOT, **fields).run(here)

    return run


@pytest.fixture
def gitlab(machine, served_service, gitlab_issuer):
    """Run a job on GitLab, of a project whose publisher the service knows."""
    make_publisher(
        make_user("lab@example.org"),
        pk=PUBLISHER,
        issuer=gitlab_issuer.origin,
        repository="example-lab/nlp/agent",
        workflow=".gitlab-ci.yml",
    )

    def token(audience: str) -> str:
        assert audience == served_service
        return sign(gitlab_claims(gitlab_issuer.origin))

    def run(job: Mapping[str, Any], *, has_token: bool = True, **variables: str) -> JobResult:
        here = json.loads(json.dumps(job).replace("https://wardboard.example.org", served_service))
        known = {"GITLAB_CI": "true", "CI_COMMIT_TAG": "v1.2", "CI_COMMIT_SHA": COMMIT, **variables}
        return run_gitlab(here, machine, variables=known, id_token=token if has_token else lambda _: "")

    return run


JOB = WORKFLOW["jobs"]["score"]
OF_ACTION = {"runs-on": "ubuntu-latest", "permissions": JOB["permissions"], "steps": STEPS}


def of_action(**inputs: str) -> dict[str, Any]:
    """Return the job of the Action, without its comparison with an entry, which a first release has not."""
    step = {**STEPS[0], "with": {**STEPS[0]["with"], "require-entry": "false", **inputs}}
    return {**OF_ACTION, "steps": [{"run": "./run-agent --out results.json"}, step]}


# --- GitHub, the command --------------------------------------------------------------------------------


def test_a_release_on_github_is_green_without_a_secret_and_red_for_a_stale_or_a_worse_file(
    github, agent, issuer
):
    done = github(JOB)
    assert done.is_green, done.log
    submission = Submission.objects.get()
    assert (submission.status, submission.provenance) == ("scored", "ci-attested")
    assert "pass" in done.log
    assert "fail-under" in done.summary
    issuer.claims = {"sha": "1" * 40}
    done = github(JOB, sha="1" * 40)
    assert (done.code, "FAIL  as-described" in done.log) == (ExitCode.GATE_FAILED, True), done.log
    agent(fallen_file())
    done = github(JOB, sha="1" * 40)
    assert (done.code, "FAIL  fail-under" in done.log) == (ExitCode.GATE_FAILED, True), done.log


def test_a_branch_is_checked_and_nothing_of_it_is_sent(github):
    done = github(JOB, ref="refs/heads/main")
    assert done.is_green, done.log
    assert done.steps[-1].code is None
    assert not Submission.objects.exists()


def test_an_agent_that_writes_no_file_is_red(github, agent):
    agent(None)
    assert github(JOB).code not in (0, None)
    without_agent = {
        **JOB,
        "steps": [step for step in JOB["steps"] if "run-agent" not in step.get("run", "")],
    }
    assert github(without_agent).code == ExitCode.USAGE
    assert not Submission.objects.exists()


def test_a_job_of_a_fork_has_no_token_and_is_refused(github):
    always = json.loads(
        json.dumps(JOB).replace('"if": "startsWith(github.ref, \'refs/tags/\')"', '"name": "s"')
    )
    done = github(always, event="pull_request", ref="refs/pull/7/merge", payload=json.dumps(FORK))
    assert done.code == ExitCode.REFUSED, done.log
    assert not Submission.objects.exists()


# --- GitHub, the Action ---------------------------------------------------------------------------------


def test_the_action_is_green_for_a_good_release_and_says_where_the_submission_is(github):
    done = github(of_action())
    assert done.is_green, done.log
    assert done.outputs["exit-code"] == "0"
    assert json.loads(Path(done.outputs["submission"]).read_text())["id"] == str(Submission.objects.get().pk)


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"fail-under": "0.99"}, ExitCode.GATE_FAILED),
        ({"fail-under": ""}, ExitCode.USAGE),
        ({"fail-under": "${{ secrets.THRESHOLD }}"}, ExitCode.USAGE),
        ({"submit": "True"}, ExitCode.USAGE),
        ({"files": "reslts.json"}, ExitCode.USAGE),
        ({"publisher": PUBLISHER.replace("0", "1")}, ExitCode.REFUSED),
        ({"url": "http://127.0.0.1:9", "arguments": "--attempts=1"}, ExitCode.FAULT),
        ({"arguments": "--fail-undr=0.9"}, ExitCode.USAGE),
        ({"unranked": "true"}, ExitCode.REFUSED),
        ({"unranked": "TRUE"}, ExitCode.USAGE),
    ],
)
def test_the_action_is_red_with_the_code_of_the_table(github, inputs, code):
    done = github(of_action(**inputs))
    assert done.code == code, done.log


def test_a_misspelt_input_is_named_by_the_runner_and_its_gate_is_shown_as_missing(github):
    step = {**STEPS[0], "with": {**STEPS[0]["with"], "fail-on-regression": "false", "fail_under": "0.99"}}
    del step["with"]["fail-under"]
    done = github({**OF_ACTION, "steps": [{"run": "./run-agent --out results.json"}, step]})
    # GitHub itself only warns, so the summary has to say that no gate was set.
    assert "Unexpected input(s) 'fail_under'" in done.log
    assert "no gate  No gate on the score was set" in done.summary


# --- GitLab -----------------------------------------------------------------------------------------------


def test_a_release_on_gitlab_is_green_and_one_below_the_gate_red(gitlab, agent):
    done = gitlab(GITLAB["score"])
    assert done.is_green, done.log
    assert Submission.objects.get().provenance == "ci"
    agent(fallen_file())
    done = gitlab(GITLAB["score"])
    assert done.code == ExitCode.GATE_FAILED, done.log


def test_a_job_of_gitlab_without_an_id_token_or_of_a_fork_is_red(gitlab):
    assert gitlab(GITLAB["score"], has_token=False).code == ExitCode.USAGE
    fork = {"CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2"}
    assert gitlab(GITLAB["score"], has_token=False, CI_PROJECT_ID="1", **fork).code == ExitCode.USAGE
    fork |= {"CI_PROJECT_ID": "2"}
    assert gitlab(GITLAB["score"], has_token=False, **fork).code == ExitCode.REFUSED
    assert not Submission.objects.exists()
