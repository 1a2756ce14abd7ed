"""The desk's page about results that were published elsewhere."""

from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import ReportedResult
from tests.support.pages.desk import words
from tests.support.reported import TEXTS, as_csv

PAGE = "/organise/boards/hidden/published/"
BOARD = "/benchmarks/hidden/"


def upload(desk, content):
    return desk.post(PAGE, {"file": SimpleUploadedFile("rows.csv", content)})


def test_a_table_is_previewed_then_loaded_and_is_on_the_leaderboard_with_source_and_note(desk, visitor):
    table = as_csv(TEXTS)
    assert "GPT-9, own script (A paper) is added" in words(upload(desk, table))
    assert not ReportedResult.objects.exists()
    assert desk.post(PAGE, {"table": table.decode()})["Location"] == PAGE
    page = visitor.get(BOARD).content.decode()
    assert "GPT-9, own script" in page
    assert 'href="https://example.org/paper"' in page
    assert "One run." in page
    assert "as published" in page
    assert "by an organiser" in words(visitor.get("/benchmarks/hidden/changes/"))
    corrected = words(upload(desk, as_csv({**TEXTS, "score": "84", "correct": "42"})))
    assert "is corrected: score, correct (82.0% → 84.0%)" in corrected


def test_a_table_over_the_limit_is_refused(desk, board):
    assert upload(desk, b"x" * int(1.5 * 2**20)).status_code == 422
    assert upload(desk, b"x" * (3 * 2**20)).status_code == 413
