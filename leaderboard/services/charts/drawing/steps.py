"""Draw the best score over time: a line in steps, with names where there is room."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import altair as alt
from django.utils.translation import get_language

from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.charts.drawing.axes import rates_up, scale_of
from leaderboard.services.charts.drawing.labels import Box, Side, around, place
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind, text_at
from leaderboard.services.charts.drawing.style import Look, clean, describe, interval, name_with_kind
from leaderboard.services.charts.figures import ProgressFigure
from leaderboard.services.charts.form import day_of, translated
from leaderboard.services.charts.scales import Ends, fit_rates
from leaderboard.services.text_fitting import shorten
from leaderboard.services.visibility import round_figure

# Labels go above the line left of the point, or below it on the right: the line runs through neither place.
_SIDES = (
    *(Side("right", -8, -11), Side("left", 9, 14), Side("right", -8, -27)),
    *(Side("left", 9, 30), Side("right", -8, -43), Side("left", 9, 46)),
)
_SHORTER = 28, 14, 8  # letters to which a name is cut where it has no room
# Formats (of d3-time-format) of the dates on the axis, each for spans of fewer than so many days.
_DATES = {
    "en": ((2, "%-d %b %Y, %H:%M UTC"), (300, "%-d %b %Y"), (2200, "%b %Y"), (None, "%Y")),
    "zh-hant": (
        (2, "%Y 年 %-m 月 %-d 日 %H:%M UTC"),
        (300, "%Y 年 %-m 月 %-d 日"),
        (2200, "%Y 年 %-m 月"),
        (None, "%Y 年"),
    ),
}


_MONTHS_FROM = 300  # days from which the axis names months


class Plot(NamedTuple):
    """The ends of both axes, and the size of the plot in pixels."""

    since: datetime
    until: datetime
    ends: Ends
    width: float
    height: float

    def x(self, at: datetime) -> float:
        """Return the distance from the left in pixels."""
        return (at - self.since) / (self.until - self.since) * self.width

    def y(self, score: float) -> float:
        """Return the distance from the top in pixels."""
        return (self.ends.high - score) / (self.ends.high - self.ends.low) * self.height


def progress(figure: ProgressFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    """Draw the line and its points with their intervals."""
    scores = figure.scores
    until = max(figure.history.until or scores[-1].at, scores[-1].at)
    plot = _plot(scores, until, look)
    points = [_point(best) for best in scores]
    line = [*points, {**points[-1], "at": _at(until)}]
    x = alt.X(
        "at:T",
        scale=alt.Scale(type="utc", domain=[_at(plot.since), _at(plot.until)]),
        axis=_days(scores, until, plot, look),
    )
    # The ends are not rounded (`nice`): labels are placed by these.
    heights = scale_of(plot.ends)
    rates = rates_up(plot.ends, translated(figure.metric.label), look)
    y = alt.Y("score:Q", scale=heights, axis=rates)
    steps = chart_of(line).encode(x=x, y=y)
    steps = steps.mark_line(interpolate="step-after", color=look.measured, strokeWidth=2, aria=False)
    marks = chart_of(points).encode(x=x, y=y)
    rules = marks.mark_rule(strokeWidth=4, opacity=0.35, strokeCap="round", aria=False)
    low = alt.Y("low:Q", scale=heights, axis=rates)
    layers: list[alt.Chart] = [steps, rules.encode(y=low, y2=alt.Y2("high:Q"), color=colour_by_kind(look))]
    if figure.has_open:
        whiskers = marks.mark_rule(strokeWidth=1.5, strokeDash=[3, 2], aria=False)
        layers.append(whiskers.encode(y2=alt.Y2("upper:Q"), color=colour_by_kind(look)))
    dots = marks.mark_point(filled=True, size=64, opacity=1)
    layers.append(
        dots.encode(
            color=colour_by_kind(look),
            shape=shape_by_kind(),
            description=alt.Description("description:N"),
        )
    )
    layers += _labels(scores, plot, look)
    return alt.layer(*layers).properties(width=plot.width, height=plot.height)


def _plot(scores: Sequence[BestScore], until: datetime, look: Look) -> Plot:
    lows = [best.score if best.low is None else best.low for best in scores]
    highs = [max(best.score, best.high or 0.0, best.upper or 0.0) for best in scores]
    ends = fit_rates([*lows, *highs], most=5)
    span = until - scores[0].at or timedelta(days=1)
    # Leave a margin at both ends, since a point on the frame would be cut.
    return Plot(
        since=scores[0].at - span * 0.02,
        until=until + span * 0.02,
        ends=ends,
        width=look.width - (look.axis_room + 12),
        height=300 if look.is_narrow else 380,
    )


def _at(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _point(best: BestScore) -> dict[str, Any]:
    return {
        "at": _at(best.at),
        "score": round_figure(best.score),
        "low": round_figure(best.score if best.low is None else best.low),
        "high": round_figure(best.score if best.high is None else best.high),
        "upper": round_figure(best.score if best.upper is None else best.upper),
        "kind": best.kind,
        "description": describe(
            name_with_kind(best.name, best.kind),
            f"{best.score_words} · {day_of(best.at)}",
            interval(best.low, best.high),
        ),
    }


def _days(scores: Sequence[BestScore], until: datetime, plot: Plot, look: Look) -> alt.Axis:
    days = (plot.until - plot.since).days
    formats = _DATES.get(get_language() or "en", _DATES["en"])
    date_form = next(form for most, form in formats if most is None or days < most)
    most = 3 if look.is_narrow else 7 if look.is_wide else 5
    ticks: dict[str, Any] = {"tickCount": most, "labelOverlap": "greedy"}
    if days < 2:
        # Over hours only the two ends are labelled; within one minute they would have the same label.
        ends = {at.replace(second=0, microsecond=0): at for at in (until, scores[0].at)}
        ticks = {"values": [at.timestamp() * 1000 for at in ends.values()], "labelFlush": 60}
    elif days < 2 * most:
        # Otherwise two ticks on one day would have the same label.
        ticks["tickCount"] = {"interval": "day", "step": ceil(days / most)}
    elif days >= _MONTHS_FROM:
        # The renderer would choose years for two years, and leave a narrow chart with one label.
        steps = (1, 2, 3, 6, 12, 24, 60)
        months = next((step for step in steps if days / 30 / step <= most + 1), 120)
        ticks["tickCount"] = {"interval": "month", "step": months}
    return alt.Axis(title=None, format=date_form, grid=False, **ticks)


def _labels(scores: Sequence[BestScore], plot: Plot, look: Look) -> list[alt.Chart]:
    """Return labels for as many of the scores as have room.

    The newest is placed first, then the oldest, then the others from the newest on. A name is cut where it
    has no room otherwise; all names are cut where that makes room for more of them.
    """
    order = list(dict.fromkeys([scores[-1], scores[0], *reversed(scores)]))
    lengths = [look.beside, *(letters for letters in _SHORTER if letters < look.beside)]
    labels: list[alt.Chart] = []
    for start in range(len(lengths)):
        texts = _place_labels(order, scores, lengths[start:], plot, look)
        labels = texts if len(texts) > len(labels) else labels
        if len(labels) == len(scores):
            break
    return labels


def _place_labels(
    order: Sequence[BestScore], scores: Sequence[BestScore], lengths: Sequence[int], plot: Plot, look: Look
) -> list[alt.Chart]:
    """Return the labels that have room, each cut to the first of `lengths` that fits."""
    frame, occupied, texts = Box(0, -8, plot.width, plot.height), _drawn_boxes(scores, plot), []
    for best in order:
        x, y = plot.x(best.at), plot.y(best.score)
        for letters in lengths:
            text = f"{shorten(clean(best.name), letters)} {best.score_words}"
            placement = place(text, x, y, _SIDES, occupied=occupied, frame=frame)
            if placement is not None:
                side, box = placement
                occupied.append(box)
                texts.append(text_at(text, x, y, side, look.ink))
                break
    return texts


def _drawn_boxes(scores: Sequence[BestScore], plot: Plot) -> list[Box]:
    """Return the boxes of the points, the intervals and the vertical parts of the line."""
    occupied = []
    for best in scores:
        x, y = plot.x(best.at), plot.y(best.score)
        occupied.append(around(x, y))
        if best.low is not None and best.high is not None:
            highest = max(best.high, best.upper or 0.0)
            occupied.append(Box(x - 3, plot.y(highest), x + 3, plot.y(best.low)))
    for before, best in pairwise(scores):
        x = plot.x(best.at)
        occupied.append(Box(x - 1, plot.y(best.score), x + 1, plot.y(before.score)))
    return occupied
