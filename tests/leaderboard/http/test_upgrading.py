"""Requests to a process whose tables have become those of a later release."""

import pytest

from leaderboard.models import CODE_LEVEL, Installation, Submission
from leaderboard.services import schema
from leaderboard.services.accounts import create_token

pytestmark = pytest.mark.both_databases


@pytest.fixture
def later_tables(db):
    Installation.objects.update_or_create(pk=1, defaults={"code_level": CODE_LEVEL + 1})
    schema.watch.start(is_checked=True)
    yield
    schema.watch.stop()


def test_a_page_says_that_there_is_an_upgrade(visitor, later_tables):
    for path, text in (("/", "being upgraded"), ("/zh-hant/", "升級")):
        response = visitor.get(path)
        assert response.status_code == 503
        assert text in response.content.decode()
        assert response["Retry-After"] == "30"
        assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/api/v1/benchmarks/", "/healthz"])
def test_programs_get_a_problem_document(visitor, later_tables, path):
    response = visitor.get(path)
    assert response.status_code == 503
    assert response.json()["code"] == "unavailable"
    assert response["Retry-After"] == "30"


def test_an_upload_costs_nothing(visitor, demo, user, good_file, upload, later_tables):
    _, token = create_token(user=user, name="ci", days=1)
    response = visitor.post(
        "/api/v1/submissions/",
        {"benchmark": demo.slug, "system": "Agent", "file": upload(good_file)},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert response.status_code == 503
    assert not Submission.objects.exists()


def test_an_error_before_the_process_has_noticed_is_the_same_answer(
    visitor, later_tables, monkeypatch, client
):
    # It asked the database a moment ago, before the tables changed.
    monkeypatch.setattr(schema, "NOTICE_SECONDS", 3600)
    Installation.objects.update(code_level=CODE_LEVEL)
    assert schema.watch.reason() is None
    Installation.objects.update(code_level=CODE_LEVEL + 1)
    monkeypatch.setattr("leaderboard.web.site.pages.summaries", lambda: 1 / 0)
    visitor.raise_request_exception = False
    assert visitor.get("/").status_code == 503
