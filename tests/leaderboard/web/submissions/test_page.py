"""The list of submissions, and the page of one."""

import uuid

import pytest
from django.utils import timezone

from leaderboard.models import Board, Feedback, Standing, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import publish
from tests.support import factories


@pytest.fixture
def scored(demo, user, good_file):
    return factories.make_scored(user, demo, good_file, system="Mine").pk


def make_address(pk) -> str:
    return f"/submissions/{pk}/"


def test_the_owner_sees_score_breakdowns_and_provenance(ada, scored, demo):
    content = ada.get(make_address(scored)).content.decode()
    submission = Submission.objects.get(pk=scored)
    for expected_text in (
        "<dt>Success rate</dt>",
        "94.0%",
        "47 of 50 tasks",
        "83.8% to 97.9%",
        "Last glucose",
        "UTC",
        submission.sha256,
    ):
        assert expected_text in content
    assert demo.active_revision.digest in content


def test_publishing_and_withdrawing_add_and_remove_the_row(ada, visitor, scored):
    assert "Publishing is permanent" in " ".join(ada.get(make_address(scored)).content.decode().split())
    published = ada.post(f"{make_address(scored)}publish/", follow=True)
    assert (
        published.redirect_chain[-1][0]
        == f"/benchmarks/medagentbench-demo/#system-{Standing.objects.get().system_id}"
    )
    assert "Published on" in published.content.decode()
    entry_html = ada.get(make_address(scored)).content.decode()
    assert "The leaderboard shows this result for the system. It is the only published" in entry_html
    assert visitor.get(make_address(scored)).status_code == 200
    assert "Mine" in visitor.get("/benchmarks/medagentbench-demo/").content.decode()
    withdraw_html = ada.post(
        f"{make_address(scored)}withdraw/", {"reason": "A wrong prompt."}, follow=True
    ).content.decode()
    assert "Reason given: A wrong prompt." in withdraw_html
    assert visitor.get(make_address(scored)).status_code == 410
    assert not Standing.objects.exists()


def test_others_see_no_file_name_warnings_or_tasks_of_a_published_submission(
    visitor, ada, demo, user, noisy_file
):
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.BY_TASK)
    result = factories.send(user, demo, noisy_file, filename="ward-7-secret.json")
    publish(submission_id=result.submission.pk, team=personal_team(user), by=user)
    own = ada.get(make_address(result.submission.pk)).content.decode()
    public = visitor.get(make_address(result.submission.pk)).content.decode()
    for private in ("ward-7-secret.json", "Wrong tasks", "warning", "Withdraw"):
        assert private in own
        assert private not in public
    assert "60.0%" in public


def test_readers_see_what_is_theirs_and_a_get_changes_nothing(ada, grace, visitor, scored):
    assert "Mine" in ada.get("/submissions/").content.decode()
    assert "No submissions yet" in grace.get("/submissions/").content.decode()
    for client, address, status in (
        (visitor, "/submissions/", 302),
        (grace, make_address(scored), 404),
        (ada, f"{make_address(scored)}publish/", 405),
        (ada, make_address(uuid.uuid4()), 404),
        (ada, "/submissions/not-an-id/", 404),
    ):
        assert client.get(address).status_code == status, address
    assert not Submission.objects.published().exists()


def test_the_pages_of_submissions_take_few_queries(
    ada, visitor, demo, user, scored, django_assert_max_num_queries
):
    ada.post(f"{make_address(scored)}publish/")
    ada.get("/submissions/")
    rows = [
        Submission(
            board=demo,
            team=personal_team(user),
            submitted_by=user,
            system=Submission.objects.get(pk=scored).system,
            sha256=f"{n:064d}",
            stored_as=uuid.uuid4(),
            size_bytes=1,
            received_at=timezone.now(),
            moved_at=timezone.now(),
        )
        for n in range(60)
    ]
    Submission.objects.bulk_create(rows)
    with django_assert_max_num_queries(10):
        ada.get("/submissions/")
    # One of them for the links for reviewers, which only its team sees.
    with django_assert_max_num_queries(12):
        ada.get(make_address(scored))
    with django_assert_max_num_queries(6):
        visitor.get(make_address(scored))
