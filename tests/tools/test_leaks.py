"""A key in a file that Git tracks is found, and what only looks like one is not."""

import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tools.leaks import find, main


@pytest.fixture
def repository(tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    return tmp_path


def track(repository: Path, name: str, text: str) -> None:
    path = repository / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    subprocess.run(["git", "add", name], cwd=repository, check=True)


def made_key() -> str:
    """Return a key as leaderboard/secret_key.py makes it."""
    key = secrets.token_urlsafe(50)
    return key if any(letter.isdigit() for letter in key) else made_key()


def test_the_linter_fails_for_a_tracked_key_of_a_service_and_does_not_print_it(repository):
    key = made_key()
    track(repository, "secret-key", f"{key}\n")
    command = [sys.executable, "-m", "tools.leaks", str(repository)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert process.stdout.startswith("secret-key:1: Bare key")
    assert key not in process.stdout + process.stderr


def test_a_key_is_found_in_any_form(repository):
    texts = {
        "deploy/wardboard.env": "SECRET_KEY={key}",
        "notes/start.txt": "export SECRET_KEY={key}",
        "tests/data/key": "{key}",
        "leaderboard/settings.py": 'KEY = "{key}"',
        "tests/support/keys.py": "-----BEGIN " + "PRIVATE KEY-----",
        "notes/start.md": "Send ghp_" + "a1" * 18,
    }
    for name, text in texts.items():
        track(repository, name, text.format(key=made_key()))
    assert {line.split(":")[0] for line in find(list(texts), repository)} == set(texts)
    with pytest.raises(SystemExit, match="take it out"):
        main(repository)
