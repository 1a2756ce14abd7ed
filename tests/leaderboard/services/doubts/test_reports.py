"""Reports of doubtful reference answers: read, limited, private, and the same whatever the verdict is."""

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import AuditEvent, Doubt, DoubtKind, DoubtState
from leaderboard.services.accounts import personal_team
from leaderboard.services.delete_account import delete_account
from leaderboard.services.doubts import reports
from leaderboard.services.errors import DoubtInvalid, NotFound, QuotaSpent
from leaderboard.services.publishing.disqualify import ReasonRefused
from tests.support.factories import make_demo, make_scored, with_answers

pytestmark = pytest.mark.both_databases


@pytest.fixture
def submission(user, good_file):
    board = make_demo("hidden", is_demo=False, feedback="overall")
    return make_scored(user, board, with_answers(good_file, task2_1="[-1]"))


def send(submission, user, **changes) -> Doubt:
    fields = {"task_id": "task2_1", "kind": DoubtKind.WRONG, "text": "See Patient/1."} | changes
    return reports.report(submission_id=submission.pk, team=personal_team(user), by=user, **fields)


def test_a_report_of_a_right_and_of_a_wrong_answer_are_alike(submission, user):
    wrong, right = send(submission, user), send(submission, user, task_id=" task2_2 ")
    assert (wrong.task_id, right.task_id) == ("task2_1", "task2_2")
    assert {(doubt.state, doubt.answer, doubt.kind, doubt.text) for doubt in (wrong, right)} == {
        ("open", "", "wrong-answer", "See Patient/1.")
    }
    event = AuditEvent.objects.filter(action=AuditEvent.Action.DOUBT_REPORTED).earliest("pk")
    assert (event.actor, event.data) == (user, {"team": submission.team_id, "task": "task2_1"})


def test_a_second_report_of_a_task_replaces_the_open_one(submission, user):
    first = send(submission, user)
    second = send(submission, user, kind=DoubtKind.OTHER, text="Two orders")
    assert (second.pk, second.kind, second.text) == (first.pk, "other", "Two orders")
    reports.decline(board=submission.board, task_id="task2_1", by=user, reason="Checked.")
    assert send(submission, user).pk != first.pk


def test_every_problem_is_named_at_once(submission, user):
    with pytest.raises(DoubtInvalid) as refused:
        send(submission, user, task_id="task99_1", kind="odd", text="x" * 1001)
    pointers = [(problem.code, problem.pointer) for problem in refused.value.problems]
    assert pointers == [
        ("request.value-unknown", "/task_id"),
        ("request.value-unknown", "/reason"),
        ("request.value-invalid", "/text"),
    ]
    assert all(problem.message and problem.hint for problem in refused.value.problems)
    for changes in ({"task_id": ""}, {"kind": "other", "text": " "}):
        with pytest.raises(DoubtInvalid) as refused:
            send(submission, user, **changes)
        assert len(refused.value.problems) == 1
    assert not Doubt.objects.exists()


def test_a_team_reports_only_from_its_own_results(submission, other_user):
    with pytest.raises(NotFound):
        send(submission, other_user)


def test_the_reports_of_a_day_are_limited_for_all_boards_of_a_team(submission, user):
    ids = submission.board.active_revision.task_ids
    for task in ids[: reports.MOST_A_DAY]:
        send(submission, user, task_id=task)
    with pytest.raises(QuotaSpent) as refused:
        send(submission, user, task_id=ids[20])
    assert 0 < refused.value.retry_after <= 24 * 3600
    # To change an open one is no new report.
    send(submission, user, task_id=ids[0], text="Other words")
    Doubt.objects.filter(task_id=ids[0]).update(reported_at=timezone.now() - timedelta(days=1, minutes=1))
    send(submission, user, task_id=ids[20])


def test_declining_answers_all_teams_that_reported_the_task_once(submission, user, other_user, good_file):
    other = make_scored(other_user, submission.board, good_file)
    send(submission, user)
    send(other, other_user)
    board = submission.board
    with pytest.raises(ReasonRefused):
        reports.decline(board=board, task_id="task2_1", by=user, reason="")
    assert reports.decline(board=board, task_id="task2_1", by=user, reason="Checked twice.") == 2
    assert reports.decline(board=board, task_id="task2_1", by=user, reason="Again.") == 0
    rows = set(Doubt.objects.values_list("state", "answer", "decided_by"))
    assert rows == {(DoubtState.DECLINED, "Checked twice.", user.pk)}


def test_deleting_an_account_deletes_open_reports_and_the_words_of_others(submission, user, other_user):
    send(submission, user)
    reports.decline(board=submission.board, task_id="task2_1", by=other_user, reason="No.")
    send(submission, user, task_id="task2_2")
    delete_account(user)
    doubt = Doubt.objects.get()
    assert (doubt.task_id, doubt.text, doubt.reported_by) == ("task2_1", "", None)
