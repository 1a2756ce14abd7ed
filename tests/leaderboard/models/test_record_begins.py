"""An installation from before boards had a record gets one that begins with its rows as they are."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import BoardAction, BoardEvent, PastStanding, Standing, Submission, System
from leaderboard.services import history
from leaderboard.services.facts import facts_of
from leaderboard.services.publishing import publish, withdraw
from leaderboard.services.teams import personal_team
from tests.factories import make_scored, with_wrong

from ..rows import put_row

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("leaderboard", "0005_indexes_for_boards")]


def migrate(targets):
    MigrationExecutor(connection).migrate(targets)


@pytest.fixture
def migrate_again():
    """Goes back to the release before boards had a record, which takes the record away, and comes again."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    today = [node for node in leaves if node[0] == "leaderboard"]
    try:
        yield lambda: (migrate(BEFORE), migrate(today))
    finally:
        migrate(today)


def test_the_record_begins_with_the_rows_as_they_are(demo, user, good_file, migrate_again):
    team = personal_team(user)
    submission = make_scored(user, demo, good_file, models="Model-Ä, model-b")
    publish(submission_id=submission.pk, team=team, by=user)
    put_row(demo, "Paper", 0.5, breakdowns={"kind": {"query": [1, 2]}}, model_names=["o4-mini"])
    rows = list(Standing.objects.order_by("pk").values())
    migrate_again()
    assert list(Standing.objects.order_by("pk").values()) == rows
    event = BoardEvent.objects.get()
    assert (event.number, event.rows_number, event.action) == (1, 1, BoardAction.BEGUN)
    assert (event.revision, event.feedback) == (demo.active_revision, demo.feedback)
    state = history.state_of(demo)
    assert (state.number, state.rows_number, state.changed_at) == (1, 1, event.at)
    moment = history.moment_of(benchmark=demo, said="1")
    past = history.rows_at(benchmark=demo, moment=moment).order_by("name")
    assert [(row.name, row.score) for row in past] == [("Careful agent", 0.94), ("Paper", 0.5)]
    assert past[0].models_text == "\nModel-Ä\nmodel-b\n"
    assert past[0].search.split("\n")[-2:] == ["model-ä", "model-b"]
    assert past[0].shown_breakdowns == submission.evaluation.breakdowns
    assert past[1].shown_breakdowns == {"kind": {"query": [1, 2]}}
    for row in Standing.objects.select_related("system__team"):
        assert facts_of(row.system).items() <= row.__dict__.items()


def test_the_record_goes_on_from_where_it_began(demo, user, good_file, migrate_again):
    team = personal_team(user)
    first, second = (make_scored(user, demo, with_wrong(good_file, wrong)) for wrong in (0, 3))
    for submission in (first, second):
        publish(submission_id=submission.pk, team=team, by=user)
    migrate_again()
    withdraw(submission_id=first.pk, team=team, by=user, reason="a mistake")
    assert [event.number for event in BoardEvent.objects.order_by("number")] == [1, 2]
    assert PastStanding.objects.get(number=2).evaluation == second.evaluation
    assert Submission.objects.published().get() == second
    assert System.objects.count() == 1


def test_going_back_gives_rows_their_groups_again(demo, user, good_file, migrate_again):
    submission = make_scored(user, demo, good_file)
    publish(submission_id=submission.pk, team=personal_team(user), by=user)
    migrate([("leaderboard", "0006_boards_to_believe")])
    assert Standing.objects.get().breakdowns == submission.evaluation.breakdowns
    migrate([("leaderboard", "0007_begin_records")])
    assert Standing.objects.get().breakdowns == {}
    assert BoardEvent.objects.filter(action=BoardAction.BEGUN).count() == 0
