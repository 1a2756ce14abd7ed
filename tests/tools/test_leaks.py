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


def test_placeholders_digests_and_keys_that_tests_invent_are_none(repository):
    for name, text in (
        ("deploy/wardboard.env", "SECRET_KEY=\nPASSWORD=change-me"),
        ("tests/test_settings.py", 'KEY = "{key}"'),
        ("requirements.lock", "{key}"),
        ("README.md", "=" * 60 + "\n" + "0123456789abcdef" * 4),
    ):
        track(repository, name, text.format(key=made_key()))
    # Nor is a file that Git does not track.
    (repository / "secret-key").write_text(made_key())
    main(repository)


def test_what_is_known_to_be_no_key_is_known_in_its_file_alone(tmp_path):
    (tmp_path / "tools").mkdir()
    text = (ROOT / "tools/fonts.py").read_text()
    for name in ("fonts.py", "others.py"):
        (tmp_path / "tools" / name).write_text(text)
    found = list(find(["tools/fonts.py", "tools/others.py"], tmp_path))
    assert len(found) == 2
    assert all(line.startswith("tools/others.py:") for line in found)
