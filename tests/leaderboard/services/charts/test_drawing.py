"""The drawings: hostile names as text only, labels that do not overlap, the reader's language."""

import re
from collections import Counter
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.core.cache import caches
from django.utils import translation

from leaderboard.models import Board, Feedback, Kind
from leaderboard.services.boards.board_at import BoardAt
from leaderboard.services.boards.query import Query
from leaderboard.services.charts import render
from leaderboard.services.charts.drawing.labels import Box, Side, around, place
from leaderboard.services.charts.drawing.style import clean
from leaderboard.services.charts.views import available_views, read_view
from leaderboard.services.pictures import render_limit
from leaderboard.services.text_fitting import columns_of, shorten, wrap
from leaderboard.services.turns import TooBusy
from tests.support.rows import SINCE, put_row

NAMES = (
    "progress",
    "forest",
    "precision-recall",
    "score-by-cost",
    "score-by-time",
    "by-resource-type",
    "by-true-resources",
    "approach-by-model",
)
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
def board(db):
    caches["boards"].clear()
    return Board.objects.create(
        slug="words", benchmark="fhir-agentbench", version="1", title="Words", question="In words."
    )


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
        seconds_per_task=number,
        **{**traits, "model_names": [name[:60]], **facts},
    )


def read_chart(board, name: str):
    (view,) = [view for view in available_views(board) if view.name == name]
    return read_view(view=view, query=Query(board_at=BoardAt(board)))


def elements(svg: bytes):
    return ElementTree.fromstring(svg).iter()


# A chart of medium width has the layout of a wide one.
@pytest.mark.parametrize("width", ["wide", "narrow"])
@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_drawn_as_text(board, name, width):
    for number, hostile in enumerate(HOSTILE):
        put_system(board, hostile, number, judge=hostile if name == "precision-recall" else "")
    svg = render.svg_of(read_chart(board, name), scheme="light", width=width)
    assert {element.tag.split("}")[1] for element in elements(svg)} <= {
        *("svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath"),
    }
    attributes = {key for element in elements(svg) for key, _ in element.items()}
    assert {"aria-label", "font-family"} <= attributes
    assert not [key for key in attributes if key.startswith("on") or "href" in key or key == "style"]
    values = [
        value
        for element in elements(svg)
        for key, value in element.items()
        if key not in ("aria-label", "font-family")
    ]
    assert not [value for value in values if re.search(r"url\((?!#)|javascript:|https?:", value)]
    labels = " ".join(value for element in elements(svg) if (value := element.get("aria-label")))
    assert "<script>alert(1)</script>" in labels or name in ("by-true-resources", "progress")
    assert "[object" not in labels


@pytest.mark.parametrize("name", [*NAMES, "distribution"])
def test_each_mark_is_labelled_with_its_figures_and_nothing_else_is_labelled(board, name):
    for number in range(3):
        put_system(board, f"System {number}", number)
    svg = render.svg_of(read_chart(board, name), scheme="dark", width="wide")
    labels = [
        element.get("aria-label")
        for element in elements(svg)
        if element.get("aria-label") and element.get("aria-roledescription") != "title"
    ]
    assert labels
    assert [text for text in labels if "\n" not in text or not re.search(r"\d", text)] == []
    symbols = [element for element in elements(svg) if element.get("role") == "graphics-symbol"]
    assert symbols
    assert not [element for element in symbols if not element.get("aria-label")]


def test_a_single_best_score_and_a_single_system_are_not_drawn(board):
    names = ("progress", "forest", "precision-recall", "score-by-cost", "score-by-time")
    assert not any(render.is_drawn(read_chart(board, name)) for name in names)
    put_system(board, "A")
    assert not any(render.is_drawn(read_chart(board, name)) for name in names)
    put_system(board, "B", 3)
    assert all(render.is_drawn(read_chart(board, name)) for name in names)


def test_a_board_of_the_overall_figure_draws_neither_precision_nor_recall(board):
    board.feedback = Feedback.OVERALL
    for number in range(3):
        put_system(board, f"System {number}", number, kind=Kind.BASELINE if number else Kind.REPORTED)
    assert "precision-recall" not in [view.name for view in available_views(board)]
    assert render.is_drawn(read_chart(board, "forest"))


