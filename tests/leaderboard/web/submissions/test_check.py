"""The page that checks a file without an account, and stores nothing."""

import gzip
import re

import pytest
from django.core.cache import cache
from django.test import override_settings

from leaderboard.http.rates import CheckThrottle
from leaderboard.models import Submission


def test_checking_a_good_file_says_that_it_can_be_scored_and_stores_nothing(visitor, demo, upload, good_file):
    response = visitor.post("/check/", {"benchmark": demo.slug, "file": upload(good_file, "mine.json")})
    assert response.status_code == 200
    assert "mine.json can be scored" in response.content.decode()
    assert not Submission.objects.exists()


def test_checking_a_bad_file_lists_every_problem(visitor, demo, upload, malformed_file):
    response = visitor.post("/check/", {"benchmark": demo.slug, "file": upload(malformed_file)})
    content = response.content.decode()
    assert response.status_code == 422
    assert re.search(r"[0-9]+ errors of [0-9]+ kinds in the file", content)
    assert '<span class="visually-hidden">remove:</span>' in content
    assert "&quot;answer&quot;: &quot;[" in content
    assert "answer.not-a-string" in content
    assert "/results/0/answer" in content


def test_a_fragment_is_only_the_report(visitor, demo, upload, malformed_file):
    form = {"benchmark": demo.slug, "file": upload(malformed_file)}
    content = visitor.post("/check/?fragment=1", form).content.decode()
    assert "answer.not-a-string" in content
    assert "<html" not in content


def test_a_gzipped_file_is_read_like_a_plain_one(visitor, demo, upload, good_file):
    gzipped_file = upload(gzip.compress(good_file), "mine.json.gz")
    assert visitor.post("/check/", {"benchmark": demo.slug, "file": gzipped_file}).status_code == 200


@pytest.mark.parametrize(
    ("form", "expected_text"),
    [
        ({"benchmark": "medagentbench-demo"}, "Choose a file first."),
        ({"benchmark": "none"}, "Choose the leaderboard that the file is for."),
        ({}, "Choose the leaderboard that the file is for."),
    ],
)
def test_a_check_without_board_or_file_says_which_is_missing(visitor, demo, form, expected_text):
    response = visitor.post("/check/", form)
    assert response.status_code == 422
    assert expected_text in response.content.decode()


@pytest.mark.parametrize(
    ("form", "field"),
    [({"benchmark": "none"}, "id_benchmark"), ({"benchmark": "medagentbench-demo"}, "id_file")],
)
def test_a_fragment_links_the_field_that_is_missing(visitor, demo, form, field):
    # The message is below the form, and the focus goes to it.
    fragment = visitor.post("/check/?fragment=1", form).content.decode()
    assert f'<a href="#{field}">Choose' in fragment
    assert f'id="{field}"' in visitor.get("/check/").content.decode()


def test_an_empty_file_gets_a_report_and_not_a_missing_file(visitor, demo, upload):
    response = visitor.post("/check/", {"benchmark": demo.slug, "file": upload(b"")})
    assert response.status_code == 422
    assert "file.empty" in response.content.decode()


def test_visitors_who_check_too_often_learn_when_to_retry(visitor, demo, monkeypatch):
    cache.clear()
    monkeypatch.setattr(CheckThrottle, "THROTTLE_RATES", {"validations": "1/min"})
    visitor.post("/check/", {})
    response = visitor.post("/check/", {})
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert "Try again in" in response.content.decode()
    cache.clear()


@override_settings(UPLOAD_LIMITS={"body_bytes": 1000})
def test_a_file_a_little_above_the_limit_gets_a_report(visitor, demo, upload):
    response = visitor.post("/check/", {"benchmark": demo.slug, "file": upload(b"[" * 2000)})
    assert response.status_code == 422
    assert "file.too-large" in response.content.decode()
