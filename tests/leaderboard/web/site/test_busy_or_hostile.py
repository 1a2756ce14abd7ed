"""Requests that are too many, malformed, or for the pages of someone else."""

import gc

import pytest
from django.core.signals import request_finished
from django.http import QueryDict
from django.test import Client

from leaderboard.services import turns
from leaderboard.services.turns import Turns
from leaderboard.web.sharing import downloads
from tests.support.rows import put_row

pytestmark = pytest.mark.both_databases

BOARD = "/benchmarks/medagentbench-demo/"
EXPORTS = [f"{BOARD}board.{extension}" for extension in ("csv", "json", "md", "tex")]
PAGES = ["/", BOARD, f"{BOARD}views/forest/", "/embed/medagentbench-demo/", "/submit/", "/accounts/login/"]
FILES = [*EXPORTS, f"{BOARD}views/forest/chart.svg", f"{BOARD}records.atom", f"{BOARD}card.png"]


@pytest.fixture
def large_board(demo, monkeypatch):
    """Make a board that counts as large, in a process with two turns and little patience."""
    # Closing a response would close the database connection of the test.
    monkeypatch.setattr(request_finished, "send", lambda **_: None)
    monkeypatch.setattr(downloads, "LARGE", 2)
    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    monkeypatch.setattr(downloads, "turns", Turns(1))
    for name in "AB":
        put_row(demo, name, 0.5)
    return demo


def test_a_large_export_holds_its_slot_until_it_is_closed(visitor, large_board):
    path = EXPORTS[0]
    first = visitor.get(path)
    second = visitor.get(path)
    assert (second.status_code, second["Retry-After"], second["Cache-Control"]) == (503, "5", "no-store")
    assert visitor.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert visitor.get(BOARD).status_code == 200
    first.close()
    third = visitor.get(path)
    assert len(third.getvalue()) > 10
    assert visitor.get(path).status_code == 200


def test_a_failed_or_abandoned_export_releases_its_slot(visitor, large_board, monkeypatch):
    def fail(**_):
        yield "head"
        raise ValueError("broken")

    with monkeypatch.context() as patched:
        patched.setattr(downloads.csv_json, "board_csv", fail)
        response = visitor.get(EXPORTS[0])
        with pytest.raises(ValueError, match="broken"):
            list(response.streaming_content)
        response.close()
    for _ in range(2):
        # Never closed or read. The test client puts its response in a reference cycle.
        assert visitor.get(EXPORTS[0]).status_code == 200
        gc.collect()


@pytest.fixture
def names_read(monkeypatch) -> set[str]:
    """Collect the names of the parameters that pages read from now on."""
    names: set[str] = set()

    def note_names(real):
        def read(self, name, *rest, **options):
            names.add(name)
            return real(self, name, *rest, **options)

        return read

    for method in ("get", "getlist", "__getitem__", "__contains__"):
        monkeypatch.setattr(QueryDict, method, note_names(getattr(QueryDict, method)), raising=False)
    return names


def test_every_parameter_of_a_public_page_changes_the_etag(visitor, demo, names_read):
    for name, score in (("A", 0.5), ("B", 0.4)):
        put_row(demo, name, score)
    for path in (*PAGES, *FILES, f"{BOARD}compare/", f"{BOARD}changes/"):
        names_read.clear()
        response = visitor.get(path)
        assert response.status_code == 200, path
        if "ETag" not in response:
            # A page that is not cached may read any parameter.
            assert path in ("/submit/", "/accounts/login/")
            continue
        content = response.getvalue()
        # Of every page as_of is read, since one of the past is never a second behind.
        reads_none = path in ("/", f"{BOARD}records.atom", f"{BOARD}card.png")
        assert bool(names_read - {"as_of"}) != reads_none, path
        for name in sorted(names_read):
            other = visitor.get(path, {name: "1"})
            # The ETag of a chart is made from its figures, which several addresses may share.
            assert other.get("ETag") != response["ETag"] or other.getvalue() == content, (path, name)


def test_too_many_parameters_break_no_page(visitor, ada, demo):
    for path in (*PAGES, *FILES, "/nowhere/", f"{BOARD}compare/", "/submissions/"):
        address = path + "?" + "&".join(f"{n}=" for n in range(250))
        for client in (visitor, ada):
            client.raise_request_exception = False
            # A page that reads no parameter may answer as usual.
            assert client.get(address).status_code < 500, path
        if path in (BOARD, *EXPORTS):
            assert visitor.get(address).status_code == 400, path
    address = "/api/v1/benchmarks/medagentbench-demo/leaderboard/?" + "&".join(f"{n}=" for n in range(250))
    response = visitor.get(address)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


def test_no_response_that_sets_a_cookie_is_cached(visitor, demo):
    for name in "AB":
        put_row(demo, name, 0.5)
    for path in (*PAGES, *FILES):
        # Django replaces an invalid token.
        visitor.cookies["csrftoken"] = "x"
        response = visitor.get(path)
        assert response.cookies, path
        assert "private" in response["Cache-Control"], path


def test_static_files_have_a_policy_too(settings, db):
    settings.WHITENOISE_USE_FINDERS = True
    response = Client().get("/static/leaderboard/favicon.svg")
    assert (response.status_code, response["Content-Type"]) == (200, "image/svg+xml")
    assert "default-src 'self'" in response["Content-Security-Policy"]
    response.close()
