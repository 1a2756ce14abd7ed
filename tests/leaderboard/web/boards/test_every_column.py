"""Every column of boards of both benchmarks: on pages, and in files in Markdown and LaTeX."""

import re
from datetime import date

import pytest

from leaderboard.models import Board
from leaderboard.services.boards.columns import SORTINGS, columns_of
from leaderboard.services.visibility import visible_metrics
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_fhir_demo
from tests.support.rows import put_row
from wardboard.scoring.benchmark import Unit

BOARDS = ("medagentbench", "fhir-agentbench")


@shared_rows
def keys() -> dict[str, int]:
    boards = {"medagentbench": make_demo(), "fhir-agentbench": make_fhir_demo()}
    for board in boards.values():
        for name, facts in (("Stated", STATED), ("Nothing stated", {})):
            put_row(board, f"{name}, {board.slug}", 0.5, judge="rules 1", **facts)
    return {name: board.pk for name, board in boards.items()}


STATED = {
    "organisation": "Ward 7",
    "model_names": ["linden"],
    "open_weights": True,
    "harness": "official",
    "harness_name": "agent-kit",
    "tools": "calculator",
    "task_memory": True,
    "trained_on_benchmark": False,
    "cost_per_task": 0.25,
    "seconds_per_task": 3.5,
    "run_on": date(2026, 2, 1),
    "fhir_image": "sha256:" + "a" * 64,
}


@pytest.fixture(params=BOARDS)
def board(request, keys, db) -> Board:
    return Board.objects.get(pk=keys[request.param])


def text_of(response) -> str:
    assert response.status_code == 200
    return (response.getvalue() if response.streaming else response.content).decode()


def table_of(client, board, **params) -> str:
    page = text_of(client.get(f"/benchmarks/{board.slug}/", {"source": "reported", **params}))
    return page.split("<table")[1].split("</table>")[0]


def test_each_column_has_a_head_and_a_cell_in_every_row(client, board):
    table = table_of(client, board)
    heads = re.findall(r"<th scope=\"col\"", table)
    rows = re.findall(r'<tr id="system-.*?</tr>', table, re.DOTALL)
    assert len(rows) == 2
    # Metrics that no row has are left out; rank, system and score come first.
    stated = [column.key for column in columns_of(board) if column.metric is None]
    # Where a metric has costs, stated ones have no column of their own.
    has_costs = any(metric.unit == Unit.USD for metric in visible_metrics(board))
    assert len(heads) == 3 + len(stated) - has_costs
    assert {len(re.findall(r"<t[dh]\b", row)) for row in rows} == {len(heads)}


def test_rows_that_state_nothing_come_last_in_either_order(client, board):
    for key, sorting in SORTINGS.items():
        if sorting.field in STATED and sorting.has_gaps:
            for sort in (key, f"-{key}"):
                page = text_of(client.get(f"/benchmarks/{board.slug}/", {"sort": sort, "source": "reported"}))
                names = re.findall(r'class="name"[^>]*>([^<,]*),', page)
                assert names == ["Stated", "Nothing stated"], sort
