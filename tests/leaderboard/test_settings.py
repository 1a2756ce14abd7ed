"""A setting that cannot work stops the start, and the error names its variable."""

import re
import runpy

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.support.paths import ROOT

pytestmark = pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")

# The module that reads a variable, the variable, and values that it cannot have beside those of NO_VALUE.
IMPOSSIBLE = [
    ("gunicorn", "WEB_WORKERS", ["0", "two"]),
    ("gunicorn", "WEB_THREADS", ["0"]),
    ("settings.base", "WEB_THREADS", ["0"]),
    ("settings.judging", "JUDGE_CONCURRENCY", ["0"]),
    ("settings.base", "ALLOWED_HOSTS", ["a.example.org,b.example.org:8000", "::1"]),
    ("settings.database", "DATABASE_URL", ["postgers://a@b/c", "/srv/w.sqlite3", "postgres://a@b,c:port/d"]),
    ("settings.accounts", "EMAIL_HOST", ["mail.example.org:99999"]),
    ("settings.api", "RATE_VALIDATIONS", ["60", "60/fortnight", "0/min", "none"]),
]


def run_with(module: str, **variables: str) -> dict:
    """Run a module of settings with these variables, and return its names."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        return runpy.run_module(f"leaderboard.{module}")


def test_an_impossible_value_stops_the_start_and_names_its_variable():
    for module, name, values in IMPOSSIBLE:
        for value in values:
            with pytest.raises(ImproperlyConfigured, match=name):
                run_with(module, **{name: value})


def test_an_address_that_is_refused_is_not_shown_with_its_password(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgres://wardboard:pass@word@127.0.0.1:port/name")
    with pytest.raises(ImproperlyConfigured) as error:
        runpy.run_module("leaderboard.settings.database")
    assert "word" not in str(error.value).replace("password", "")


# Of each reader of leaderboard/env.py, a value that no variable read by it can have; texts can have any.
NO_VALUE = {
    **dict.fromkeys(("flag", "number", "amount"), "-1"),
    **dict.fromkeys(("rates", "rate"), "often"),
    **dict.fromkeys(("url", "matching", "hosts", "host_and_port", "choice", "log_level"), "no/such"),
    "text": None,
    "words": None,
}
SOURCES = (ROOT / "leaderboard" / "gunicorn.py", *sorted((ROOT / "leaderboard" / "settings").glob("*.py")))
DECLARED = [
    (path.relative_to(ROOT / "leaderboard").with_suffix("").as_posix().replace("/", "."), reader, name)
    for path in SOURCES
    for reader, name in re.findall(r'env\.(\w+)\(\s*"([A-Z0-9_]+)"', path.read_text())
]


def test_every_variable_refuses_what_its_type_cannot_be_and_the_error_names_it():
    for module, reader, name in DECLARED:
        if not NO_VALUE[reader]:
            continue
        with pytest.raises(ImproperlyConfigured, match=name) as error:
            # Some are only read where files are kept in a bucket.
            run_with(module, **{"UPLOADS_S3_BUCKET": "files", name: NO_VALUE[reader]})
        # What to write, and not what was written: that may be a secret.
        assert re.search(r"\b(say|write)\b", str(error.value)), name
        assert NO_VALUE[reader] not in str(error.value)


def test_several_hosts_of_a_database_lead_to_the_one_that_can_be_written_to():
    def database(query=""):
        address = f"postgres://ada:p%2C%40@one.example.org:5433,[::1]/board{query}"
        return run_with("settings.database", DATABASE_URL=address)["DATABASES"]["default"]

    settings = database()
    assert {key: settings[key] for key in ("HOST", "PORT", "USER", "PASSWORD", "NAME")} == {
        "HOST": "one.example.org,::1",
        "PORT": "5433,",
        "USER": "ada",
        "PASSWORD": "p,@",
        "NAME": "board",
    }
    assert settings["OPTIONS"]["target_session_attrs"] == "read-write"
    assert database("?target_session_attrs=any")["OPTIONS"]["target_session_attrs"] == "any"


def test_forms_are_taken_from_the_stated_address_of_the_service_alone(monkeypatch):
    assert runpy.run_module("leaderboard.settings.base")["CSRF_TRUSTED_ORIGINS"] == []
    monkeypatch.setenv("SITE_URL", "https://board.example.org/")
    trusted = runpy.run_module("leaderboard.settings.base")["CSRF_TRUSTED_ORIGINS"]
    assert trusted == ["https://board.example.org"]
