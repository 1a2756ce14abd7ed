"""Disqualifying a result: it leaves the board, with a public reason, whichever team of a person sends it."""

import pytest

from leaderboard.models import AuditEvent, BoardAction, BoardEvent, Standing, Status
from leaderboard.services.access import VISITOR, find_submission
from leaderboard.services.errors import QuotaSpent, WrongState
from leaderboard.services.publishing.disqualify import ReasonRefused, disqualify, reinstate
from leaderboard.services.publishing.publish import publish, withdraw
from tests.support.factories import make_demo, make_published, make_scored, send, with_wrong
from tests.support.processes import run_at_once

pytestmark = pytest.mark.both_databases


@pytest.fixture
def best(published):
    return published


def test_the_next_best_result_replaces_a_disqualified_one(demo, user, best, boss, good_file):
    worse = make_published(user, demo, with_wrong(good_file, 5))
    disqualify(submission_id=best.pk, by=boss, reason="  trained on\nthe tasks ")
    assert Standing.objects.get().evaluation == worse.evaluation
    best.refresh_from_db()
    assert (best.status, best.is_published, best.evaluation.right) == (Status.SCORED, False, 47)
    assert best.disqualification_reason == "trained on the tasks"
    event = BoardEvent.objects.order_by("-number").first()
    assert (event.action, event.reason, event.right) == ("disqualified", "trained on the tasks", 47)
    audited = AuditEvent.objects.order_by("pk").last()
    assert (audited.action, audited.actor) == (AuditEvent.Action.DISQUALIFIED, boss)


def test_a_reinstated_result_is_back_on_the_board(team, best, boss):
    before = Standing.objects.values().get()
    disqualify(submission_id=best.pk, by=boss, reason="a slip")
    reinstate(submission_id=best.pk, by=boss)
    assert {**Standing.objects.values().get(), "id": before["id"]} == before
    assert find_submission(VISITOR, best.pk).disqualification_reason == ""
    assert BoardEvent.objects.order_by("-number").first().action == BoardAction.REINSTATED
    with pytest.raises(WrongState):
        reinstate(submission_id=best.pk, by=boss)


def test_to_disqualify_or_reinstate_an_unpublished_result_makes_no_event(demo, user, team, good_file, boss):
    submission = make_scored(user, demo, good_file)
    before = BoardEvent.objects.count()
    disqualify(submission_id=submission.pk, by=boss, reason="trained on the tasks")
    with pytest.raises(WrongState):
        publish(submission_id=submission.pk, team=team, by=user)
    # Sent again for publication, it is still not published.
    again = send(user, demo, good_file, publish=True).submission
    assert (again, again.is_published) == (submission, False)
    reinstate(submission_id=submission.pk, by=boss)
    assert BoardEvent.objects.count() == before
    assert AuditEvent.objects.order_by("pk").last().action == AuditEvent.Action.REINSTATED
    assert not Standing.objects.exists()


def test_a_withdrawn_result_stays_off_the_board_when_it_is_reinstated(user, team, best, boss):
    withdraw(submission_id=best.pk, team=team, by=user)
    disqualify(submission_id=best.pk, by=boss, reason="trained on the tasks")
    reinstate(submission_id=best.pk, by=boss)
    assert not Standing.objects.exists()
    assert publish(submission_id=best.pk, team=team, by=user).is_published


def test_a_reason_that_cannot_be_public_is_refused(best, boss):
    for reason in ("", "  \n", "\u3164", "a\u202eb", "a\x00b", "x" * 301):
        with pytest.raises(ReasonRefused):
            disqualify(submission_id=best.pk, by=boss, reason=reason)
    assert find_submission(VISITOR, best.pk).is_published


def test_the_reason_of_a_second_organiser_is_not_dropped_in_silence(best, boss):
    for _click in range(2):
        disqualify(submission_id=best.pk, by=boss, reason="trained on the tasks")
    with pytest.raises(WrongState, match="already, for another reason"):
        disqualify(submission_id=best.pk, by=boss, reason="another harness")


def test_the_records_of_a_disqualified_file_cannot_be_published_in_another_file(
    demo, user, team, best, boss, good_file
):
    disqualify(submission_id=best.pk, by=boss, reason="trained on the tasks")
    # Other bytes, the same records.
    again = make_scored(user, demo, good_file + b"\n", system="A new name", publish=True)
    assert (again.pk != best.pk, again.is_published) == (True, False)
    with pytest.raises(WrongState, match=r"same records.*trained on the tasks"):
        publish(submission_id=again.pk, team=team, by=user)
    resubmission = send(user, demo, good_file + b"\n", system="A new name", publish=True).submission
    assert (resubmission.pk, resubmission.is_published) == (again.pk, False)
    assert not Standing.objects.exists()
    other = make_scored(user, demo, with_wrong(good_file, 1))
    assert publish(submission_id=other.pk, team=team, by=user).is_published
    reinstate(submission_id=best.pk, by=boss)
    assert publish(submission_id=again.pk, team=team, by=user).is_published


def test_a_disqualification_does_not_affect_the_same_file_of_another_team_or_on_another_board(
    demo, user, best, boss, good_file, other_user
):
    disqualify(submission_id=best.pk, by=boss, reason="trained on the tasks")
    for person, board in ((other_user, demo), (user, make_demo("other-demo"))):
        same = make_scored(person, board, good_file)
        assert publish(submission_id=same.pk, team=same.team, by=person).is_published


def test_a_disqualified_file_is_not_published_through_another_team_of_its_sender(
    demo, user, lab, best, boss, good_file
):
    disqualify(submission_id=best.pk, by=boss, reason="trained on the tasks")
    again = send(user, demo, good_file, team=lab).submission
    with pytest.raises(WrongState, match="trained on the tasks"):
        publish(submission_id=again.pk, team=again.team, by=user)


@pytest.mark.django_db(transaction=True)
def test_of_two_teams_of_a_person_that_publish_at_once_one_does(user, lab, good_file):
    board = make_demo(publication_limit=1)
    own = make_scored(user, board, good_file)
    second = send(user, board, with_wrong(good_file, 1), team=lab).submission

    def publish_one(submission):
        try:
            publish(submission_id=submission.pk, team=submission.team, by=user)
        except QuotaSpent:
            return "refused"
        return "published"

    outcomes = run_at_once(lambda: publish_one(own), lambda: publish_one(second))
    assert sorted(outcomes) == ["published", "refused"]
