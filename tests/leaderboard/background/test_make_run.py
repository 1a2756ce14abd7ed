"""What `make run` and `wardboard serve` do before the service starts, and with which settings."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.loopback import free_port
from tests.support.paths import ROOT

# What is called in the place of Django's commands and of the server, which take seconds.
SPY = """
import json, os, sys
import django
import django.core.management
from leaderboard import serve
calls = []
django.setup = lambda: None
django.core.management.call_command = lambda name, **options: calls.append([name, options])
os.execv = lambda program, command: print(json.dumps({"calls": calls, "env": dict(os.environ)}))
serve.main()
"""


def start(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Start the service in a folder, up to the point where it would become the server."""
    unset = ("SECRET_KEY", "DATABASE_URL", "WARDBOARD_DATA", "BIND", "SITE_URL", "HTTPS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"PORT": str(free_port()), "PYTHONPATH": str(ROOT), **settings}
    command = [sys.executable, "-c", SPY]
    return subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("sign", [".git", "pyproject.toml"])
def test_the_root_of_a_checkout_is_no_folder_for_data_and_no_key_is_made_there(tmp_path, sign):
    (tmp_path / sign).touch()
    refused = start(tmp_path, WARDBOARD_DATA=str(tmp_path))
    assert refused.returncode == 1
    assert f"WARDBOARD_DATA is {tmp_path}, the root of a checkout: name a folder of its own" in refused.stderr
    assert f"such as {tmp_path / 'var'}" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == [sign]


def test_the_key_and_the_folder_are_made_once_and_for_their_owner_alone(tmp_path):
    first, second = (json.loads(start(tmp_path).stdout)["env"]["SECRET_KEY"] for _ in range(2))
    assert first == second == (tmp_path / "var" / "secret-key").read_text().strip()
    assert len(first) > 50
    assert (tmp_path / "var").stat().st_mode & 0o077 == 0
    assert json.loads(start(tmp_path, SECRET_KEY="given").stdout)["env"]["SECRET_KEY"] == "given"


@pytest.mark.long
@pytest.mark.parametrize(
    ("demo", "options"),
    [("", {"if_local": True}), ("1", {}), ("no", None)],
)
def test_the_demonstration_is_loaded_where_it_is_local_or_asked_for(tmp_path, demo, options):
    started = start(tmp_path, DEMO=demo)
    assert ("no demonstration" in started.stdout) == (options is None)
    calls = json.loads(started.stdout.splitlines()[-1])["calls"]
    loaded = [given for name, given in calls if name == "load_demo"]
    assert [{key: each[key] for key in each if key != "address"} for each in loaded] == (
        [] if options is None else [options]
    )
