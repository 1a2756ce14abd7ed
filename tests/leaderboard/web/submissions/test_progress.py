"""The page of a submission on its way to its score, and the requests of that page."""

import uuid

import pytest

from leaderboard.models import Status, Submission, Work
from leaderboard.services.submissions import grade
from tests.support import factories
from tests.support.databases import shared_rows
from wardboard.scoring.fhir_agentbench.demo import GOOD

PROGRESS = {"total": 60, "read": 60, "to_judge": 40, "judged": 10, "undecided": 2}


@shared_rows
def queued() -> Submission:
    """Make a submission and leave it queued."""
    user, board = factories.make_user(), factories.make_fhir_demo()
    with pytest.MonkeyPatch.context() as busy:
        busy.setattr(grade, "score", lambda **_: None)
        return factories.send(user, board, GOOD.read_bytes()).submission


def get_progress(client, submission, announced=""):
    return client.get(f"/submissions/{submission.pk}/progress/?announced={announced}")


def test_a_polling_response_is_small_not_cached_and_takes_few_queries(
    ada, queued, django_assert_max_num_queries
):
    Work.objects.filter(pk=queued.pk).update(progress=PROGRESS)
    for status, fields in (
        (Status.QUEUED, {}),
        (Status.INCOMPLETE, {"waits_for": "provider-down"}),
        (Status.CANCELLED, {"waits_for": ""}),
        (Status.SCORING, {"claim": uuid.uuid4()}),
    ):
        Submission.objects.filter(pk=queued.pk).update(status=status, **fields)
        get_progress(ada, queued)
        # Three of them read who asks.
        with django_assert_max_num_queries(7):
            response = get_progress(ada, queued)
    assert "no-store" in response["Cache-Control"]
    assert "<html" not in response.content.decode()
    assert len(response.content) < 2000
    assert 'hx-trigger="every 1s"' in response.content.decode()


def test_the_final_poll_returns_the_whole_content_and_ends_polling(ada, queued):
    grade.score(submission_id=queued.pk)
    response = get_progress(ada, queued, "scoring-3")
    content = response.content.decode()
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#submission", "innerHTML")
    assert "<dt>Answer correctness</dt>" in content
    assert "Publish" in content
    assert "hx-trigger" not in content
    assert 'hx-swap-oob="innerHTML"' in content
