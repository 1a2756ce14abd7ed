"""The pages and the API of a result that was never published, on a board with hidden reference answers."""

import json
import re

import pytest

from leaderboard.models import Feedback, Status, Submission, Work
from leaderboard.services.accounts import create_token
from tests.support.api_client import Api
from tests.support.factories import make_demo, make_scored
from tests.support.pages.visible_text import text_of


@pytest.fixture
def submission(user, good_file):
    hidden = make_demo(is_demo=False, rounding=1, feedback=Feedback.BY_TASK)
    return make_scored(user, hidden, good_file)


def test_its_pages_say_about_how_much_and_until_when_and_an_organiser_sees_the_exact_figure(
    ada, admin_client, submission
):
    address = f"/submissions/{submission.pk}/"
    page, row = text_of(ada.get(address)), text_of(ada.get("/submissions/"))
    arrived = ada.get(f"{address}progress/").content.decode()
    for text, place in (
        ("about 96%", page),
        ("higher scores are shown as this one", page),
        ("Rounded to 6 percentage points before publication", page),
        ("about 96%", row),
        ("Scored. about 96%", arrived),
    ):
        assert text in place
    for exact in ("95% interval", "Wrong tasks", "This leaderboard shows overall scores"):
        assert exact not in page
    for place in (page, row, arrived):
        assert "94.0%" not in place
        assert "47 of" not in place
    assert ada.get(f"{address}tasks/").status_code == 404
    assert "94.0%" in text_of(admin_client.get(address))
    assert "47 of 50" in text_of(admin_client.get(f"/organise{address}"))


def test_the_api_gives_the_rounded_score_and_nothing_beside_it(user, submission):
    program = Api(create_token(user=user, name="tests", days=1)[1])
    body = program.get(f"/api/v1/submissions/{submission.pk}/").json()
    assert body["result"] == {
        "right": None, "total": 50, "score": 0.96, "rounded_to": 0.06, "metric": "success_rate",
        "interval_95": None, "metrics": {"success_rate": 0.96}, "breakdowns": {}, "group_metrics": {},
        "runs": 1, "spread": None, "per_run": None, "interval_clusters": [],
    }  # fmt: skip
    assert body["tasks"] is None
    [line] = program.get("/api/v1/submissions/").json()["results"]
    assert (line["score"], line["rounded_to"]) == (0.96, 0.06)
    assert not re.search(r"(?<![\d:])0\.94|: 47\b", json.dumps([body, line]))


def test_progress_is_shown_in_tenths(ada, submission):
    counts = {"total": 50, "read": 50, "to_judge": 31, "judged": 12, "undecided": 1}
    Submission.objects.filter(pk=submission.pk).update(
        status=Status.SCORING, evaluation=None, scored_at=None,
        claim="6d5a0d8a-0a0c-4d1c-9d3b-7b9a86ed8f54",
    )  # fmt: skip
    Work.objects.update(progress=counts)
    page = ada.get(f"/submissions/{submission.pk}/progress/").content.decode()
    assert '<progress max="10" value="3"' in page
    assert "about 30%" in page
    assert "31" not in re.sub(r"<[^>]+>", "", page)
