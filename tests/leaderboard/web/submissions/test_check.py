"""Checking a file, which needs no account: what the page says of a bad one, and its limits."""

import pytest
from django.core.cache import cache
from django.test import override_settings

from leaderboard.http.rates import CheckThrottle


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


def test_visitors_who_check_too_often_learn_when_to_retry(demo, check, good_file, monkeypatch):
    cache.clear()
    monkeypatch.setattr(CheckThrottle, "THROTTLE_RATES", {"validations": "1/min"})
    check(good_file)
    response = check(good_file)
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert "Try again in" in response.content.decode()
    cache.clear()


@override_settings(UPLOAD_LIMITS={"body_bytes": 1000})
def test_a_file_a_little_above_the_limit_gets_a_report(demo, check):
    response = check(b"[" * 2000)
    assert response.status_code == 422
    assert "file.too-large" in response.content.decode()
