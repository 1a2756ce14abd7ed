from datetime import timedelta

import pytest

from leaderboard.models import AuditEvent, BoardEvent, Standing, Status
from leaderboard.services.errors import WrongState
from leaderboard.services.publishing.publish import MOST_A_DAY, publish, withdraw
from leaderboard.services.submissions import grade
from tests.support.factories import make_scored, make_user, send, with_wrong

pytestmark = pytest.mark.both_databases


@pytest.fixture
def best(demo, user, good_file):
    return make_scored(user, demo, good_file)


@pytest.fixture
def worse(demo, user, good_file):
    return make_scored(user, demo, with_wrong(good_file, 5))


def test_a_published_result_is_on_the_board_with_its_figures(demo, team, user, best):
    submission = publish(submission_id=best.pk, team=team, by=user)
    standing = Standing.objects.get()
    assert (standing.evaluation, standing.right, standing.total) == (best.evaluation, 47, 50)
    assert standing.score == pytest.approx(0.94)
    assert standing.low < standing.score < standing.high
    assert standing.shown_breakdowns == best.evaluation.breakdowns
    assert standing.breakdowns == {}
    assert standing.since == submission.published_at


def test_publishing_or_withdrawing_twice_has_no_further_effect(team, user, best):
    events = BoardEvent.objects.count()
    for use_case, column, action in (
        (publish, "published_at", AuditEvent.Action.PUBLISHED),
        (withdraw, "withdrawn_at", AuditEvent.Action.WITHDRAWN),
    ):
        times = {getattr(use_case(submission_id=best.pk, team=team, by=user), column) for _ in range(2)}
        assert len(times) == AuditEvent.objects.filter(action=action).count() == 1
    assert BoardEvent.objects.count() == events + 2


def test_the_first_result_published_after_its_score_stands_not_the_best(team, user, best, worse):
    for submission in (worse, best):
        publish(submission_id=submission.pk, team=team, by=user)
    standing = Standing.objects.get()
    assert (standing.evaluation, standing.chosen_before_score) == (worse.evaluation, False)
    withdraw(submission_id=worse.pk, team=team, by=user, reason="wrong\x00 model")
    assert Standing.objects.get().evaluation == best.evaluation, "the next one takes its place"
    worse.refresh_from_db()
    assert (worse.is_published, worse.withdrawal_reason) == (False, "wrong model")
    withdraw(submission_id=best.pk, team=team, by=user)
    assert not Standing.objects.exists()
    again = publish(submission_id=worse.pk, team=team, by=user)
    assert (again.is_published, again.withdrawal_reason) == (True, "")
    assert Standing.objects.get().evaluation == worse.evaluation


def test_publishing_has_a_daily_limit_for_each_result_and_none_for_staff(
    team, user, best, worse, monkeypatch
):
    for _ in range(MOST_A_DAY + 1):
        publish(submission_id=worse.pk, team=team, by=user)
    for _ in range(MOST_A_DAY):
        publish(submission_id=best.pk, team=team, by=user)
        withdraw(submission_id=best.pk, team=team, by=user)
    events = BoardEvent.objects.count()
    with pytest.raises(WrongState, match="5 times in the last 24 hours"):
        publish(submission_id=best.pk, team=team, by=user)
    assert BoardEvent.objects.count() == events
    withdraw(submission_id=worse.pk, team=team, by=user)
    again = publish(submission_id=worse.pk, team=team, by=user)
    assert again.is_published, "to publish what is published does not count"
    boss = make_user("boss@example.org", is_staff=True)
    assert publish(submission_id=best.pk, team=team, by=boss).is_published
    withdraw(submission_id=best.pk, team=team, by=user)
    monkeypatch.setattr("leaderboard.services.publishing.publish.DAY", timedelta(0))
    assert publish(submission_id=best.pk, team=team, by=user).is_published


def test_only_scored_submissions_can_be_published(demo, team, user, malformed_file, good_file, monkeypatch):
    monkeypatch.setattr(grade, "grade", lambda *_, **__: 1 / 0)
    for raw, status in ((malformed_file, Status.REJECTED), (good_file, Status.FAILED)):
        submission = send(user, demo, raw).submission
        assert submission.status == status
        with pytest.raises(WrongState, match=status):
            publish(submission_id=submission.pk, team=team, by=user)
    assert not Standing.objects.exists()


def test_what_is_not_published_cannot_be_withdrawn(team, user, best):
    with pytest.raises(WrongState):
        withdraw(submission_id=best.pk, team=team, by=user)
