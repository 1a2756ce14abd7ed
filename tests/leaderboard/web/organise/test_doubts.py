"""The desk's page of doubtful reference answers, and the page on which a team reports them."""

import pytest

from leaderboard.models import Board, Doubt, ReferenceRevision, Standing
from leaderboard.services.doubts.reports import report
from tests.support.factories import make_demo, make_published, make_scored, with_answers
from tests.support.pages.desk import words

DOUBTS = "/organise/boards/hidden/doubts/"
REASON = "The record holds two birth dates."


@pytest.fixture
def board(db):
    """Return a board without a limit on new teams, so that its results can be published."""
    return make_demo("hidden", is_demo=False, feedback="overall")


@pytest.fixture
def published(board, user, other_user, good_file):
    """Return two published results that both miss task2_1, and of which one misses task1_1."""
    both = with_answers(good_file, task2_1="[-1]")
    return [
        make_published(user, board, both, system="Alpha"),
        make_published(other_user, board, with_answers(both, task1_1="[]"), system="Beta"),
    ]


def send(submission, task="task2_1", text="See Patient/1.") -> Doubt:
    fields = {"task_id": task, "kind": "wrong-answer", "text": text}
    return report(submission_id=submission.pk, team=submission.team, by=submission.submitted_by, **fields)


def test_a_reason_declines_all_reports_of_a_task(desk, published):
    send(published[0])
    assert "Give a reason." in words(desk.post(DOUBTS, {"decline": "task2_1", "reason": ""}, follow=True))
    page = words(desk.post(DOUBTS, {"reason": "", "others": ""}))
    assert "<title>Error: 2 problems · Doubtful" in page
    page = words(desk.post(DOUBTS, {"decline": "task2_1", "reason": "Checked."}, follow=True))
    assert "1 report is declined." in page
    assert "<q>Checked.</q>" in page


def test_setting_aside_is_previewed_then_activated_and_public_with_both_scores(
    desk, visitor, board, published
):
    send(published[0])
    page = words(desk.post(DOUBTS, {"tasks": ["task2_1"], "reason": REASON}, follow=True))
    assert "1 of 50 tasks counts in no score of this revision." in page
    assert REASON in page
    assert "2 published results were graded for this preview" in page
    assert "Missing: 1 task <code>task2_1</code>" in page
    assert Board.objects.get(pk=board.pk).set_aside_count == 0
    assert "set aside" not in words(visitor.get("/benchmarks/hidden/"))
    first = ReferenceRevision.objects.get(number=1)
    desk.post("/organise/boards/hidden/references/2/", {"was": first.pk})
    table = words(visitor.get("/benchmarks/hidden/"))
    assert "Tasks: 49 ·" in table
    assert '<a href="/benchmarks/hidden/about/#set-aside">1 task set aside</a>' in table
    assert "All tasks" in table
    rows = {row.name: row for row in Standing.objects.filter(board=board)}
    for row in rows.values():
        assert row.metrics["all_tasks"] == pytest.approx(row.score * 49 / 50)
        assert f"{100 * row.metrics['all_tasks']:.1f}<" in table
    about = words(visitor.get("/benchmarks/hidden/about/"))
    assert f"<code>task2_1</code>: {REASON}" in about
    assert "over all 50 tasks" in about
    assert "tasks set aside: task2_1" in words(visitor.get("/benchmarks/hidden/changes/"))
    assert Doubt.objects.get().state == "accepted"
    for path in ("board.csv", "board.json", "board.md"):
        text = visitor.get(f"/benchmarks/hidden/{path}").getvalue().decode()
        assert "all_tasks" in text or "Score over all tasks" in text, path
    system = words(visitor.get(f"/systems/{published[0].system_id}/"))
    assert "Score over all tasks" in system
    # The page of the past shows what was so then.
    past = words(visitor.get("/benchmarks/hidden/?as_of=2"))
    assert "Tasks: 50" in past
    assert "task set aside<" not in past


def test_a_link_on_the_result_leads_to_the_form_and_the_report_is_listed(ada, board, user, good_file):
    submission = make_scored(user, board, good_file)
    address = f"/submissions/{submission.pk}/doubts/"
    assert f'href="{address}"' in words(ada.get(f"/submissions/{submission.pk}/"))
    page = words(ada.get(f"{address}?task=task2_1"))
    assert 'value="task2_1"' in page
    assert "None on this leaderboard." in page
    # Every problem is shown at its field, and what was typed stays.
    refused = ada.post(address, {"task_id": "task99", "text": "Words"})
    assert refused.status_code == 422
    for text in (
        "“task99” is not a task on this leaderboard.",
        "The reason is missing",
        'value="task99"',
        ">Words</textarea>",
    ):
        assert text in words(refused)
    sent = {"task_id": "task2_1", "reason": "data", "text": "Patient/1 lacks it."}
    page = words(ada.post(address, sent, follow=True))
    assert "Your report of “task2_1” is with the organisers." in page
    assert "Patient/1 lacks it." in page
    assert '<span class="chip">Not decided yet</span>' in page
