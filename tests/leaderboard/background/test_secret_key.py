"""Nothing starts with a SECRET_KEY that can be guessed."""

import pytest

from leaderboard.checks import check_secret_key
from tests.support import forks
from tests.support.processes import environment

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


@pytest.mark.parametrize("key", WEAK)
def test_a_weak_key_is_an_error_with_its_reason_and_not_the_key(settings, key):
    settings.SECRET_KEY = key
    (error,) = check_secret_key(None)
    assert error.msg.startswith("SECRET_KEY can be guessed: it ")
    assert len(key) < 2 or key not in error.msg


def test_an_earlier_key_that_can_be_guessed_is_refused_because_what_it_signs_is_valid(settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = STRONG[0], [STRONG[1], WEAK[0]]
    (error,) = check_secret_key(None)
    assert error.msg.startswith("A key in SECRET_KEY_FALLBACKS can be guessed: it has 1 characters")


@pytest.mark.parametrize("key", STRONG)
def test_a_random_key_is_accepted(settings, key):
    settings.SECRET_KEY = key
    assert check_secret_key(None) == []


def test_developers_need_no_key(settings):
    settings.DEBUG, settings.SECRET_KEY = True, "only-for-development"
    assert check_secret_key(None) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("-m", "gunicorn", "-c", "python:leaderboard.gunicorn", "leaderboard.wsgi"),
        ("manage.py", "worker"),
        ("manage.py", "migrate"),
        ("manage.py", "load_demo"),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_no_process_starts_with_a_weak_key(closed_port, tmp_path, arguments):
    process = forks.run(
        *arguments,
        env=environment(SECRET_KEY="short", BIND=f"127.0.0.1:{closed_port}"),
        timeout=120,
    )
    assert process.returncode == 1
    assert "SECRET_KEY can be guessed: it has 5 characters" in process.stderr
    assert "token_urlsafe(50)" in process.stderr
