"""Revisions side by side, what one would change, its activation, rescoring and rolling back; and the log."""

import csv
import io

import pytest

from leaderboard.models import AuditEvent, Board, Evaluation, ReferenceRevision, Standing
from leaderboard.services.accounts import create_token
from leaderboard.services.desk import regrading, revisions
from leaderboard.services.publishing.import_references import import_references
from tests.support.factories import make_demo, make_published, other_references, with_answers
from tests.support.pages.desk import words

pytestmark = pytest.mark.both_databases

REFERENCES = "/organise/boards/hidden/references/"
RESCORING = "/organise/boards/hidden/rescoring/"


@pytest.fixture
def board(db):
    """Return a board without a limit on new teams, so that its results can be published."""
    return make_demo("hidden", is_demo=False)


@pytest.fixture
def staged(board, user, other_user, good_file) -> ReferenceRevision:
    """Return a staged revision with another answer to task2_1, beside two published results."""
    make_published(user, board, good_file, system="Alpha")
    make_published(other_user, board, with_answers(good_file, task2_1="[-1]"), system="Beta")
    references = other_references()
    imported = import_references(board=board, references=references, origin="tests", is_staged=True)
    assert not imported.changed
    return imported.revision


def scores(board) -> dict[str, float]:
    return dict(Standing.objects.filter(board=board).values_list("name", "score"))


def active(board) -> int:
    return Board.objects.select_related("active_revision").get(pk=board.pk).active_revision.number


def test_a_staged_revision_is_compared_by_ids_and_previewed_and_changes_nothing(desk, board, staged):
    before = scores(board)
    page = words(desk.get(REFERENCES))
    assert "never active" in page
    page = words(desk.get(f"{REFERENCES}2/"))
    assert "1 task with another answer: <code>task2_1</code>" in page
    assert "2 published results were graded for this preview" in page
    assert active(board) == 1
    assert scores(board) == before
    assert Evaluation.objects.count() == 2
    # No reference of either revision is on a page.
    value = ReferenceRevision.objects.get(number=1).digest
    assert value in page
    assert desk.get(f"{REFERENCES}3/").status_code == 404


def test_activating_and_rescoring_change_what_the_preview_says_and_rolling_back_undoes_it(
    desk, board, staged, organiser
):
    before = scores(board)
    foreseen = regrading.preview_revision(board, staged)
    assert (foreseen.graded, foreseen.left, foreseen.kept) == (2, 0, [])
    first = ReferenceRevision.objects.get(number=1)
    stale = words(desk.post(f"{REFERENCES}2/", {"was": staged.pk}, follow=True))
    assert "Another revision became active meanwhile" in stale
    assert active(board) == 1
    page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk}, follow=True))
    assert "2 scores are by another revision" in page
    assert active(board) == 2
    assert scores(board) == before
    # Whoever does not go on here finds it on the desk.
    for address in ("/organise/", "/organise/boards/hidden/"):
        page = words(desk.get(address))
        assert f'<a href="{RESCORING}"> 2 scores to rescore </a>' in page
    assert "2 submissions were rescored." in words(desk.post(RESCORING, follow=True))
    after = scores(board)
    assert after != before
    for change in foreseen.changes:
        assert after[change.name] == pytest.approx(change.score_after, abs=0.0005)
    assert "Nothing to rescore" in words(desk.get(RESCORING))
    assert "to rescore" not in words(desk.get("/organise/")) + words(desk.get("/organise/boards/hidden/"))
    desk.post(f"{REFERENCES}1/", {"was": staged.pk})
    desk.post(RESCORING)
    assert scores(board) == before
    ordered = AuditEvent.objects.filter(action=AuditEvent.Action.RESCORING_ORDERED)
    assert [event.actor for event in ordered] == [organiser, organiser]


def test_a_file_with_tasks_that_the_revision_lacks_keeps_its_row_in_the_preview(board, staged):
    references = {task: one for task, one in other_references().items() if task != "task1_1"}
    fewer = import_references(board=board, references=references, origin="tests", is_staged=True).revision
    found = regrading.preview_revision(board, fewer)
    assert sorted(found.kept) == ["Alpha", "Beta"]
    assert found.changes == []
    assert revisions.difference(ReferenceRevision.objects.get(number=1), fewer).removed == ["task1_1"]


def test_the_audit_log_is_searched_and_exported_for_own_boards(desk, other_desk, staff, board, staged, user):
    create_token(user=user, name="=token", days=1)
    page = words(desk.get("/organise/audit/?q=ada@&action=submission.published"))
    assert "Alpha" in page
    assert "Beta" not in page
    assert "No event matches" in words(desk.get("/organise/audit/?until=2020-01-01"))
    assert desk.get("/organise/audit/?action=odd").status_code == 400
    rows = list(csv.DictReader(io.StringIO(b"".join(desk.get("/organise/audit.csv")).decode())))
    assert {row["leaderboard"] for row in rows} == {"hidden"}
    assert {"references.imported", "submission.published"} <= {row["action"] for row in rows}
    # Events of no board are for those who organise all.
    assert "token.created" in b"".join(staff.get("/organise/audit.csv")).decode()
    assert "hidden" not in b"".join(other_desk.get("/organise/audit.csv")).decode()
