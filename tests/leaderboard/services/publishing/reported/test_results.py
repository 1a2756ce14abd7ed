"""Published results are added, corrected and removed, and the log keeps what happened."""

import pytest

from leaderboard.models import AuditEvent, Board, BoardAction, BoardEvent, ReportedResult, Standing, System
from leaderboard.services.publishing.disqualify import ReasonRefused
from leaderboard.services.publishing.reported.read import StatedResult, read_result
from leaderboard.services.publishing.reported.results import load_reported, put_results, remove_result
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.record.recorded_board import RecordedBoard
from tests.support.record import verify_log
from tests.support.reported import NOT_RANKED, TEXTS, state

pytestmark = pytest.mark.both_databases


@pytest.fixture
def v2(db):
    return Board.objects.create(
        slug="medagentbench-300", benchmark="medagentbench", version="v2", title="MedAgentBench"
    )


def events_of(board):
    """Return the events of results: what happened, to whom, and in which words."""
    rows = BoardEvent.objects.filter(board=board, action__in=["reported", "unlisted", "facts"])
    return [(event.action, event.system_name, words_of(event)) for event in rows.order_by("number")]


def test_a_result_gets_a_row_and_the_log_says_that_an_organiser_added_it(demo, user):
    result = state(demo, user)
    row = Standing.objects.get(board=demo, kind="reported")
    assert (row.system, row.score, row.right, row.total) == (result.system, 0.82, 41, 50)
    assert (row.harness_name, row.model_names, row.source) == ("own script", ["GPT-9"], "A paper")
    assert events_of(demo)[-1] == (BoardAction.REPORTED, "GPT-9, own script", "by an organiser")
    audit = AuditEvent.objects.filter(action="reported.loaded").latest("pk")
    assert (audit.actor, audit.board) == (user, demo)


def test_stating_the_same_again_changes_nothing(demo, user):
    result = state(demo, user)
    number = events_of(demo)
    stated = read_result(TEXTS, board=demo, tasks=50, result=result)
    assert put_results(board=demo, results=[stated], by=user) == 0
    assert events_of(demo) == number


def test_a_correction_names_what_changed(demo, user):
    result = state(demo, user)
    state(demo, user, result, correct="40", score="80", note="Counted anew.")
    row = Standing.objects.get(board=demo, kind="reported")
    assert row.score == 0.8
    assert events_of(demo)[-1][2] == "corrected, score, correct tasks, note, by an organiser"
    state(demo, user, result, correct="40", score="80", note="Counted anew.", harness_name="their script")
    action, _, words = events_of(demo)[-1]
    assert action == BoardAction.FACTS
    assert words.endswith("(by an organiser)")
    assert Standing.objects.get(board=demo, kind="reported").harness_name == "their script"


def test_a_result_under_another_name_replaces_its_row(demo, user):
    result = state(demo, user)
    state(demo, user, result, system="GPT-9, their script")
    assert Standing.objects.get(board=demo, kind="reported").name == "GPT-9, their script"
    off, on = events_of(demo)[-2:]
    assert off[:2] == (BoardAction.UNLISTED, "GPT-9, own script")
    assert "now listed as “GPT-9, their script”" in off[2]
    assert on[:2] == (BoardAction.REPORTED, "GPT-9, their script")
    assert ReportedResult.objects.filter(board=demo).count() == 1


def test_a_result_that_turns_out_not_comparable_loses_its_row_and_stays_listed(demo, user):
    result = state(demo, user)
    state(demo, user, result, not_ranked="It saw the tasks.")
    assert not Standing.objects.filter(board=demo, kind="reported").exists()
    assert events_of(demo)[-2][2] == "now listed without a rank: It saw the tasks., by an organiser"
    assert not ReportedResult.objects.get(board=demo).is_ranked
    state(demo, user, ReportedResult.objects.get(board=demo), not_ranked="")
    assert Standing.objects.filter(board=demo, kind="reported").exists()


def test_a_result_without_a_rank_makes_an_event_and_no_row(demo, user):
    state(demo, user, **NOT_RANKED)
    assert not Standing.objects.filter(board=demo, kind="reported").exists()
    assert events_of(demo)[-1] == (
        BoardAction.REPORTED,
        "GPT-9, other tasks",
        "without a rank, by an organiser",
    )
    assert not System.objects.filter(name="GPT-9, other tasks").exists()


