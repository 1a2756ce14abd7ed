"""The organiser's desk has no English words and no Latin punctuation in Chinese."""

import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import ApprovalStatus, AuditEvent, Status, Submission, TeamApproval
from leaderboard.monitoring import ids
from leaderboard.services.accounts import personal_team
from leaderboard.services.doubts import reports
from leaderboard.services.doubts.set_aside import stage_set_aside
from leaderboard.services.processes import log_lines
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import publish
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import make_scored, send, with_answers, with_wrong
from tests.support.pages.words import english_in, ill_set_in

# What people typed.
GIVEN = (
    "Alpha",
    "Beta",
    "Gamma",
    "Delta",
    "Slow",
    "Please",
    "Two orders",
    "Trained on the tasks",
    "Careful agent",
    "tests",
    "ada",
    "grace",
)
PAGES = (
    "",
    "boards/hidden/",
    "boards/hidden/similar/",
    "boards/hidden/feedback/",
    "boards/hidden/references/",
    "boards/hidden/references/1/",
    "boards/hidden/references/2/",
    "boards/hidden/doubts/",
    "boards/hidden/rescoring/",
    "boards/hidden/teams/",
    "boards/hidden/announcements/",
    "audit/",
    "submissions/",
    "submissions/?state=stuck",
    "submissions/?q=zebra",
)


@pytest.fixture
def submissions(board, organiser, user, other_user, good_file, malformed_file) -> dict[str, Submission]:
    """Return a submission in each state, on a board with a team that asks for approval."""
    alpha = make_scored(user, board, with_wrong(good_file, 1), system="Alpha")
    beta = make_scored(user, board, with_wrong(good_file, 2), system="Beta")
    TeamApproval.objects.create(
        board=board,
        team=personal_team(user),
        requested_by=user,
        status=ApprovalStatus.APPROVED,
        decided_at=timezone.now(),
    )
    for submission in (alpha, beta):
        publish(submission_id=submission.pk, team=personal_team(user), by=user)
    fields = {"task_id": "task2_1", "kind": "data", "text": "Patient/1"}
    reports.report(submission_id=alpha.pk, team=alpha.team, by=user, **fields)
    stage_set_aside(board=board, tasks={"task2_1": "Two orders"}, by=organiser)
    compute_statistics(board_id=board.pk)
    disqualify(submission_id=beta.pk, by=organiser, reason="Trained on the tasks")
    make_scored(other_user, board, with_answers(good_file, task1_1='["x"]'), system="Gamma")
    slow = make_scored(user, board, with_wrong(good_file, 20), system="Slow")
    hours_ago = timezone.now() - timedelta(hours=1)
    fields = {"status": Status.QUEUED, "evaluation": None, "scored_at": None, "moved_at": hours_ago}
    Submission.objects.filter(pk=slow.pk).update(**fields)
    TeamApproval.objects.create(
        board=board, team=personal_team(other_user), requested_by=other_user, message="Please"
    )
    rejected = send(user, board, malformed_file).submission
    with ids.bound(submission_id=slow.pk, task_id="5f0c"):
        logging.getLogger("leaderboard").warning("work on it was interrupted")
    log_lines.store()
    return {"published": alpha, "disqualified": beta, "stuck": slow, "rejected": rejected}


def test_the_desk_has_no_english_words_and_is_well_set(desk, submissions):
    assert AuditEvent.objects.exists()
    of_each = [
        *(f"submissions/{submission.pk}/" for submission in submissions.values()),
        f"submissions/{submissions['published'].pk}/disqualify/",
        f"submissions/{submissions['disqualified'].pk}/reinstate/",
    ]
    faults = {}
    for path in (*PAGES, *of_each):
        response = desk.get(f"/zh-hant/organise/{path}")
        assert response.status_code == 200, path
        html = response.content.decode()
        if english := english_in(html, given=GIVEN):
            faults[path] = english
        elif ill_set := ill_set_in(html):
            faults[path] = ill_set
    assert faults == {}
