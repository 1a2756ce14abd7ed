"""What `make run` does before the service starts, and with which settings."""

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT


def make_run_recipe(*settings: str) -> subprocess.CompletedProcess[str]:
    """Return what `make run` would do."""
    command = ["make", "--dry-run", "run", *settings]
    return subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_make_run_prints_no_emails_where_the_service_takes_https_as_set():
    for value, prints in (("1", "0"), ("True", "0"), ("ON", "0"), ("0", "1"), ("false", "1"), ("", "1")):
        recipe = make_run_recipe(f"HTTPS={value}").stdout
        assert re.search(r"EMAIL_TO_CONSOLE:=(\d)", recipe)[1] == prints, value


def test_make_run_refuses_a_choice_that_it_does_not_know():
    refused = make_run_recipe("DEMO=nein")
    assert (refused.returncode, "DEMO is 'nein': say 1 or 0" in refused.stderr) == (2, True)


def test_make_run_names_a_port_that_is_in_use_before_it_makes_an_account():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings = [f"PORT={port}", f"BIN={Path(sys.executable).parent}"]
        recipe = make_run_recipe(*settings).stdout
        check = re.search(r"^\S+ -c 'import socket.*\n.*$", recipe, re.MULTILINE)
        assert recipe.index("load_demo") > check.start()
        refused = subprocess.run(
            ["sh", "-c", check[0]], check=False, capture_output=True, text=True, timeout=60
        )
        assert (refused.returncode, str(port) in refused.stdout) == (1, True)
    assert subprocess.run(["sh", "-c", check[0]], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("demo", "loads", "options"),
    [(None, True, "--if-local"), ("1", True, ""), ("Yes", True, ""), ("0", False, None), ("no", False, None)],
)
def test_make_run_loads_the_demonstration_where_it_is_local_or_asked_for(demo, loads, options):
    recipe = make_run_recipe(*([f"DEMO={demo}"] if demo else [])).stdout.replace("\\\n", " ")
    condition, rest = re.search(
        r"(test \S+ = 0) \|\| \S+ manage.py load_demo --address \S+(.*?);", recipe
    ).groups()
    assert (subprocess.run(["sh", "-c", condition], check=False, timeout=60).returncode != 0) is loads
    assert options is None or rest.strip() == options
