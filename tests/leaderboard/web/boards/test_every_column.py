"""Every column of boards of both benchmarks: on pages, and in files in Markdown and LaTeX."""

import re
from datetime import date
from html import unescape

import pytest

from leaderboard.models import Board
from leaderboard.services.boards.columns import SORTINGS, columns_of, sort_keys
from tests.support.databases import shared_rows
from tests.support.factories import make_demo, make_fhir_demo
from tests.support.rows import put_row

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


def test_each_column_has_a_head_and_a_cell_in_every_row(client, board):
    address = f"/benchmarks/{board.slug}/"
    for column in columns_of(board):
        page = text_of(client.get(address, {"columns": column.key, "source": "reported"}))
        table = page.split("<table")[1].split("</table>")[0]
        heads = re.findall(r"<th scope=\"col\"", table)
        rows = re.findall(r'<tr id="system-.*?</tr>', table, re.DOTALL)
        assert len(rows) == 2
        # Groups of tasks are known of no row here, so their column is left out.
        assert len(heads) == (4 if column.key != "groups" else 3), column.key
        assert {len(re.findall(r"<t[dh]\b", row)) for row in rows} == {len(heads)}, column.key


def test_each_column_is_offered_to_choose_from_in_order(client, board):
    page = text_of(client.get(f"/benchmarks/{board.slug}/"))
    offered = re.findall(r'type="checkbox" name="columns" value="([^"]*)"', page)
    assert offered == [column.key for column in columns_of(board)]


# Column -> the text of its cell in the row that states everything.
CELLS = {
    "weights": "Open",
    "interval": "45.0% to 55.0%",
    "next": "–",
    "counts": "–",
    "runs": "–",
    "date": "2026-03-01",
    "organisation": "Ward 7",
    "models": "linden",
    "judge": "Wardboard rules 1",
    "harness": "Official harness · agent-kit",
    "tools": "calculator",
    "memory": "Yes",
    "trained": "No",
    "cost": "$0.2500",
    "time": "3.5 s",
    "run": "2026-02-01",
    "image": "sha256:" + "a" * 64,
    "trace": "–",
    "provenance": "–",
}


def test_each_column_has_its_text_in_the_row_that_states_it_and_a_dash_in_the_other(client, board):
    for column in columns_of(board):
        if column.metric or column.key == "groups":
            continue
        params = {"columns": column.key, "sort": "-system"}
        lines = text_of(client.get(f"/benchmarks/{board.slug}/board.md", params)).splitlines()
        stated, not_stated = (
            unescape(line.split("|")[-2].strip()) for line in lines if "stated, " in line.lower()
        )
        assert stated == CELLS[column.key], column.key
        if column.sorting and column.sorting.field in STATED:
            assert not_stated == "–", column.key


@pytest.mark.parametrize("extension", ["md", "tex"])
def test_each_column_is_in_files_with_its_label(client, board, extension):
    for column in columns_of(board):
        if column.key == "groups":
            continue
        address = f"/benchmarks/{board.slug}/board.{extension}"
        lines = text_of(client.get(address, {"columns": column.key})).splitlines()
        separator = "|" if extension == "md" else "&"
        head = next(line for line in lines if "System" in line and separator in line)
        labels = {column.file_label or column.label, column.short or column.label}
        plain = re.sub(r"\\|&#36;", "", head)
        assert any(label in plain for label in labels), (column.key, head)


@pytest.mark.parametrize("descending", ["", "-"])
def test_each_sort_key_gives_a_page_in_its_order_and_is_marked_in_its_head(client, board, descending):
    by_key = {column.sort_key: column for column in columns_of(board) if column.sorting}
    for key in sort_keys(board):
        column = by_key.get(key)
        params = {"sort": descending + key, "source": "reported"} | (
            {"columns": column.key} if column else {}
        )
        page = text_of(client.get(f"/benchmarks/{board.slug}/", params))
        assert "is not a value of this leaderboard" not in page, key
        marked = "descending" if descending else "ascending"
        if column or key in ("score", "system"):
            assert f'aria-sort="{marked}"' in page, key


def test_rows_that_state_nothing_come_last_in_either_order(client, board):
    for key, sorting in SORTINGS.items():
        if sorting.field in STATED and sorting.has_gaps:
            for sort in (key, f"-{key}"):
                page = text_of(client.get(f"/benchmarks/{board.slug}/", {"sort": sort, "source": "reported"}))
                names = re.findall(r'class="name"[^>]*>([^<,]*),', page)
                assert names == ["Stated", "Nothing stated"], sort
