"""The events that are recorded for a board, and the changes that are not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import (
    Board,
    BoardAction,
    BoardEvent,
    BoardState,
    Feedback,
    PastStanding,
    Standing,
    System,
)
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.standings import facts_for_standing
from leaderboard.services.record import events
from leaderboard.services.record.event_kinds import words_of
from leaderboard.services.submissions.rescore import rescore
from tests.support.factories import correct, correct_references, make_demo, make_scored, with_wrong
from tests.support.rows import state_of

pytestmark = pytest.mark.both_databases


@pytest.fixture
def recorded_events(demo):
    """Return a function that lists the events since the creation of the board."""
    first = state_of(demo).number
    return lambda: list(BoardEvent.objects.filter(board=demo, number__gt=first).order_by("number"))


def test_a_publication_is_an_event_with_its_figures_and_a_copy_of_the_row(
    demo, team, user, good_file, recorded_events
):
    before = state_of(demo)
    submission = make_scored(user, demo, good_file)
    assert (state_of(demo), recorded_events()) == (before, []), "scoring changes no page"
    publish(submission_id=submission.pk, team=team, by=user)
    after = state_of(demo)
    assert (after.revision > before.revision, after.changed_at > before.changed_at) == (True, True)
    (event,) = recorded_events()
    assert (event.action, event.system_name, event.submission) == ("published", "Careful agent", submission)
    assert (event.right, event.total, event.score) == (47, 50, 0.94)
    assert (event.revision, event.feedback) == (demo.active_revision, Feedback.BY_TYPE)
    row, past = Standing.objects.get(), PastStanding.objects.get()
    assert (past.event, past.number, past.is_gone) == (event, event.number, False)
    copied = [field.attname for field in Standing._meta.concrete_fields if field.attname != "id"]
    assert [getattr(past, name) for name in copied] == [getattr(row, name) for name in copied]


def test_the_event_of_a_withdrawal_has_the_reason_and_the_replacement(
    demo, team, user, good_file, recorded_events
):
    best, worse = (make_scored(user, demo, with_wrong(good_file, wrong)) for wrong in (0, 5))
    for submission in (best, worse):
        publish(submission_id=submission.pk, team=team, by=user)
    withdraw(submission_id=best.pk, team=team, by=user, reason="wrong model")
    event = recorded_events()[-1]
    assert (event.action, event.reason, event.right) == (BoardAction.WITHDRAWN, "wrong model", 47)
    (row,) = event.rows.all()
    assert (row.evaluation, row.is_gone) == (worse.evaluation, False)
    withdraw(submission_id=worse.pk, team=team, by=user)
    (row,) = recorded_events()[-1].rows.all()
    assert (row.evaluation, row.is_gone) == (worse.evaluation, True)
    assert not Standing.objects.exists()


def test_the_record_holds_nothing_about_unpublished_results(demo, team, user, good_file, recorded_events):
    make_scored(user, demo, good_file)
    make_scored(user, demo, with_wrong(good_file, 1), organisation="Another")
    correct_references(demo)
    assert rescore(board=Board.objects.get()).changed == 2
    assert [event.action for event in recorded_events()] == [BoardAction.ACTIVATED]


def test_changed_facts_reach_every_board_of_the_system(demo, team, user, good_file, recorded_events):
    other = make_demo("other-demo")
    for board in (demo, other):
        publish(submission_id=make_scored(user, board, good_file).pk, team=team, by=user)
    unlisted = make_scored(user, demo, with_wrong(good_file, 2), system="Not on a board").system
    before = state_of(demo)
    system = correct(user, organisation="Elsewhere", models="model-c")
    correct(user, organisation="Elsewhere", models="model-c")
    correct(user, system=unlisted.name, models="x")
    event = recorded_events()[-1]
    assert (event.action, event.system, words_of(event)) == (
        BoardAction.FACTS,
        system,
        "models, organisation",
    )
    assert (event.score, event.submission) == (None, None)
    assert state_of(demo).rows_number == before.rows_number
    assert BoardEvent.objects.filter(action=BoardAction.FACTS).count() == 2
    rows = [*Standing.objects.all(), *PastStanding.objects.filter(event__action=BoardAction.FACTS)]
    assert len(rows) == 4
    for row in rows:
        assert (row.organisation, row.models_text, row.right) == ("Elsewhere", "\nmodel-c\n", 47)
        assert "elsewhere" in row.search


def test_only_settings_that_readers_see_make_an_event_and_others_change_the_page(demo, recorded_events):
    before = state_of(demo)
    events.record_settings(board=demo, changed=["position", "keep_originals"])
    assert (recorded_events(), state_of(demo).revision) == ([], before.revision + 1)
    # The object of the caller may be older than the last change.
    Board.objects.filter(pk=demo.pk).update(mixes_judges=True, feedback=Feedback.OVERALL)
    events.record_settings(board=demo, changed=["mixes_judges", "feedback", "position"])
    (event,) = recorded_events()
    assert (event.action, words_of(event)) == (BoardAction.SETTINGS, "feedback level, ranking across judges")
    assert (event.mixes_judges, event.feedback) == (True, Feedback.OVERALL)
    assert event.rows_number == event.number
    events.record_settings(board=demo, changed=["title"])
    assert recorded_events()[-1].rows_number == event.number


def test_numbers_have_no_gap_and_times_never_go_back(demo, recorded_events):
    later = timezone.now() + timedelta(hours=1)
    BoardState.objects.filter(board=demo).update(changed_at=later)
    for _ in range(3):
        events.record(events.Change(action=BoardAction.SETTINGS), board=demo)
    assert [event.number for event in recorded_events()] == [2, 3, 4]
    assert {event.at for event in recorded_events()} == {later}


def test_a_rolled_back_change_leaves_no_event(demo, team, user, good_file, recorded_events, monkeypatch):
    submission = make_scored(user, demo, good_file)
    before = state_of(demo)
    monkeypatch.setattr(events, "copy_row", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        publish(submission_id=submission.pk, team=team, by=user)
    assert recorded_events() == []
    assert not Standing.objects.exists()
    assert state_of(demo).revision == before.revision


def test_the_search_text_of_a_row_is_limited(demo):
    system = System(name="名" * 120, organisation="Ä" * 120, source="x", model_names=["ﬁ" * 120] * 20)
    search = facts_for_standing(system)["search"]
    assert len(search.encode()) <= 2000
    assert search.startswith("名" * 120 + "\n" + "ä" * 120)
    assert search.encode().decode() == search
