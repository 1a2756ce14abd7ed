"""Remarks on the trace, which organisers see and submitters do not."""

import pytest

from leaderboard.models import User
from leaderboard.services.files import store
from tests.support.factories import make_scored


@pytest.fixture
def staff(client, db):
    client.force_login(User.objects.create_superuser("boss@example.org", "correct-horse-battery"))
    return client


def test_the_page_of_a_submission_counts_remarks_by_kind_and_names_tasks(staff, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    page = staff.get(f"/admin/leaderboard/submission/{submission.pk}/change/").content.decode()
    assert "A reply accepts a POST in other words than the official harness." in page
    assert "task3_1" in page


def test_the_submitter_is_told_of_no_remark(ada, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    page = ada.get(f"/submissions/{submission.pk}/").content.decode()
    assert "official harness" not in page


def test_a_file_that_is_gone_is_said_to_be(staff, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    store.remove(submission.stored_as)
    page = staff.get(f"/admin/leaderboard/submission/{submission.pk}/change/").content.decode()
    assert "The file is not in the store." in page


def test_a_benchmark_without_traces_shows_a_dash(staff, fhir_demo, user, good_answers):
    submission = make_scored(user, fhir_demo, good_answers)
    assert staff.get(f"/admin/leaderboard/submission/{submission.pk}/change/").status_code == 200
