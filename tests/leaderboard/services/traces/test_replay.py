"""Responses in stored traces are compared with a recording by a command, and shown to few."""

import json

import pytest
from django.core.management import CommandError, call_command

from leaderboard.models import Submission
from leaderboard.services.delete_account import delete_account
from leaderboard.services.files import store
from leaderboard.services.publishing.publish import publish
from leaderboard.services.traces.replay import replay_of
from tests.support.factories import make_scored
from tests.support.forged_runs import FORGED_REQUEST, TRUE_DATE, forged_runs
from wardboard.scoring.medagentbench.demo import RECORDING, RUNS

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.UPLOADS = tmp_path / "uploads"


@pytest.fixture
def honest(demo, user) -> Submission:
    return make_scored(user, demo, RUNS.read_bytes())


@pytest.fixture
def forged(demo, user) -> Submission:
    return make_scored(user, demo, forged_runs())


def replay(board, *arguments) -> None:
    call_command("replay_traces", board.slug, "--fhir-recording", str(RECORDING), *arguments)


def test_the_demos_own_runs_are_all_the_recorded_servers(demo, honest, capsys):
    replay(demo)
    honest.refresh_from_db()
    found = replay_of(honest)
    assert found.gets > 0
    assert (found.gets, found.recorded, found.same, found.different) == (found.gets,) * 3 + (0,)
    assert f"{honest.pk}: {found.gets} GETs" in capsys.readouterr().out


def test_a_forged_response_is_named_and_nothing_of_the_recording_is_stored(demo, forged):
    replay(demo)
    forged.refresh_from_db()
    found = replay_of(forged)
    assert found.different == 1
    (place,) = found.places
    assert (place.task_id, place.run, place.message, place.request) == ("task2_1", 1, 2, FORGED_REQUEST)
    stored = json.dumps(forged.replay)
    assert TRUE_DATE not in stored
    assert "Hollowmere" not in stored


def test_the_command_gives_the_same_again_and_takes_one_submission_alone(demo, honest, forged, capsys):
    replay(demo, "--submission", str(forged.pk))
    honest.refresh_from_db()
    forged.refresh_from_db()
    first = forged.replay
    assert honest.replay is None
    assert first["different"] == 1
    replay(demo)
    forged.refresh_from_db()
    assert forged.replay == first
    assert capsys.readouterr().out.endswith("compared: 2\n")


def test_a_submission_whose_traces_are_gone_is_left_out(demo, honest, capsys):
    store.remove(honest.stored_as)
    replay(demo)
    assert capsys.readouterr().out == "compared: 0\n"


def test_a_file_with_posts_alone_has_nothing_to_compare(demo, user, good_file, ada):
    submission = make_scored(user, demo, good_file)
    replay(demo)
    submission.refresh_from_db()
    assert submission.replay["gets"] == 0
    assert replay_of(submission) is None
    assert "Responses of the FHIR server" not in ada.get(f"/submissions/{submission.pk}/").content.decode()


@pytest.mark.parametrize("content", ["", "no recording\n"])
def test_what_is_no_recording_is_refused(demo, honest, tmp_path, content):
    path = tmp_path / "recording.ndjson"
    path.write_text(content)
    with pytest.raises(CommandError, match="is not a FHIR recording"):
        call_command("replay_traces", demo.slug, "--fhir-recording", str(path))
    with pytest.raises(CommandError, match="No such file"):
        call_command("replay_traces", demo.slug, "--fhir-recording", str(tmp_path / "none"))
    with pytest.raises(CommandError, match="There is no leaderboard none"):
        call_command("replay_traces", "none", "--fhir-recording", str(RECORDING))
    honest.refresh_from_db()
    assert honest.replay is None


def test_an_account_that_is_deleted_takes_the_comparison_along(demo, forged, user):
    replay(demo)
    delete_account(user)
    forged.refresh_from_db()
    assert forged.replay is None


def test_its_team_and_organisers_see_the_place_and_others_see_nothing(
    demo, forged, user, ada, grace, visitor, admin_client
):
    replay(demo)
    publish(submission_id=forged.pk, team=forged.team, by=user)
    address = f"/submissions/{forged.pk}/"
    sentence = "responses differ from what the recorded server answers."
    for page in (ada.get(address), admin_client.get(f"/organise/submissions/{forged.pk}/")):
        text = page.content.decode()
        assert sentence in text
        assert f"GET {FORGED_REQUEST}" in text
        assert f"/submissions/{forged.pk}/traces/task2_1/?run=1#m2" in text
        assert TRUE_DATE not in text
    for client in (visitor, grace):
        text = client.get(address).content.decode()
        assert "recorded server" not in text
        assert FORGED_REQUEST not in text
