"""The page of a board: its parameters, its part for htmx, and the board at a past date."""

import re
from html import unescape

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


@pytest.mark.parametrize(
    ("params", "canonical"),
    [
        ("q=&sort=-score", ""),
        ("q=a&model=", "?q=a"),
        ("source=&q=b+c", "?q=b+c"),
    ],
)
def test_a_form_without_javascript_redirects_to_the_canonical_url(visitor, board, params, canonical):
    response = visitor.get(f"{BOARD}?{params}")
    assert (response.status_code, response["Location"]) == (302, BOARD + canonical)
    assert visitor.get(response["Location"]).status_code == 200


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


def test_filters_that_are_set_are_chips_that_keep_the_rest_of_the_query(visitor, board):
    content = unescape(visitor.get(f"{BOARD}?weights=open&model=m-2&sort=system").content.decode())
    chips = content.split('id="chips"')[1].split("</ul>")[0]
    found = re.findall(r'href="([^"]*)"\s+(aria-current="true")?\s*>([^<]+)', chips)
    assert [
        (address.removeprefix(BOARD), bool(current), label.strip()) for address, current, label in found
    ] == [
        ("?model=m-2&sort=system", True, "Weights: Open"),
        ("?weights=open&sort=system", True, "Model: m-2"),
    ]
