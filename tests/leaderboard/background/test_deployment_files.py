"""What the deployment files and docs/operators.md say about the code holds."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
# A name, and the default where it is a number.
READ = re.compile(r'env\.\w+\(\s*"([A-Z_]+)"(?:,\s*([\d_]+)\))?')
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([^|]*) \|", re.MULTILINE)


@pytest.fixture(scope="module")
def read_by_the_code():
    sources = [path.read_text() for path in (ROOT / "leaderboard").rglob("*.py")]
    return [found for source in sources for found in READ.findall(source)]


@pytest.fixture(scope="module")
def documented():
    return dict(ROW.findall((ROOT / "docs" / "operators.md").read_text()))


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_every_variable_that_is_read_is_documented_and_no_other(read_by_the_code, documented):
    assert {name for name, _ in read_by_the_code} == set(documented)


def test_documented_numbers_are_those_of_the_code(read_by_the_code, documented):
    numbers = {name: default.replace("_", "") for name, default in read_by_the_code if default}
    assert len(numbers) > 5
    assert numbers == {name: documented[name].split()[0] for name in numbers}


def test_only_the_settings_and_gunicorns_read_the_environment():
    readers = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "leaderboard").rglob("*.py")
        if re.search(r"os\.environ\[|os\.environ\.get|getenv", path.read_text())
    }
    assert readers == {"leaderboard/env.py"}


def test_compose_passes_variables_that_the_service_reads(compose, read_by_the_code):
    passed = set(compose["services"]["web"]["environment"])
    assert passed <= {name for name, _ in read_by_the_code}
    assert compose["services"]["worker"]["environment"] == compose["services"]["web"]["environment"]


def test_compose_has_no_secret_of_its_own_and_says_which_is_missing(compose):
    environment = compose["services"]["web"]["environment"]
    for name in ("SECRET_KEY", "ALLOWED_HOSTS"):
        assert environment[name].startswith(f"${{{name}:?set {name} ")
    password = "${POSTGRES_PASSWORD:?set POSTGRES_PASSWORD, letters and digits}"
    assert compose["services"]["db"]["environment"]["POSTGRES_PASSWORD"] == password
    assert f":{password}@" in environment["DATABASE_URL"]


def test_compose_migrates_before_it_serves_and_opens_the_web_alone(compose):
    done = {"condition": "service_completed_successfully"}
    for name in ("web", "worker"):
        assert compose["services"][name]["depends_on"]["migrate"] == done
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["web"]


def test_the_image_is_built_from_what_the_build_may_see():
    dockerfile = (ROOT / "Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (?!--from)(\S+)", dockerfile, re.MULTILINE))
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {f"!{path}" for path in copied} == {line for line in ignored if line.startswith("!")}
    assert "*" in ignored
    assert all((ROOT / path).exists() for path in copied)


def test_the_image_runs_as_nobody_in_particular_and_installs_what_is_locked():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert dockerfile.index("USER wardboard") < dockerfile.index("CMD [")
    assert "--require-hashes -r /tmp/requirements.lock" in dockerfile
    # The key that collectstatic needs is not set for the image.
    assert not re.search(r"^(ENV|ARG).*SECRET_KEY", dockerfile, re.MULTILINE)
