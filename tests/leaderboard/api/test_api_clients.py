"""Clients that are generated from the OpenAPI document submit a file."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.api.service import openapi_json
from wardboard.scoring.medagentbench.demo import GOOD, MALFORMED

CLIENTS = Path(__file__).parents[2] / "support" / "clients"


def run(folder: Path, *command: str) -> str:
    process = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


@pytest.mark.long
def test_a_generated_client_checks_submits_waits_and_publishes(tmp_path, port, token, monkeypatch):
    (tmp_path / "openapi.json").write_bytes(openapi_json())
    (tmp_path / "generator.json").write_text('{"post_hooks": []}')
    generate = (sys.executable, "-m", "openapi_python_client", "generate", "--path=openapi.json")
    options = ("--meta=none", "--config=generator.json", "--output-path=wardboard_client")
    run(tmp_path, *generate, *options)
    operations = [each for methods in json.loads(openapi_json())["paths"].values() for each in methods]
    generated = [each for each in tmp_path.glob("wardboard_client/api/*/*.py") if each.name != "__init__.py"]
    assert len(generated) == len(operations)
    shutil.copy(CLIENTS / "submit.py", tmp_path)
    monkeypatch.setenv("TOKEN", token)
    report = run(tmp_path, sys.executable, "submit.py", f"http://127.0.0.1:{port}", str(GOOD), str(MALFORMED))
    assert json.loads(report) == {
        "refused": ["file-rejected", True],
        "again": [200, "true", True],
        "score": 0.94,
        "published": True,
        "rows": ["Generated"],
    }