def test_each_system_is_named_in_the_picture_of_precision_and_recall(board):
    for name, precision, recall in (("Precise", 0.9, 0.2), ("Both", 0.6, 0.6), ("Beaten", 0.5, 0.5)):
        put_row(board, name, 0.5, metrics={"precision": precision, "recall": recall})
    put_row(board, "Null", 0.5, kind=Kind.BASELINE, metrics={"precision": 1.0, "recall": 0.1})
    put_row(board, "Unknown", 0.5, metrics={"precision": None, "recall": 0.9})
    view = read_chart(board, "precision-recall")
    assert [row.standing.name for row in view.front] == ["Precise", "Both"]
    assert {row.standing.name for row in view.rows} == {"Precise", "Both", "Beaten", "Null"}
    svg = render.svg_of(view, scheme="light", width="wide").decode()
    assert all(f">{name}<" in svg for name in ("Precise", "Both", "Beaten", "Null"))
    for number in range(30):
        put_row(board, f"One of many {number}", 0.5, metrics={"precision": 0.5, "recall": 0.5})
    crowded = render.svg_of(read_chart(board, "precision-recall"), scheme="light", width="narrow").decode()
    numbers = re.findall(r">(\d+)<", crowded)
    # Each number is beside a point and in the key, with its name.
    assert len(numbers) > 50
    assert set(Counter(numbers).values()) == {2}
    assert crowded.count(">One of many") == 30


def test_the_interval_chart_shows_the_first_systems_of_the_compared_judge(board):
    for number in range(30):
        put_system(board, f"System {number}", number, judge="rules 6")
    put_system(board, "Official", 39, judge="official: o4-mini")
    view = read_chart(board, "forest")
    assert (len(view.rows), view.has_more, view.judge) == (25, True, "rules 6")
    assert view.rows[0].standing.name == "System 29"


def test_a_chart_is_drawn_in_the_language_of_the_reader(board):
    for number in range(3):
        put_system(board, f"System {number}", 18 * number)
    view = read_chart(board, "progress")
    english = render.svg_of(view, scheme="light", width="wide").decode()
    with translation.override("zh-hant"):
        chinese = render.svg_of(view, scheme="light", width="wide").decode()
    assert "2026 年" not in english
    assert re.search(r"2026 年 \d+ 月 \d+ 日", chinese)
    # The English chart is unchanged afterwards.
    assert render.svg_of(view, scheme="light", width="wide").decode() == english


@pytest.mark.parametrize(
    ("hours", "labels"),
    [
        (0, {"1 Mar 2026, 00:00 UTC"}),
        (7, {"1 Mar 2026, 00:00 UTC", "1 Mar 2026, 07:00 UTC"}),
        (72, {"1 Mar 2026", "2 Mar 2026", "3 Mar 2026", "4 Mar 2026"}),
    ],
)
def test_the_time_axis_of_a_new_board_repeats_no_label(board, hours, labels):
    put_row(board, "First", counts=(20, 60), since=SINCE)
    put_row(board, "Second", counts=(30, 60), since=SINCE + timedelta(hours=hours, seconds=9))
    svg = render.svg_of(read_chart(board, "progress"), scheme="light", width="wide")
    dates = [text for text in texts_of_svg(svg) if "2026" in text]
    assert (set(dates), len(dates)) == (labels, len(labels))


def texts_of_svg(svg: bytes) -> list[str]:
    return ["".join(element.itertext()) for element in elements(svg) if element.tag.endswith("}text")]


def test_the_axis_of_rates_is_fitted_to_the_intervals(board):
    for day, (rate, ends) in enumerate(((0.405, (0.389, 0.42)), (0.618, (0.6, 0.636)))):
        put_row(board, f"Day {day}", rate, ends=ends, since=SINCE + timedelta(days=day))
    for width in ("wide", "narrow"):
        texts = texts_of_svg(render.svg_of(read_chart(board, "progress"), scheme="light", width=width))
        assert [text for text in texts if re.fullmatch(r"\d+%", text)] == ["30%", "40%", "50%", "60%", "70%"]
        assert "Answer correctness" in texts


def test_all_text_of_a_chart_has_13_pixels(board):
    for number in range(4):
        put_system(board, f"System {number}", number)
    for name in (*NAMES, "distribution"):
        for width in ("wide", "narrow"):
            svg = render.svg_of(read_chart(board, name), scheme="light", width=width)
            sizes = {element.get("font-size") for element in elements(svg) if element.tag.endswith("}text")}
            assert sizes == {"13px"}, (name, width)


def test_the_best_of_each_column_is_bold(board):
    for name, counts in (("A", [3, 4]), ("B", [4, 4]), ("C", [4, 4]), ("Null", [4, 4])):
        kind = Kind.BASELINE if name == "Null" else Kind.REPORTED
        breakdowns = {"resource_type": {"patient": counts, "location": [1, 2]}}
        put_row(board, name, counts=(5, 6), kind=kind, breakdowns=breakdowns)
    svg = render.svg_of(read_chart(board, "by-resource-type"), scheme="light", width="wide")
    bold = [e.text for e in elements(svg) if e.get("font-weight") in ("700", "bold")]
    # All three systems are equal in one column, and two in the other. A baseline is not the best.
    assert sorted(bold) == ["100%", "100%", "50%", "50%", "50%"]


