"""Rendered pages and answers of the API are cached for visitors, if they are the same for all of them."""

import gzip
import time
from concurrent.futures import ThreadPoolExecutor, wait
from types import SimpleNamespace

import pytest
from django.core.cache import caches

from leaderboard.http import conditional, page_cache
from leaderboard.models import Board, Feedback, Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.record.boards_now import read_boards
from tests.support.addresses import BOARD
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, with_wrong
from wardboard.scoring.medagentbench.demo import GOOD

pytestmark = pytest.mark.usefixtures("published")
PAGES = ["/", BOARD, f"{BOARD}?sort=system", f"/zh-hant{BOARD}", "/embed/medagentbench-demo/"]
GZIP = {"Accept-Encoding": "gzip, br"}
TABLE = "/api/v1/benchmarks/medagentbench-demo/leaderboard/"


@shared_rows
def published() -> Submission:
    return make_published(make_user(), make_demo(), GOOD.read_bytes(), system="First")


def test_a_repeated_request_gets_the_same_page_without_rendering(visitor, django_assert_max_num_queries):
    for path in PAGES:
        first = visitor.get(path)
        with django_assert_max_num_queries(1):
            second = visitor.get(path)
        assert (second.status_code, second.content) == (200, first.content), path
        for response in (first, second):
            response.headers.pop("X-Request-ID")
        assert second.headers == first.headers, path


def test_visitors_get_the_page_before_while_the_next_is_rendered(visitor, published, user, monkeypatch):
    before = visitor.get(BOARD)
    withdraw(submission_id=published.pk, team=personal_team(user), by=user)
    with page_cache.rendering(page_cache.address_of(before.wsgi_request, read_boards())) as is_first:
        assert is_first
        meanwhile = visitor.get(BOARD)
        assert meanwhile.content == before.content
        # It is not kept as the present page.
        assert meanwhile["Cache-Control"] == "no-cache"
        assert "ETag" not in meanwhile.headers
        assert visitor.get(BOARD, headers={"HX-Request": "true"}).content != before.content
        # Where the one before is not known, or too old, they wait for the next, but not for ever.
        monkeypatch.setattr(page_cache, "PATIENCE", 0.01)
        caches["pages"].clear()
        assert visitor.get(BOARD).content != before.content
    assert "ETag" in visitor.get(BOARD).headers


@pytest.fixture
def a_second(settings):
    """Have pages be shown for a second after a change, as in service; other tests look right after one."""
    settings.PAGE_SECONDS = 1.0


@pytest.fixture
def later(monkeypatch):
    """Return a function that lets seconds pass on the clock of the cache, which is still otherwise."""
    passed = [time.monotonic()]
    # Not the clock itself, which the cache of Django uses too.
    clock = SimpleNamespace(monotonic=lambda: passed[0])
    for module in (page_cache, conditional):
        monkeypatch.setattr(module, "time", clock)
    return lambda seconds: passed.append(passed.pop() + seconds)


@pytest.mark.usefixtures("a_second")
def test_visitors_see_a_publication_within_a_second_and_its_sender_and_the_api_at_once(
    ada, visitor, user, published, later
):
    before = visitor.get(BOARD)
    visitor.get(TABLE)
    make_published(user, published.board, with_wrong(GOOD.read_bytes(), 1), system="Second")
    meanwhile = visitor.get(BOARD, headers={"If-None-Match": before["ETag"]})
    assert (meanwhile.status_code, meanwhile.content) == (200, before.content)
    # It is not kept as the present page, and has no validator of the present one.
    assert meanwhile["Cache-Control"] == "no-cache"
    assert "ETag" not in meanwhile.headers
    assert "Second" in ada.get(BOARD).content.decode()
    assert "Second" in visitor.get(TABLE).content.decode()
    assert "Second" in visitor.get(f"{BOARD}board.csv").getvalue().decode()
    later(1)
    after = visitor.get(BOARD)
    assert "Second" in after.content.decode()
    assert after["ETag"] != before["ETag"]


@pytest.mark.usefixtures("a_second")
def test_a_past_moment_is_exact_and_what_is_hidden_or_new_is_so_at_once(visitor, user, published):
    past = f"{BOARD}?as_of={Board.objects.get(pk=published.board_id).state.number}"
    assert "withdrawn since" not in visitor.get(past).content.decode()
    visitor.get(BOARD)
    withdraw(submission_id=published.pk, team=personal_team(user), by=user)
    assert "withdrawn since" in visitor.get(past).content.decode()
    Board.objects.filter(pk=published.board_id).update(feedback=Feedback.OVERALL, title="Hidden now")
    assert "Hidden now" in visitor.get(BOARD).content.decode()
    make_demo("other-demo")
    assert "/benchmarks/other-demo/" in visitor.get(BOARD).content.decode()


