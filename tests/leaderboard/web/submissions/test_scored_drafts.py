"""A file for a demonstration is scored before it is submitted, and its link shows that to everyone."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Board, Draft, Evaluation, Feedback, Submission
from leaderboard.services.submissions import score_draft
from tests.support.factories import make_form_facts
from tests.support.pages.desk import words
from tests.support.scoring.files import as_zip
from wardboard.scoring.medagentbench.demo import MIDDLING

pytestmark = pytest.mark.usefixtures("folder", "public")
RAW, RIGHT = MIDDLING.read_bytes(), "30 of 50 tasks correct"


@pytest.fixture
def public(demo) -> None:
    """Let the demonstration be as `make run` has it, with public reference answers."""
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.ANSWERS)


def link() -> str:
    return f"/submit/shared/{Draft.objects.get().pk}/"


def test_a_visitor_sees_score_and_wrong_tasks_at_once_and_shares_them_without_a_name(
    visitor, send, monkeypatch
):
    content = send(visitor, RAW)
    for text in (f"mine.json: {RIGHT}", "60.0%", "no order was due.", "if low”: 3 of 5 wrong. http"):
        assert text in content
    assert content.count('class="task wrong"') == 3
    assert (Submission.objects.count(), Evaluation.objects.count()) == (0, 0)
    # Nothing is graded again.
    monkeypatch.setattr(score_draft, "grade", None)
    answer = Client().get(link())
    shared = words(answer)
    assert shared.count('class="task wrong"') == 20
    assert f'og:title" content="My agent on MedAgentBench demo: {RIGHT}; it fails “' in shared
    assert "mine.json" not in shared
    headers = [answer.headers[name] for name in ("Cache-Control", "Referrer-Policy", "X-Robots-Tag")]
    assert headers == ["private, no-store", "no-referrer", "noindex, nofollow"]


def test_a_file_of_another_tab_leaves_the_link_of_the_first_as_it_is(visitor, send):
    send(visitor, RAW)
    address = link()
    send(visitor, RAW + b" ", draft="")
    assert Client().get(address).status_code == 200
    chosen = visitor.post("/submit/", {"draft": address[15:-1], "select": "gpt/**"}, follow=True)
    assert "Another file was chosen meanwhile: mine.json." in words(chosen)


@pytest.mark.parametrize("end", ["deleted", "submitted", "expired"])
def test_a_link_ends_with_its_file_and_with_its_day(ada, demo, send, end):
    send(ada, RAW)
    address = link()
    assert Client().get(address).status_code == 200
    if end == "deleted":
        ada.post("/submit/discard/")
    elif end == "submitted":
        ada.post("/submit/", make_form_facts(benchmark=demo.slug))
    else:
        Draft.objects.update(made_at=timezone.now() - timedelta(hours=25))
    gone = Client().get(address)
    assert (gone.status_code, "its file was deleted, replaced or submitted" in words(gone)) == (404, True)


@pytest.mark.parametrize("change", [{"is_demo": False}, {"feedback": Feedback.BY_CHECK}, {"rounding": 5}, {}])
def test_where_references_are_not_public_or_grading_fails_a_file_waits_without_a_score(
    visitor, send, monkeypatch, caplog, change
):
    Board.objects.update(**change or {"position": 0})
    if not change:
        monkeypatch.setattr(score_draft, "grade", None)
    assert "47 of 50 tasks: would score at most 94%" in send(visitor, RAW)
    assert ("a draft was not scored: TypeError" in caplog.text) == (not change)
    assert Client().get(link()).status_code == 404


def test_where_no_room_is_left_report_and_score_are_shown_and_nothing_is_kept(
    visitor, send, settings, folder
):
    settings.DRAFT_ADDRESS_FILES = 0
    content = send(visitor, RAW)
    assert f"<title>{RIGHT} · mine.json · Wardboard</title>" in content
    assert "To see all, sign in and drop the file again." in content
    assert "Sign in, and drop the file again to keep it." in content
    assert "/submit/shared/" not in content
    assert (Draft.objects.count(), list(folder.glob("*.*"))) == (0, [])


def test_several_runs_count_what_they_lack_and_a_task_that_is_wrong_in_any(visitor, send):
    content = send(visitor, as_zip({"1.json": RAW, "2.json": RAW + b" "}))
    assert "2 runs: 6 of 100 answers are missing" in content
    assert "mine.json: 60 of 100 answers correct" in content
