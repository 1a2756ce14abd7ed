"""Conditional requests: anyone who has the current page gets a 304; every change makes another ETag."""

import pytest

from leaderboard.models import Submission
from leaderboard.services.accounts import personal_team
from leaderboard.services.publishing.publish import withdraw
from leaderboard.services.statistics import compute
from tests.support.addresses import BOARD
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, publish_each, with_wrong

PAGES = ["/", BOARD, f"{BOARD}?sort=system", f"/zh-hant{BOARD}"]


@shared_rows
def published() -> Submission:
    return publish_each(make_user(), make_demo(), Other=3, First=0)["First"]


def get_with_tag(visitor, path: str, tag: str, **headers):
    return visitor.get(path, headers={"If-None-Match": tag, **headers})


@pytest.mark.parametrize("path", PAGES)
def test_a_client_with_the_current_page_gets_304_without_rendering(
    visitor, published, path, django_assert_max_num_queries
):
    first = visitor.get(path)
    assert first["Cache-Control"].startswith("public, max-age=")
    assert {"Cookie", "HX-Request"} <= {name.strip() for name in first["Vary"].split(",")}
    with django_assert_max_num_queries(1):
        second = get_with_tag(visitor, path, first["ETag"])
    assert (second.status_code, second.content) == (304, b"")
    assert (second["ETag"], second["Vary"]) == (first["ETag"], first["Vary"])
    assert second["Cache-Control"] == first["Cache-Control"]


@pytest.mark.parametrize("path", PAGES)
def test_a_change_of_the_board_changes_the_tag(visitor, demo, published, user, good_file, path):
    tag = visitor.get(path)["ETag"]

    def is_new() -> bool:
        nonlocal tag
        response = get_with_tag(visitor, path, tag)
        before, tag = tag, response["ETag"]
        return response.status_code == 200 and before != tag

    assert not is_new()
    make_published(user, demo, with_wrong(good_file, 1), system="Third")
    assert is_new()
    withdraw(submission_id=published.pk, team=personal_team(user), by=user)
    assert is_new()
    assert compute.compute_statistics(board_id=demo.pk)
    assert is_new()
    assert not is_new()


def test_each_language_query_host_and_kind_of_request_has_a_tag_of_its_own(visitor, published, settings):
    # The page holds its own address in the canonical link, the card and the badge.
    settings.ALLOWED_HOSTS = ["*"]
    options = [
        {},
        {"secure": True},
        {"headers": {"Host": "elsewhere.example"}},
        {"headers": {"HX-Request": "true"}},
    ]
    requests = [(path, {}) for path in PAGES[2:]] + [(BOARD, extra) for extra in options]
    assert len({visitor.get(path, **extra)["ETag"] for path, extra in requests}) == len(requests)


@pytest.mark.parametrize("path", [*PAGES, f"{BOARD}about/"])
def test_the_page_of_a_signed_in_user_is_not_cached(ada, visitor, published, path):
    tag = visitor.get(path)["ETag"]
    response = get_with_tag(ada, path, tag)
    assert response.status_code == 200
    assert response["Cache-Control"] == "private, no-cache"
    assert "ETag" not in response
    visitor.cookies["messages"] = "anything"
    assert visitor.get(path)["Cache-Control"] == "private, no-cache"
    for other in ("/submit/", "/submissions/", "/account/tokens/", f"{BOARD}submit/", "/about/"):
        cache_control = ada.get(other)["Cache-Control"]
        assert ("private" in cache_control, "public" in cache_control) == (True, False), other


def test_a_response_to_a_token_is_not_cached(visitor, demo, published):
    for path in (BOARD, f"/api/v1/benchmarks/{demo.slug}/"):
        response = visitor.get(path, headers={"Authorization": "Bearer wb_unknown"})
        assert response["Cache-Control"] in ("private, no-cache", "no-store")
        assert "ETag" not in response


def test_a_page_that_never_existed_is_never_confirmed_with_304(visitor, published):
    assert get_with_tag(visitor, BOARD + "?as_of=yesterday", "*").status_code == 400
    assert get_with_tag(visitor, "/benchmarks/none/", "*").status_code == 404
