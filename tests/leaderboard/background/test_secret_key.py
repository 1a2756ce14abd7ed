"""Nothing starts with a SECRET_KEY that can be guessed."""

import hashlib
import subprocess

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard import secret_key
from leaderboard.checks import check_secret_key
from tests.support.paths import ROOT

WEAK = (
    "x",
    "a" * 80,
    "abcabcabc" * 9,
    "changeme-changeme-0123456789-abcdef",
    "django-insecure-0123456789-abcdefghij",
)
STRONG = (
    "5f0c" * 4 + "0123456789abcdef",
    "Zr8fQ2p-v7Tj0xLw_KcYh3eBnM5sUaGd",
    "for-the-tests, and for nothing else at all",
)


def test_a_weak_key_is_an_error_with_its_reason_and_not_the_key(settings):
    for key in WEAK:
        settings.SECRET_KEY = key
        (error,) = check_secret_key(None)
        assert error.msg.startswith("SECRET_KEY can be guessed: it "), key
        assert len(key) < 2 or key not in error.msg


def test_a_random_key_is_accepted_and_developers_need_none(settings):
    for key in STRONG:
        settings.SECRET_KEY = key
        assert check_secret_key(None) == [], key
    settings.SECRET_KEY_FALLBACKS = [STRONG[1], WEAK[0]]
    (error,) = check_secret_key(None)
    assert error.msg.startswith("A key in SECRET_KEY_FALLBACKS can be guessed: it has 1 characters")
    settings.DEBUG, settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = True, "only-for-development", []
    assert check_secret_key(None) == []


@pytest.fixture
def committed(monkeypatch):
    """A key in the place of the one that was committed, which no test may show."""
    key = STRONG[1]
    monkeypatch.setattr(secret_key, "_COMMITTED", hashlib.sha256(key.encode()).hexdigest())
    return key


def test_the_digest_is_that_of_the_key_in_the_history():
    command = ["git", "log", "--all", "-1", "--diff-filter=A", "--format=%H", "--", "secret-key"]
    commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    if not commit:
        pytest.skip("no history of the repository")
    show = ["git", "show", f"{commit}:secret-key"]
    key = subprocess.run(show, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert secret_key.is_committed(key)
    assert not secret_key.is_committed(STRONG[0])


@pytest.mark.parametrize("debug", [False, True])
def test_a_key_that_was_committed_is_refused_even_with_debug(settings, committed, debug):
    settings.DEBUG, settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = debug, committed, [committed]
    errors = check_secret_key(None)
    assert [error.msg for error in errors] == [
        f"{name} can be guessed: it was published with the sources of this service."
        for name in ("SECRET_KEY", "A key in SECRET_KEY_FALLBACKS")
    ]
    assert "Make one with" in errors[0].hint


def test_a_file_with_the_key_that_was_committed_is_refused_with_what_to_do(tmp_path, monkeypatch, committed):
    monkeypatch.setenv("WARDBOARD_DATA", str(tmp_path))
    (tmp_path / "secret-key").write_text(f"{committed}\n")
    with pytest.raises(ImproperlyConfigured, match="Delete the file and start again") as refused:
        secret_key.read_or_make()
    assert committed not in str(refused.value)
    (tmp_path / "secret-key").unlink()
    assert secret_key.read_or_make() == (tmp_path / "secret-key").read_text().strip() != committed


@pytest.mark.django_db(transaction=True)
def test_no_process_starts_with_a_weak_key(refused_start):
    errors = refused_start(SECRET_KEY="short")
    assert "SECRET_KEY can be guessed: it has 5 characters" in errors
    assert "token_urlsafe(50)" in errors
