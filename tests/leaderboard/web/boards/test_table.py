"""The table of a board, its part for htmx, and the links of reported rows."""

import re

import pytest
from django.core.cache import caches
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Board, Kind
from tests.support.addresses import BOARD
from tests.support.pages.table import names_in
from tests.support.pages.visible_text import text_of
from tests.support.rows import put_row

# Written once: `demo` returns it.
pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("demo")]


def test_a_published_row_shows_rank_rate_interval_and_figures_by_type(visitor, published):
    content = visitor.get(BOARD).content.decode()
    assert f'href="/systems/{published.system_id}/?board=medagentbench-demo"' in content
    row = content.split(f'<tr id="system-{published.system_id}"')[1].split("</tr>")[0]
    for cell in ('<td class="rank"><span class="point">1</span>', '<td class="score">94.0', ">84–98<"):
        assert cell in row
    assert [float(figure) for figure in re.findall(r'<td class="n">([\d.]+)</td>', row)] == [92.0, 96.0]
    assert "too few to compare" in content


def test_the_pages_for_readers_take_a_fixed_number_of_queries(visitor, published, demo):
    def ask(path: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert visitor.get(path).status_code == 200
        # So that no rendered page is reused.
        caches["pages"].clear()
        return len(queries)

    def count_queries() -> list[int]:
        # Once before counting: what is computed from all rows is cached until the board changes.
        ask("/")
        paths = ("/", BOARD, BOARD, f"/systems/{published.system_id}/", f"{BOARD}?q=system&sort=-coverage")
        return [ask(path) for path in paths]

    # The front page lists the changes of a board that is not a demonstration.
    Board.objects.filter(pk=demo.pk).update(is_demo=False)
    for n in range(3):
        put_row(demo, f"System of {n}", n / 3)
    counts_of_few = count_queries()
    for n in range(60):
        put_row(demo, f"System {n}", n / 60)
    *counts, chosen = count_queries()
    assert counts == counts_of_few[:4]
    # Whether the intervals that overlap the first are those of the next rows takes a query if any does.
    assert chosen <= counts_of_few[4] + 1
    # States and settings for the key, the board, its keys, its rows, navigation.
    assert counts_of_few[2] <= 8
    # States and settings, boards, leaders, keys and rows of the first five, navigation.
    assert counts_of_few[0] <= 8
    assert counts_of_few[3] <= 20


def test_htmx_gets_only_the_results_with_their_url_and_an_announcement(visitor, demo):
    for number, place in enumerate(("North", "South", "South")):
        put_row(demo, f"System {number}", 0.9, organisation=place)
    assert 'id="filters"' in visitor.get(f"{BOARD}?q=south").content.decode()
    response = visitor.get(f"{BOARD}?q=south&interaction=", headers={"HX-Request": "true"})
    content = response.content.decode()
    assert response.status_code == 200
    assert response["HX-Push-Url"] == f"{BOARD}?q=south"
    assert content.lstrip().startswith('<div id="results"')
    assert "<html" not in content
    assert 'id="filters"' not in content
    assert re.search(r'id="announcement" hx-swap-oob="innerHTML">\s*2 systems match', content)
    assert "HX-Request" in response["Vary"]


def test_more_rows_than_a_page_has_are_on_one_page_too_and_print_names_it(visitor, demo):
    for number in range(60):
        put_row(demo, f"System {number}", number / 60)
    first = text_of(visitor.get(BOARD))
    assert "All 60 rows on one page" in first
    assert "Rows 1–50 of 60:" in first
    whole = visitor.get(f"{BOARD}?page=all")
    assert (len(names_in(whole)), "All 60 rows" in text_of(whole)) == (60, False)
    # Sorting keeps all rows.
    assert "sort=system&amp;page=all" in whole.content.decode()
    assert [len(names_in(visitor.get(f"{BOARD}?page={page}"))) for page in ("0", "2")] == [50, 10]


def test_what_all_ranked_systems_share_is_said_once(visitor, demo):
    for name in "ABC":
        put_row(demo, name, 0.9, kind=Kind.RESCORED)
    demo.standings.update(chosen_before_score=True)
    page = text_of(visitor.get(BOARD))
    assert page.count("score unseen when chosen") == 1
    assert "Each ranked system here: score unseen when chosen." in page


def test_the_source_of_a_reported_row_is_linked_only_if_it_is_an_http_url(visitor, demo):
    put_row(demo, "Bad", 0.5, source_url="javascript:alert(1)")
    put_row(demo, "Good", 0.4, source_url="https://example.org/paper")
    content = visitor.get(BOARD).content.decode()
    assert "javascript:" not in content
    assert 'href="https://example.org/paper"' in content
