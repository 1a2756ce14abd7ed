"""Organisers correct the facts of systems on their boards, which the logs name."""

import pytest

from leaderboard.models import AuditEvent, BoardEvent, Standing, TeamApproval
from leaderboard.services.accounts import personal_team
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.rows.conditions import sender_words
from tests.support.factories import make_published, make_user

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
    for name, words in {"WRONG": "Wrong", "": "Wrong, stated by a deleted account"}.items():
        assert sender_words(Standing(organisation="Wrong", team_name=name), str) == words
