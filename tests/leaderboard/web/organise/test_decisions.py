"""Disqualifying, reinstating and the feedback level: what the preview says is what happens."""

import pytest

from leaderboard.models import AuditEvent, Standing, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.desk import preview
from tests.support.factories import make_published, with_wrong
from tests.support.pages.desk import words


@pytest.fixture
def published(board, user, other_user, good_file):
    """Return three published results: 47, 45 and 42 of 50 right; the first two are of one system."""
    for person in (user, other_user):
        TeamApproval.objects.create(
            board=board, team=personal_team(person), status="approved", decided_at=board.created_at
        )
    return [
        make_published(user, board, good_file, system="Alpha"),
        make_published(user, board, with_wrong(good_file, 4), system="Alpha"),
        make_published(other_user, board, with_wrong(good_file, 3), system="Beta"),
    ]


def table(board) -> dict[str, tuple[int | None, float | None]]:
    at = BoardAt(type(board).objects.get(pk=board.pk))
    rows = Standing.objects.filter(board=board)
    return {row.name: (at.ranks.of(row), round(row.score, 3)) for row in rows}


def foreseen(changes) -> dict:
    return {change.name: (change.rank_after, round(change.after.score, 3)) for change in changes}


def test_a_disqualification_and_its_end_change_the_ranks_as_their_previews_say(desk, board, published):
    first, _, _ = published
    before = table(board)
    changes = preview.preview_disqualification(first, is_disqualified=True)
    # Another result of the system takes the place of the first one, below the other system.
    assert {change.name for change in changes} == {"Alpha", "Beta"}
    address = f"/organise/submissions/{first.pk}/disqualify/"
    page = words(desk.get(address))
    assert "Rank after" in page
    # The reason comes first, then what readers see, then the rows.
    assert page.index('name="reason"') < page.index("2 rows change") < page.index("Rank after")
    assert table(board) == before
    assert desk.post(address, {"reason": " "}).status_code == 422
    assert table(board) == before
    desk.post(address, {"reason": "Copied answers."})
    assert table(board) == foreseen(changes)
    assert table(board) != before
    first.refresh_from_db()
    back = preview.preview_disqualification(first, is_disqualified=False)
    assert "Copied answers." in words(desk.get(f"/organise/submissions/{first.pk}/reinstate/"))
    desk.post(f"/organise/submissions/{first.pk}/reinstate/")
    assert table(board) == before == foreseen(back)
    actors = AuditEvent.objects.filter(action__in=("submission.disqualified", "submission.reinstated"))
    assert [event.actor.email for event in actors] == ["organiser@example.org"] * 2


def test_a_row_without_a_rank_that_changes_is_in_the_preview(board, published):
    type(board).objects.filter(pk=board.pk).update(least_runs=3)
    board.refresh_from_db()
    first, second, _ = published
    first.refresh_from_db()
    changes = preview.preview_disqualification(first, is_disqualified=True)
    assert foreseen(changes) == {"Alpha": (None, round(second.evaluation.right / second.evaluation.total, 3))}


def test_the_feedback_level_is_changed_with_a_reason(desk, board, published):
    address = "/organise/boards/hidden/feedback/"
    page = words(desk.get(address))
    assert "cannot be hidden again" in page
    assert "3 published results" in page
    assert desk.post(address, {"feedback": "by-task"}).status_code == 422
    assert desk.post(address, {"feedback": "everything", "reason": "x"}).status_code == 422
    board.refresh_from_db()
    assert board.feedback == "by-type"
    desk.post(address, {"feedback": "overall", "reason": "The tasks are few."})
    board.refresh_from_db()
    assert board.feedback == "overall"
    event = AuditEvent.objects.get(action=AuditEvent.Action.BENCHMARK_CHANGED)
    changed = {"feedback": {"was": "by-type", "now": "overall"}}
    assert event.data == {"fields": changed, "reason": "The tasks are few."}
