"""The page of a board: its part for htmx, and the links of reported rows."""

import re

import pytest

from leaderboard.models import Kind
from tests.support.addresses import BOARD
from tests.support.rows import put_row

pytestmark = pytest.mark.usefixtures("demo")

HTMX = {"HX-Request": "true"}


@pytest.fixture
def board(demo):
    put_row(demo, "Alpha", 0.9, organisation="North", model_names=["m-1"], interaction="multi-turn")
    put_row(demo, "Beta", 0.8, organisation="South", model_names=["m-2"], open_weights=True)
    put_row(demo, "Gamma", 0.7, organisation="South", model_names=["m-1", "m-2"], reasoning="code")
    put_row(demo, "Null agent", 0.1, kind=Kind.BASELINE)
    return demo


def test_htmx_gets_only_the_results_with_their_url_and_an_announcement(visitor, board):
    assert 'id="filters"' in visitor.get(f"{BOARD}?q=south").content.decode()
    response = visitor.get(f"{BOARD}?q=south&interaction=", headers=HTMX)
    content = response.content.decode()
    assert response.status_code == 200
    assert response["HX-Push-Url"] == f"{BOARD}?q=south"
    assert content.lstrip().startswith('<div id="results"')
    assert "<html" not in content
    assert 'id="filters"' not in content
    assert re.search(r'id="announcement" hx-swap-oob="innerHTML">\s*2 systems match', content)
    assert "HX-Request" in response["Vary"]


def test_the_source_of_a_reported_row_is_linked_only_if_it_is_an_http_url(visitor, demo):
    put_row(demo, "Bad", 0.5, source_url="javascript:alert(1)")
    put_row(demo, "Good", 0.4, source_url="https://example.org/paper")
    content = visitor.get(BOARD).content.decode()
    assert "javascript:" not in content
    assert 'href="https://example.org/paper"' in content
