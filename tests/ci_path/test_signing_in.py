"""`wardboard login` through a browser: the real command, a real service, and a person who answers."""

import json
import os
import platform
import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import ApiToken, DeviceCode, Submission
from tests.ci_path.answers import reply
from tests.support.cli import wardboard
from tests.support.factories import client_of, get_user
from tests.support.loopback import Loopback, ScriptedReply
from wardboard.commands import login
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench.demo import GOOD

PAGE = "/account/device/"
HOST = platform.node().partition(".")[0][:60]


@pytest.fixture
def person(service, monkeypatch) -> Client:
    """Return the browser of someone who is signed in; the command has no token yet."""
    monkeypatch.delenv("WARDBOARD_TOKEN")
    ApiToken.objects.all().delete()
    return client_of(get_user("ci@example.org"))


@pytest.fixture
def pauses(monkeypatch):
    """Return a function that calls a step in place of each pause of the command, the last one repeatedly.

    It returns the list of the pauses in seconds. clock: returns the seconds that have passed.
    """

    def script(*steps, clock=time.monotonic) -> list[float]:
        seconds: list[float] = []

        def pause(length: float) -> None:
            seconds.append(length)
            steps[min(len(seconds), len(steps)) - 1]()

        monkeypatch.setattr(login, "time", SimpleNamespace(sleep=pause, monotonic=clock))
        return seconds

    return script


def answer(person: Client, word: str) -> None:
    code = DeviceCode.objects.get()
    assert person.post(PAGE, {"user_code": code.shown_code, "answer": word}).status_code == 302


def test_a_person_signs_in_and_the_token_is_kept_until_it_is_revoked(person, pauses, tmp_path):
    pauses(lambda: answer(person, "approve"))
    code, out, err = wardboard("login", "--web")
    assert (code, f"Open http://localhost{PAGE}" in err, "ci@example.org" in out) == (0, True, True), err
    (kept,) = (tmp_path / "config").rglob("*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    text = json.loads(kept.read_text())["token http://localhost"]
    assert text not in out + err
    token = ApiToken.objects.get()
    assert (token.name, text.startswith(token.token_key)) == (f"wardboard on {HOST}", True)
    assert timedelta(days=89) < token.expiry - timezone.now() < timedelta(days=91)
    assert wardboard("quota", "medagentbench-demo")[0] == 0
    person.post(f"/account/tokens/{token.token_key}/revoke/")
    assert wardboard("quota", "medagentbench-demo")[0] == ExitCode.REFUSED


def test_a_program_waits_as_long_as_the_service_asks_for(person, pauses):
    seconds = pauses(lambda: None, lambda: None, lambda: answer(person, "approve"))
    code, _, err = wardboard("login", "--web", "--scope", "read")
    assert (code, seconds) == (0, [5, 5, 5]), err
    assert [scope.value for scope in ApiToken.objects.get().allowed] == ["read"]


@pytest.mark.parametrize(
    ("is_denied", "words"),
    [
        (True, "The sign-in was denied in the browser."),
        (False, "Nobody approved the code within ten minutes."),
    ],
)
def test_a_sign_in_that_is_denied_or_comes_too_late_is_refused_and_keeps_nothing(
    person, pauses, tmp_path, is_denied, words
):
    too_late = DeviceCode.objects.update
    pauses(lambda: answer(person, "deny") if is_denied else too_late(expires_at=timezone.now()))
    code, _, err = wardboard("login", "--web")
    assert (code, words in err) == (ExitCode.REFUSED, True)
    assert not list((tmp_path / "config").rglob("*.json"))


def test_no_token_is_fetched_without_tls_from_another_machine(monkeypatch):
    monkeypatch.setenv("WARDBOARD_URL", "http://wardboard.example.org")
    code, _, err = wardboard("login", "--web")
    assert code == ExitCode.USAGE
    assert "without encryption" in err


def code_at(origin: str, **changes) -> ScriptedReply:
    """Return the answer of a service with a code whose page is at `origin`."""
    page = f"{origin}{PAGE}"
    code = {"device_code": "x", "user_code": "BCDF-GHJK", "expires_in": 600, "interval": 5}
    code |= {"verification_uri": page, "verification_uri_complete": f"{page}?user_code=BCDF-GHJK"}
    return reply(code | changes, Connection="close")


def test_a_page_elsewhere_or_a_code_that_is_none_ends_with_3():
    for changes in ({"at": PAGE}, {"expires_in": "soon"}):
        elsewhere = "https://elsewhere.example.org" if "at" in changes else ""
        with Loopback(lambda _: code_at(elsewhere or server.origin, **changes)) as server:  # noqa: B023
            assert wardboard("login", "--web", "--url", server.origin)[0] == ExitCode.FAULT


def test_a_service_that_never_decides_is_not_waited_for_longer_than_the_code_lasts(pauses):
    seconds = pauses(lambda: None, clock=lambda: 300 * len(seconds))
    pending = {"code": "code-refused", "error": "authorization_pending", "detail": "Not yet."}
    again = reply(pending, 400, Connection="close")
    with Loopback(lambda _: code_at(server.origin), again) as server:
        code, _, err = wardboard("login", "--web", "--url", server.origin)
    assert (code, len(seconds)) == (ExitCode.REFUSED, 3), err
    assert "Not yet." in err


@pytest.mark.parametrize("name", ["WARDBOARD_TOKEN", "WARDBOARD_PUBLISHER"])
def test_an_empty_secret_is_an_error_and_never_submits_as_whoever_signed_in_here(
    service, submit, monkeypatch, name
):
    token, other = os.environ["WARDBOARD_TOKEN"], "WARDBOARD_PUBLISHER"
    other = other if name == "WARDBOARD_TOKEN" else "WARDBOARD_TOKEN"
    monkeypatch.delenv("WARDBOARD_TOKEN")
    assert wardboard("login", "--with-token", stdin=token.encode())[0] == ExitCode.OK
    # Also beside a good one of the other kind.
    for value, beside in ((" ", ""), ("", "0e2f9c1a-6c3f-4d0e-9a53-1f6f0d2b7c11")):
        monkeypatch.setenv(name, value)
        if beside:
            monkeypatch.setenv(other, beside)
        for code, _, err in (submit(GOOD), wardboard("token")):
            assert (code, f"{name} is empty, as of a secret" in err) == (ExitCode.USAGE, True), value
    assert not Submission.objects.exists()
    monkeypatch.delenv(name)
    monkeypatch.delenv(other)
    assert submit(GOOD)[0] == ExitCode.OK


def test_an_empty_variable_of_an_option_is_refused_as_its_empty_option_is(service, submit, monkeypatch):
    for name in ("WARDBOARD_TEAM", "WARDBOARD_URL"):
        with monkeypatch.context() as job:
            job.setenv(name, "")
            code, _, err = submit(GOOD)
        assert (code, f"{name} is empty" in err) == (ExitCode.USAGE, True)
    assert not Submission.objects.exists()
