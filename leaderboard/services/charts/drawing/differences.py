"""Draw differences between systems with their 95% intervals, one below the other."""

from collections.abc import Sequence
from typing import Any

import altair as alt
from django.utils.translation import gettext as _

from leaderboard.services.charts.differences import DifferenceFigure, Line
from leaderboard.services.charts.drawing.axes import scale_of
from leaderboard.services.charts.drawing.marks import chart_of, x_at
from leaderboard.services.charts.drawing.names import SHIFT, room_for, row_lines, row_names, row_step
from leaderboard.services.charts.drawing.style import TEXT, Look, clean, describe, row_key
from leaderboard.services.charts.scales import fit_differences
from leaderboard.services.text import points
from leaderboard.services.visibility import round_figure

_ROOM = 56  # pixels for the figures to the right
_SIGNED = "(datum.value > 0 ? '+' : datum.value < 0 ? '−' : '') + format(abs(datum.value) * 100, '.0f')"


def differences(figure: DifferenceFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw an interval and a mark for each line: full where the difference is significant, else hollow."""
    drawn = figure.drawn
    is_single = len(figure.pairs) == 1
    labels = [line.words if is_single else line.contrast for line in drawn]
    lines = look.lines(map(clean, labels))
    values = [
        _value(number, label, line, look, lines)
        for number, (label, line) in enumerate(zip(labels, drawn, strict=True))
    ]
    room = room_for((value["row"] for value in values), look)
    width = look.width - room - _ROOM
    ends = fit_differences(
        [end for line in drawn for end in (line.low, line.high)], most=4 if look.is_narrow else 6
    )
    axis = alt.Axis(
        orient="top",
        values=ends.ticks,
        labelExpr=_SIGNED,
        labelFlush=False,
        title=_("%(contrast)s, in points") % {"contrast": _contrast(drawn[0], look)}
        if is_single
        else _("First minus second, in points"),
        titleAnchor="start",
        titleAlign="left",
        titlePadding=8,
        domain=False,
        ticks=False,
    )
    scale, below = scale_of(ends), SHIFT if look.is_narrow else 0
    rows = alt.Y("row:N", sort="ascending", axis=row_lines(look))
    at = alt.X("difference:Q", scale=scale, axis=axis)
    layers: list[alt.Chart] = [
        chart_of([{"x": 0}])
        .mark_rule(color=look.quiet, strokeWidth=1.5, aria=False)
        .encode(x=alt.X("x:Q", scale=scale, axis=axis))
    ]
    layers += [
        chart_of(chosen)
        .mark_rule(
            color=look.measured, opacity=0.45, strokeCap="round", strokeWidth=thick, yOffset=below,
            y2Offset=below, aria=False,
        )
        .encode(y=rows, x=alt.X("low:Q", scale=scale, axis=axis), x2=alt.X2("high:Q"))
        for chosen, thick in ((_of(values, "group"), 3), (_of(values, "yes", "no"), 6))
        if chosen
    ]  # fmt: skip
    for kind, mark in _marks(look).items():
        if chosen := _of(values, kind):
            shown = chart_of(chosen).mark_point(opacity=1, yOffset=below, **mark)
            layers.append(shown.encode(y=rows, x=at, description=alt.Description("description:N")))
    layers += _names([value["row"] for value in values], room, look)
    layers += _figures(values, width + _ROOM - 4, look)
    return alt.layer(*layers).properties(width=width, height=row_step(lines, look))


def _names(rows: Sequence[str], room: int, look: Look) -> list[alt.Chart]:
    """Return the names of the rows; above its row, a name has a rim that keeps it apart from the lines."""
    names = row_names(rows, room, look)
    if not look.is_narrow:
        return [names]
    rim = names.copy()
    rim.mark.stroke, rim.mark.strokeWidth = look.sheet, 5
    return [rim, names]


def _marks(look: Look) -> dict[str, dict[str, Any]]:
    """Return the marks of a significant difference, of one that is not, and of one that was not tested."""
    return {
        "yes": {"filled": True, "color": look.measured, "size": 110},
        "no": {"filled": False, "fill": look.sheet, "stroke": look.measured, "strokeWidth": 2, "size": 90},
        "group": {
            "filled": False,
            "stroke": look.measured,
            "strokeWidth": 3,
            "shape": "stroke",
            "size": 130,
            "angle": 90,
        },
    }


def _value(number: int, label: str, line: Line, look: Look, lines: int) -> dict[str, Any]:
    kind = {True: "yes", False: "no", None: "group"}[line.is_significant]
    significance = {"yes": _("Significant"), "no": _("Not significant"), "group": ""}[kind]
    return {
        "row": row_key(number, label, look.letters, lines),
        "difference": round_figure(line.difference),
        "low": round_figure(line.low),
        "high": round_figure(line.high),
        "kind": kind,
        "figure": points(line.difference),
        "description": describe(
            label,
            _("%(points)s points") % {"points": points(line.difference)},
            _("95%% interval %(low)s to %(high)s") % {"low": points(line.low), "high": points(line.high)},
            significance,
        ),
    }


def _contrast(line: Line, look: Look) -> str:
    half = (look.width // 8 - 12) // 2
    ahead, other = (
        name if len(name) <= half else f"{name[: half - 1]}…" for name in map(clean, (line.ahead, line.other))
    )
    return f"{ahead} − {other}"


def _of(values: Sequence[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [value for value in values if value["kind"] in kinds]


def _figures(values: Sequence[dict[str, Any]], x: float, look: Look) -> list[alt.Chart]:
    """Return the differences in figures, in a column that ends at `x`; those over all tasks are bold."""
    layers = []
    for is_bold in (False, True):
        chosen = _of(values, "yes", "no") if is_bold else _of(values, "group")
        if chosen:
            mark = chart_of(chosen).mark_text(
                align="right",
                baseline="middle",
                dy=-13 if look.is_narrow else 0,
                fontSize=TEXT,
                fontWeight=700 if is_bold else 400,
                color=look.ink,
                aria=False,
            )
            y = alt.Y("row:N", sort="ascending", axis=None)
            layers.append(mark.encode(x=x_at(x), y=y, text=alt.Text("figure:N")))
    return layers