def test_a_removed_result_leaves_the_board_and_stays_in_log_and_past_tables_with_the_reason(demo, user):
    result = state(demo, user)
    listed = BoardEvent.objects.filter(board=demo).latest("number").number
    with pytest.raises(ReasonRefused):
        remove_result(result=result, reason=" ", by=user)
    for _ in range(2):
        remove_result(result=result, reason="Its source withdrew it.", by=user)
    assert not Standing.objects.filter(board=demo, kind="reported").exists()
    assert events_of(demo)[-1] == (
        BoardAction.UNLISTED,
        "GPT-9, own script",
        "Its source withdrew it., by an organiser",
    )
    assert [event[0] for event in events_of(demo)].count(BoardAction.UNLISTED) == 1
    demo.refresh_from_db()
    past = RecordedBoard(board=demo, as_of=find_as_of(board=demo, text=str(listed)))
    assert past.rows.filter(kind="reported").exists()
    assert past.removals[result.system_id].reason == "Its source withdrew it."
    assert verify_log()


def test_a_result_without_a_rank_is_removed_with_an_event_too(demo, user):
    result = state(demo, user, **NOT_RANKED)
    remove_result(result=result, reason="A mistake.", by=user)
    assert events_of(demo)[-1] == (
        BoardAction.UNLISTED,
        "GPT-9, other tasks",
        "A mistake., by an organiser",
    )


def test_a_removed_result_can_be_listed_again(demo, user):
    result = state(demo, user)
    remove_result(result=result, reason="A mistake.", by=user)
    again = state(demo, user)
    assert (again.pk, again.removed_at, again.removal_reason) == (result.pk, None, "")
    assert Standing.objects.filter(board=demo, kind="reported").count() == 1


def test_two_organisers_who_state_one_result_at_once_list_it_once(demo, user):
    stated = read_result(TEXTS, board=demo, tasks=50)
    for _ in range(2):
        put_results(board=demo, results=[stated], by=user)
    assert ReportedResult.objects.filter(board=demo).count() == 1


def test_a_release_leaves_what_an_organiser_corrected_or_removed(v2, user):
    load_reported(board=v2)
    corrected, removed = ReportedResult.objects.filter(board=v2, is_ranked=True)[:2]
    stated = read_result({"note": "Looked up."}, board=v2, tasks=None, result=corrected)
    put_results(board=v2, results=[stated], by=user)
    remove_result(result=removed, reason="Not comparable.", by=user)
    before = events_of(v2)
    load_reported(board=v2)
    assert events_of(v2) == before
    corrected.refresh_from_db()
    assert corrected.stated["note"] == "Looked up."
    assert not Standing.objects.filter(system=removed.system_id).exists()


def test_a_result_that_the_release_no_longer_has_is_removed_unless_an_organiser_stated_it(v2, user):
    load_reported(board=v2)
    own = state(v2, user, board_tasks=300, tasks="300", correct="246", score="82")
    dropped = ReportedResult.objects.filter(board=v2, is_ranked=True).exclude(pk=own.pk).first()
    ReportedResult.objects.filter(pk=dropped.pk).update(source="Left out of the next release")
    load_reported(board=v2)
    dropped.refresh_from_db()
    own.refresh_from_db()
    assert dropped.removed_at is not None
    assert own.removed_at is None


def test_rows_of_an_earlier_release_keep_their_place_without_new_events(v2):
    load_reported(board=v2)
    # As a release without the table of results left it.
    ReportedResult.objects.all().delete()
    rows = set(Standing.objects.values_list("pk", "score"))
    numbers = BoardEvent.objects.filter(board=v2, rows__isnull=False).count()
    load_reported(board=v2)
    assert set(Standing.objects.values_list("pk", "score")) == rows
    assert BoardEvent.objects.filter(board=v2, rows__isnull=False).count() == numbers


def test_figures_by_group_survive_a_correction(db, user):
    board = Board.objects.create(slug="fhir", benchmark="fhir-agentbench", version="1", title="F")
    load_reported(board=board)
    row = Standing.objects.get(name="Multi-turn LLM + Retriever + Code, o4-mini")
    result = ReportedResult.objects.get(system=row.system)
    stated = read_result({"note": "As printed."}, board=board, tasks=None, result=result)
    put_results(board=board, results=[StatedResult(row=stated.row, result=result)], by=user)
    again = Standing.objects.get(pk=row.pk)
    assert again.breakdowns == row.breakdowns
    assert again.breakdowns["resource_type"]["empty"] == [None, 701, 0.7368]
    assert again.score == row.score == 0.5004
