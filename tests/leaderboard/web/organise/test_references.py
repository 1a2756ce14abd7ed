"""Revisions side by side, what one would change, its activation, rescoring and rolling back."""

import itertools
from dataclasses import replace
from unittest.mock import Mock

import pytest
from django.utils import timezone

from leaderboard.models import AuditEvent, Board, ReferenceRevision, Standing, System
from leaderboard.services.desk import regrading
from leaderboard.services.desk.preview import ScoredRow
from leaderboard.services.errors import StorageAway
from leaderboard.services.statistics.compute import compute_statistics
from leaderboard.services.submissions import rescore
from leaderboard.web.organise import references
from tests.support.factories import correct_references, make_published, with_answers
from tests.support.pages.desk import words
from tests.support.rows import make_reported_row, put_reported

REFERENCES = "/organise/boards/hidden/references/"
RESCORING = "/organise/boards/hidden/rescoring/"


@pytest.fixture
def staged(board, user, other_user, good_file) -> ReferenceRevision:
    """Return a staged revision with another answer to task2_1, beside two published results."""
    make_published(user, board, good_file, system="Alpha")
    make_published(other_user, board, with_answers(good_file, task2_1="[-1]"), system="Beta")
    imported = correct_references(board, is_staged=True)
    assert not imported.changed
    return imported.revision


def scores(board) -> dict[str, float]:
    return dict(Standing.objects.filter(board=board).values_list("name", "score"))


def active(board) -> int:
    return Board.objects.select_related("active_revision").get(pk=board.pk).active_revision.number


def test_activating_changes_every_row_at_once_as_the_preview_says_and_rolling_back_undoes_it(
    desk, board, staged, organiser
):
    before = scores(board)
    foreseen = regrading.preview_revision(board, staged)
    assert (foreseen.graded, foreseen.left, foreseen.kept) == (2, 0, [])
    first = ReferenceRevision.objects.get(number=1)
    stale = words(desk.post(f"{REFERENCES}2/", {"was": staged.pk}, follow=True))
    assert "Another revision became active meanwhile" in stale
    assert active(board) == 1
    shown = desk.get(f"{REFERENCES}2/")
    page = words(shown)
    assert "2 results are scored again. Until all are, the table shows revision 1." in page
    page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk}, follow=True))
    assert "Revision 2 is active." in page
    assert active(board) == 2
    after = scores(board)
    assert after != before
    for change in foreseen.changes:
        assert after[change.name] == pytest.approx(change.after.score, abs=0.0005)
    assert "Nothing to rescore" in words(desk.get(RESCORING))
    assert "to rescore:" not in words(desk.get("/organise/")) + words(desk.get("/organise/boards/hidden/"))
    # The scores of the first revision are kept, so nothing has to be scored again.
    compute_statistics(board_id=board.pk)
    back = desk.get(f"{REFERENCES}1/")
    assert "scored again" not in words(back)
    # Before the activation the page had the sentence that is at the head of the leaderboard now.
    assert back.context["head_now"] == shown.context["head_after"] != back.context["head_after"]
    desk.post(f"{REFERENCES}1/", {"was": staged.pk})
    assert scores(board) == before
    # Each activation is one line of the audit log, however many results have another score.
    logged = AuditEvent.objects.filter(actor=organiser).order_by("pk")
    assert [(event.action, event.data["revision"], event.data["results"]) for event in logged] == [
        ("references.activated", 2, 2),
        ("references.activated", 1, 2),
    ]
    assert AuditEvent.objects.filter(action=AuditEvent.Action.SCORED).count() == 2


def test_until_the_last_result_is_scored_the_public_table_shows_the_old_revision(
    desk, visitor, board, staged, monkeypatch
):
    first = ReferenceRevision.objects.get(number=1)
    before = scores(board)
    table = words(visitor.get("/benchmarks/hidden/"))
    # Each request scores one result.
    clock = itertools.count()
    monkeypatch.setattr(rescore, "monotonic", lambda: 0 if next(clock) % 3 < 2 else 1000)
    monkeypatch.setattr(references, "_SECONDS", 1)
    page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk}, follow=True))
    assert "Not finished in time. Press again to continue." in page
    assert "1 result is scored again." in page
    assert (active(board), scores(board)) == (1, before)
    assert words(visitor.get("/benchmarks/hidden/")) == table
    page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk}, follow=True))
    assert "Revision 2 is active." in page
    assert scores(board) != before
    evaluated = Standing.objects.filter(board=board, evaluation__isnull=False)
    assert set(evaluated.values_list("evaluation__revision__number", flat=True)) == {2}


def test_a_result_that_cannot_be_scored_keeps_its_score_or_the_organiser_decides(
    desk, board, staged, monkeypatch
):
    first = ReferenceRevision.objects.get(number=1)

    with monkeypatch.context() as broken:
        broken.setattr(rescore.grade, "grade", Mock(side_effect=StorageAway("away")))
        page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk}, follow=True))
    assert "the storage of uploads did not answer" in page
    assert "2 results keep their scores by the other revision" in page
    assert active(board) == 1
    page = words(desk.post(f"{REFERENCES}2/", {"was": first.pk, "unscored": "yes"}, follow=True))
    assert active(board) == 2
    # The desk leads to what is still to be done.
    for address in ("/organise/", "/organise/boards/hidden/"):
        page = words(desk.get(address))
        assert "Scores to rescore: 2" in page
        assert f'href="{RESCORING}">Rescore</a>' in page
    assert "2 submissions were rescored." in words(desk.post(RESCORING, follow=True))


def test_rows_as_published_that_others_pass_are_counted(board):
    system = System.objects.create(name="Paper", source="a paper")
    put_reported(board=board, system=system, row=make_reported_row((93, 100)), since=timezone.now())
    row = ScoredRow(name="Alpha", team="", judge="", score=0.94, upper=None, has_rank=True)
    for score, moved in ((0.94, 0), (0.92, 1)):
        assert regrading._published_that_move(board, {1: row}, {1: replace(row, score=score)}) == moved
