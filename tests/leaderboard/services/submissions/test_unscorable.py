"""A file whose own values cannot be scored counts against its team's limits; our faults do not."""

import json

import pytest

from leaderboard.models import Status, Submission
from leaderboard.services.errors import QuotaSpent
from leaderboard.services.submissions import grade
from tests.support.factories import make_fhir_demo, send
from wardboard.scoring.fhir_agentbench import demo
from wardboard.scoring.fhir_agentbench.reading import record_check

ENORMOUS = 1.7e308


def costly(number: int) -> bytes:
    """Return a file whose costs have no sum; each number gives another file."""
    records = json.loads(demo.GOOD.read_bytes())
    for record in records:
        record["usage"] = {"cost": ENORMOUS, "prompt_tokens": number}
    return json.dumps(records).encode()


def test_files_that_fail_through_their_own_values_count_as_files_of_the_day(
    db, user, same_process, monkeypatch
):
    # Enormous figures pass the check, as they did once, to be found by scoring alone.
    monkeypatch.setattr(record_check, "_MOST", dict.fromkeys(record_check._MOST, ENORMOUS))
    board = make_fhir_demo(daily_limit=2)
    for number in range(2):
        submission = send(user, board, costly(number)).submission
        assert (submission.status, submission.failure) == (Status.FAILED, grade.FILE_FAULT)
    with pytest.raises(QuotaSpent):
        send(user, board, costly(3))
    assert Submission.objects.count() == 2
