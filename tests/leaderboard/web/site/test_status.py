"""The page of the service's status, in both languages, and while the database is away."""

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from leaderboard.services.health import status


def test_the_page_says_what_works_and_a_proxy_may_keep_it_for_some_seconds(visitor, ada, demo):
    response = visitor.get("/status/")
    text = response.content.decode()
    assert response.status_code == 200
    assert "Everything works." in text
    assert demo.title in text
    assert (response["Cache-Control"], "Cookie" in response["Vary"]) == ("public, max-age=5", True)
    assert ada.get("/status/")["Cache-Control"] == "private, no-cache"
    assert "一切運作正常。" in visitor.get("/zh-hant/status/").content.decode()
    assert 'href="/status/"' in visitor.get("/about/").content.decode()


@pytest.mark.parametrize("path", ["/status/", "/zh-hant/status/"])
def test_without_the_database_the_page_says_so(ada, monkeypatch, path):
    def away(*_):
        raise DatabaseError("connection to 10.0.0.1 failed")

    monkeypatch.setattr(status, "waiting_by_queue", away)
    # Someone who is signed in has a session, which is in the database.
    with CaptureQueriesContext(connection) as queries:
        response = ada.get(path)
    assert not any("session" in query["sql"] for query in queries)
    assert response.status_code == 200
    assert "note error" in response.content.decode()
    assert "10.0.0.1" not in response.content.decode()
