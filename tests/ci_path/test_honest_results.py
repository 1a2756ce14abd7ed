"""No result that the service shows its own team contradicts itself in the eyes of the command."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from leaderboard.api.serializers.submissions import show_submission
from leaderboard.http.json_encoding import encode
from leaderboard.models import Feedback, Status, Submission
from leaderboard.services.publishing.publish import publish
from tests.support.factories import make_demo, make_fhir_demo, make_scored, make_user, send_runs, with_wrong
from wardboard.ci.gates import fault_of_result, show_score
from wardboard.client.documents import SubmissionAnswer, fault_of, fault_of_warnings
from wardboard.scoring.medagentbench import demo

pytestmark = pytest.mark.django_db


def faults_of(submission: Submission) -> list[str]:
    """Return what the command finds wrong with a scored submission as the API shows it to its team."""
    shown = show_submission(Submission.objects.get(pk=submission.pk), to_team=True)
    document = json.loads(encode(shown))
    faults = [fault_of(document, SubmissionAnswer), fault_of_warnings(document)]
    return [fault for fault in (*faults, fault_of_result(document["result"])) if fault]


@pytest.mark.parametrize("feedback", Feedback.values)
@pytest.mark.parametrize("rounding", [0, 7, 30])
@pytest.mark.parametrize("wrong", [0, 23])
def test_a_result_of_a_leaderboard_that_rounds_or_not_is_taken(feedback, rounding, wrong):
    board = make_demo(is_demo=not rounding, rounding=rounding, feedback=feedback)
    user = make_user("honest@example.org")
    submission = make_scored(user, board, with_wrong(demo.GOOD.read_bytes(), wrong))
    assert faults_of(submission) == []
    publish(submission_id=submission.pk, team=submission.team, by=user)
    assert faults_of(submission) == []


@pytest.mark.parametrize("is_hidden", [False, True])
def test_a_result_of_several_runs_is_taken(is_hidden):
    board = make_demo(is_demo=not is_hidden, rounding=int(is_hidden), feedback=Feedback.BY_TASK)
    user = make_user("honest@example.org")
    files = [with_wrong(demo.GOOD.read_bytes(), wrong) for wrong in (0, 5, 19)]
    submission = send_runs(user, board, files, runs=4).submission
    assert faults_of(submission) == []
    publish(submission_id=submission.pk, team=submission.team, by=user)
    assert faults_of(submission) == []


def test_a_result_with_open_answers_is_a_range_whose_upper_end_the_command_finds(good_answers):
    records = json.loads(good_answers)
    vague = "The values vary over the stay, as the notes of the ward describe at length."
    opened = [{**each, "agent_answer": vague} for each in records[:5]] + records[5:]
    submission = make_scored(make_user(), make_fhir_demo(), json.dumps(opened).encode())
    assert faults_of(submission) == []
    document = show_submission(Submission.objects.get(pk=submission.pk), to_team=True)
    assert re.fullmatch(r"73\.3–8\d\.\d%", show_score(document["result"]["score"], document))


@pytest.mark.long
def test_every_result_of_the_demonstration_leaderboards_is_taken(settings, tmp_path):
    settings.DATA, settings.UPLOADS = tmp_path, tmp_path / "uploads"
    call_command("load_demo", stdout=StringIO())
    scored = Submission.objects.filter(status=Status.SCORED)
    assert {each.board.benchmark for each in scored} == {"medagentbench", "fhir-agentbench"}
    assert {each.pk: faults for each in scored if (faults := faults_of(each))} == {}
