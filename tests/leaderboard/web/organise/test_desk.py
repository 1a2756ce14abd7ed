"""What needs the organiser, the list of submissions, and the page of one."""

from datetime import timedelta

from django.utils import timezone

from leaderboard.models import AuditEvent, Evaluation, Status, Submission, TeamApproval
from leaderboard.services.submissions import grade
from tests.support.factories import make_scored, send, with_wrong
from tests.support.pages.desk import words


def fail(submission: Submission, why: str = grade.OUR_FAULT) -> None:
    fields = {"status": Status.FAILED, "failure": why, "evaluation": None, "scored_at": None}
    Submission.objects.filter(pk=submission.pk).update(**fields, moved_at=timezone.now())
    # As if it had never been scored.
    Evaluation.objects.filter(submission=submission)._raw_delete("default")


def test_the_desk_names_all_that_needs_the_organiser_with_a_link_to_act_on_it(
    desk, board, user, other_user, good_file
):
    assert "Nothing needs you now" in words(desk.get("/organise/"))
    failed = make_scored(user, board, with_wrong(good_file, 30), system="Broken")
    fail(failed)
    stuck = make_scored(user, board, with_wrong(good_file, 20), system="Slow")
    Submission.objects.filter(pk=stuck.pk).update(
        status=Status.QUEUED, evaluation=None, scored_at=None, moved_at=timezone.now() - timedelta(hours=1)
    )
    # Two teams with the same answers in different bytes; one declares runs that it does not send.
    twin = make_scored(user, board, good_file, system="First of two", runs="3", allow_empty=True)
    make_scored(other_user, board, good_file + b"\n", system="Second of two")
    TeamApproval.objects.create(board=board, team=twin.team, requested_by=user, message="Please")
    page = words(desk.get("/organise/"))
    for text in ("Failed submissions: 1", "have waited too long: 1", "Teams that ask for approval: 1"):
        assert text in page
    assert "Groups of similar files: 1" in page
    # The link leads to the heading of what is to be decided.
    assert "/organise/boards/hidden/teams/#asking" in page
    assert "/organise/submissions/?board=hidden&amp;state=failed-now" in page
    # Each link leads to what it names.
    listed = words(desk.get("/organise/submissions/?board=hidden&state=failed-now"))
    assert "Broken" in listed
    assert "Slow" not in listed
    assert "Slow" in words(desk.get("/organise/submissions/?board=hidden&state=stuck"))
    benchmarks = words(desk.get("/organise/boards/hidden/similar/"))
    assert "First of two" in benchmarks
    assert "2 submissions with equal answers" in words(desk.get(f"/organise/submissions/{twin.pk}/"))
    assert "2 submissions with equal answers" in benchmarks
    # What was reviewed, and what was decided, needs nobody any more.
    desk.post(f"/organise/submissions/{failed.pk}/review/")
    family = [twin.pk, Submission.objects.get(system__name="Second of two").pk]
    page = words(desk.post("/organise/boards/hidden/similar/", {"submission": family}, follow=True))
    assert "Mark as reviewed" not in page
    assert AuditEvent.objects.filter(action="submission.reviewed", submission__in=family).count() == 2
    desk.post(f"/organise/boards/hidden/teams/{TeamApproval.objects.get().pk}/refuse/", {"answer": "No."})
    desk.post(f"/organise/submissions/{stuck.pk}/cancel/")
    assert "Nothing needs you now" in words(desk.get("/organise/"))
    assert AuditEvent.objects.filter(action=AuditEvent.Action.REVIEWED).count() == 3
    assert TeamApproval.objects.get().answer == "No."


def test_a_failed_submission_is_tried_again_and_a_wrong_action_is_refused_in_words(
    desk, board, user, good_file, malformed_file
):
    first = make_scored(user, board, good_file)
    rejected = send(user, board, malformed_file).submission
    fail(first)
    page = words(desk.get(f"/organise/submissions/{first.pk}/"))
    assert "Try again" in page
    assert words(desk.post(f"/organise/submissions/{first.pk}/retry/", follow=True))
    first.refresh_from_db()
    assert first.status == Status.SCORED
    refused = words(desk.post(f"/organise/submissions/{rejected.pk}/retry/", follow=True))
    assert "Only a failed or cancelled submission can be tried again." in refused
    assert desk.post(f"/organise/submissions/{first.pk}/unknown/").status_code == 404
