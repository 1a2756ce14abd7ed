"""An installation from before boards had a record gets one that begins with its rows as they are."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.models import (
    Benchmark,
    BoardAction,
    BoardEvent,
    PastStanding,
    Standing,
    Submission,
    System,
)
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.best_scores import course
from leaderboard.services.boards.board import read_query
from leaderboard.services.publishing.import_references import import_references
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.publishing.system_facts import facts_of
from leaderboard.services.record import past as history
from leaderboard.services.submissions.rescore import rescore
from scoring.fhir_agentbench.judge.rules.judge import RulesJudge
from tests.leaderboard.services.publishing.test_import_references import other_references
from tests.support.factories import demo_references, make_published, make_scored, with_wrong
from tests.support.rows import put_row

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("leaderboard", "0005_indexes_for_boards")]


def migrate(targets):
    MigrationExecutor(connection).migrate(targets)


@pytest.fixture
def migrate_again():
    """Goes back to a release, unless said to that before boards had a record, which takes the record away,
    and comes again."""
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    today = [node for node in leaves if node[0] == "leaderboard"]
    try:
        yield lambda before=BEFORE: (migrate(before), migrate(today))
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


def test_a_result_from_before_the_record_holds_its_record_of_then(demo, user, good_file, migrate_again):
    first = make_published(user, demo, with_wrong(good_file, 3))
    migrate_again()
    make_published(user, demo, good_file, system="Better")
    withdraw(submission_id=first.pk, team=first.team, by=user)
    board = Benchmark.objects.get(pk=demo.pk)

    def held(said):
        found = course(benchmark=board, query=read_query({"as_of": said}, board)).held
        return [(record.name, record.at) for record in found if record.submission_id == str(first.pk)]

    assert held("1") == held("2") == [("Careful agent", first.published_at)]
    assert held("3") == []


def test_events_from_before_they_said_so_get_their_evaluations_and_judges(
    demo, user, other_user, good_file, good_answers, fhir_demo, monkeypatch, migrate_again
):
    def told():
        return list(BoardEvent.objects.order_by("pk").values_list("pk", "evaluation", "judge"))

    # A ground truth, and a judge, that come back; results that are scored by one and published under another.
    behind, best = (make_published(user, demo, with_wrong(good_file, wrong)) for wrong in (9, 0))
    for references in (other_references(), demo_references()):
        done = import_references(benchmark=demo, references=references, origin="tests")
        rescore(benchmark=done.revision.benchmark)
    for submission in (behind, best):
        withdraw(submission_id=submission.pk, team=submission.team, by=user)
    make_published(user, fhir_demo, good_answers)
    waiting = make_scored(user, fhir_demo, good_answers.replace(b"Yes", b"No"), system="Waiting")
    first = RulesJudge.identity
    for identity in ("rules 99", first):
        monkeypatch.setattr(RulesJudge, "identity", identity)
        rescore(benchmark=fhir_demo)
    monkeypatch.setattr(RulesJudge, "identity", "rules 99")
    make_published(other_user, fhir_demo, good_answers)
    publish(submission_id=waiting.pk, team=waiting.team, by=user)
    written = told()
    assert {judge for _, _, judge in written} == {"", first, "rules 99"}
    migrate_again([("leaderboard", "0008_board_indexes")])
    # Before the first result nobody knows.
    begun = set(BoardEvent.objects.filter(number=1).values_list("pk", flat=True))
    assert told() == [(key, of, "" if key in begun else judge) for key, of, judge in written]


def test_going_back_gives_rows_their_groups_again(demo, user, good_file, migrate_again):
    submission = make_scored(user, demo, good_file)
    publish(submission_id=submission.pk, team=personal_team(user), by=user)
    migrate([("leaderboard", "0006_boards_to_believe")])
    assert Standing.objects.get().breakdowns == submission.evaluation.breakdowns
    migrate([("leaderboard", "0007_begin_records")])
    assert Standing.objects.get().breakdowns == {}
    assert BoardEvent.objects.filter(action=BoardAction.BEGUN).count() == 0
