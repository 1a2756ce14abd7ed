"""The drawings: hostile names as text only, few figures, and the places of filtered charts."""

import re
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.core.cache import caches

from leaderboard.models import Kind
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render
from leaderboard.services.charts.look import look_of
from leaderboard.services.charts.specs import size_of, spec_of
from leaderboard.services.charts.views import available_views, read_view
from tests.support.rows import SINCE, put_row

POINTS = ("progress", "forest", "precision-recall", "score-by-cost")
NAMES = (*POINTS, "by-resource-type", "by-true-resources", "approach-by-model", "by-harness")
HOSTILE = (
    "<script>alert(1)</script>",
    "${alert(1)} {{7*7}} datum.score",
    "'; split(datum.label, 3) //",
    "]]><image href='https://example.org/x.png'/>",
    "two\nlines\tand a tab",
    "مساعد سريري",
    "👩🏽‍⚕️👩🏽‍⚕️ agent",
    "臨床助理" * 30,
    "x" * 120,
    "&amp; &lt;b&gt;",
    "url(https://example.org/a.svg)",
    "\u202egnorw",
)


@pytest.fixture
def board(words):
    return words


def put_system(board, name: str, number: int = 0, **facts):
    traits = {"interaction": "multi-turn", "retrieval": "retriever", "reasoning": "code"}
    return put_row(
        board,
        name,
        counts=(20 + number, 60),
        metrics={"precision": 0.3 + number / 50, "recall": 0.8 - number / 50},
        breakdowns={"resource_type": {"patient": [3, 4]}, "true_resources": {"0": [30, 40], "1": [50, 100]}},
        since=SINCE + timedelta(days=9 * number),
        cost_per_task=0.0004 * 3**number,
        **{**traits, "model_names": [name[:60]], "harness": "official", **facts},
    )


def read_chart(board, name: str):
    (view,) = [view for view in available_views(board) if view.name == name]
    return read_view(view=view, query=Query(board_at=BoardAt(board)))


def draw(board, name: str, width: str = "wide", scheme: str = "light", **facts) -> bytes:
    spec = render.spec_text(read_chart(board, name), look_of(scheme=scheme, width=width))
    return render.picture_of(spec, **facts)


def elements(svg: bytes):
    return ElementTree.fromstring(svg).iter()


@pytest.mark.parametrize("width", ["wide", "medium", "narrow"])
@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_drawn_as_text_within_the_width(board, name, width):
    for number, hostile in enumerate(HOSTILE):
        models = {"model_names": ["one"], "harness_name": hostile} if name == "by-harness" else {}
        put_system(board, hostile, number, **models)
    svg = draw(board, name, width)
    size = size_of(spec_of(read_chart(board, name), look_of(scheme="light", width=width)))
    assert size == tuple(int(ElementTree.fromstring(svg).get(side)) for side in ("width", "height"))
    assert size[0] == look_of(scheme="light", width=width).width
    assert {element.tag.split("}")[1] for element in elements(svg)} <= {
        *("svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"),
    }
    attributes = [pair for element in elements(svg) for pair in element.items()]
    assert not [key for key, _ in attributes if key.startswith("on") or "href" in key or key == "style"]
    values = [value for key, value in attributes if key not in ("aria-label", "font-family")]
    assert not [value for value in values if re.search(r"url\((?!#)|javascript:|https?:", value)]
    labels = " ".join(value for key, value in attributes if key == "aria-label")
    assert "<script>alert(1)</script>" in labels or name == "progress"
    assert "[object" not in labels
    # All text has 13 pixels.
    assert {e.get("font-size") for e in elements(svg) if e.tag.endswith("}text")} == {"13px"}


def test_a_chart_is_drawn_only_from_as_much_as_does_not_mislead(board):
    assert not any(read_chart(board, name).is_drawn for name in NAMES)
    put_system(board, "Null", kind=Kind.BASELINE)
    assert not read_chart(board, "by-resource-type").is_drawn
    put_system(board, "A")
    # A single best score makes no line, and a baseline is no record.
    assert not read_chart(board, "progress").is_drawn
    put_system(board, "B", 3, model_names=["A"], harness="own-tools")
    assert [name for name in NAMES if not read_chart(board, name).is_drawn] == ["progress"]
    for number in (4, 5, 6):
        # Over time, few points would mislead.
        assert not read_chart(board, "progress").is_drawn
        put_system(board, f"C{number}", number)
    figure = read_chart(board, "progress")
    assert figure.is_drawn
    assert figure.sentence.startswith("Best published so far: 43.3% (other harnesses, not rescored).")


def test_a_step_over_few_tasks_is_in_the_table_and_not_in_the_chart(board):
    put_row(board, "A", 0.5, breakdowns={"true_resources": {"0": [30, 40], "2-5": [1, 19]}})
    figure = read_chart(board, "by-true-resources")
    assert [row["total"] for row in figure.export_rows()] == [40, 19]
    svg = draw(board, "by-true-resources").decode()
    assert "30 of 40 tasks" in svg
    assert "1 of 19 tasks" not in svg


def test_the_same_figures_are_drawn_once_and_filtered_charts_displace_no_others(board, monkeypatch):
    drawn, keys = [], []
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda spec, **_: drawn.append(spec) or "<svg/>")
    monkeypatch.setattr(render, "PLACES", {False: 4, True: 2})
    keep = caches["boards"].set
    monkeypatch.setattr(caches["boards"], "set", lambda key, *rest: keys.append(key) or keep(key, *rest))
    put_system(board, "A")
    for number in range(20):
        put_system(board, f"C{number}", number)
        for is_filtered in (False, True, True):
            draw(board, "forest", is_filtered=is_filtered)
    places = {key for key in keys if key.startswith("chart-")}
    assert len(drawn) == 40
    assert len(places) <= 6
    assert {place.rsplit("-", 1)[0] for place in places} == {"chart-svg-0", "chart-svg-1"}
