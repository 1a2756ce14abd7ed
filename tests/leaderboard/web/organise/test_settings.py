"""The settings of a board and its organisers, which staff with the rights change at the desk."""

import pytest

from leaderboard.models import AuditEvent, Board, BoardEvent, BoardOrganiser, JudgeMode
from leaderboard.services.access import Reader
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.change_settings import change_settings
from leaderboard.services.statistics.compute import compute_statistics
from tests.support.factories import make_demo, make_published, with_wrong
from tests.support.pages.desk import words
from tests.support.pages.forms import filled_form
from tests.support.rows import state_of


def settings_of(board: Board) -> str:
    return f"/organise/boards/{board.slug}/settings/"


def change(client, board, **values):
    address = settings_of(board)
    return client.post(address, filled_form(client.get(address), **values))


def changed_fields():
    events = AuditEvent.objects.filter(action=AuditEvent.Action.BENCHMARK_CHANGED).order_by("pk")
    return [event.data["fields"] for event in events]


def test_a_change_is_in_the_audit_log_with_its_author_and_one_that_readers_see_is_in_the_public_log(
    staff, board
):
    before = state_of(board).number
    assert change(staff, board, position=7)["Location"] == "/organise/boards/hidden/"
    assert state_of(board).number == before
    assert change(staff, board, data_class="credentialed", position=9).status_code == 302
    event = BoardEvent.objects.get(number=before + 1)
    assert (event.action, event.data) == ("settings", {"kind": "settings", "changed": ["data_class"]})
    assert changed_fields() == [
        {"position": {"was": 100, "now": 7}},
        {"position": {"was": 7, "now": 9}, "data_class": {"was": "open", "now": "credentialed"}},
    ]
    assert AuditEvent.objects.filter(actor__email="staff@example.org").count() == 2


def test_of_two_organisers_each_changes_only_what_they_changed(staff, board):
    address = settings_of(board)
    # Both open the page; the first makes it a demonstration, and the second does not see that.
    first = filled_form(staff.get(address), is_demo=True, monthly_limit=9)
    second = filled_form(staff.get(address), title="Renamed", daily_limit=7)
    for data in (first, second):
        assert staff.post(address, data).status_code == 302
    board.refresh_from_db()
    assert (board.is_demo, board.monthly_limit, board.title, board.daily_limit) == (True, 9, "Renamed", 7)
    assert [set(fields) for fields in changed_fields()] == [
        {"is_demo", "monthly_limit"},
        {"title", "daily_limit"},
    ]


def test_a_judge_without_its_key_is_refused_in_the_form_and_by_the_service(staff, fhir_demo):
    refused = change(staff, fhir_demo, judge_mode=JudgeMode.LLM)
    assert (refused.status_code, refused.context["form"].errors.keys()) == (422, {"judge_mode"})
    assert "<title>Error: 1 problem · All settings" in words(refused)
    assert "set JUDGE_API_KEY or JUDGE_BASE_URL" in words(refused)
    with pytest.raises(WrongState, match="set JUDGE_API_KEY"):
        change_settings(board=fhir_demo, values={"judge_mode": JudgeMode.HYBRID})


def test_another_judge_is_set_after_the_ranks_that_rescoring_by_it_would_give(
    staff, fhir_demo, user, good_answers, settings
):
    make_published(user, fhir_demo, good_answers)
    settings.JUDGE = settings.JUDGE | {"base_url": "http://127.0.0.1:9/", "model": "o4-mini"}
    filled = filled_form(staff.get(settings_of(fhir_demo)), judge_mode=JudgeMode.LLM)
    shown = staff.post(settings_of(fhir_demo), filled)
    assert "answers have no stored verdict" in words(shown)
    assert staff.post(settings_of(fhir_demo), {**filled, "seen": shown.context["seen"]}).status_code == 302
    fhir_demo.refresh_from_db()
    assert fhir_demo.judge_mode == JudgeMode.LLM


def test_a_leaderboard_is_added_closed_and_no_name_of_another_is_taken(staff, desk):
    new = {
        **{"title": "Ward notes", "slug": "ward-notes", "question": "Can it?", "benchmark": "medagentbench"},
        **{"version": "ward-1", "feedback": "overall", "data_class": "open"},
    }
    assert desk.post("/organise/new/", new).status_code == 404
    assert staff.post("/organise/new/", new)["Location"] == "/organise/boards/ward-notes/"
    board = Board.objects.get(slug="ward-notes")
    assert (board.is_open, board.daily_limit, board.judge_mode) == (False, 3, JudgeMode.RULES)
    assert changed_fields()[-1]["slug"] == {"was": None, "now": "ward-notes"}
    assert "Import reference answers" in words(staff.get("/organise/boards/ward-notes/"))
    for slug in ("ward-notes", "fhir-agentbench-demo", "Ward_notes"):
        assert staff.post("/organise/new/", {**new, "slug": slug}).status_code == 422


def test_a_setting_that_agrees_with_what_was_seen_but_not_with_what_holds_is_refused(staff, fhir_demo):
    address = settings_of(fhir_demo)
    data = filled_form(staff.get(address), judge_mode=JudgeMode.LLM)
    assert change(staff, fhir_demo, data_class="credentialed").status_code == 302
    refused = staff.post(address, data)
    assert (refused.status_code, "set JUDGE_DATA" in refused.text) == (422, True)
    fhir_demo.refresh_from_db()
    assert (fhir_demo.judge_mode, fhir_demo.data_class) == (JudgeMode.RULES, "credentialed")


def test_staff_add_and_remove_organisers_which_the_audit_log_has(staff, board, user):
    address = "/organise/boards/hidden/organisers/"
    for email in (user.email.upper(), user.email):
        staff.post(address, {"email": f" {email} "})
    assert Reader(user=user).is_organiser
    answer = staff.post(address, {"email": "no@example.org"}, follow=True)
    assert "No account has this email address" in answer.text
    row = BoardOrganiser.objects.get()
    assert user.email in staff.get(address, follow=True).text
    assert staff.post(address, {"remove": "9" * 400}).status_code == 404
    staff.post(address, {"remove": row.pk})
    assert not Reader(user=user).is_organiser
    events = AuditEvent.objects.filter(action__startswith="board.organiser").order_by("pk")
    assert [(event.action, event.data["person"], event.actor.email) for event in events] == [
        ("board.organiser-added", user.email, "staff@example.org"),
        ("board.organiser-removed", user.email, "staff@example.org"),
    ]


def test_rules_that_take_ranks_away_are_saved_only_after_what_they_change_was_shown(
    staff, user, other_user, good_file
):
    board = make_demo()
    official = {"harness": "official"}
    make_published(user, board, with_wrong(good_file, 20), system="Alpha", **official)
    make_published(user, board, with_wrong(good_file, 40), system="Gamma", **official)
    make_published(other_user, board, good_file, system="Beta")
    compute_statistics(board_id=board.pk)
    address = settings_of(board)
    filled = filled_form(staff.get(address), needs_official_harness=True)
    shown = staff.post(address, filled)
    page = words(shown)
    assert "3 rows change" in page
    board.refresh_from_db()
    assert not board.needs_official_harness
    # Just what was shown is saved: another rule is shown first.
    seen = {"seen": shown.context["seen"]}
    assert "no rank" in words(staff.post(address, {**filled, **seen, "least_runs": 2}))
    assert staff.post(address, {**filled, **seen}).status_code == 302
    board.refresh_from_db()
    assert (board.needs_official_harness, board.least_runs) == (True, 1)
