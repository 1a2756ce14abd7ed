"""The best score over time: a step line with the records as points, as many named as have room."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import ceil, floor
from typing import Any, NamedTuple

import altair as alt
from django.utils.formats import date_format
from django.utils.translation import get_language

from leaderboard.services.boards.best_scores import BestScore
from leaderboard.services.charts.drawing.labels import Box, Side, around, place
from leaderboard.services.charts.drawing.marks import chart_of, colour_by_kind, shape_by_kind, text_at
from leaderboard.services.charts.drawing.style import (
    Look,
    clean,
    describe,
    interval,
    name_with_kind,
    shorten,
)
from leaderboard.services.charts.figures import ProgressFigure
from leaderboard.services.text import percent

# Before the line rises, and after: both are free of it.
_SIDES = (
    *(Side("right", -8, -9), Side("left", 9, 12), Side("right", -8, -22)),
    *(Side("left", 9, 25), Side("right", -8, -35), Side("left", 9, 38)),
)
_SHORTER = 28, 14, 8  # letters of a name that has no room as it is
_SMALL_SIDES = Side("right", 4, -12), Side("left", -4, -12)
# Of dates on the axis, by how many days it spans; in the words of d3-time-format.
_DATES = {
    "en": ((2, "%-d %b %Y, %H:%M UTC"), (300, "%-d %b %Y"), (2200, "%b %Y"), (None, "%Y")),
    "zh-hant": (
        (2, "%Y年%-m月%-d日 %H:%M UTC"),
        (300, "%Y年%-m月%-d日"),
        (2200, "%Y年%-m月"),
        (None, "%Y年"),
    ),
}


class Plot(NamedTuple):
    """The ends of both axes, and how large it is."""

    since: datetime
    until: datetime
    low: float
    high: float
    width: float
    height: float

    def x(self, at: datetime) -> float:
        return (at - self.since) / (self.until - self.since) * self.width

    def y(self, score: float) -> float:
        return (self.high - score) / (self.high - self.low) * self.height


def progress(shown: ProgressFigure, look: Look) -> alt.LayerChart | alt.FacetChart:
    held = shown.held
    until = max(shown.course.until or held[-1].at, held[-1].at)
    plot = _plot(held, until, look)
    points = [_point(record) for record in held]
    line = [*points, {**points[-1], "at": _at(until)}]
    x = alt.X(
        "at:T",
        scale=alt.Scale(type="utc", domain=[_at(plot.since), _at(plot.until)]),
        axis=_days(held, until, plot, look),
    )
    # Not to rounder ends: labels have their places by these.
    heights = alt.Scale(domain=[plot.low, plot.high], zero=False, nice=False)
    y = alt.Y("score:Q", scale=heights, axis=_rates(look))
    steps = chart_of(line).encode(x=x, y=y)
    steps = steps.mark_line(interpolate="step-after", color=look.full, strokeWidth=1.75, aria=False)
    marks = chart_of(points).encode(x=x, y=y)
    layers: list[alt.Chart] = [steps]
    if not look.is_small:
        rules = marks.mark_rule(strokeWidth=5, opacity=0.18, aria=False)
        layers.append(rules.encode(y=alt.Y("low:Q", scale=heights), y2="high:Q", color=colour_by_kind(look)))
    dots = marks.mark_point(filled=True, size=28 if look.is_small else 52, opacity=1)
    layers.append(
        dots.encode(
            color=colour_by_kind(look),
            shape=shape_by_kind(),
            description="said:N",
        )
    )
    layers += _ends(held, until, plot, look) if look.is_small else _labels(held, plot, look)
    return alt.layer(*layers).properties(width=plot.width, height=plot.height)


def _plot(held: Sequence[BestScore], until: datetime, look: Look) -> Plot:
    lows = [record.score if record.low is None or look.is_small else record.low for record in held]
    highs = [record.score if record.high is None or look.is_small else record.high for record in held]
    # Whole twentieths, so that the axis does not move with every record.
    low, high = floor(min(lows) * 20) / 20, ceil(max(highs) * 20) / 20
    span = until - held[0].at or timedelta(days=1)
    # Room at both ends: a point on the frame would be cut.
    width, height = look.width - (0 if look.is_small else 52 if look.is_narrow else 12), 300
    if look.is_small:
        height = 64
    elif look.is_narrow:
        height = 220
    return Plot(
        since=held[0].at - span * 0.02,
        until=until + span * 0.02,
        low=max(0.0, low - 0.05 * (low == high)),
        high=min(1.0, high) if high > low else min(1.0, high + 0.05),
        width=width,
        height=height,
    )


def _at(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


def _point(record: BestScore) -> dict[str, Any]:
    day = date_format(record.at.astimezone(UTC), "DATE_FORMAT")
    return {
        "at": _at(record.at),
        "score": record.score,
        "low": record.score if record.low is None else record.low,
        "high": record.score if record.high is None else record.high,
        "kind": record.kind,
        "said": describe(
            name_with_kind(record.name, record.kind),
            f"{percent(record.score)} · {day}",
            interval(record.low, record.high),
        ),
    }


def _days(held: Sequence[BestScore], until: datetime, plot: Plot, look: Look) -> alt.Axis | None:
    if look.is_small:
        return None
    days = (plot.until - plot.since).days
    formats = _DATES.get(get_language() or "en", _DATES["en"])
    shown_as = next(form for most, form in formats if most is None or days < most)
    most = 3 if look.is_narrow else 7
    ticks: dict[str, Any] = {"tickCount": most, "labelOverlap": "greedy"}
    if days < 2:
        # Of hours, only from when to when; within a minute both would have the same label.
        ends = {at.replace(second=0, microsecond=0): at for at in (until, held[0].at)}
        ticks = {"values": [at.timestamp() * 1000 for at in ends.values()], "labelFlush": 60}
    elif days < 2 * most:
        # Else two ticks of one day would have the same label.
        ticks["tickCount"] = {"interval": "day", "step": ceil(days / most)}
    return alt.Axis(title=None, format=shown_as, grid=False, **ticks)


def _rates(look: Look) -> alt.Axis | None:
    if look.is_small:
        return None
    return alt.Axis(title=None, format=".0%", tickCount=5, domain=False, ticks=False, labelPadding=8)


def _labels(held: Sequence[BestScore], plot: Plot, look: Look) -> list[alt.Chart]:
    """The newest first, then the oldest, then the others from the newest on: each where it has room, with a
    shorter name where there is little; all shorter, where that names more records."""
    order = list(dict.fromkeys([held[-1], held[0], *reversed(held)]))
    lengths = [look.beside, *(letters for letters in _SHORTER if letters < look.beside)]
    best: list[alt.Chart] = []
    for start in range(len(lengths)):
        texts = _placed(order, held, lengths[start:], plot, look)
        best = texts if len(texts) > len(best) else best
        if len(best) == len(held):
            break
    return best


def _placed(
    order: Sequence[BestScore], held: Sequence[BestScore], lengths: Sequence[int], plot: Plot, look: Look
) -> list[alt.Chart]:
    """Return the names of those that have room, each of the first of `lengths` that fits."""
    frame, taken, texts = Box(0, -8, plot.width, plot.height), _drawn(held, plot), []
    for record in order:
        x, y = plot.x(record.at), plot.y(record.score)
        for letters in lengths:
            text = f"{shorten(clean(record.name), letters)} {percent(record.score)}"
            found = place(text, x, y, _SIDES, taken=taken, frame=frame)
            if found is not None:
                side, box = found
                taken.append(box)
                texts.append(text_at(text, x, y, side, look.ink))
                break
    return texts


def _drawn(held: Sequence[BestScore], plot: Plot) -> list[Box]:
    """Return where points, intervals and the steep parts of the line are."""
    taken = []
    for record in held:
        x, y = plot.x(record.at), plot.y(record.score)
        taken.append(around(x, y))
        if record.low is not None and record.high is not None:
            taken.append(Box(x - 3, plot.y(record.high), x + 3, plot.y(record.low)))
    for before, record in pairwise(held):
        x = plot.x(record.at)
        taken.append(Box(x - 1, plot.y(record.score), x + 1, plot.y(before.score)))
    return taken


def _ends(held: Sequence[BestScore], until: datetime, plot: Plot, look: Look) -> list[alt.Chart]:
    """Of a small chart the last figure and, where it has room, the first; from when to when it goes."""
    frame, below = Box(-4, -20, plot.width, plot.height), plot.height + 13
    since, to = (date_format(at.astimezone(UTC), "DATE_FORMAT") for at in (held[0].at, until))
    texts = [
        text_at(since, 0, below, Side("left", 0, 0), look.quiet),
        text_at(to, plot.width, below, Side("right", 0, 0), look.quiet),
    ]
    # Without intervals, which a small chart has not.
    bare = [replace(record, low=None, high=None) for record in held]
    taken = _drawn(bare, plot)
    for record, colour in ((held[-1], look.ink), (held[0], look.quiet)):
        x, y = plot.x(record.at), plot.y(record.score)
        found = place(percent(record.score), x, y, _SMALL_SIDES, taken=taken, frame=frame)
        if found is not None:
            taken.append(found[1])
            texts.append(text_at(percent(record.score), x, y, found[0], colour))
    return texts
