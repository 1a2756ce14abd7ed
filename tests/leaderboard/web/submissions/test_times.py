"""Times of a result are in whole seconds: how long grading took depends on the hidden answers."""

import re

import pytest

from leaderboard.services.exports.receipt import receipt_of
from tests.support.factories import make_published, send

pytestmark = pytest.mark.django_db

FINER_THAN_A_SECOND = re.compile(rb"\d\d:\d\d:\d\d\.(?!0+Z)\d")


@pytest.mark.parametrize("make", [send, make_published])
def test_neither_page_nor_api_nor_receipt_has_a_finer_time_than_a_second(demo, user, ada, good_file, make):
    made = make(user, demo, good_file)
    submission = getattr(made, "submission", made)
    submission.refresh_from_db()
    assert submission.scored_at.microsecond == submission.evaluation.created_at.microsecond == 0
    page, answer = (ada.get(f"{start}/submissions/{submission.pk}/") for start in ("", "/api/v1"))
    assert (page.status_code, answer.status_code) == (200, 200)
    assert b"scored_at" in answer.content
    for shown in (page.content, answer.content, receipt_of(submission)):
        assert not FINER_THAN_A_SECOND.search(shown)
