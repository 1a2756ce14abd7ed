"""A key in a file that Git tracks is found, and what only looks like one is not."""

import secrets
import subprocess
from pathlib import Path

import pytest

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


def test_a_key_is_found_in_any_form_and_not_printed(repository, capsys):
    texts = {
        "deploy/wardboard.env": "SECRET_KEY={key}",
        "notes/start.txt": "export SECRET_KEY={key}",
        "tests/data/key": "{key}",
        "leaderboard/settings.py": 'KEY = "{key}"',
        "tests/support/keys.py": "-----BEGIN " + "PRIVATE KEY-----",
        "notes/start.md": "Send ghp_" + "a1" * 18,
    }
    key = made_key()
    for name, text in texts.items():
        track(repository, name, text.format(key=key))
    assert {line.split(":")[0] for line in find(list(texts), repository)} == set(texts)
    with pytest.raises(SystemExit, match="take it out") as refused:
        main(repository)
    assert key not in capsys.readouterr().out + str(refused.value)
