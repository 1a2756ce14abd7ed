"""Published results are added, corrected and removed, and the log keeps what happened."""

import pytest

from leaderboard.models import AuditEvent, BoardAction, BoardEvent, ReportedResult, Standing, System
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.disqualify import ReasonRefused
from leaderboard.services.publishing.reported.results import (
    changes_of,
    digest_of,
    load_reported,
    put_table,
)
from leaderboard.services.publishing.reported.table import cells_of, read_table
from leaderboard.services.record.as_of import find_as_of
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.record.recorded_board import RecordedBoard
from tests.support.factories import make_bare
from tests.support.record import verify_log
from tests.support.reported import NOT_RANKED, as_csv, remove, state, table_with

pytestmark = pytest.mark.both_databases


@pytest.fixture
def v2(db):
    return make_bare("medagentbench-300", benchmark="medagentbench", version="v2", title="MedAgentBench")


def events_of(board):
    """Return the events of results: what happened, to whom, and in which words."""
    rows = BoardEvent.objects.filter(board=board, action__in=["reported", "unlisted", "facts"])
    return [(event.action, event.system_name, words_of(event)) for event in rows.order_by("number")]


def download(board):
    """Return the table of a board's listed results."""
    return as_csv(*map(cells_of, ReportedResult.objects.filter(board=board, removed_at=None)))


def test_a_result_gets_a_row_and_the_log_says_that_an_organiser_added_it(demo, user):
    result = state(demo, user)
    row = Standing.objects.get(board=demo, kind="reported")
    assert (row.system, row.score, row.right, row.total) == (result.system, 0.82, 41, 50)
    assert (row.harness_name, row.model_names, row.source) == ("own script", ["GPT-9"], "A paper")
    assert events_of(demo)[-1] == (BoardAction.REPORTED, "GPT-9, own script", "(by an organiser)")
    audit = AuditEvent.objects.filter(action="reported.loaded").latest("pk")
    assert (audit.actor, audit.board) == (user, demo)


def test_a_correction_is_in_the_log(demo, user):
    state(demo, user)
    state(demo, user, correct="40", score="80", note="Counted anew.")
    row = Standing.objects.get(board=demo, kind="reported")
    assert row.score == 0.8
    assert events_of(demo)[-1][2] == "corrected (by an organiser)"
    state(demo, user, correct="40", score="80", note="Counted anew.", harness_name="their script")
    action, _, words = events_of(demo)[-1]
    assert action == BoardAction.FACTS
    assert words.endswith("(by an organiser)")
    assert Standing.objects.get(board=demo, kind="reported").harness_name == "their script"


def test_a_result_without_a_rank_makes_an_event_and_no_row_and_one_that_loses_its_rank_stays_listed(
    demo, user
):
    rows = Standing.objects.filter(board=demo, kind="reported")
    state(demo, user, **NOT_RANKED)
    assert not rows.exists()
    event = (BoardAction.REPORTED, "GPT-9, other tasks", "without a rank (by an organiser)")
    assert events_of(demo)[-1] == event
    assert not System.objects.filter(name="GPT-9, other tasks").exists()
    state(demo, user)
    state(demo, user, not_ranked="It saw the tasks.")
    assert not rows.exists()
    assert events_of(demo)[-2][2] == "now listed without a rank: It saw the tasks. (by an organiser)"
    assert not ReportedResult.objects.filter(board=demo, is_ranked=True).exists()
    state(demo, user)
    assert rows.exists()


@pytest.mark.parametrize(("benchmark", "version"), [("medagentbench", "v2"), ("fhir-agentbench", "1")])
def test_the_download_states_what_is_listed_and_loading_it_changes_nothing(db, user, benchmark, version):
    board = make_bare("whole", benchmark=benchmark, version=version, title="T")
    load_reported(board=board)
    rows = read_table(download(board), board=board)
    assert len(rows) == ReportedResult.objects.filter(board=board).count() > 5
    assert changes_of(board=board, rows=rows) == []
    before = events_of(board)
    assert put_table(board=board, rows=rows, by=user) == 0
    assert events_of(board) == before


