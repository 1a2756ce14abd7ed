"""Checking a file, which needs no account: what the page says of a good file and of a bad one."""

import json

import pytest
from django.core.cache import cache
from django.test import override_settings

from leaderboard.http.rates import CheckThrottle
from leaderboard.models import Submission


@pytest.fixture
def check(visitor, upload):
    """Return a function that sends a file as a visitor; it returns the response that ends up in sight."""

    def check_(raw: bytes, name: str = "mine.json", **fields):
        return visitor.post("/submit/", {"file": upload(raw, name), **fields}, follow=True)

    return check_


def text_of(response) -> str:
    return " ".join(response.content.decode().split())


def test_checking_a_good_file_says_that_it_can_be_scored_and_submits_nothing(demo, check, good_file):
    response = check(good_file)
    assert response.status_code == 200
    assert "<h1> mine.json can be scored </h1>" in text_of(response)
    assert "Create an account to get a score. We keep your file meanwhile." in text_of(response)
    # A visitor is not asked for more.
    assert 'name="system"' not in text_of(response)
    assert not Submission.objects.exists()


def test_checking_a_bad_file_lists_every_problem_by_kind(demo, check, malformed_file):
    response = check(malformed_file, "mal.json")
    text = text_of(response)
    assert response.status_code == 422
    assert "<h1> mal.json has 13 errors of 6 kinds </h1>" in text
    assert "Nothing was submitted. Fix them and drop the file again." in text
    assert "and 1 more: line 15" in text
    assert '<span class="visually-hidden">remove:</span>' in text
    assert "&quot;answer&quot;: &quot;[" in text
    assert "answer.not-a-string" in text
    assert "/results/0/answer" in text


def test_the_message_of_one_error_is_not_counted_for_others_of_its_code(demo, check, good_file):
    results = json.loads(good_file)
    del results["results"][0]["answer"], results["results"][1]["task_id"]
    text = text_of(check(json.dumps(results).encode(), "mixed.json"))
    assert "<code>answer</code> is missing </h2>" in text
    assert "<code>field.missing</code>" in text
    for result in results["results"][2:4]:
        result["answer"] = [1]
    text = text_of(check(json.dumps(results).encode(), "mixed.json"))
    assert 'is a list <span class="sub"> (2 times) </span>' in text


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


def test_a_bad_file_leaves_the_one_that_waits_and_what_was_typed_for_it(ada, demo, upload, good_file):
    ada.post("/submit/", {"file": upload(good_file, "good.json")})
    typed = {"system": "Typed in", "then": "read"}
    text = text_of(ada.post("/submit/", {"file": upload(b"{", "bad.json"), **typed}))
    assert "bad.json has 1 error" in text
    assert '<a href="/submit/">good.json</a> is still here.' in text
    assert 'value="Typed in"' in text_of(ada.get("/submit/"))
    ada.post("/submit/", {"file": upload(good_file + b" ", "better.json")})
    text = text_of(ada.get("/submit/"))
    assert "better.json can be scored" in text
    assert 'value="Typed in"' in text


def test_the_page_says_that_a_file_of_a_session_that_ended_is_kept(ada, demo, upload, good_file):
    ada.post("/submit/", {"file": upload(good_file)})
    del ada.cookies["sessionid"]
    assert "Your file and what you typed are kept." in text_of(ada.get("/submit/"))
    response = ada.post("/submit/", {"system": "Typed in", "benchmark": demo.slug}, follow=True)
    assert response.request["PATH_INFO"] == "/accounts/login/"
    assert "You were signed out. Your file and what you typed are kept." in text_of(response)
