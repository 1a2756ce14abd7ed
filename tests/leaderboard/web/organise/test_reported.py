"""The desk's pages about results that were published elsewhere."""

import csv
import io

from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.models import ReportedResult, Standing
from tests.support.pages.desk import words
from tests.support.reported import NOT_RANKED, TEXTS, state

PAGE, NEW = "/organise/boards/hidden/published/", "/organise/boards/hidden/published/new/"
BOARD, ABOUT = "/benchmarks/hidden/", "/benchmarks/hidden/about/"


def upload(desk, content):
    return desk.post(PAGE, {"file": SimpleUploadedFile("rows.csv", content)})


def test_a_result_is_added_with_the_form_and_is_on_the_leaderboard_with_its_source_and_note(
    desk, visitor, board
):
    assert desk.post(NEW, TEXTS)["Location"] == PAGE
    page = visitor.get(BOARD).content.decode()
    assert "GPT-9, own script" in page
    assert 'href="https://example.org/paper"' in page
    assert "One run." in page
    assert "as published" in page
    changes = words(visitor.get("/benchmarks/hidden/changes/"))
    assert "by an organiser" in changes


def test_a_form_with_errors_says_what_is_wrong_at_each_field_and_changes_nothing(desk, board):
    response = desk.post(NEW, {**TEXTS, "score": "85", "source_url": "ftp://x"})
    page = words(response)
    assert response.status_code == 422
    assert "is no address that begins with https://" in page
    assert not ReportedResult.objects.exists()
    page = words(desk.post(NEW, {**TEXTS, "score": "85"}))
    assert "41 of 50 tasks is not 85%" in page


def test_a_result_is_corrected_with_the_form_that_holds_what_is_stated(desk, board, organiser):
    result = state(board, organiser)
    form = desk.get(f"{PAGE}{result.pk}/").content.decode()
    assert 'value="82"' in form
    assert 'value="2026-05-04"' in form
    page = words(desk.post(f"{PAGE}{result.pk}/", TEXTS, follow=True))
    assert "Nothing was changed." in page
    desk.post(f"{PAGE}{result.pk}/", {**TEXTS, "score": "80", "correct": "40"})
    assert Standing.objects.get(kind="reported").score == 0.8


def test_a_result_is_removed_with_a_public_reason(desk, visitor, board, organiser):
    result = state(board, organiser)
    address = f"{PAGE}{result.pk}/remove/"
    assert "GPT-9, own script leaves the ranking (rank 1 now)." in words(desk.get(address))
    assert desk.post(address, {"reason": ""}).status_code == 422
    assert desk.post(address, {"reason": "Its source withdrew it."}).status_code == 302
    assert "GPT-9" not in words(visitor.get(BOARD))
    assert "Its source withdrew it." in words(visitor.get("/benchmarks/hidden/changes/"))
    assert "Removed results" in words(desk.get(PAGE))
    assert desk.get(address).status_code == 404


def test_a_table_over_the_limit_is_refused_with_the_limit_of_tables(desk, board):
    for megabytes in (1.5, 3):
        page = words(upload(desk, b"x" * int(megabytes * 2**20)))
        assert "1 M" in page
        assert "Split the table into several files, and send one after another." in page
        assert "gzip" not in page


def test_the_download_can_be_uploaded_again_and_changes_nothing(desk, board, organiser):
    state(board, organiser, note="=1+1, a formula")
    state(board, organiser, **NOT_RANKED)
    content = b"".join(desk.get("/organise/boards/hidden/published.csv").streaming_content)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert [row["score"] for row in rows] == ["82", "82"]
    assert "'=1+1, a formula" in {row["note"] for row in rows}
    before = list(ReportedResult.objects.values_list("stated", "changed_at"))
    assert upload(desk, content).status_code == 302
    assert list(ReportedResult.objects.values_list("stated", "changed_at")) == before


def test_what_is_not_ranked_is_on_the_about_page_with_reason_and_source(desk, visitor, board):
    desk.post(NEW, {**TEXTS, "score": "70", "correct": ""})
    desk.post(NEW, {**NOT_RANKED, "score": "99"})
    page = visitor.get(ABOUT).content.decode()
    assert "GPT-9, other tasks" in page
    assert "30 other tasks." in page
    text = words(visitor.get(ABOUT))
    assert "have no rank, go up to 99.0%" in text
    assert "at most 30.0% are left to gain, if every reference answer is right" in text
    assert "GPT-9, other tasks" not in words(visitor.get(BOARD))


def test_the_results_of_the_release_are_loaded_with_a_button(desk, board):
    page = words(desk.post("/organise/boards/hidden/published/load/", follow=True))
    assert "The release knows 0 results" in page
