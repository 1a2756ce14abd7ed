"""Boards on other sites: badges, cards and embedded tables."""

import struct
from xml.etree import ElementTree

import pytest

from leaderboard.models import Kind
from leaderboard.services.pictures import render_limit
from leaderboard.services.turns import Turns
from tests.support.factories import make_bare, make_scored, publish_two
from tests.support.rows import put_row

BOARD = "/benchmarks/medagentbench-demo/"


def get_badge(visitor, system_id, board=BOARD, **headers):
    return visitor.get(f"{board}systems/{system_id}/badge.svg", headers=headers)


def read_title(response) -> str:
    assert response["Content-Type"] == "image/svg+xml"
    return ElementTree.fromstring(response.content).find("{http://www.w3.org/2000/svg}title").text


@pytest.fixture
def two(demo, user):
    return publish_two(user, demo)


def test_a_badge_shows_rank_interval_and_score(visitor, demo, two):
    assert read_title(get_badge(visitor, two["A"].system_id)) == "MedAgentBench demo: #1 · 94.0%"
    assert read_title(get_badge(visitor, two["B"].system_id)).endswith("82.0%")
    # What an endpoint badge of shields.io reads.
    endpoint = visitor.get(f"{BOARD}systems/{two['A'].system_id}/badge.json").json()
    assert endpoint == {
        **{"schemaVersion": 1, "label": "MedAgentBench demo", "message": "#1 · 94.0%", "color": "0b6e69"}
    }
    # It changes with its board.
    response = get_badge(visitor, two["A"].system_id)
    put_row(demo, "Better", 0.99, kind=Kind.RESCORED)
    changed = get_badge(visitor, two["A"].system_id, **{"If-None-Match": response["ETag"]})
    assert changed.status_code == 200
    elsewhere = put_row(make_bare("other", title="O"), "Elsewhere", 0.5)
    assert read_title(get_badge(visitor, elsewhere.system_id)) == "MedAgentBench demo: not ranked"


def test_an_unpublished_system_has_no_badge_like_an_unknown_one(visitor, demo, user, good_file):
    hidden = make_scored(user, demo, good_file).system_id
    for key in (hidden, 10**6, 2**70):
        assert get_badge(visitor, key).status_code == 404
        assert visitor.get(f"/systems/{key}/card.png").status_code == 404


def test_badges_and_cards_can_be_embedded_on_any_site(visitor, ada, two):
    key = two["A"].system_id
    for path in (f"{BOARD}systems/{key}/badge.svg", f"{BOARD}card.png", f"/systems/{key}/card.png"):
        responses = [client.get(path) for client in (visitor, ada)]
        assert responses[0].content == responses[1].content
        for response in responses:
            assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert response["Cache-Control"].startswith("public, max-age=300")
            assert "Vary" not in response or "Cookie" not in response["Vary"]
            assert not response.cookies
        second_response = visitor.get(path, headers={"If-None-Match": responses[0]["ETag"]})
        assert (second_response.status_code, second_response.content) == (304, b"")
        assert second_response["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_a_picture_is_refused_with_retry_after_when_too_many_wait(visitor, demo, monkeypatch):
    monkeypatch.setattr(render_limit, "turns", Turns(1))
    turn = render_limit.turns.take()
    put_row(demo, "Nobody has drawn this", 0.4321)
    response = visitor.get(f"{BOARD}card.png")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Cache-Control"] == "no-store"
    turn.end()
    card = visitor.get(f"{BOARD}card.png")
    assert card["Content-Type"] == "image/png"
    assert card.content.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", card.content[16:24]) == (1200, 630)


def test_the_embedded_table_may_be_framed_and_no_other_page(visitor, demo, two):
    response = visitor.get("/embed/medagentbench-demo/")
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert "X-Frame-Options" not in response
    assert not response.cookies
    assert "public" in response["Cache-Control"]
    for path in ("/", BOARD, f"/systems/{two['A'].system_id}/", "/accounts/login/", "/api/", "/submit/"):
        other_response = visitor.get(path)
        for part in ("default-src 'self'", "frame-ancestors 'none'"):
            assert part in other_response["Content-Security-Policy"]
        assert other_response["X-Frame-Options"] == "DENY"
    assert "Search: a ·" in visitor.get("/embed/medagentbench-demo/?q=a").content.decode()
    for name in ("board.md", "board.tex"):
        text = b"".join(visitor.get(f"{BOARD}{name}?q=a").streaming_content).decode()
        assert "ranks are those on the whole leaderboard" in " ".join(text.split())
    second_response = visitor.get("/embed/medagentbench-demo/", headers={"If-None-Match": response["ETag"]})
    assert second_response.status_code == 304


def test_errors_of_the_embedded_table_may_not_be_framed(visitor, demo, two):
    for address, status in (
        ("medagentbench-demo/?as_of=zz", 400),
        ("none/", 404),
        ("medagentbench-demo/?q=%00", 200),
    ):
        response = visitor.get(f"/embed/{address}")
        assert response.status_code == status, address
        assert ("X-Frame-Options" in response) == (status != 200)
        assert ("frame-ancestors 'none'" in response["Content-Security-Policy"]) == (status != 200)
