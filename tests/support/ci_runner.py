"""Run jobs of GitHub Actions and GitLab CI as their YAML states them, in processes on this machine.

Only what the workflows of docs/ci.md use is known; anything else raises NotImplementedError, so that no
workflow passes because a part of it was left out. Sources: docs.github.com, "Workflow syntax" and "Contexts
reference"; docs.gitlab.com, "CI/CD YAML syntax reference".
"""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.ci_issuer import COMMIT, REQUEST_TOKEN

_PATH = "/usr/local/bin:/usr/bin:/bin"
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
# How a runner starts the script of a step: without `shell`, and with `shell: bash`.
_SHELLS = {
    None: ["bash", "-e", "-c"],
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"],
}
# Their work is done before the job begins: the files are there, and Python is.
_STAND_INS = ("actions/checkout@", "actions/setup-python@")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """A step, or a line of `script`. code: None for one that was skipped."""

    name: str
    code: int | None
    stdout: str = ""
    stderr: str = ""


@dataclass(slots=True, kw_only=True)
class JobResult:
    """A job that ended. code: of the step that failed; 0 where none did; None where no job was made."""

    steps: list[StepResult] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    code: int | None = 0

    @property
    def is_green(self) -> bool:
        return self.code == 0

    @property
    def log(self) -> str:
        return "".join(step.stdout + step.stderr for step in self.steps)


@dataclass(slots=True, kw_only=True)
class Machine:
    """A runner's machine: the folder of the job, the programs on its path, and variables of the installation.

    id_tokens: address at which jobs of GitHub ask for ID tokens
    """

    folder: Path
    programs: Path
    variables: Mapping[str, str]
    id_tokens: str = ""

    def run(self, shell: str | None, script: str, env: Mapping[str, str], name: str) -> StepResult:
        if shell not in _SHELLS:
            raise NotImplementedError(f"shell {shell}")
        base = {"PATH": f"{self.programs}:{_PATH}", "HOME": str(self.folder), "CI": "true"}
        done = subprocess.run(
            [*_SHELLS[shell], script],
            env={**base, **self.variables, **env},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        return StepResult(name=name, code=done.returncode, stdout=done.stdout, stderr=done.stderr)


@dataclass(slots=True, kw_only=True)
class GitHub:
    """GitHub Actions.

    action: `action.yml` of the repository whose Action jobs may use, and where its checkout is
    """

    machine: Machine
    action: Mapping[str, Any]
    action_path: Path
    ref: str = "refs/tags/v1.2"
    event: str = "push"
    sha: str = COMMIT
    payload: str = "{}"
    secrets: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_of_fork(self) -> bool:
        return self.event == "pull_request"

    def run(self, job: Mapping[str, Any]) -> JobResult:
        """Run a job."""
        _only(job, "runs-on", "permissions", "env", "steps")
        github = {"ref": self.ref, "event_name": self.event}
        contexts: dict[str, Any] = {"github": github, "secrets": {} if self.is_of_fork else self.secrets}
        (self.machine.folder / "event.json").write_text(self.payload)
        kind, _, name = self.ref.removeprefix("refs/").partition("/")
        env = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": self.event,
            "GITHUB_EVENT_PATH": str(self.machine.folder / "event.json"),
            "GITHUB_SHA": self.sha,
            "GITHUB_REF_NAME": name,
            "GITHUB_REF_TYPE": "tag" if kind == "tags" else "branch",
            "RUNNER_TEMP": str(self.machine.folder),
        }
        # The default permissions have no ID token, and a fork gets none whatever its workflow asks for.
        if job.get("permissions", {}).get("id-token") == "write" and not self.is_of_fork:
            env["ACTIONS_ID_TOKEN_REQUEST_URL"] = f"{self.machine.id_tokens}/token?api-version=2.0"
            env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = REQUEST_TOKEN
        result = JobResult()
        env |= _filled(job.get("env", {}), contexts)
        self._steps(job["steps"], contexts, env, result)
        return result

    def _steps(
        self, steps: list[Mapping[str, Any]], contexts: dict[str, Any], env: dict[str, str], result: JobResult
    ) -> dict[str, Any]:
        """Run steps, and return the contexts after them."""
        contexts = {**contexts, "steps": {}}
        for step in steps:
            _only(step, "name", "id", "if", "uses", "with", "run", "shell", "env", "continue-on-error")
            condition = step.get("if")
            is_run = not result.code and (condition is None or evaluate(str(condition), contexts) is True)
            name = str(step.get("name") or step.get("uses") or step["run"]).strip()
            if not is_run:
                result.steps.append(StepResult(name=name, code=None))
                continue
            before = result.code
            outputs = self._step(step, name, contexts, env, result)
            if step.get("continue-on-error"):
                result.code = before
            if "id" in step:
                contexts["steps"][step["id"]] = {"outputs": outputs}
        return contexts

    def _step(
        self,
        step: Mapping[str, Any],
        name: str,
        contexts: Mapping[str, Any],
        env: dict[str, str],
        result: JobResult,
    ) -> dict[str, str]:
        uses = step.get("uses", "")
        if uses.startswith(_STAND_INS):
            result.steps.append(StepResult(name=name, code=0))
            return {}
        if uses:
            return self._action(step, contexts, env, result)
        files = {
            each: self.machine.folder / each
            for each in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")
        }
        for file in files.values():
            file.write_text("")
        own = {
            **env,
            **_filled(step.get("env", {}), contexts),
            **{key: str(path) for key, path in files.items()},
        }
        done = self.machine.run(step.get("shell"), filled(step["run"], contexts), own, name)
        result.steps.append(done)
        result.summary += files["GITHUB_STEP_SUMMARY"].read_text()
        env |= _pairs(files["GITHUB_ENV"])
        result.code = done.code
        return _pairs(files["GITHUB_OUTPUT"])

    def _action(
        self, step: Mapping[str, Any], contexts: Mapping[str, Any], env: Mapping[str, str], result: JobResult
    ) -> dict[str, str]:
        if not re.fullmatch(r"example-org/wardboard@\S+|\./", step["uses"]):
            raise NotImplementedError(f"uses: {step['uses']}")
        inputs = {name: str(spec.get("default", "")) for name, spec in self.action["inputs"].items()}
        # GitHub warns of an input that the Action does not have, and runs it without.
        given = {key: filled(str(value), contexts) for key, value in step.get("with", {}).items()}
        unknown = given.keys() - inputs.keys()
        result.steps += [
            StepResult(name="warning", code=0, stdout=f"::warning::Unexpected input(s) '{key}'\n")
            for key in sorted(unknown)
        ]
        inner = {**contexts, "inputs": inputs | {key: given[key] for key in given.keys() & inputs.keys()}}
        own = {**env, "GITHUB_ACTION_PATH": str(self.action_path)}
        after = self._steps(self.action["runs"]["steps"], inner, own, result)
        outputs = {name: filled(spec["value"], after) for name, spec in self.action["outputs"].items()}
        result.outputs |= outputs
        return outputs


