"""Cells of rows are rendered once for a revision; a page that takes them over is as one rendered anew."""

from itertools import product

import pytest
from django.core.cache import caches

from leaderboard.models import Benchmark, Feedback, Kind, Submission
from scoring.medagentbench.demo import GOOD
from tests.support.addresses import BOARD
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_published, make_user, with_wrong
from tests.support.rows import put_row, raise_revision

ORDERS = ["", "sort=system", "sort=-date", "q=s", "source=reported", "compare=1", "page=2"]
COLUMNS = ["", "&columns=groups", "&columns=date,organisation,models,runs,counts,next,interval"]
MARK = "<td>from before</td>"


@shared_rows
def board() -> int:
    demo, user = make_demo(), make_user()
    make_published(user, demo, with_wrong(GOOD.read_bytes(), 3), system="Other & <Co>")
    make_published(user, demo, GOOD.read_bytes(), system="First")
    put_row(demo, "Printed", 0.5, source_url="https://example.org/paper")
    put_row(demo, "Constant", 0.2, kind=Kind.BASELINE)
    return demo.pk


@pytest.fixture
def demo_board(board, db) -> Benchmark:
    caches["rows"].clear()
    return Benchmark.objects.select_related("state").get(pk=board)


def table_of(visitor, query: str, address: str = BOARD) -> str:
    caches["pages"].clear()
    content = visitor.get(f"{address}?{query}").content.decode()
    return content[content.index('<div id="results"') :]


def before_the_last_event(board: Benchmark) -> str:
    return f"as_of={board.state.number - 1}"


def mark_known_cells() -> int:
    """Write other cells in place of all that are known; return how many there are."""
    known = caches["rows"]
    keys = [key.split(":", 2)[2] for key in known._cache]
    known.set_many(dict.fromkeys(keys, MARK))
    return len(keys)


def test_a_page_with_known_cells_is_as_if_it_were_rendered_anew(visitor, demo_board):
    addresses, orders = [BOARD, f"/zh-hant{BOARD}"], [*ORDERS, before_the_last_event(demo_board)]
    for address, order, columns in product(addresses, orders, COLUMNS):
        table_of(visitor, order + columns, address)
    assert len(caches["rows"]._cache) >= 4 * len(COLUMNS)
    for address, order, columns in product(addresses, orders, COLUMNS):
        with_known = table_of(visitor, order + columns, address)
        caches["rows"].clear()
        caches["boards"].clear()
        assert table_of(visitor, order + columns, address) == with_known, (address, order, columns)


def test_another_order_takes_over_the_cells_and_the_next_revision_does_not(visitor, demo_board):
    table_of(visitor, "")
    assert mark_known_cells() == 4
    assert table_of(visitor, "sort=system").count(MARK) == 4
    assert table_of(visitor, "sort=system&compare=1").count(MARK) == 4
    raise_revision(demo_board)
    assert MARK not in table_of(visitor, "sort=system")


def test_other_columns_another_language_and_the_past_have_cells_of_their_own(visitor, demo_board):
    table_of(visitor, "")
    assert mark_known_cells() == 4
    assert MARK not in table_of(visitor, "columns=groups")
    assert MARK not in table_of(visitor, before_the_last_event(demo_board))
    assert MARK not in table_of(visitor, "", f"/zh-hant{BOARD}")


def test_cells_with_hidden_figures_are_not_taken_over_at_a_lower_level(visitor, demo_board):
    columns = "columns=query_success_rate,system,score"
    assert mark_known_cells() == 0
    table_of(visitor, columns)
    assert mark_known_cells() == 4
    # Without a new revision, which a change of the level has too.
    Benchmark.objects.filter(pk=demo_board.pk).update(feedback=Feedback.OVERALL)
    assert MARK not in table_of(visitor, columns)


def test_with_debug_rows_are_rendered_anew_for_each_request(visitor, demo_board, settings):
    table_of(visitor, "")
    assert mark_known_cells() == 4
    settings.DEBUG = True
    assert MARK not in table_of(visitor, "sort=system")


def test_the_mark_of_ones_own_systems_never_reaches_others(client, visitor, demo_board):
    owner = Submission.objects.first().submitted_by
    client.force_login(owner)
    for reader, marks in ((client, 2), (visitor, 0), (client, 2)):
        assert table_of(reader, "sort=system").count('<span class="pill">yours</span>') == marks
