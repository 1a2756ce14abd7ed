"""Which published result stands for a system: the one chosen before it was scored, never the best."""

import pytest

from leaderboard.models import BoardEvent, PastStanding, Standing, Submission
from leaderboard.services.errors import QuotaSpent, RequestInvalid
from leaderboard.services.publishing.disqualify import disqualify
from leaderboard.services.publishing.publish import publish, withdraw
from leaderboard.services.submissions import grade
from leaderboard.services.submissions.cancel import cancel
from tests.support.factories import send, send_queued, with_wrong

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]


@pytest.fixture
def sent(demo, user, good_file):
    """Submit the result file with `wrong` answers made wrong."""

    def send_(wrong: int, **options) -> Submission:
        return send(user, demo, with_wrong(good_file, wrong), **options).submission

    return send_


def listed() -> tuple[int, bool | None]:
    """Return the right answers of the only row, and whether its result was chosen before it was scored."""
    row = Standing.objects.get()
    return row.right, row.chosen_before_score


def test_the_first_result_sent_for_publication_stands_although_a_later_one_is_better(sent):
    sent(5, publish=True)
    sent(0, publish=True)
    assert listed() == (42, True)
    event = BoardEvent.objects.latest("number")
    assert (event.right, event.action) == (47, "published"), "it is logged"
    assert not PastStanding.objects.filter(event=event).exists()


def test_the_first_designated_file_of_the_newest_version_stands(sent):
    sent(5, designate=True)
    sent(7, designate=True, version="2")
    sent(0, publish=True)
    assert listed() == (40, True)
    assert [Submission.objects.get(evaluation__right=right).designation for right in (42, 40, 47)] == [
        *(1, 2, None)
    ]


def test_a_later_designated_file_of_a_version_is_refused_before_it_is_scored(sent):
    sent(5, designate=True, version="2.1")
    sent(6, designate=True, version="3")
    for version in ("2.1", " 2.1 ", "v2.1", "V 2.1", "Version 2-1", "2.1.0", "02.1", "２.1"):
        with pytest.raises(RequestInvalid) as refused:
            sent(0, designate=True, version=version)
        (problem,) = refused.value.facts
        assert (problem.code, problem.pointer) == ("facts.version-designated", "/version"), version
        assert "has a designated file here already" in problem.message
        assert "State the new version" in problem.hint
    assert Submission.objects.count() == 2, "nothing was stored or scored"
    assert listed() == (41, True)
    sent(0, publish=True, version="v2.1")
    assert listed() == (41, True), "a file that is only published takes no row"


def test_a_file_that_was_withdrawn_or_disqualified_still_is_the_first_of_its_version(sent, user, team):
    withdrawn = sent(5, designate=True, version="1")
    withdraw(submission_id=withdrawn.pk, team=team, by=user)
    disqualified = sent(6, designate=True, version="2")
    disqualify(submission_id=disqualified.pk, by=user, reason="trained on the tasks")
    for version in ("1", "2"):
        with pytest.raises(RequestInvalid):
            sent(0, designate=True, version=version)
    assert sent(7, designate=True, version="3").designation == 3


def test_a_file_that_was_rejected_or_cancelled_uses_up_no_version(sent, demo, user, good_file):
    invalid = send(user, demo, b"{}", designate=True, version="1").submission
    assert (invalid.status, invalid.designation) == ("rejected", None)
    waiting = send_queued(user, demo, with_wrong(good_file, 5), designate=True, version="1")
    cancel(submission_id=waiting.pk, team=waiting.team, by=user)
    waiting.refresh_from_db()
    assert (waiting.designated, waiting.sent_for_publication) == (False, False)
    assert sent(6, designate=True, version="1").designation == 1
    with pytest.raises(RequestInvalid) as refused:
        send(user, demo, b"{} ", designate=True, version="1")
    assert [problem.code for problem in refused.value.facts] == ["facts.version-designated"]
    assert refused.value.file.total, "the problems of the file stand beside it"


def test_a_waiting_file_can_be_designated_unless_its_version_has_a_designated_file(
    demo, sent, good_file, user, monkeypatch
):
    monkeypatch.setattr(grade, "score", lambda **_: None)
    waiting, free = sent(5, version="1"), sent(7, version="2")
    sent(6, designate=True, version="1")
    again = send(user, demo, with_wrong(good_file, 5), designate=True, version="1")
    assert list(again.not_applied) == ["designate"]
    waiting.refresh_from_db()
    assert (waiting.designated, waiting.designation, waiting.sent_for_publication) == (False, None, True)
    again = send(user, demo, with_wrong(good_file, 7), designate=True, version="2").submission
    assert (again.pk, again.designated, again.sent_for_publication) == (free.pk, True, True)


def test_a_designated_result_stands_first_then_one_sent_for_publication_then_one_chosen_by_its_score(
    sent, user, team
):
    publish(submission_id=sent(0).pk, team=team, by=user)
    assert listed() == (47, False)
    first = sent(5, publish=True)
    assert listed() == (42, True)
    designated = sent(9, designate=True)
    assert designated.is_published
    assert listed() == (38, True), "although it is worse"
    withdraw(submission_id=designated.pk, team=team, by=user)
    # Decided before it was scored, but chosen now that the score of the other is known.
    assert listed() == (42, False)
    disqualify(submission_id=first.pk, by=user, reason="trained on the tasks")
    assert listed() == (47, False)


def test_a_choice_that_is_withheld_marks_no_other_as_chosen_before_scoring(sent, user, team, monkeypatch):
    with monkeypatch.context() as refused:
        refused.setattr(grade.publish, "put_on_board", lambda *_, **__: None)
        for wrong in (0, 9):
            sent(wrong, designate=True, version=str(wrong))
    assert not Standing.objects.exists()
    best = Submission.objects.get(evaluation__right=47)
    publish(submission_id=best.pk, team=team, by=user)
    assert listed() == (47, False)


@pytest.mark.parametrize("wish", ["designate", "publish"])
@pytest.mark.parametrize("more", [b"", b"\n"], ids=["the same bytes", "other bytes"])
def test_the_same_answers_again_are_not_chosen_before_their_score(demo, sent, good_file, user, wish, more):
    sent(5)
    again = send(user, demo, with_wrong(good_file, 5) + more, **{wish: True}).submission
    assert (again.is_published, again.designated, again.designation) == (True, False, None)
    assert listed() == (42, False)
    assert sent(6, designate=True).designation == 1, "a file with other answers is"
    assert listed()[0] == 41


def test_a_designated_file_over_the_publication_limit_is_refused_before_it_is_scored(demo, sent):
    demo.publication_limit = 1
    demo.save()
    sent(5, designate=True, version="1")
    with pytest.raises(QuotaSpent, match="The next result may be published on"):
        sent(6, designate=True, version="2")
    assert Submission.objects.count() == 1


def test_a_file_over_the_publication_limit_that_is_published_by_hand_is_chosen_by_its_score(
    demo, sent, user, team
):
    demo.publication_limit = 1
    demo.save()
    sent(5, publish=True, system="Another agent")
    held = sent(6, publish=True)
    assert not held.is_published
    demo.publication_limit = 2
    demo.save()
    publish(submission_id=held.pk, team=team, by=user)
    assert Standing.objects.get(system=held.system).chosen_before_score is False
