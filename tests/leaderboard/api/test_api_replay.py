"""How responses in traces compare with a recorded FHIR server, as the API states it to their team."""

from datetime import date

from django.core.management import call_command

from leaderboard.services.publishing.publish import publish
from tests.support.addresses import SUBMISSIONS
from tests.support.factories import make_scored
from tests.support.forged_runs import FORGED_REQUEST, forged_runs
from wardboard.scoring.medagentbench.demo import RECORDING


def test_the_team_reads_the_comparison_and_nobody_else_does(api, visitor, demo, user):
    submission = make_scored(user, demo, forged_runs())
    address = f"{SUBMISSIONS}{submission.pk}/"
    assert api.get(address).json()["replay"] is None
    call_command("replay_traces", demo.slug, "--fhir-recording", str(RECORDING))
    found = api.get(address).json()["replay"]
    assert (found["gets"], found["recorded"], found["same"], found["different"]) == (35, 35, 34, 1)
    assert found["places"] == [{"task_id": "task2_1", "run": 1, "message": 2, "request": FORGED_REQUEST}]
    assert date.fromisoformat(found["compared_on"])
    publish(submission_id=submission.pk, team=submission.team, by=user)
    public = visitor.get(address).json()
    assert public["published"]
    assert "replay" not in public