def run_gitlab(
    job: Mapping[str, Any],
    machine: Machine,
    *,
    variables: Mapping[str, str],
    id_token: Any,
) -> JobResult:
    """Run a job of GitLab CI.

    variables: those that GitLab sets, such as CI_COMMIT_TAG. id_token: returns a token for an audience, or ""
    """
    _only(job, "image", "rules", "id_tokens", "variables", "script", "artifacts", "stage")
    if "rules" in job and not any(_rule_holds(rule, variables) for rule in job["rules"]):
        return JobResult(code=None)
    tokens = {name: id_token(spec["aud"]) for name, spec in job.get("id_tokens", {}).items()}
    env = {**variables, **{key: str(value) for key, value in job.get("variables", {}).items()}, **tokens}
    result = JobResult()
    for line in job["script"]:
        done = machine.run(None, line, env, line.strip())
        result.steps.append(done)
        if done.code:
            result.code = done.code
            break
    return result


def _rule_holds(rule: Mapping[str, Any], variables: Mapping[str, str]) -> bool:
    _only(rule, "if")
    if not (match := re.fullmatch(r"\$(\w+)", rule["if"])):
        raise NotImplementedError(f"rule {rule['if']}")
    return bool(variables.get(match[1]))


def filled(text: str, contexts: Mapping[str, Any]) -> str:
    """Return a text with the values of its expressions."""
    return _EXPRESSION.sub(lambda match: _as_text(evaluate(match[1], contexts)), text)


def evaluate(expression: str, contexts: Mapping[str, Any]) -> Any:
    """Return the value of an expression: a context, a text, `a == b`, or `startsWith(a, b)`."""
    expression = expression.strip().removeprefix("${{").removesuffix("}}").strip()
    if match := re.fullmatch(r"startsWith\(([^,()]+),([^,()]+)\)", expression):
        text, prefix = (_as_text(evaluate(each, contexts)) for each in match.groups())
        return text.lower().startswith(prefix.lower())
    if match := re.fullmatch(r"([^=!&|()]+)==([^=!&|()]+)", expression):
        one, other = (_as_text(evaluate(each, contexts)) for each in match.groups())
        return one.lower() == other.lower()
    if match := re.fullmatch(r"'([^']*)'", expression):
        return match[1]
    if not re.fullmatch(r"[A-Za-z_][\w-]*(\.[\w-]+)+", expression):
        raise NotImplementedError(f"expression {expression}")
    value: Any = contexts
    for name in expression.split("."):
        # What a context does not have is empty, and no error.
        value = value.get(name, "") if isinstance(value, Mapping) else ""
    return value


def _as_text(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else str(value)


def _filled(variables: Mapping[str, Any], contexts: Mapping[str, Any]) -> dict[str, str]:
    return {name: filled(str(value), contexts) for name, value in variables.items()}


def _pairs(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def _only(known: Mapping[str, Any], *names: str) -> None:
    if unknown := known.keys() - set(names):
        raise NotImplementedError(f"keys {sorted(unknown)}")