def test_every_best_score_is_named_and_shortened_where_there_is_little_room(board):
    for number, name in enumerate(("Of the first " * 5, "Of the next " * 5, "The last")):
        put_row(board, name, counts=(20 + 2 * number, 60), since=SINCE + timedelta(days=9 * number))
    for width in ("wide", "narrow"):
        texts = texts_of_svg(render.svg_of(read_chart(board, "progress"), scheme="light", width=width))
        for name, score in (("Of the", "33.3%"), ("Of the", "36.7%"), ("The last", "40.0%")):
            assert any(text.startswith(name) and text.endswith(score) for text in texts)


def test_a_chart_is_refused_when_too_many_wait(board, monkeypatch):
    put_system(board, "A")
    put_system(board, "B", 1)
    monkeypatch.setattr(render_limit, "PATIENCE_OF_PICTURES", 0.01)
    turns = [render_limit.turns.take() for _ in range(settings.WEB_THREADS // 2)]
    with pytest.raises(TooBusy):
        render.svg_of(read_chart(board, "forest"), scheme="light", width="wide")
    for turn in turns:
        turn.end()
    with render_limit.one_drawing, pytest.raises(TooBusy):
        render.svg_of(read_chart(board, "forest"), scheme="light", width="wide")
    assert render.svg_of(read_chart(board, "forest"), scheme="light", width="wide")


def test_filtered_charts_have_few_cache_entries_and_displace_no_others(board, monkeypatch):
    put_system(board, "A")
    put_system(board, "B", 1)
    monkeypatch.setattr("leaderboard.services.charts.drawing.spec_of", lambda *_: {})
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: "<svg/>")
    monkeypatch.setattr(render, "PLACES", {False: 4, True: 2})
    cache_keys = []
    monkeypatch.setattr(caches["boards"], "set", lambda key, *_: cache_keys.append(key))
    for number in range(20):
        put_system(board, f"C{number}", number)
        for is_filtered in (False, True):
            render.svg_of(read_chart(board, "forest"), scheme="light", width="wide", is_filtered=is_filtered)
    cache_keys = [key for key in cache_keys if key.startswith("chart-")]
    assert len(cache_keys) == 40
    assert len(set(cache_keys)) <= 6
    assert {place.rsplit("-", 1)[0] for place in cache_keys} == {"chart-0", "chart-1"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_text_is_wrapped_into_lines_within_the_width(name):
    for letters, most in ((20, 3), (40, 2), (5, 1), (1, 1)):
        lines = wrap(clean(name), letters, most)
        assert 1 <= len(lines) <= most
        # A character of double width may be wider than the room.
        assert all(columns_of(line) <= max(letters, 3) for line in lines)


def test_texts_are_cut_at_spaces_and_end_with_an_ellipsis():
    assert wrap("A name of four words", 8, 2) == ["A name", "of four…"]
    assert wrap("short", 8, 2) == ["short"]
    assert wrap("", 8, 2) == [""]
    assert shorten("臨床助理二號", 9) == "臨床助理…"
    assert clean("two\nlines\x00") == "two lines"
    assert clean("مساعد").strip("\u2068\u2069") == "مساعد"


def test_a_label_is_placed_where_it_covers_nothing_or_left_out():
    sides = (Side("right", -8, -9), Side("left", 9, 12))
    frame = Box(0, 0, 300, 100)
    side, box = place("A name", 150, 50, sides, occupied=[around(150, 50)], frame=frame)
    assert side.align == "right"
    # Another at the same place takes the other side, and a third has none.
    again, other = place("A name", 150, 50, sides, occupied=[around(150, 50), box], frame=frame)
    assert again.align == "left"
    assert place("A name", 150, 50, sides, occupied=[box, other], frame=frame) is None
    assert place("A name", 20, 50, sides[:1], occupied=[], frame=frame) is None


@pytest.mark.parametrize("costs", [(0, 0), (0, 10_000), (1e-9, 10_000), (0.5, 0.5)])
def test_any_two_costs_have_an_axis(board, costs):
    for number, cost in enumerate(costs):
        put_row(board, f"System {number}", counts=(30 + number, 60), cost_per_task=cost)
    svg = render.svg_of(read_chart(board, "score-by-cost"), scheme="light", width="narrow")
    assert b"NaN" not in svg
    assert b"Infinity" not in svg
