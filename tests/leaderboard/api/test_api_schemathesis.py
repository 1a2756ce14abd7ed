"""Schemathesis sends what the OpenAPI document allows, and what it does not, and checks every answer."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leaderboard.api.service import openapi_json
from leaderboard.services.accounts import create_token
from tests.support.factories import make_demo, make_user
from tests.support.processes import environment, served

CLIENTS = Path(__file__).parents[2] / "support" / "clients"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def unlimited(django_db_setup, django_db_blocker):
    """Start a gunicorn on the test database that counts no requests, and return its address."""
    limits = ("VALIDATIONS", "SUBMISSIONS", "SIGN_INS", "EXCHANGES")
    with django_db_blocker.unblock():
        env = environment(**{f"RATE_{name}": "1000000/min" for name in limits})
    with served(env) as port:
        yield f"http://127.0.0.1:{port}"


def fuzz(address: str, folder: Path, *options: str) -> str:
    """Return what Schemathesis reports, which must be no failure of any of its checks."""
    command = (
        *(str(Path(sys.executable).parent / "schemathesis"), "--config-file"),
        *(str(CLIENTS / "schemathesis.toml"), "run", f"{address}/api/v1/openapi.json"),
        *("--checks", "all", "--warnings", "off", "--no-color", *options),
    )
    # In a folder of its own, where it keeps examples.
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    operations = sum(len(methods) for methods in json.loads(openapi_json())["paths"].values())
    assert f"Tested: {operations}\n" in result.stdout
    return result.stdout


def count_cases(report: str) -> int:
    generated, passed = re.search(r"(\d+) generated, (\d+) passed", report).groups()
    assert generated == passed
    return int(generated)


@pytest.mark.long
def test_no_boundary_of_a_field_gets_a_submitter_an_answer_that_is_not_documented(unlimited, tmp_path):
    make_demo()
    token = create_token(user=make_user("fuzz@example.org"), name="fuzz", days=1)[1]
    header = ("-H", f"Authorization: Bearer {token}")
    assert count_cases(fuzz(unlimited, tmp_path, *header, "--phases", "coverage")) > 500


def test_no_random_request_gets_a_stranger_an_answer_that_is_not_documented(unlimited, tmp_path):
    make_demo()
    report = fuzz(unlimited, tmp_path, "--phases", "examples,fuzzing", "--max-examples", "3")
    assert count_cases(report) > 50
