"""Checking a file, which needs no account: what the page says of a bad one, and its limits."""

import pytest

from leaderboard.web.templatetags.figures import ticked


@pytest.fixture
def check(visitor, upload):
    """Return a function that sends a file as a visitor; it returns the response that ends up in sight."""
    return lambda raw: visitor.post("/submit/", {"file": upload(raw, "mine.json")}, follow=True)


def test_checking_a_bad_file_lists_every_problem_by_kind(demo, check, malformed_file):
    response = check(malformed_file)
    text = " ".join(response.content.decode().split())
    assert response.status_code == 422
    assert "<h1> mine.json has 13 errors </h1>" in text
    assert '<span class="visually-hidden">remove:</span>' in text
    assert "&quot;answer&quot;: &quot;[" in text
    assert "answer.not-a-string" in text
    assert "/results/0/answer" in text


def test_a_file_a_little_above_the_limit_gets_a_report(demo, check, settings):
    settings.UPLOAD_LIMITS = {"body_bytes": 1000}
    response = check(b"[" * 2000)
    assert response.status_code == 422
    assert "file.too-large" in response.content.decode()


def test_ticks_become_code_and_markup_in_a_message_stays_text():
    assert ticked("`a` is <script>`<b>`") == "<code>a</code> is &lt;script&gt;<code>&lt;b&gt;</code>"
