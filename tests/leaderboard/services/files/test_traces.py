"""Remarks on the trace, which organisers see at the desk and submitters do not."""

from django.core.management import call_command

from leaderboard.models import BoardState, Submission
from leaderboard.services.files import store
from leaderboard.services.files.traces import remarks_of
from tests.support.factories import make_scored


def test_the_page_of_a_submission_counts_remarks_by_kind_and_names_tasks(admin_client, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    page = admin_client.get(f"/organise/submissions/{submission.pk}/").content.decode()
    assert "A reply accepts a POST in other words than the official harness." in page
    assert "task3_1" in page


def test_the_submitter_is_told_of_no_remark(ada, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    page = ada.get(f"/submissions/{submission.pk}/").content.decode()
    assert "official harness" not in page


def test_remarks_are_kept_with_the_submission_when_it_is_graded(admin_client, demo, user, good_file):
    submission = make_scored(user, demo, good_file)
    assert submission.trace == "posts-only"
    store.remove(submission.stored_as)
    page = admin_client.get(f"/organise/submissions/{submission.pk}/").content.decode()
    assert "A reply accepts a POST in other words than the official harness." in page


def test_the_remarks_of_an_earlier_release_are_read_from_the_file_until_the_command_keeps_them(
    demo, user, good_file, capsys
):
    submission = make_scored(user, demo, good_file)
    kept = (submission.trace, submission.trace_remarks)
    as_before(submission)
    assert [remark.kind for remark in remarks_of(submission)] == ["acceptance-text"]
    revision = BoardState.objects.get(board=demo).revision
    call_command("read_traces")
    assert capsys.readouterr().out == "read: 1, not in the store: 0, stored: 0\n"
    submission.refresh_from_db()
    assert (submission.trace, submission.trace_remarks) == kept
    # No cached page goes without.
    assert BoardState.objects.get(board=demo).revision > revision
    call_command("read_traces")
    assert capsys.readouterr().out == "read: 0, not in the store: 0, stored: 0\n"


def test_the_command_counts_the_files_that_are_gone(demo, user, good_file, capsys):
    submission = make_scored(user, demo, good_file)
    as_before(submission)
    store.remove(submission.stored_as)
    call_command("read_traces")
    assert capsys.readouterr().out == "read: 0, not in the store: 1, stored: 0\n"


def as_before(submission: Submission) -> None:
    """Leave the submission as a release before this one did."""
    Submission.objects.filter(pk=submission.pk).update(trace="", trace_remarks=None)
    submission.refresh_from_db()
