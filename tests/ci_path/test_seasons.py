"""A job sends a file to a season and waits for its reveal, by a clock that the tests set."""

import json
from datetime import timedelta
from types import SimpleNamespace

import pytest

import wardboard as library
from leaderboard.models import ApiToken, Submission
from leaderboard.services import background
from leaderboard.services.submissions import cancel
from tests.support.cli import wardboard
from tests.support.factories import make_demo
from tests.support.seasons import BEFORE, CLOSED, DURING, REVEALED, make_season
from wardboard.exit_codes import ExitCode
from wardboard.scoring.medagentbench import demo as files

GOOD, SLUG, OF_SEASON = files.GOOD, "medagentbench-demo-spring", ("--season", "spring")
UNTIL = "sealed until the reveal at 2027-04-08T00:00:00Z"
BY_ITS_BOARD = ("submit", GOOD, "--benchmark", SLUG, "--system", "My agent", "--model", "m")


@pytest.fixture
def clock(service, demo, monkeypatch) -> SimpleNamespace:
    """Return the clock of the service and of the command, during a season; both go on while that sleeps."""

    def sleep(seconds):
        clock.pauses, clock.now = (*clock.pauses, seconds), clock.now + timedelta(seconds=seconds)
        while background.tasks[background.Task.NEXT](True):
            pass

    make_season(demo)
    clock = SimpleNamespace(now=DURING, pauses=(), sleep=sleep)
    clock.monotonic = lambda: (clock.now - DURING) / timedelta(seconds=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
    monkeypatch.setattr("wardboard.client.service.time", clock)
    monkeypatch.setattr("wardboard.client.connection.time", clock)
    ApiToken.objects.update(expiry=None)
    return clock


def test_a_file_is_sealed_and_has_its_score_at_the_reveal(clock, submit, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    code, out, err = submit(GOOD, *OF_SEASON, "--wait", "--strict", "--output", tmp_path / "s")
    assert (code, out.startswith(f"My agent on {SLUG}\n"), "score" in out) == (0, True, False), err
    document = json.loads((tmp_path / "s").read_text())
    name, digest = document["id"], document["file"]["sha256"]
    for text in (UNTIL, "50 in the file", digest, f"/submissions/{name}/"):
        assert (text in out, text in (tmp_path / "summary.md").read_text()) == (True, True)
    for command in ("status", "wait"):
        code, out, err = wardboard(command, name, "--json")
        assert (code, json.loads(out), clock.pauses) == (0, document, ()), err
    assert wardboard("wait", name, "--fail-under", "0.5")[0] == ExitCode.USAGE
    code, _, err = wardboard("wait", name, "--until-reveal", "--timeout", "100")
    assert (code, clock.pauses) == (ExitCode.NOT_FINISHED, (30, 30, 30, 10))
    assert f"{UNTIL}. Nothing is lost: `wardboard wait {name} --until-reveal` waits for it." in err
    clock.now = REVEALED - timedelta(seconds=70)
    code, out, err = wardboard("wait", name, "--until-reveal", "--fail-under", "0.9")
    assert (code, "94.0%" in out, "1 of 1" in out, clock.pauses[4:]) == (0, True, True, (30, 30, 30)), err


def test_a_large_file_is_waited_for_and_sent_again_in_every_way(clock, submit, settings, monkeypatch):
    settings.CHECK_AT_ONCE_BYTES = 1
    monkeypatch.setattr(background, "enqueue", lambda *_, **__: None)
    # The service holds no request for half a second.
    code, out, err = submit(GOOD, "--season", SLUG, "--wait", "--request-timeout", "1")
    assert (code, UNTIL in out, ": received\n" in err, len(clock.pauses)) == (0, True, True, 1), err
    code, out, _ = wardboard(*BY_ITS_BOARD)
    assert (code, UNTIL in out, "none  same files" in out, "no gate" in out) == (0, True, True, False)
    outcome = library.submit(GOOD, benchmark="medagentbench-demo", season="spring", system="My agent")
    assert (outcome.document["status"], outcome.score, outcome.rank) == ("sealed", None, None)
    assert Submission.objects.get().status == "sealed"


def test_what_needs_a_score_is_wrong_use(clock, submit):
    options = ("--fail-under=0.8", "--fail-on-regression", "--require-change", "--publish", "--designate")
    for option in (*options, "--unranked"):
        code, _, err = submit(GOOD, *OF_SEASON, option)
        assert (code, "nobody sees a score" in err, Submission.objects.count()) == (2, True, 0)
    # Nothing says before it is sent that the leaderboard is a season.
    for option in options:
        code, out, err = wardboard(*BY_ITS_BOARD, option)
        assert (code, UNTIL in out, "nobody sees a score" in err) == (2, True, True), option


def test_what_is_no_open_season_takes_no_file(clock, submit):
    make_demo("medagentbench-demo-other")
    for clock.now, season, words in (
        (BEFORE, "spring", "opens at 2027-03-01 12:00 UTC"),
        (CLOSED, "spring", "closed at 2027-04-01 11:59 UTC"),
        (DURING, "other", "is no season"),
    ):
        code, _, err = submit(GOOD, "--season", season)
        assert (code, words in err, Submission.objects.count()) == (ExitCode.REFUSED, True, 0), err
    assert submit(files.MALFORMED, *OF_SEASON)[0] == ExitCode.FILE_HAS_PROBLEMS


def test_a_file_that_was_replaced_or_withdrawn_ends_as_a_cancelled_one(clock, submit):
    for file, system in ((GOOD, "My agent"), (files.MIDDLING, "My agent"), (files.PERFECT, "Another")):
        assert submit(file, *OF_SEASON, system=system)[0] == 0
        clock.now += timedelta(seconds=1)
    replaced, last, withdrawn = Submission.objects.order_by("received_at")
    cancel.cancel(submission_id=withdrawn.pk, by=withdrawn.submitted_by)
    clock.now = REVEALED - timedelta(seconds=10)
    for each, words in ((replaced, "or a later file of its system took"), (withdrawn, "It was withdrawn")):
        code, _, err = wardboard("wait", each.pk, "--until-reveal")
        assert (code, words in err) == (ExitCode.FAULT, True), err
    assert "60.0%" in wardboard("wait", last.pk)[1]
