"""Decisions on results, teams and the feedback level, and announcements: previews say what happens."""

import pytest

from leaderboard.models import Access, ApprovalStatus, AuditEvent, Standing, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.desk import preview
from leaderboard.services.publishing import approvals
from tests.support.factories import make_published, with_wrong
from tests.support.pages.desk import words


@pytest.fixture
def published(board, user, other_user, good_file):
    """Return three published results: 47, 45 and 42 of 50 right; the first two are of one system."""
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


ANNOUNCEMENTS, TEAMS = "/organise/boards/hidden/announcements/", "/organise/boards/hidden/teams/"


def test_an_announcement_is_on_the_page_in_both_languages_until_it_is_ended(desk, visitor, board):
    visitor.get("/benchmarks/hidden/")
    assert desk.post(ANNOUNCEMENTS, {"text": " ", "text_zh": ""}).status_code == 422
    # Typed in several lines, it is one paragraph.
    sent = {
        "text": "Closed <b>on Monday</b>.\r\n\r\n\tOpen on Tuesday. ",
        "text_zh": "星期一停機。\n星期二恢復。",
    }
    shown = "Closed &lt;b&gt;on Monday&lt;/b&gt;. Open on Tuesday."
    # Sent twice, it is shown once.
    for _ in range(2):
        page = words(desk.post(ANNOUNCEMENTS, sent, follow=True))
        assert "The announcement is on the leaderboard." in page
    assert f"<bdi>{shown}</bdi>" in words(visitor.get("/benchmarks/hidden/"))
    assert "星期一停機。" in words(visitor.get("/zh-hant/benchmarks/hidden/"))
    desk.post(f"{ANNOUNCEMENTS}{board.announcements.get().pk}/end/")
    assert "on Monday" not in words(visitor.get("/benchmarks/hidden/"))
    assert shown in words(desk.get(ANNOUNCEMENTS))
    desk.post(ANNOUNCEMENTS, sent)
    assert board.announcements.count() == 2
    actions = AuditEvent.objects.filter(action__startswith="board.announce").order_by("pk")
    announced = ["board.announced", "board.announcement-ended", "board.announced"]
    assert [event.action for event in actions] == announced


def test_a_decision_of_another_organiser_is_not_undone_unseen(desk, board, user):
    board.access = Access.APPROVED
    board.save()
    approval = approvals.request_approval(
        board=board, team=personal_team(user), by=user, message="We evaluate agents."
    )
    path = f"{TEAMS}{approval.pk}/"
    assert 'name="seen" value="requested"' in desk.get(TEAMS).content.decode()
    approvals.approve(approval=approval, by=user)
    for decision, sentence in (
        ("refuse", "Someone has decided on this team meanwhile"),
        ("approve", "is approved."),
    ):
        assert sentence in words(desk.post(f"{path}{decision}/", {"seen": "requested"}, follow=True))
        assert TeamApproval.objects.get().status == ApprovalStatus.APPROVED
    assert AuditEvent.objects.filter(action="team.approved").count() == 1
    page = words(desk.post(f"{path}refuse/", {"seen": "approved"}, follow=True))
    assert "is not approved" in page
