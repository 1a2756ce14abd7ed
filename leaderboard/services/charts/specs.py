"""The chart of each view as a Vega-Lite specification: plain data, drawn by vl-convert.

Whatever colour conveys, a shape or a text conveys too. A mark that represents figures has a description for
screen readers: the first line names the mark, the others give its figures. Everything else is hidden from
screen readers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import accumulate, compress
from math import ceil
from statistics import fmean
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.models import Kind
from leaderboard.services.boards.row import Row
from leaderboard.services.charts import figures
from leaderboard.services.charts.figures import Figure, able_to_lead, approach_words
from leaderboard.services.charts.form import translated
from leaderboard.services.charts.look import (
    FONT,
    LINE,
    TEXT,
    Look,
    describe,
    interval,
    key_of,
    name_of,
)
from leaderboard.services.pictures.axis import ends_of
from leaderboard.services.rows.conditions import print_dollars
from leaderboard.services.text import day_of, mean_right, percent, percent_range
from leaderboard.services.text_fitting import clean, columns_of, shorten, wrap
from leaderboard.services.visibility import rate_words, round_figure

Spec = dict[str, Any]
Ends = tuple[float, float]
_LEFT = 48  # pixels for the labels of an axis upwards
_ROOMY = 64  # pixels: the heads of narrower columns are upright
_MOST_CELLS = 150  # cells in a row of tasks: 25 rows of more take seconds to draw
_ENDS = ("low", "rate", "high", "upper")
_NAME = "slice(datum.label, 3)"  # the name in a key of `key_of`
_DESCRIPTION = {"description": {"field": "description"}}
_BOLD = {"fontWeight": {"expr": "datum.best ? 700 : 400"}}


def spec_of(figure: Figure, look: Look, heading: Sequence[str] = ()) -> Spec:
    """Return the chart of a figure for which `is_drawn` holds.

    heading: of a file that stands alone: its title, and the lines below it
    """
    spec: Spec = {**_DRAWN_BY[type(figure)](figure, look), "config": _config(look), "autosize": "none"}
    if heading:
        lines = [clean(line) for line in heading[1:]]
        title = {"text": wrap(heading[0], look.width // 11, 3), "subtitle": lines}
        spec |= {"title": title, "autosize": "pad", "padding": 24, "background": look.sheet}
    return spec


def size_of(spec: Spec) -> tuple[int, int]:
    """Return the width and the height in pixels of a chart without a heading: a page reserves them."""
    room = spec["padding"]
    return spec["width"] + room["left"] + room["right"], spec["height"] + room["top"] + room["bottom"]


def _chart(
    look: Look, values: Sequence[Spec], layers: Sequence[Spec], size: tuple[int, int], **room: int
) -> Spec:
    """Return a chart. size: of its marks. room: around them in pixels; to the right is what `look` leaves."""
    width, height = size
    padding = {"bottom": 4, **room, "right": look.width - room["left"] - width}
    return {"data": {"values": values}, "layer": layers, "width": width, "height": height, "padding": padding}


def _config(look: Look) -> Spec:
    quiet = {"labelColor": look.quiet, "titleColor": look.quiet, "aria": False}
    sizes = {"labelFontSize": TEXT, "titleFontSize": TEXT, "titleFontWeight": "normal"}
    silent = {"aria": False}
    return {
        "font": FONT,
        "background": "transparent",
        "view": {"stroke": None},
        "axis": {**quiet, **sizes, "gridColor": look.rule, "domain": False, "ticks": False},
        "legend": {
            **{**quiet, **sizes, "labelColor": look.ink, "labelLimit": 0, "title": None},
            **{"orient": "top", "columns": 2 if look.is_narrow else 4, "columnPadding": 24},
            **{"symbolOpacity": 1, "symbolStrokeWidth": 0},
        },
        "title": {
            **{"color": look.ink, "fontSize": 20, "lineHeight": 26, "anchor": "start", "offset": 16},
            **{"subtitleFontSize": TEXT, "subtitleLineHeight": 18, "subtitlePadding": 8},
            **{"subtitleColor": look.quiet, "frame": "bounds", "aria": False},
        },
        "text": {**silent, "fontSize": TEXT, "color": look.ink, "baseline": "middle"},
        **{"rule": silent, "line": silent},
    }


def _ends(values: Iterable[Spec]) -> Ends:
    return ends_of(end for value in values for name in _ENDS if (end := value[name]) is not None)


def _rates(field: str, ends: Ends, look: Look, **axis: Any) -> Spec:
    axis = {"format": ".0%", "tickCount": 4 if look.is_narrow else 8, "labelFlush": False, **axis}
    scale = {"domain": ends, "nice": False, "zero": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _upwards(title: str) -> Spec:
    """Return an axis upwards. Its title is horizontal, above the labels, where it is read first."""
    place = {"titleAngle": 0, "titleAlign": "left", "titleAnchor": "end", "titleBaseline": "bottom"}
    return {"title": title, **place, "titleX": 4 - _LEFT, "titleY": -14, "labelPadding": 8}


def _rows(look: Look, room: int = 96) -> Spec:
    """Return the encoding of rows, with their names to the left or, on a phone, above each row.

    room: pixels that a phone needs beside a name
    """
    place = {"labelPadding": look.names, "labelLimit": look.names - 24}
    if look.is_narrow:
        place = {"labelPadding": 0, "labelOffset": -20, "labelLimit": look.width - room}
    axis = {"title": None, "labelAlign": "left", "labelColor": look.ink, "labelExpr": _NAME, **place}
    return {"field": "row", "type": "nominal", "sort": None, "axis": axis}


def _kind(kind: str) -> str:
    words = {"reported": _("As published"), "baseline": _("Baseline")}
    return words.get(kind, _("Verified (scored here)"))


def _marks(values: Iterable[Spec], look: Look, offset: int) -> Spec:
    """Return the colours and the shapes of the kinds of `values`, with one legend.

    offset: of the legend above the chart, in pixels
    """
    looks = ((look.measured, "circle"), (look.reported, "diamond"), (look.quiet, "square"))
    styles = dict(zip(map(_kind, ("rescored", "reported", "baseline")), looks, strict=True))
    present = {value["kind"] for value in values}
    shown = [kind for kind in styles if kind in present]
    return {
        channel: {
            **{"field": "kind", "type": "nominal", "legend": {"offset": offset}},
            "scale": {"domain": shown, "range": [styles[kind][number] for kind in shown]},
        }
        for number, channel in enumerate(("color", "shape"))
    }


def _points(encoding: Spec) -> Spec:
    mark = {"type": "point", "filled": True, "size": 64, "opacity": 1}
    return {"mark": mark, "encoding": {**encoding, **_DESCRIPTION}}


def _spans(along: str, low: Spec, encoding: Spec) -> list[Spec]:
    """Return the layers of 95% intervals along x or y, and of dashes up to scores with open answers."""
    bars = {"strokeWidth": 4, "opacity": 0.45, "strokeCap": "round"}
    dashes = {"strokeWidth": 1.5, "strokeDash": [3, 2]}
    plain = {key: value for key, value in encoding.items() if key != "shape"}
    return [
        {
            "mark": {"type": "rule", **mark},
            "transform": [{"filter": f"isValid(datum.{end})"}],
            "encoding": {**plain, along: {**low, "field": start}, f"{along}2": {"field": end}},
        }
        for start, end, mark in (("low", "high", bars), ("rate", "upper", dashes))
    ]


def _named(labels: Sequence[Spec]) -> Spec:
    """Return the layer of texts with their places in pixels."""
    at = {axis: {"value": {"expr": f"datum.{axis}"}} for axis in "xy"}
    mark = {"type": "text", "align": {"expr": "datum.align"}, "lineBreak": "\n", "lineHeight": LINE}
    encoding = {**at, "text": {"field": "text", "type": "nominal"}}
    return {"data": {"values": labels}, "mark": mark, "encoding": encoding}


def _beside_points(look: Look, x: Spec, y: Spec, width: float, *, rises: bool = True) -> Spec:
    """Return the layer of names beside points that have a label, off the line that joins the points."""
    is_right = f"scale('x', datum.{x['field']}) > {width / 2}"
    place = {
        "align": {"expr": f"{is_right} ? 'right' : 'left'"},
        "dx": {"expr": f"{is_right} ? -9 : 9"},
        "dy": {"expr": f"{is_right} ? -13 : 17" if rises else f"{is_right} ? 17 : -13"},
    }
    mark = {"type": "text", "limit": width / 2, **place}
    return {
        "transform": [{"filter": "datum.label"}],
        "encoding": {"x": x, "y": y, "text": {"field": "label", "type": "nominal"}},
        # A name that covers a line has a ground of its own.
        "layer": [{"mark": {**mark, "stroke": look.sheet, "strokeWidth": 8}}, {"mark": mark}],
    }


def _height(look: Look, rows: int) -> int:
    return rows * (52 if look.is_narrow else 30)


def _figures(low: float | None, rate: float | None, high: float | None, upper: float | None = None) -> Spec:
    return dict(zip(_ENDS, map(round_figure, (low, rate, high, upper)), strict=True))


def _forest(figure: figures.ForestFigure, look: Look) -> Spec:
    """Draw an interval and a point for each row, and its figures to the right."""
    labelled = zip(figure.rows, figure.labels, strict=True)
    values = [_line(number, row, label) for number, (row, label) in enumerate(labelled)]
    leads = able_to_lead(figure.rows)
    best = _best(compress(values, leads))
    for value, is_able in zip(values, leads, strict=True):
        value["best"] = is_able and value["rate"] == best
    ends = _ends(values)
    axis = {"orient": "top", "titleAnchor": "start", "titlePadding": 8, "offset": 14 if look.is_narrow else 0}
    title = _("%(metric)s, %% of tasks") % {"metric": translated(figure.metric.label)}
    rate = _rates("rate", ends, look, title=title, **axis)
    marks = {**_marks(values, look, 12), "y": _rows(look)}
    right = look.width - (look.names or 36)
    width = right - (0 if look.is_narrow else 190)
    place = {"left": look.names or 18, "top": 78 if look.is_narrow else 64}
    columns = [_column("score", right - (0 if look.is_narrow else 110), look, **_BOLD)]
    if not look.is_narrow:
        columns.append(_column("span", right, look, color=look.quiet))
    layers = [*_spans("x", rate, marks), _points({**marks, "x": rate}), *columns]
    return _chart(look, values, layers, (width, _height(look, len(values))), **place)


def _column(field: str, x: float, look: Look, **mark: Any) -> Spec:
    """Return a column of texts that ends at `x` pixels, on a phone beside the names."""
    mark = {"type": "text", "align": "right", "dy": -20 if look.is_narrow else 0, **mark}
    return {"mark": mark, "encoding": {"x": {"value": x}, "y": _rows(look), "text": {"field": field}}}


def _line(number: int, row: Row, label: str) -> Spec:
    standing = row.standing
    lines = [
        label if label != standing.name else "",
        row.score_words,
        interval(standing.low, standing.high),
        _("Rank %(ranks)s") % {"ranks": row.rank_words} if row.rank else "",
        _("Statistically tied for first") if row.place.is_tied_for_first else "",
    ]
    return {
        **_figures(standing.low, standing.score, standing.high, row.upper),
        **{"row": key_of(number, label), "kind": _kind(standing.kind), "score": row.score_words},
        "span": f"({percent(standing.low)[:-1]}–{percent(standing.high)[:-1]})",
        "description": describe(name_of(row.standing), *lines),
    }


def _cloud(figure: figures.PointFigure, look: Look) -> Spec:
    """Draw a point for each row, and the line of those that no other dominates, with their names."""
    letters = 20 if look.is_narrow else 44
    values = [_point(figure, line, letters) for line in figure.lines]
    ends = _ends(values)
    x = _costs(figure, look) if figure.is_cost else _recalls(figure, look)
    width, height = look.width - _LEFT - 24, 330 if look.is_narrow else 440
    rate = _rates("rate", ends, look, **_upwards(translated(figure.up.label)))
    marks = {**_marks(values, look, 36), "x": x}
    opacity = {"opacity": {"condition": {"test": "datum.front", "value": 1}, "value": 0.55}}
    front = {
        "transform": [{"filter": "datum.front"}],
        "mark": {
            **{"type": "line", "strokeDash": [4, 3], "strokeWidth": 1, "color": look.quiet},
            "interpolate": "step-after" if figure.is_cost else "step-before",
        },
        "encoding": {"x": x, "y": rate},
    }
    # No name hides a point.
    layers = [front, *_spans("y", rate, marks), _beside_points(look, x, rate, width, rises=figure.is_cost)]
    layers.append(_points({**marks, "y": rate, **opacity}))
    return _chart(look, values, layers, (width, height), left=_LEFT, top=52, bottom=44)


def _point(figure: figures.PointFigure, line: figures.PointLine, letters: int) -> Spec:
    row, (across, up), shares, is_front = line
    standing = row.standing
    over_across, over_up = (f" ({share})" if share else "" for share in shares)
    words_across = print_dollars(across) if figure.is_cost else percent(across)
    said = [
        (figure.up.label, row.score_words if figure.is_cost else percent(up) + over_up),
        (figure.across_label, words_across + over_across),
        *([] if figure.is_cost or standing.score is None else [(figure.metric.label, row.score_words)]),
    ]
    lines = [_("%(group)s: %(rate)s") % {"group": translated(label), "rate": words} for label, words in said]
    # Intervals of precision and recall are not computed.
    low, high = (standing.low, standing.high) if figure.is_cost else (None, None)
    return {
        **_figures(low, up, high, row.upper if figure.is_cost else None),
        **{"across": across, "front": bool(is_front), "kind": _kind(standing.kind)},
        **{"label": shorten(standing.name, letters) if is_front else ""},
        **{"description": describe(name_of(row.standing), *lines)},
    }


def _recalls(figure: figures.PointFigure, look: Look) -> Spec:
    axis = {"title": translated(figure.across_label), "grid": False, "labelPadding": 8}
    return _rates("across", ends_of(across for across, _up in figure.points), look, **axis)


def _costs(figure: figures.PointFigure, look: Look) -> Spec:
    """Return the axis of costs: logarithmic where they are far apart."""
    costs = [across for across, _up in figure.points]
    least, most = min(costs), max(costs)
    is_log = least > 0 and most / least >= 10
    ends = (least / 1.3, most * 1.3) if is_log else (0.0, most * 1.05 or 1.0)
    title = _("Mean US dollars per task")
    axis = {
        **{"format": "$,~r", "grid": False, "labelPadding": 8, "labelOverlap": "greedy"},
        "title": _("%(title)s (log scale)") % {"title": title} if is_log else title,
        "tickCount": 4 if look.is_narrow else 8,
    }
    scale = {"type": "log" if is_log else "linear", "domain": ends, "nice": False}
    return {"field": "across", "type": "quantitative", "scale": scale, "axis": axis}


def _progress(figure: figures.ProgressFigure, look: Look) -> Spec:
    lines = [line for line in (figure.history.scores, figure.history.published) if line]
    since = min(line[0].at for line in lines)
    until = max(figure.history.until or since, *(line[-1].at for line in lines))
    margin = (until - since or timedelta(days=1)) * 0.02
    width, height = look.width - _LEFT - 12, 300 if look.is_narrow else 380
    letters = 20 if look.is_narrow else 44
    # The others are in the table: their names would cover the steps.
    named = [*figure.history.scores[: 0 if look.is_narrow else 1], *(line[-1] for line in lines)]
    values = [
        {
            **_figures(best.low, best.score, best.high, best.upper),
            **{"at": _milliseconds(best.at), "kind": _kind(best.kind)},
            "label": f"{best.score_words} {shorten(best.name, letters)}" if best in named else "",
            "description": describe(
                name_of(best), f"{best.score_words} · {day_of(best.at)}", interval(best.low, best.high)
            ),
        }
        for line in lines
        for best in line
    ]
    scale = {"type": "utc", "domain": [_milliseconds(since - margin), _milliseconds(until + margin)]}
    # Numbers need no language; several ticks of one day need the time.
    day = "%Y-%m-%d %H:%M" if until - since < timedelta(days=8) else "%Y-%m-%d"
    axis: Spec = {"title": None, "grid": False, "format": day, "labelPadding": 8}
    # A phone has room for the ends alone, which lie within the axis.
    ends = {"values": [_milliseconds(since), _milliseconds(until)], "labelFlush": 40}
    axis |= ends if look.is_narrow else {"tickCount": 6}
    x = {"field": "at", "type": "temporal", "scale": scale, "axis": {**axis, "labelOverlap": "greedy"}}
    rate = _rates("rate", _ends(values), look, **_upwards(translated(figure.metric.label)))
    marks = {**_marks(values, look, 36), "x": x}
    # The last of each line holds until today.
    held = [{**values[number - 1], "at": _milliseconds(until)} for number in accumulate(map(len, lines))]
    steps = {
        "data": {"values": [*values, *held]},
        "mark": {"type": "line", "interpolate": "step-after"},
        "encoding": {"x": x, "y": rate, "color": marks["color"]},
    }
    layers = [steps, *_spans("y", rate, marks), _points({**marks, "y": rate})]
    layers.append(_beside_points(look, x, rate, width))
    return _chart(look, values, layers, (width, height), left=_LEFT, top=52, bottom=28)


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def _groups(figure: figures.GroupFigure, look: Look) -> Spec:
    cells: list[Spec] = []
    rates: list[float] = []
    groups = figure.groups
    for number, (row, leads) in enumerate(zip(figure.rows, able_to_lead(figure.rows), strict=True)):
        for group, rate in figure.drawn(row).items():
            label = translated(groups[group])
            shown = round_figure(rate.rate) or 0.0
            if row.standing.kind != Kind.BASELINE:
                rates.append(shown)
            count = ""
            if rate.right is not None:
                right = {"right": mean_right(rate.right, rate.runs), "total": rate.total // rate.runs}
                count = _("%(right)s of %(total)s tasks") % right
            cells.append(
                {
                    "row": key_of(number, name_of(row.standing)),
                    "column": key_of([*groups].index(group), label),
                    "rate": shown,
                    "upper": round_figure(rate.upper),
                    "leads": leads,
                    "error": (rate.rounded_to or 0) / 2,
                    "description": describe(
                        name_of(row.standing),
                        _("%(group)s: %(rate)s") % {"group": label, "rate": rate_words(rate)},
                        count,
                        interval(*(rate.interval or (None, None))),
                    ),
                }
            )
    return _heat(cells, rates, look)


def _approaches(figure: figures.ApproachFigure, look: Look) -> Spec:
    approaches = list(dict.fromkeys(approach for approach, *_cell in figure.cells))
    cells: list[Spec] = []
    able = able_to_lead([row for *_cell, row in figure.cells])
    for (approach, model, row), leads in zip(figure.cells, able, strict=True):
        standing = row.standing
        cells.append(
            {
                "row": key_of(approaches.index(approach), approach_words(approach)),
                "column": key_of(figure.models.index(model), translated(model)),
                "rate": round_figure(standing.score) or 0.0,
                "upper": row.upper,
                "leads": leads,
                "description": describe(
                    f"{approach_words(approach)} · {translated(model)}",
                    f"{row.score_words} · {name_of(row.standing)}",
                    interval(standing.low, standing.high),
                ),
            }
        )
    return _heat(cells, [cell["rate"] for cell in cells], look)


def _best(values: Iterable[Spec]) -> float | None:
    """Return the highest rate; None without any, and where undecided answers or an error may hide it."""
    among = list(values)
    best = max((value["rate"] for value in among), default=None)
    able = [value for value in among if (value["upper"] or value["rate"]) + value.get("error", 0) >= best]
    is_known = all(value["upper"] is None and not value.get("error") for value in able)
    return best if len(able) == 1 or is_known else None


def _heat(cells: Sequence[Spec], rates: Sequence[float], look: Look) -> Spec:
    """Draw a heat map with the rate written in each cell; the best that leads of a column is bold.

    rates: those to which the shades are fitted
    """
    heads, rows = sorted({cell["column"] for cell in cells}), {cell["row"] for cell in cells}
    # With fewer than four columns, cells would be too wide: up to the whole page for a single model.
    step = (look.width - look.names) // max(len(heads), 4)
    able = [cell for cell in cells if cell["leads"]]
    best = {head: _best(cell for cell in able if cell["column"] == head) for head in heads}
    values = [
        {
            **cell,
            # Narrow cells have room for the digits only; the caption says that they are percentages.
            "text": ("≈" if cell.get("error") else "")
            + percent_range(cell["rate"], cell["upper"], 0).rstrip("%" if step < 46 else ""),
            "best": cell["leads"] and cell["rate"] == best[cell["column"]] and not cell.get("error"),
        }
        for cell in cells
    ]
    axis, labels, top = None, [], 0
    if step < _ROOMY:
        upright = {"labelAngle": -90, "labelAlign": "left", "labelLimit": 160}
        axis = {"title": None, "orient": "top", "labelPadding": 8, "labelExpr": _NAME, **upright}
        top = min(160, max(8 * columns_of(head[3:]) for head in heads)) + 12
    for number, head in enumerate(heads if axis is None else ()):
        lines = wrap(head[3:], 2 * step // 15, 4)
        top = max(top, 8 + LINE * len(lines))
        at = {"x": step * (number + 0.5), "y": -12 - LINE * (len(lines) - 1), "align": "center"}
        labels.append({"text": "\n".join(lines), **at})
    place = {"x": {"field": "column", "type": "nominal", "sort": heads, "axis": axis}, "y": _rows(look, 0)}
    # Clamp: a baseline may be below the scale, which is fitted to the systems.
    scale = {"domain": ends_of(rates, step=10), "range": [look.none, look.full], "clamp": True}
    shade = {"field": "rate", "type": "quantitative", "scale": scale, "legend": None}
    # In whole pixels, for short paths.
    rect = {"type": "rect", "width": step - 3, "height": 23 if look.is_narrow else 28}
    layers = [
        {"mark": rect, "encoding": {**place, "color": shade, **_DESCRIPTION}},
        {"mark": {"type": "text", **_BOLD}, "encoding": {**place, "text": {"field": "text"}}},
        _named(labels),
    ]
    size = step * len(heads), _height(look, len(rows))
    return _chart(look, values, layers, size, left=look.names, top=top)


def _tasks(figure: figures.TaskFigure, look: Look) -> Spec:
    """Draw a row for each system: its tasks from the easiest, each a cell or one of several in a cell."""
    size = ceil(len(figure.tasks) / _MOST_CELLS)
    values, cells = [], []
    for number, (row, shares) in enumerate(zip(figure.rows, figure.shares, strict=True)):
        key = key_of(number, name_of(row.standing))
        right = _("%(right)s of %(total)s tasks") % {"right": mean_right(sum(shares)), "total": len(shares)}
        described = describe(name_of(row.standing), row.score_words, right)
        values.append({"row": key, "score": row.score_words, "description": described})
        parts = (shares[start : start + size] for start in range(0, len(shares), size))
        cells += [{"row": key, "cell": cell, "share": fmean(part)} for cell, part in enumerate(parts)]
    room = 0 if look.is_narrow else 70
    width = look.width - look.names - room
    rows = {"y": _rows(look)}
    mark = {"type": "rect", "height": {"band": 0.4 if look.is_narrow else 0.8}}
    scale = {"domain": [0, 1], "range": [look.none, look.full]}
    shade = {"field": "share", "type": "quantitative", "scale": scale, "legend": None}
    squares = {
        "data": {"values": cells},
        "mark": {**mark, "aria": False},
        "encoding": {**rows, "x": {"field": "cell", "type": "ordinal", "axis": None}, "color": shade},
    }
    frames = {
        "mark": {**mark, "filled": False, "stroke": look.rule, "width": width},
        "encoding": {**rows, "x": {"value": width / 2}, **_DESCRIPTION},
    }
    easiest = {"text": _("Easiest task"), "x": 0, "y": -12, "align": "left"}
    hardest = {"text": _("Hardest task"), "x": width, "y": -12, "align": "right"}
    layers = [squares, frames, _column("score", width + room, look), _named([easiest, hardest])]
    return _chart(look, values, layers, (width, _height(look, len(values))), left=look.names, top=24)


_DRAWN_BY: Mapping[type[Any], Callable[[Any, Look], Spec]] = {
    figures.GroupFigure: _groups,
    figures.ApproachFigure: _approaches,
    figures.ProgressFigure: _progress,
    figures.ForestFigure: _forest,
    figures.TaskFigure: _tasks,
    figures.PointFigure: _cloud,
}
