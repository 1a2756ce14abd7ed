"""Charts are drawn by the real Altair and vl-convert, once for the same figures."""

import re
from xml.etree import ElementTree

import pytest
from django.core.cache import caches

from leaderboard.models import Board, Kind
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render
from leaderboard.services.charts.views import available_views, read_view
from tests.support.rows import put_row

STEPS = {"0": [30, 40], "1": [5, 20], "2-5": [1, 19]}
TYPES = {"patient": [3, 4], "location": [5, 10], "empty": [1, 8]}


@pytest.fixture
def board(db):
    caches["boards"].clear()
    return Board.objects.create(
        slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="In words."
    )


def put_system(board, name: str, **facts):
    breakdowns = {"resource_type": TYPES, "true_resources": STEPS}
    traits = {"interaction": "multi-turn", "retrieval": "retriever", "reasoning": "code"}
    return put_row(
        board, name, counts=(9, 22), breakdowns=breakdowns, **{**traits, "model_names": ["m"], **facts}
    )


def read_chart(board, name: str):
    (view,) = [view for view in available_views(board) if view.name == name]
    return read_view(view=view, query=Query(board_at=BoardAt(board)))


def texts_of_svg(svg: bytes) -> list[str]:
    """Return the texts of a chart in the order of drawing."""
    return [
        text.text or "".join(text.itertext()) for text in ElementTree.fromstring(svg).iter() if is_text(text)
    ]


def is_text(element) -> bool:
    return element.tag.endswith("}text")


# What a browser would have to fetch.
_FETCHED = re.compile(rb'href="(?!#)|url\((?!#)|<image|@import')


@pytest.mark.parametrize("scheme", render.SCHEMES)
@pytest.mark.parametrize("width", ["wide", "narrow"])
@pytest.mark.parametrize(
    "name", ["by-resource-type", "by-true-resources", "approach-by-model", "distribution"]
)
def test_every_view_is_drawn_for_each_scheme_and_screen_within_its_width(board, name, scheme, width):
    put_system(board, "Careful agent", judge="rules 6")
    put_system(board, "臨床助理", judge="official: o4-mini")
    put_system(board, "y" * 120, judge="rules 6")
    svg = render.svg_of(read_chart(board, name), scheme=scheme, width=width)
    root = ElementTree.fromstring(svg)
    assert float(root.get("width")) <= (390 if width == "narrow" else 1184)
    assert texts_of_svg(svg)
    assert _FETCHED.search(b'<use href="https://example.org/x.svg"/>')
    assert not _FETCHED.search(svg)


def test_a_heat_map_has_figures_in_its_cells_and_names_beside_them(board):
    put_system(board, "Careful agent")
    texts = texts_of_svg(render.svg_of(read_chart(board, "by-resource-type"), scheme="light", width="wide"))
    assert {"75%", "50%", "13%", "Careful agent (as published)", "Patient", "Location", "No resource"} <= set(
        texts
    )


def test_names_that_are_cut_to_the_same_words_stay_apart(board):
    for end in "ab":
        put_system(board, "x" * 100 + end)
    texts = texts_of_svg(render.svg_of(read_chart(board, "by-resource-type"), scheme="light", width="narrow"))
    assert sum("xxx" in word for word in texts) >= 2
    assert texts.count("75%") == 2


def test_any_name_is_drawn_as_text(board):
    put_system(board, "<script>alert(1)</script> & 'split(datum)'")
    svg = render.svg_of(read_chart(board, "by-resource-type"), scheme="light", width="wide")
    assert b"<script" not in svg
    assert any("<script>" in word for word in texts_of_svg(svg))


def test_the_same_figures_are_drawn_once(board, monkeypatch):
    put_system(board, "A")
    view = read_chart(board, "distribution")
    first = render.svg_of(view, scheme="dark", width="wide")
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: pytest.fail("drawn again"))
    assert render.svg_of(read_chart(board, "distribution"), scheme="dark", width="wide") == first


def test_other_figures_have_another_digest(board):
    put_system(board, "A")
    before = render.digest_of(read_chart(board, "by-resource-type"))
    assert render.digest_of(read_chart(board, "by-resource-type")) == before
    put_system(board, "B")
    assert render.digest_of(read_chart(board, "by-resource-type")) != before


def test_a_view_without_figures_is_not_drawn(board):
    names = ["by-resource-type", "by-true-resources", "approach-by-model", "distribution"]
    assert not any(render.is_drawn(read_chart(board, name)) for name in names)
    put_system(board, "Null", kind=Kind.BASELINE)
    assert not render.is_drawn(read_chart(board, "by-resource-type"))
    put_system(board, "A")
    assert all(render.is_drawn(read_chart(board, name)) for name in names)


def test_a_step_over_few_tasks_is_in_the_table_and_not_in_the_chart(board):
    put_system(board, "A")
    put_row(board, "Small", counts=(9, 22), breakdowns={"true_resources": {"2-5": [0, 1]}})
    figure = read_chart(board, "by-true-resources")
    assert [row["total"] for row in figure.export_rows()] == [40, 20, 19, None, None, 1]
    svg = render.svg_of(figure, scheme="light", width="wide").decode()
    assert all(text in svg for text in ("30 of 40 tasks", "5 of 20 tasks"))
    assert not any(text in svg for text in ("1 of 19 tasks", "0 of 1 tasks", "Small"))