def test_a_folder_that_a_request_names_is_no_page_of_others(visitor):
    address = f"/zh-hant{BOARD}"
    in_folder = visitor.get(BOARD, SCRIPT_NAME="/zh-hant")
    assert in_folder.wsgi_request.path == address
    response = visitor.get(address, headers={"If-None-Match": in_folder["ETag"]})
    assert response.status_code == 200
    assert '<html lang="zh-Hant">' in response.content.decode()


def test_errors_large_pages_files_pictures_and_pages_with_cookies_are_not_cached(
    visitor, published, monkeypatch
):
    for path, status in (
        *((f"{BOARD}?as_of=nonsense", 400), ("/accounts/login/", 200)),
        *((f"{BOARD}board.csv", 200), (f"{BOARD}board.json", 200)),
        (f"{BOARD}systems/{published.system_id}/badge.svg", 200),
    ):
        assert visitor.get(path).status_code == status, path
    with monkeypatch.context() as limited:
        limited.setattr(page_cache, "LARGEST", 100)
        visitor.get(BOARD)
    assert len(caches["pages"]._cache) == 0
    visitor.get(BOARD)
    # The page, and its key by address.
    assert len(caches["pages"]._cache) == 2


def test_a_repeated_request_to_the_api_is_answered_from_the_cache(visitor, django_assert_max_num_queries):
    first = visitor.get(TABLE)
    with django_assert_max_num_queries(1):
        second = visitor.get(TABLE)
    assert second.json() == first.json()
    assert second["ETag"] == first["ETag"]
    assert second["Content-Type"] == "application/json"
    assert visitor.get(f"{TABLE}?as_of=nonsense").status_code == 400
    assert visitor.get(TABLE, headers={"Authorization": "Bearer x"})["Cache-Control"] == "private, no-cache"


def test_the_api_never_answers_with_what_was_before(visitor, published, user, monkeypatch):
    before = visitor.get(TABLE)
    assert before.json()["rows"]
    withdraw(submission_id=published.pk, team=personal_team(user), by=user)
    monkeypatch.setattr(page_cache, "PATIENCE", 0.01)
    with page_cache.rendering(page_cache.address_of(before.wsgi_request, read_boards())):
        assert visitor.get(TABLE).json()["rows"] == []


def test_those_who_come_while_the_first_page_is_rendered_wait_for_it_and_not_for_long(monkeypatch):
    def come():
        with page_cache.rendering("address") as is_first:
            assert not is_first
            return page_cache.wait_for("address", "key").content

    with ThreadPoolExecutor(3) as pool:
        with page_cache.rendering("address") as is_first:
            assert is_first
            waiting = [pool.submit(come) for _ in range(3)]
            assert not wait(waiting, timeout=0.2).done
            caches["pages"].set("key", (b"page", {"Content-Type": "text/html"}))
        assert [future.result(timeout=1) for future in waiting] == [b"page"] * 3
    monkeypatch.setattr(page_cache, "PATIENCE", 0.01)
    with page_cache.rendering("other"):
        assert page_cache.wait_for("other", "none") is None
    assert page_cache.wait_for("other", "none") is None


def test_what_is_the_same_for_everyone_is_compressed_and_revalidated(visitor):
    # A cookie of a visitor, such as one with a CSRF token, changes nothing.
    visitor.cookies["csrftoken"] = "x" * 32
    for path in (BOARD, TABLE, f"{BOARD}board.csv"):
        plain, *packed = (visitor.get(path, headers=headers) for headers in ({}, GZIP, GZIP))
        assert "Content-Encoding" not in plain.headers
        body = plain.getvalue()
        for one in packed:
            assert (one["Content-Encoding"], one["ETag"], one["Vary"]) == (
                "gzip",
                plain["ETag"],
                plain["Vary"],
            )
            sent = one.getvalue()
            assert gzip.decompress(sent) == body, path
            assert len(sent) < len(body), path
        assert "Accept-Encoding" in plain["Vary"]
        again = visitor.get(path, headers={**GZIP, "If-None-Match": plain["ETag"]})
        assert (again.status_code, again.getvalue(), again["Vary"]) == (304, b"", plain["Vary"])


def test_what_may_have_a_secret_beside_a_strangers_text_is_not(ada, visitor, published):
    page = f"/submissions/{published.pk}/"
    for path in (f"{BOARD}?q=csrfmiddlewaretoken", page, "/account/tokens/", "/submissions/"):
        answer = ada.get(path, headers=GZIP)
        assert (answer.status_code, "Content-Encoding" in answer.headers) == (200, False), path
    # The first two set a cookie with the CSRF token of their forms.
    for path in ("/accounts/login/?next=/csrfmiddlewaretoken", f"{BOARD}submit/", "/review/none/"):
        assert "Content-Encoding" not in visitor.get(path, headers=GZIP).headers, path
