from datetime import UTC, datetime, timedelta

import pytest

from leaderboard.models import AuditEvent, BoardEvent, Standing, Status, Submission, System
from leaderboard.services.accounts import personal_team
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.page import read_board
from leaderboard.services.boards.query import Query
from leaderboard.services.errors import NotFound, WrongState
from leaderboard.services.publishing import standings
from leaderboard.services.publishing.publish import MOST_A_DAY, publish, withdraw
from leaderboard.services.submissions import grade
from tests.support.factories import make_scored, make_user, send, with_wrong
from tests.support.rows import make_reported_row

pytestmark = pytest.mark.both_databases


@pytest.fixture
def best(demo, user, good_file):
    return make_scored(user, demo, good_file)


@pytest.fixture
def worse(demo, user, good_file):
    return make_scored(user, demo, with_wrong(good_file, 5))


def test_a_published_result_is_on_the_board_with_its_figures(demo, team, user, best):
    publish(submission_id=best.pk, team=team, by=user)
    standing = Standing.objects.get()
    assert (standing.evaluation, standing.right, standing.total) == (best.evaluation, 47, 50)
    assert standing.score == pytest.approx(0.94)
    assert standing.low < standing.score < standing.high
    assert standing.shown_breakdowns == best.evaluation.breakdowns
    assert standing.breakdowns == {}


def test_publishing_twice_has_no_further_effect(team, user, best):
    first = publish(submission_id=best.pk, team=team, by=user)
    again = publish(submission_id=best.pk, team=team, by=user)
    assert first.published_at == again.published_at
    assert AuditEvent.objects.filter(action=AuditEvent.Action.PUBLISHED).count() == 1


def test_the_first_result_published_after_its_score_stands_not_the_best(team, user, best, worse):
    publish(submission_id=worse.pk, team=team, by=user)
    publish(submission_id=best.pk, team=team, by=user)
    standing = Standing.objects.get()
    assert (standing.evaluation, standing.chosen_before_score) == (worse.evaluation, False)


def test_withdrawing_the_result_that_stands_restores_another(team, user, best, worse):
    for submission in (best, worse):
        publish(submission_id=submission.pk, team=team, by=user)
    withdraw(submission_id=best.pk, team=team, by=user, reason="wrong\x00 model")
    assert Standing.objects.get().evaluation == worse.evaluation
    best.refresh_from_db()
    assert (best.is_published, best.withdrawal_reason) == (False, "wrong model")
    withdraw(submission_id=worse.pk, team=team, by=user)
    assert not Standing.objects.exists()


def test_withdrawing_twice_has_no_further_effect(team, user, best):
    publish(submission_id=best.pk, team=team, by=user)
    first = withdraw(submission_id=best.pk, team=team, by=user)
    assert withdraw(submission_id=best.pk, team=team, by=user).withdrawn_at == first.withdrawn_at
    assert AuditEvent.objects.filter(action=AuditEvent.Action.WITHDRAWN).count() == 1


def test_a_withdrawn_submission_can_be_published_again(team, user, best):
    publish(submission_id=best.pk, team=team, by=user)
    withdraw(submission_id=best.pk, team=team, by=user, reason="a mistake")
    submission = publish(submission_id=best.pk, team=team, by=user)
    assert (submission.is_published, submission.withdrawal_reason) == (True, "")
    assert Standing.objects.get().evaluation == best.evaluation


def put_on_and_off(submission, team, by):
    for _ in range(MOST_A_DAY):
        publish(submission_id=submission.pk, team=team, by=by)
        withdraw(submission_id=submission.pk, team=team, by=by)


def test_publishing_has_a_daily_limit_and_withdrawing_has_none(demo, team, user, best, worse, monkeypatch):
    put_on_and_off(best, team, user)
    events = BoardEvent.objects.count()
    with pytest.raises(WrongState, match="5 times in the last 24 hours"):
        publish(submission_id=best.pk, team=team, by=user)
    assert BoardEvent.objects.count() == events
    # The limit is per submission.
    assert publish(submission_id=worse.pk, team=team, by=user).is_published
    monkeypatch.setattr("leaderboard.services.publishing.publish.DAY", timedelta(0))
    assert publish(submission_id=best.pk, team=team, by=user).is_published


def test_publishing_a_published_result_does_not_count_against_the_limit(team, user, best):
    for _ in range(MOST_A_DAY + 1):
        publish(submission_id=best.pk, team=team, by=user)
    withdraw(submission_id=best.pk, team=team, by=user)
    assert publish(submission_id=best.pk, team=team, by=user).is_published


def test_staff_have_no_publishing_limit(team, user, best):
    put_on_and_off(best, team, user)
    boss = make_user("boss@example.org", is_staff=True)
    assert publish(submission_id=best.pk, team=team, by=boss).is_published


def test_only_scored_submissions_can_be_published(demo, team, user, malformed_file, good_file, monkeypatch):
    monkeypatch.setattr(grade, "grade", lambda *_, **__: 1 / 0)
    for raw, status in ((malformed_file, Status.REJECTED), (good_file, Status.FAILED)):
        submission = send(user, demo, raw).submission
        assert submission.status == status
        with pytest.raises(WrongState, match=status):
            publish(submission_id=submission.pk, team=team, by=user)
    assert not Standing.objects.exists()


def test_an_unpublished_result_cannot_be_withdrawn(team, user, best):
    with pytest.raises(WrongState):
        withdraw(submission_id=best.pk, team=team, by=user)


def test_another_team_can_neither_publish_nor_withdraw(other_user, best):
    others = personal_team(other_user)
    for use_case in (publish, withdraw):
        with pytest.raises(NotFound):
            use_case(submission_id=best.pk, team=others, by=other_user)


def test_equal_scores_share_a_rank_and_the_next_rank_is_skipped(demo, good_file):
    for name, wrong in (("a", 1), ("b", 2), ("c", 2), ("d", 3)):
        owner = make_user(f"{name}@example.org")
        submission = make_scored(owner, demo, with_wrong(good_file, wrong), system=name)
        publish(submission_id=submission.pk, team=personal_team(owner), by=owner)
    rows = read_board(Query(board_at=BoardAt(demo))).rows
    assert [(row.system.name, row.rank) for row in rows] == [("a", 1), ("b", 2), ("c", 2), ("d", 4)]


def test_a_row_without_a_score_has_no_rank_and_is_last(demo, team, user, worse):
    publish(submission_id=worse.pk, team=team, by=user)
    system = System.objects.create(source="a paper", name="No figure")
    since = datetime(2025, 1, 1, tzinfo=UTC)
    standings.put_reported(board=demo, system=system, row=make_reported_row(), since=since)
    for descending in (True, False):
        rows = read_board(Query(board_at=BoardAt(demo), descending=descending)).rows
        assert [row.rank for row in rows] == [1, None]


def test_a_reported_row_can_be_loaded_again_with_other_figures(demo):
    system = System.objects.create(source="a paper", name="Reported")
    since = datetime(2025, 1, 1, tzinfo=UTC)
    for right in (30, 40):
        standings.put_reported(board=demo, system=system, row=make_reported_row((right, 50)), since=since)
    assert [(s.right, s.is_reported) for s in Standing.objects.all()] == [(40, True)]


def test_the_date_of_a_row_is_when_it_was_published(team, user, best):
    submission = publish(submission_id=best.pk, team=team, by=user)
    assert Standing.objects.get().since == submission.published_at
    assert Submission.objects.get().published_at - submission.received_at < timedelta(minutes=5)
