"""Decisions on results, teams, facts and the feedback level, and announcements: previews say what happens."""

import pytest

from leaderboard.models import Access, ApprovalStatus, AuditEvent, BoardEvent, Standing, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.desk import preview
from leaderboard.services.publishing import approvals
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.rows.conditions import sender_words
from tests.support.factories import make_published, make_user, with_wrong
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
        sent = {"seen": "requested", "answer": "Say who you are."}
        assert sentence in words(desk.post(f"{path}{decision}/", sent, follow=True))
        assert TeamApproval.objects.get().status == ApprovalStatus.APPROVED
    assert AuditEvent.objects.filter(action="team.approved").count() == 1
    assert "Give a reason." in words(desk.post(f"{path}refuse/", {"seen": "approved"}, follow=True))
    page = words(desk.post(f"{path}refuse/", {**sent, "seen": "approved"}, follow=True))
    assert "is not approved" in page


TYPED = {"system": "Careful agent", "organisation": "Right"}
CONFIRMED = {**TYPED, "confirmed": "yes"}


@pytest.fixture
def system(board, user, good_file):
    TeamApproval.objects.create(
        board=board, team=personal_team(user), status="approved", decided_at=board.created_at
    )
    return make_published(user, board, good_file, organisation="Wrong").system


def edit(system) -> str:
    return f"/systems/{system.pk}/edit/"


def test_an_organiser_corrects_a_system_and_both_logs_say_so(desk, visitor, organiser, board, system):
    story = desk.get(f"/organise/submissions/{system.submissions.get().pk}/").text
    page = desk.get(f"/systems/{system.pk}/").text
    assert edit(system) in story
    assert edit(system) in page
    assert desk.get(edit(system)).status_code == 200
    assert "<td>Wrong</td>" in desk.post(edit(system), TYPED).text
    desk.post(edit(system), CONFIRMED)
    system.refresh_from_db()
    assert system.organisation == "Right"
    event = AuditEvent.objects.get(action="system.changed")
    assert (event.actor, event.board) == (organiser, board)
    assert event.data["fields"]["organisation"] == {"was": "Wrong", "now": "Right"}
    reason = words_of(BoardEvent.objects.latest("number"))
    assert reason.endswith(" (by an organiser)")
    assert "organisation" in reason
    log = f"/benchmarks/{board.slug}/changes/"
    assert "(by an organiser)" in desk.get(log).text
    assert organiser.email not in visitor.get(log).text
    assert "（由主辦單位更正）" in desk.get(f"/zh-hant{log}").text


def test_only_organisers_of_a_board_with_a_file_of_the_system_and_staff_find_the_page(
    system, desk, staff, other_desk, helper, visitor, client, settings
):
    client.force_login(make_user("carol@example.org"))
    for other in (other_desk, helper, client):
        assert other.get(edit(system)).status_code == 404
        assert other.post(edit(system), CONFIRMED).status_code == 404
        assert edit(system) not in other.get(f"/systems/{system.pk}/").text
    assert visitor.get(edit(system))["Location"].startswith("/accounts/login/")
    assert {desk.get(edit(system)).status_code, staff.get(edit(system)).status_code} == {200}
    settings.STAFF_SECOND_FACTOR = True
    assert desk.post(edit(system), CONFIRMED)["Location"] == "/accounts/2fa/"
    system.refresh_from_db()
    assert system.organisation == "Wrong"


def test_the_team_stands_beside_an_organisation_until_an_organiser_confirms_it(desk, visitor, board, system):
    submission, address = system.submissions.get(), f"/api/v1/benchmarks/{board.slug}/leaderboard/"
    team, act = submission.team.name, f"/organise/submissions/{submission.pk}/"

    def confirmed() -> bool | None:
        paths = (f"/benchmarks/{board.slug}/", f"/systems/{system.pk}/", f"/submissions/{submission.pk}/")
        pages = [visitor.get(path).text for path in paths]
        [row] = visitor.get(address).json()["rows"]
        assert {f"Wrong, stated by {team}" in page for page in pages} == {not row["organisation_confirmed"]}
        assert all("Wrong" in page for page in pages)
        return row["organisation_confirmed"]

    assert not confirmed()
    desk.post(f"{act}confirm/", {"seen": "Another"})
    assert not confirmed(), "the organiser read another name"
    for _ in range(2):
        desk.post(f"{act}confirm/", {"seen": "Wrong"})
    assert confirmed()
    assert "Wrong, confirmed" in desk.get(act).text
    assert AuditEvent.objects.get(action="team.organisation-confirmed").data["organisation"] == "Wrong"
    desk.post(f"{act}unconfirm/", {"seen": "Wrong"})
    assert not confirmed()
    for name, shown in {"WRONG": "Wrong", "": "Wrong, stated by a deleted account"}.items():
        assert sender_words(Standing(organisation="Wrong", team_name=name), str) == shown
