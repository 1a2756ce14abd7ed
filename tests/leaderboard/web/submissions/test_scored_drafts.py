"""A file for a demonstration is scored before it is submitted, and its link shows that to everyone."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Board, Draft, Evaluation, Feedback, Submission
from leaderboard.services.drafts import drafts
from leaderboard.services.submissions import score_draft
from tests.support.factories import make_form_facts
from tests.support.pages.desk import words
from tests.support.scoring.files import as_zip
from wardboard.scoring.medagentbench.demo import MIDDLING as MIDDLING_FILE

pytestmark = pytest.mark.usefixtures("folder")
PAGE = "/submit/"
MIDDLING = MIDDLING_FILE.read_bytes()
WRONG = "20 of 50 tasks are wrong"


@pytest.fixture
def public(demo) -> Board:
    """Return the demonstration as `make run` has it, with public reference answers."""
    Board.objects.filter(pk=demo.pk).update(feedback=Feedback.ANSWERS)
    return demo


@pytest.fixture
def send(upload):
    """Return a function that sends a file and returns the page that follows."""

    def send_(client, raw: bytes = MIDDLING, name: str = "mine.json") -> str:
        return words(client.post(PAGE, {"file": upload(raw, name)}, follow=True))

    return send_


def link() -> str:
    return f"/submit/shared/{drafts.token_of(Draft.objects.get())}/"


def test_a_visitor_sees_score_and_wrong_tasks_at_once_and_shares_them_without_a_name(
    visitor, public, send, monkeypatch
):
    content = send(visitor)
    assert f"<bdi>mine.json</bdi>: {WRONG}" in content
    assert "60.0%" in content
    assert content.count('class="task wrong"') == 3
    assert "The level is not low: no order was due." in content
    assert "My agent fails “Replace magnesium if low”: 3 of 5 tasks are wrong. http" in content
    assert (Submission.objects.count(), Evaluation.objects.count()) == (0, 0)
    # Nothing is graded again.
    monkeypatch.setattr(score_draft, "grade", None)
    answer = Client().get(link())
    shared = words(answer)
    assert shared.count('class="task wrong"') == 20
    assert '<meta property="og:title" content="My agent fails “Replace magnesium if low”' in shared
    assert WRONG in shared
    assert "mine.json" not in shared
    for header, value in (
        ("Cache-Control", "private, no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Robots-Tag", "noindex, nofollow"),
    ):
        assert answer.headers[header] == value


def test_a_link_ends_with_its_file_and_with_its_day(ada, public, send):
    ends = {
        "deleted": lambda: ada.post("/submit/discard/"),
        "submitted": lambda: ada.post(PAGE, make_form_facts(benchmark=public.slug)),
        "expired": lambda: Draft.objects.update(made_at=timezone.now() - timedelta(hours=25)),
    }
    for end in ends.values():
        Draft.objects.all().delete()
        send(ada)
        address = link()
        assert Client().get(address).status_code == 200
        end()
        gone = Client().get(address)
        assert (gone.status_code, "it was deleted or submitted" in words(gone)) == (404, True)
    assert Submission.objects.count() == 1
    assert Client().get(f"/submit/shared/{Draft().pk.hex}/").status_code == 404


@pytest.mark.parametrize("change", [{"is_demo": False}, {"feedback": Feedback.BY_CHECK}, {"rounding": 5}])
def test_where_references_are_not_public_nothing_is_scored(visitor, public, send, change):
    Board.objects.filter(pk=public.pk).update(**change)
    assert "47 of 50 tasks: would score at most 94%" in send(visitor)
    assert not any(match.get("score") for match in Draft.objects.get().matches)
    assert Client().get(link()).status_code == 404


def test_where_grading_fails_the_file_waits_without_a_score(visitor, public, send, monkeypatch, caplog):
    monkeypatch.setattr(score_draft, "grade", None)
    assert "would score at most 94%" in send(visitor)
    assert "a draft was not scored: TypeError" in caplog.text
    assert Client().get(link()).status_code == 404


def test_where_no_room_is_left_report_and_score_are_shown_and_nothing_is_kept(
    visitor, public, send, settings, folder
):
    settings.DRAFT_ADDRESS_FILES = 0
    content = send(visitor)
    assert WRONG in content
    assert "Sign in to keep this file." in content
    assert "/submit/shared/" not in content
    assert (Draft.objects.count(), list(folder.glob("*.*"))) == (0, [])


def test_several_runs_count_what_they_lack_and_a_task_that_is_wrong_in_any(visitor, public, send):
    content = send(visitor, as_zip({"1.json": MIDDLING, "2.json": MIDDLING + b" "}), "runs.zip")
    assert "2 runs: 6 of 100 answers are missing" in content
    assert WRONG in content
