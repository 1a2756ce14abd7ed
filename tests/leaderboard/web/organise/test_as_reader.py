"""Organisers look at the pages of their board as a reader without an account gets them."""

import re

import pytest
from django.core.cache import caches
from django.test import Client

from leaderboard.models import Board
from tests.support.factories import make_published, make_scored, make_user, with_wrong

PUBLIC, VIEW = "/benchmarks/hidden/", "/organise/boards/hidden/as-reader/"
PAGES = ("", "about/", "changes/", "compare/", "views/forest/", "?q=careful", "?as_of=1")
_BANNER = re.compile(r'<aside class="as-reader".*?</aside>\n?', re.DOTALL)


@pytest.fixture
def board(board):
    Board.objects.filter(pk=board.pk).update(access="anyone")
    board.refresh_from_db()
    return board


def as_public(text: str) -> str:
    """Return a page of the view without its banner, and with the addresses of the public page."""
    return _BANNER.sub("", text).replace(VIEW, PUBLIC)


@pytest.mark.parametrize("language", ["", "/zh-hant"])
def test_each_page_is_the_one_that_a_reader_gets_with_a_banner(board, organiser, desk, good_file, language):
    # The organiser has a row of their own, and a result that is not published.
    make_published(organiser, board, good_file)
    make_scored(organiser, board, with_wrong(good_file, 3), system="Secret agent")
    for page in PAGES:
        public = Client().get(f"{language}{PUBLIC}{page}")
        view = desk.get(f"{language}{VIEW}{page}")
        assert view.status_code == public.status_code == 200, page
        assert view.text.count('<aside class="as-reader"') == 1
        assert as_public(view.text) == public.text, page
        assert organiser.email not in view.text
        assert "Secret agent" not in view.text


def test_own_rows_are_marked_on_the_public_page_alone(board, organiser, desk, good_file):
    make_published(organiser, board, good_file)
    assert "yours" in desk.get(PUBLIC).text
    assert "yours" not in desk.get(VIEW).text


def test_links_between_the_pages_stay_in_the_view_and_others_leave_it(board, organiser, desk, good_file):
    make_published(organiser, board, good_file)
    page = desk.get(VIEW).text
    links = re.findall(r'(?:href|action|hx-get)="([^"]*)"', page)
    public = {link for link in links if re.match(rf"(/zh-hant)?{PUBLIC}", link)}
    # Files and forms have one address for everyone.
    assert all(re.match(rf"(/zh-hant)?{PUBLIC}(board\.|records\.|submit/|card)", link) for link in public), (
        public
    )
    inside = {link for link in links if VIEW in link}
    assert {f"{VIEW}about/", f"/zh-hant{VIEW}"} <= inside
    for link in inside:
        assert desk.get(link.replace("&amp;", "&")).status_code == 200, link
    assert '<a href="/organise/boards/hidden/">Leave</a>' in page


def test_a_filter_is_applied_within_the_view_with_and_without_script(board, organiser, desk, good_file):
    make_published(organiser, board, good_file)
    plain = desk.get(f"{VIEW}?q=careful&sort=")
    assert (plain.status_code, plain["Location"]) == (302, f"{VIEW}?q=careful")
    part = desk.get(f"{VIEW}?q=careful&sort=", headers={"HX-Request": "true"})
    assert part["HX-Push-Url"] == f"{VIEW}?q=careful"
    assert "<aside" not in part.text


def test_a_board_that_is_not_open_yet_can_be_looked_at(db, staff):
    closed = Board.objects.create(
        slug="closed", benchmark="medagentbench", version="2", title="To come", question="What will be asked?"
    )
    assert not closed.is_open
    page = staff.get("/organise/boards/closed/as-reader/").text
    assert "The leaderboard is not open for submissions yet." in page
    assert as_public_of(closed, page) == Client().get("/benchmarks/closed/").text


def as_public_of(board, text: str) -> str:
    return _BANNER.sub("", text).replace(
        f"/organise/boards/{board.slug}/as-reader/", f"/benchmarks/{board.slug}/"
    )


def test_the_view_is_kept_by_no_cache_and_the_public_page_stays_as_it_was(board, organiser, desk, good_file):
    make_published(organiser, board, good_file)
    view = desk.get(VIEW)
    assert "no-store" in view.headers["Cache-Control"]
    assert "private" in view.headers["Cache-Control"]
    assert {"ETag", "Last-Modified"}.isdisjoint(view.headers)
    # What the view left in the cache of pages is the page of a reader.
    kept = Client().get(PUBLIC)
    caches["pages"].clear()
    fresh = Client().get(PUBLIC)
    assert kept.text == fresh.text
    assert "as-reader" not in kept.text
    for header in ("Cache-Control", "ETag", "Vary"):
        assert kept.headers[header] == fresh.headers[header]


def test_only_pages_of_this_board_are_shown(board, desk, good_file):
    make_published(make_user("ada@example.org"), board, good_file)
    for page in ("submit/", "board.csv", "nothing/", "../../organise/", "views/forest.csv", "views/nothing/"):
        assert desk.get(f"{VIEW}{page}").status_code == 404, page
    assert desk.post(VIEW).status_code == 405
    assert desk.head(VIEW).status_code == 200
