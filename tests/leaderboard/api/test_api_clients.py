"""The OpenAPI document in other programs: two linters, and two generators of typed clients."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.api.schema.document import openapi_document, openapi_json
from tests.support.clients.node_tools import CLIENTS, cache_folder, install_node_tools
from wardboard.scoring.medagentbench.demo import GOOD, MALFORMED

# What both clients report of the same steps.
EXPECTED = {
    "slugs": ["medagentbench-demo"],
    "valid": True,
    "refused": "file-rejected",
    "problems": True,
    "unknown": "not-found",
    "repeated": [200, "true"],
    "published": True,
    "score": 0.94,
    "listed": [True],
    "names": ["Generated"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Write the document, and one that breaks a rule: `getRoot` has no name; return their folder."""
    folder = tmp_path_factory.mktemp("clients")
    (folder / "openapi.json").write_bytes(openapi_json())
    broken = openapi_document()
    del broken["paths"]["/api/v1/"]["get"]["operationId"]
    (folder / "broken.json").write_text(json.dumps(broken))
    for name in (".spectral.yaml", "redocly.yaml", "run.ts", "use.ts", "use_client.py"):
        shutil.copy(CLIENTS / name, folder)
    return folder


@pytest.fixture(scope="module")
def node(folder):
    """Run a program from npm in the folder."""
    programs = install_node_tools()
    (folder / "node_modules").symlink_to(programs.parent)

    def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return _run(folder, str(programs / name), *arguments)

    return run


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    # Without these, Redocly reports each run to its makers.
    env = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )


# Both documents at once: most of a run is its start.
@pytest.mark.long
def test_spectral_finds_nothing(node):
    options = ("--format=json", "--quiet", "--fail-severity=hint")
    process = node("spectral", "lint", *options, "openapi.json", "broken.json")
    problems = json.loads(process.stdout[: process.stdout.rindex("]") + 1])
    found = [(Path(problem["source"]).name, problem["code"]) for problem in problems]
    assert found == [("broken.json", "operation-operationId")], process.stderr
    assert process.returncode


@pytest.mark.long
def test_redocly_finds_nothing(node):
    process = node("redocly", "lint", "--format=json", "openapi.json", "broken.json")
    # One object follows another.
    documents = json.loads("[" + re.sub(r"^}{$", "},{", process.stdout, flags=re.MULTILINE) + "]")
    found = [[problem["ruleId"] for problem in document["problems"]] for document in documents]
    assert found == [[], ["operation-operationId"]]


@pytest.fixture(scope="module")
def typescript(node) -> subprocess.CompletedProcess[str]:
    """Generate types into the folder, check the programs that use them, and compile these to JavaScript."""
    process = node("openapi-typescript", "openapi.json", "--output=api.ts")
    assert process.returncode == 0, process.stderr
    options = ("--strict", "--noUnusedLocals", "--target", "es2022", "--module", "commonjs")
    return node("tsc", *options, "use.ts", "run.ts")


@pytest.fixture(scope="module")
def python_client(folder) -> Path:
    """Generate a client in Python; return its package, beside which the folder has programs that use it."""
    if importlib.util.find_spec("openapi_python_client") is None:
        pytest.skip("openapi-python-client is not installed")
    (folder / "generator.json").write_text('{"post_hooks": []}')
    generate = (sys.executable, "-m", "openapi_python_client", "generate", "--path=openapi.json")
    options = ("--meta=none", "--config=generator.json", "--output-path=wardboard_client")
    process = _run(folder, *generate, *options)
    assert process.returncode == 0, process.stdout + process.stderr
    operations = sum(len(methods) for methods in openapi_document()["paths"].values())
    generated = sum(path.name != "__init__.py" for path in folder.glob("wardboard_client/api/*/*.py"))
    assert generated == operations
    return folder / "wardboard_client"


def test_a_python_client_passes_strict_checks_submits_waits_publishes_lists_and_reads_errors(
    folder, python_client, port, token, monkeypatch
):
    # Without our settings: these files are generated.
    settings = ("--config-file=", f"--cache-dir={cache_folder() / 'mypy'}")
    process = _run(
        folder, sys.executable, "-m", "mypy", "--strict", *settings, "use_client.py", "wardboard_client"
    )
    assert process.returncode == 0, process.stdout + process.stderr
    monkeypatch.setenv("TOKEN", token)
    process = _run(
        folder, sys.executable, "use_client.py", f"http://127.0.0.1:{port}", str(GOOD), str(MALFORMED)
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert json.loads(process.stdout) == EXPECTED


@pytest.mark.long
def test_a_typescript_client_passes_strict_checks_submits_waits_publishes_lists_and_reads_errors(
    folder, typescript, port, token, monkeypatch
):
    assert typescript.returncode == 0, typescript.stdout
    for name, value in {
        "SERVICE": f"http://127.0.0.1:{port}",
        "TOKEN": token,
        "CONTENT": GOOD.read_text(),
        "MALFORMED": MALFORMED.read_text(),
    }.items():
        monkeypatch.setenv(name, value)
    # npm comes with Node.js, so that it is there where its programs are.
    process = _run(folder, "node", "run.js")
    assert process.returncode == 0, process.stdout + process.stderr
    assert json.loads(process.stdout) == EXPECTED