def test_a_note_that_a_spreadsheet_would_run_comes_back_as_it_was(demo, user):
    for note in ("=1+1", "p = 0.04; -2 pp", "a;=b", "a; ＝b", "-"):
        assert state(demo, user, note=note).stated["note"] == note
        assert changes_of(board=demo, rows=read_table(download(demo), board=demo)) == [], note


def test_a_table_whose_changes_are_not_those_of_the_preview_is_not_loaded(demo, user):
    rows = read_table(table_with(demo, system="New"), board=demo)
    previewed = digest_of(changes_of(board=demo, rows=rows))
    state(demo, user, system="Of another organiser")
    with pytest.raises(WrongState, match="have changed since"):
        put_table(board=demo, rows=rows, reason="A mistake.", previewed=previewed, by=user)
    previewed = digest_of(changes_of(board=demo, rows=rows))
    assert put_table(board=demo, rows=rows, reason="A mistake.", previewed=previewed, by=user) == 2


def test_a_preview_names_what_is_added_corrected_and_removed(demo, user):
    kept = state(demo, user)
    gone = state(demo, user, system="GPT-9 mini")
    rows = read_table(table_with(demo, note="Two runs.", runs="2"), board=demo)
    rows = [row for row in rows if row.system != gone.name]
    rows += read_table(table_with(demo, system="New"), board=demo)[-1:]
    changes = changes_of(board=demo, rows=rows)
    assert [(each.result, each.is_new, list(each.fields)) for each in changes if not each.is_new] == [
        (kept, False, ["runs", "note"]),
        (gone, False, []),
    ]
    assert [each.row.system for each in changes if each.is_new] == ["New"]
    assert set(ReportedResult.objects.values_list("stated__note", flat=True)) == {"One run."}


def test_a_result_that_the_table_leaves_out_is_removed_with_the_reason(demo, user):
    result, other = state(demo, user), state(demo, user, **NOT_RANKED)
    listed = BoardEvent.objects.filter(board=demo).latest("number").number
    with pytest.raises(ReasonRefused):
        remove(demo, user, result, reason=" ")
    for _ in range(2):
        remove(demo, user, result, reason="Its source withdrew it.")
    assert not Standing.objects.filter(board=demo, kind="reported").exists()
    removed = (BoardAction.UNLISTED, "GPT-9, own script", "Its source withdrew it. (by an organiser)")
    assert events_of(demo)[-1] == removed
    assert [event[0] for event in events_of(demo)].count(BoardAction.UNLISTED) == 1
    demo.refresh_from_db()
    past = RecordedBoard(board=demo, as_of=find_as_of(board=demo, text=str(listed)))
    assert past.rows.filter(kind="reported").exists()
    assert past.removals[result.system_id].reason == "Its source withdrew it."
    state(demo, user)
    remove(demo, user, other)
    assert events_of(demo)[-1] == (BoardAction.UNLISTED, other.name, "A mistake. (by an organiser)")
    result.refresh_from_db()
    assert (result.removed_at, result.removal_reason) == (None, "")
    assert Standing.objects.filter(board=demo, kind="reported").count() == 1
    assert verify_log()


def test_figures_by_group_survive_a_correction(db, user):
    board = make_bare("fhir", title="F")
    load_reported(board=board)
    row = Standing.objects.get(name="Multi-turn LLM + Retriever + Code, o4-mini")
    result = ReportedResult.objects.get(system=row.system)
    state(board, user, **{**cells_of(result), "note": "As printed."})
    again = Standing.objects.get(pk=row.pk)
    assert again.breakdowns == row.breakdowns
    assert again.breakdowns["resource_type"]["empty"] == [None, 701, 0.7368]
    assert again.score == row.score == 0.5004
